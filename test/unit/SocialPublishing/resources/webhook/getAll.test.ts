import { getAll } from '../../../../../nodes/SocialPublishing/resources/webhook/getAll';
import { requestOf } from '../operations';

test('asks for the webhooks', () => {
	expect(requestOf(getAll, {})).toEqual({ path: '/webhooks' });
});
