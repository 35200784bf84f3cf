import { limits, platforms } from '../../../nodes/api/contract';
import { limits as specified, platforms as ofTheSpec } from '../../support/specification';

test('platforms and limits are those of the specification', () => {
	expect(platforms).toEqual(ofTheSpec);
	expect(limits).toEqual({
		postsPerRequest: specified['/posts'].most,
		approvalsPerPage: specified['/approvals'].most,
		insights: specified['/analytics/insights'].most,
		idempotencyKey: 255,
	});
});
