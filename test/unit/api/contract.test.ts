import { limits, listNames, platforms, terminalStatuses } from '../../../nodes/api/contract';
import { limits as specified, platforms as ofTheSpec } from '../../support/specification';

test('platforms, final states and limits are those of the specification', () => {
	expect(platforms).toEqual(ofTheSpec);
	expect(terminalStatuses).toEqual(['completed', 'failed', 'canceled']);
	expect(limits).toEqual({
		postsPerRequest: specified['/posts'].most,
		approvalsPerPage: specified['/approvals'].most,
		insights: specified['/analytics/insights'].most,
		idempotencyKey: 255,
	});
});

test('the lists that the specification shows are looked for under their names first', () => {
	const { posts, approvals, rows } = listNames;
	expect([posts[0], approvals[0], rows[0]]).toEqual(['items', 'batches', 'rows']);
});
