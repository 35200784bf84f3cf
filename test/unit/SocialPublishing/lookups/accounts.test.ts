import { getPlatforms, getTargets } from '../../../../nodes/SocialPublishing/lookups/accounts';
import { editor } from './fakes';

const list = [
	{ id: 'acc_1', platform: 'linkedin', name: 'Plum' },
	{ id: 'acc_2', platform: 'Twitter', username: 'plum' },
	{ id: 'acc_3', platform: 'linkedin', status: 'expired' },
];
const others = ['Instagram', 'TikTok', 'YouTube', 'Facebook', 'Bluesky'].map((name) => ({
	...{ name, value: name.toLowerCase(), description: '' },
}));
const x = { name: 'X', value: 'x', description: 'plum' };

test('platforms: those with an account first, with their names; each account of several where a post goes', async () => {
	const { context } = editor(() => ({ accounts: list }));
	const description = 'Plum, acc_3 (reconnect it)';
	expect(await getPlatforms.call(context)).toEqual([
		x,
		{ name: 'LinkedIn', value: 'linkedin', description },
		...others,
	]);
	expect(await getTargets.call(context)).toEqual([
		x,
		{ name: 'LinkedIn: Plum', value: 'linkedin:acc_1' },
		{ name: 'LinkedIn: acc_3 (reconnect it)', value: 'linkedin:acc_3' },
		...others,
	]);
});

test('accounts with the same name can be told apart by their IDs', async () => {
	const same = ['acc_1', 'acc_2'].map((id) => ({ id, platform: 'x', name: 'Plum' }));
	const { context } = editor(() => ({ accounts: same }));
	const names = (await getTargets.call(context)).map(({ name }) => name);
	expect(names.slice(0, 2)).toEqual(['X: Plum (x:acc_1)', 'X: Plum (x:acc_2)']);
});

test('a list that is not all says so at its end', async () => {
	const { context } = editor(() => ({ accounts: list, has_more: true }));
	expect((await getPlatforms.call(context)).at(-1)).toMatchObject({
		name: expect.stringMatching(/has more/),
	});
});

test('all seven where the accounts can not be read, and the first says why', async () => {
	const { context } = editor(() => ({ code: 'PUBLIC_API_SCOPE_FORBIDDEN', status: 403 }));
	const options = await getTargets.call(context);
	expect(options).toHaveLength(7);
	expect(options[0]!.description).toBe(
		'Accounts not loaded: The API key is not allowed to do this: no. To try again, choose ⋮ → Refresh List.',
	);
	expect(options[1]!.description).toBe('');
});

test('where the editor has not chosen a credential yet, the first says to open the panel again', async () => {
	const { context } = editor(() => ({ code: 'A', status: 403 }));
	const node = { ...context.getNode(), credentials: undefined };
	jest.spyOn(context, 'getNode').mockReturnValue(node);
	expect((await getTargets.call(context))[0]!.description).toMatch(
		/^Accounts not loaded yet: close this panel/,
	);
});
