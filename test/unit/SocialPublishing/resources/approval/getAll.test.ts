import { getAll } from '../../../../../nodes/SocialPublishing/resources/approval/getAll';
import { requestOf } from '../operations';

/** How pages are followed: test/unit/api/pages.test.ts. */
test('approvals are asked for in pages of 50, the most that the service gives', () => {
	expect(requestOf(getAll)).toEqual({ path: '/approvals', listNames: ['batches', 'items'], pageSize: 50 });
});
