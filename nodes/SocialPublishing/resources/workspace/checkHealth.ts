import omitBy from 'lodash/omitBy';
import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { toFailure } from '../../../api/failure';
import { withoutSignedQueries } from '../../../api/redaction';
import { operation } from '../../engine/operation';
import { healthChecks, healthStatuses, type HealthCheck, type HealthResult } from './health';

const MAX_DAYS = 365;

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
		const span = { item, days: Math.min(days, MAX_DAYS) };
		const results = await Promise.allSettled(healthChecks.map(async ({ check }) => await check(span)));
		// A wrong key or no connection: one error instead of five warnings.
		const [first] = results;
		if (results.every(({ status }) => status === 'rejected'))
			throw toFailure((first as PromiseRejectedResult).reason);
		const items = results.map((one, i) => {
			const { name, subject } = healthChecks[i]!;
			return healthItem(name, one.status === 'fulfilled' ? one.value : couldNotRead(subject, one.reason));
		});
		return sortBy(withoutSignedQueries(items), ({ status }) => healthStatuses.indexOf(status));
	},
});

function couldNotRead(subject: HealthCheck['subject'], error: unknown): HealthResult {
	const { message, hint, code, status } = toFailure(error).details;
	return {
		status: 'warning',
		message: `${subject} could not be read: ${message.replace(/\.$/, '')}.`,
		hint,
		facts: { error: { code, status } },
	};
}

function healthItem(check: string, { status, message, hint = 'Nothing to do.', facts = {} }: HealthResult) {
	// n8n shows an empty list in red.
	const named: IDataObject = omitBy(facts, (value) => Array.isArray(value) && value.length === 0);
	return { check, status, message, hint, ...(Object.keys(named).length > 0 ? { facts: named } : {}) };
}
