import { getAll } from '../../../../../nodes/SocialPublishing/resources/account/getAll';
import { requestOf, shapeOf } from '../operations';

test('asks for all accounts: the platform is picked out of them', () => {
	expect(requestOf(getAll, { filters: { platform: 'x' } })).toEqual({ path: '/accounts' });
});

test.each(['x', 'twitter', ' Twitter '])('of %j: x and twitter are one platform', (platform) => {
	const accounts = [{ platform: 'Twitter' }, { platform: 'x' }, { platform: 'linkedin' }, {}];
	expect(shapeOf(getAll, { filters: { platform } }, { accounts })).toEqual(accounts.slice(0, 2));
	expect(shapeOf(getAll, {}, { accounts })).toEqual(accounts);
});
