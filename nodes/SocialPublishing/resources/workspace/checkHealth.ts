import { pickBy, sortBy, trimEnd, upperFirst } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { Failure, toFailure } from '../../../api/failure';
import { withoutSignedQueries } from '../../../api/redaction';
import { operation } from '../../engine/operation';
import { healthChecks } from './health';

const MAX_DAYS = 365;
/** The worst first. */
const statuses = ['problem', 'warning', 'ok'];

/** Nothing is written; a check that can't read its endpoint is a warning, and the others still run. */
export const checkHealth = operation({
	name: 'Check Health',
	value: 'checkHealth',
	action: 'Check health of workspace',
	description:
		'Check accounts, overdue and failed posts, and webhooks: one item per check, worst first, with what to do',
	fields: [
		{
			displayName: 'Days',
			name: 'days',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: MAX_DAYS },
			default: 7,
			description: 'How many days to look back at what failed',
		},
	],
	send: async ({ item }, { days }) => {
		const checks = Object.entries(healthChecks).map(async ([name, check]) => {
			const found = await check(item, Math.min(days, MAX_DAYS)).catch(toFailure);
			return { name, found };
		});
		const results = await Promise.all(checks);
		// A wrong key or no connection: one error instead of four warnings.
		const failures = results.flatMap(({ found }) => (found instanceof Failure ? [found] : []));
		if (failures.length === results.length) throw failures[0]!;
		// Of several workspaces in one run, each item says which.
		const place = pickBy({ workspace_id: item.workspaceId });
		const items = results.map(({ name, found }): IDataObject => {
			const result = found instanceof Failure ? unread(name, found) : found;
			return { check: name, ...result, ...place };
		});
		return sortBy(withoutSignedQueries(items), ({ status }) => statuses.indexOf(String(status)));
	},
});

function unread(check: string, { message, details: { hint, code, status } }: Failure) {
	const what = upperFirst(check.replace('_', ' '));
	return {
		status: 'warning',
		message: `${what} could not be read: ${trimEnd(message, '.')}.`,
		hint,
		facts: { error: { code, status } },
	};
}
