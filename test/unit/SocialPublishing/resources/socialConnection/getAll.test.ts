import { getAll } from '../../../../../nodes/SocialPublishing/resources/socialConnection/getAll';
import { requestOf } from '../operations';

test('asks for the connections', () => {
	expect(requestOf(getAll, {})).toEqual({ path: '/social-connections' });
});
