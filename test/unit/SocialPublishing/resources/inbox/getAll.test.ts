import { getAll } from '../../../../../nodes/SocialPublishing/resources/inbox/getAll';
import { requestOf } from '../operations';

test('asks with whatever query is entered', () => {
	expect(requestOf(getAll, { options: { query: '{"unread":true}' } })).toEqual({
		path: '/inbox',
		qs: { unread: true },
	});
});
