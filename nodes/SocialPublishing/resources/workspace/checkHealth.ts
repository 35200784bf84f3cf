import isEmpty from 'lodash/isEmpty';
import mapValues from 'lodash/mapValues';
import omitBy from 'lodash/omitBy';
import sortBy from 'lodash/sortBy';
import upperFirst from 'lodash/upperFirst';
import type { IDataObject } from 'n8n-workflow';

import { Failure, toFailure } from '../../../api/failure';
import { withoutSignedQueries } from '../../../api/redaction';
import { operation } from '../../engine/operation';
import { healthChecks, healthStatuses, warning, withoutStop, type HealthResult } from './health';

const MAX_DAYS = 365;
/** How many records of a list stand in the facts. */
const MAX_FACTS = 10;

/** Nothing is written; a check that can't read its endpoint is a warning, and the others still run. */
export const checkHealth = operation({
	name: 'Check Health',
	value: 'checkHealth',
	action: 'Check health of workspace',
	description:
		'Check accounts, overdue and failed posts, webhooks and approvals: one item per check, worst first, with what to do',
	method: 'GET',
	fields: [
		{
			displayName: 'Days',
			name: 'days',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MAX_DAYS },
			default: 7,
			description: 'How many days to look ahead at posts that are due, and back at what failed',
		},
	],
	run: async (item, { days }) => {
		const results = await Promise.all(
			Object.entries(healthChecks).map(async ([name, check]) => ({
				name,
				result: await check(item, Math.min(days, MAX_DAYS)).catch(toFailure),
			})),
		);
		const failures = results.flatMap(({ result }) => (result instanceof Failure ? [result] : []));
		// A wrong key or no connection: one error instead of five warnings.
		if (failures.length === results.length) throw failures[0]!;
		const items = results.map(({ name, result }) =>
			healthItem(name, result instanceof Failure ? couldNotRead(name, result) : result),
		);
		return sortBy(withoutSignedQueries(items), ({ status }) => healthStatuses.indexOf(status));
	},
});

function couldNotRead(name: string, failure: Failure): HealthResult {
	const { hint, code, status } = failure.details;
	const message = `${upperFirst(name.replace('_', ' '))} could not be read: ${withoutStop(failure)}.`;
	return warning(message, hint, { error: { code, status } });
}

function healthItem(check: string, { status, message, hint, facts: all }: HealthResult) {
	const listed = mapValues(all, (value) => (Array.isArray(value) ? value.slice(0, MAX_FACTS) : value));
	// n8n shows an empty list in red.
	const facts: IDataObject = omitBy(listed, (value) => Array.isArray(value) && value.length === 0);
	return { check, status, message, hint, ...(isEmpty(facts) ? {} : { facts }) };
}
