import { get } from '../../../../../nodes/SocialPublishing/resources/usage/get';
import { requestOf } from '../operations';

test('asks for the usage', () => {
	expect(requestOf(get, {})).toEqual({ path: '/usage', expects: 'records' });
});
