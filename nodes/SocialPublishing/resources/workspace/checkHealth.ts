import { compact, map, mapValues, pickBy, sortBy, trimEnd, upperFirst } from 'lodash';

import { Failure, toFailure } from '../../../api/failure';
import { withoutSignedQueries } from '../../../api/redaction';
import { operation } from '../../engine/operation';
import { healthChecks, type Findings } from './health';

const MAX_DAYS = 365;
/** How many entries of a list stand in the facts. */
const MAX_IN_FACTS = 10;
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
			description: 'How many days to look ahead at posts that are due, and back at what failed',
		},
	],
	run: async (item, { days }) => {
		const checks = Object.entries(healthChecks).map(async ([name, check]) => {
			const found = await check(item, Math.min(days, MAX_DAYS)).catch(toFailure);
			return { name, found };
		});
		const results = await Promise.all(checks);
		// A wrong key or no connection: one error instead of five warnings.
		const failures = results.flatMap(({ found }) => (found instanceof Failure ? [found] : []));
		if (failures.length === results.length) throw failures[0]!;
		// Of several workspaces in one run, each item says which.
		const place = pickBy({ workspace_id: item.workspaceId });
		const items = results.map(({ name, found }) => ({ ...healthItem(name, found), ...place }));
		return sortBy(withoutSignedQueries(items), ({ status }) => statuses.indexOf(status));
	},
});

function healthItem(check: string, found: Findings | Failure) {
	if (found instanceof Failure) {
		const { hint, code, status } = found.details;
		const message = `${upperFirst(check.replace('_', ' '))} could not be read: ${trimEnd(found.message, '.')}.`;
		return { check, status: 'warning', message, hint, facts: { error: { code, status } } };
	}
	const { counts, note, isProblem, hint, lists } = found;
	const [what, count] = Object.entries(counts)[0]!;
	// n8n shows an empty list in red.
	const filled = pickBy(lists, ({ length }) => length > 0);
	const facts = { count, ...mapValues(filled, (list) => list.slice(0, MAX_IN_FACTS)) };
	const trouble = map(pickBy(counts), (much, label) => `${label}: ${much}.`);
	if (trouble.length === 0 && !note)
		return { check, status: 'ok', message: `${what}: 0.`, hint: 'Nothing to do.', facts };
	const message = compact([...trouble, note]).join(' ');
	return { check, status: isProblem ? 'problem' : 'warning', message, hint, facts };
}
