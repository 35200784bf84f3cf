import { getPlatforms, getTargets } from '../../../../nodes/SocialPublishing/lookups/accounts';
import { editor } from './fakes';

const list = [
	{ id: 'acc_1', platform: 'linkedin', name: 'Plum' },
	{ id: 'acc_2', platform: 'Twitter', username: 'plum' },
	{ id: 'acc_3', platform: 'linkedin' },
	{ id: 'acc_4', platform: 'tiktok', name: 'Gone', status: 'expired' },
].map((one) => ({ status: 'connected', ...one }));

const notConnected = (title: string) => ({
	...{ name: `${title} (not connected)`, value: title.toLowerCase(), description: '' },
});
const others = ['Instagram', 'TikTok', 'YouTube', 'Facebook', 'Bluesky'].map(notConnected);
const x = { name: 'X', value: 'x', description: 'plum' };

test('platforms: those with a connected account first, with their names; each account of several where a post goes', async () => {
	const { context } = editor(() => ({ accounts: [...list, list[0]] }));
	const linkedin = { name: 'LinkedIn', value: 'linkedin', description: 'Plum, acc_3' };
	expect(await getPlatforms.call(context)).toEqual([x, linkedin, ...others]);
	expect(await getTargets.call(context)).toEqual([
		x,
		{ name: 'LinkedIn: Plum', value: 'linkedin:acc_1' },
		{ name: 'LinkedIn: acc_3', value: 'linkedin:acc_3' },
		...others,
	]);
});

test('accounts with the same name can be told apart by their IDs', async () => {
	const same = ['acc_1', 'acc_2'].map((id) => ({ id, platform: 'x', name: 'Plum', status: 'connected' }));
	const { context } = editor(() => ({ accounts: same }));
	const names = async (read: typeof getTargets) => (await read.call(context)).map(({ name }) => name);
	expect((await names(getTargets)).slice(0, 2)).toEqual(['X: Plum (x:acc_1)', 'X: Plum (x:acc_2)']);
});

test('an account without an ID is named with its platform, and is no choice of its own', async () => {
	const linkedin = { platform: 'linkedin', status: 'connected' };
	const accounts = [
		{ ...linkedin, name: 'Plum' },
		{ ...linkedin, id: 'acc_1', name: 'Jam' },
	];
	const { context } = editor(() => ({ accounts }));
	const option = { name: 'LinkedIn', value: 'linkedin', description: 'Plum, Jam' };
	expect((await getTargets.call(context))[0]).toEqual(option);
});

test('no platform is said not to be connected where an account says nothing of its connection', async () => {
	const { context } = editor(() => ({ accounts: [{ id: 1 }] }));
	const description =
		"1 of 1 accounts has a platform that this node doesn't know, 1 of 1 accounts has no status that this node can read";
	expect((await getTargets.call(context))[0]).toEqual({ name: 'Instagram', value: 'instagram', description });
});

test.each([getPlatforms, getTargets])(
	'all seven where the accounts can not be read, and the first says why',
	async (read) => {
		const { context } = editor(() => ({ code: 'PUBLIC_API_SCOPE_FORBIDDEN', status: 403 }));
		const options = await read.call(context);
		expect(options).toHaveLength(7);
		expect(options[0]).toEqual({
			...{ name: 'Instagram', value: 'instagram' },
			description:
				'Accounts not loaded: The API key is not allowed to do this: no. To try again, choose ⋮ → Refresh List.',
		});
		expect(options[1]).toEqual({ name: 'TikTok', value: 'tiktok', description: '' });
	},
);
