import {
	accounts,
	getAccounts,
	getPlatforms,
	getTargets,
} from '../../../../nodes/SocialPublishing/lookups/accounts';
import { editor } from './fakes';

const list = [
	{ id: 'acc_1', platform: 'linkedin', name: 'Plum' },
	{ id: 'acc_2', platform: 'Twitter', username: 'plum' },
	{ id: 'acc_3', platform: 'linkedin' },
	{ id: 'acc_4', platform: 'tiktok', name: 'Gone', status: 'expired' },
];

test('an account is listed by name and platform', () => {
	const account = { id: 'acc', name: 'Plum', username: 'plum', platform: 'x' };
	expect(accounts.label(account)).toBe('Plum · X');
	expect(accounts.label({ id: 'acc', username: 'plum' })).toBe('plum');
	expect(accounts.label({ id: 'acc', platform: 'x' })).toBe('acc · X');
});

const x = { name: 'X', value: 'x', description: 'plum' };
const linkedin = { name: 'LinkedIn (2 accounts)', value: 'linkedin', description: 'Plum, acc_3' };

test('where a post can go: in place of a platform with several accounts each of them, each once', async () => {
	const { context } = editor(() => ({ accounts: [...list, list[0]] }));
	expect((await getTargets.call(context)).slice(0, 4)).toEqual([
		x,
		{ name: 'LinkedIn: Plum', value: 'linkedin:acc_1' },
		{ name: 'LinkedIn: acc_3', value: 'linkedin:acc_3' },
		{ name: 'Instagram (not connected)', value: 'instagram' },
	]);
	const failing = editor(() => ({ code: 'PUBLIC_API_KEY_INVALID', status: 401 }));
	expect(await getTargets.call(failing.context)).toEqual(await getPlatforms.call(failing.context));
});

describe('the list of platforms', () => {
	test('has those with a connected account first, with their names', async () => {
		const { context } = editor(() => ({ accounts: list }));
		expect(await getPlatforms.call(context)).toEqual([
			x,
			linkedin,
			...[
				['Instagram', 'instagram'],
				['TikTok', 'tiktok'],
				['YouTube', 'youtube'],
				['Facebook', 'facebook'],
				['Bluesky', 'bluesky'],
			].map(([name, value]) => ({ name: `${name} (not connected)`, value })),
		]);
	});

	test('has all seven where the accounts can not be read, and each says why', async () => {
		const { context } = editor(() => ({ code: 'PUBLIC_API_SCOPE_FORBIDDEN', status: 403 }));
		const options = await getPlatforms.call(context);
		expect(options).toHaveLength(7);
		expect(options[0]).toEqual({
			name: 'Instagram (accounts not loaded)',
			value: 'instagram',
			description: 'Accounts could not be read: The API key is not allowed to do this: no',
		});
	});
});

test('the list of accounts says which are not connected', async () => {
	const { context } = editor(() => ({ accounts: list }));
	expect(await getAccounts.call(context)).toEqual([
		{ name: 'Plum · LinkedIn', value: 'acc_1' },
		{ name: 'plum · X', value: 'acc_2' },
		{ name: 'acc_3 · LinkedIn', value: 'acc_3' },
		{ name: 'Gone · TikTok (not connected)', value: 'acc_4' },
	]);
});
