import type { IDataObject } from 'n8n-workflow';

import type { ItemContext } from '../../../../../nodes/SocialPublishing/engine/operation';
import {
	accountTargets,
	checkPlatforms,
	groupTargets,
	isOn,
	platformTargets,
	problemOf,
	refuseRegrouped,
	type Target,
} from '../../../../../nodes/SocialPublishing/resources/post/targets';
import { failureOf } from '../../../../support/failure';

test.each<[IDataObject, string | undefined, boolean]>([
	[{ platform: 'x', account_id: 7 }, '7', true],
	[{ platform: 'x', account_id: 7 }, '8', false],
	[{ platform: 'x', account_id: 7 }, undefined, true],
	[{ platform: 'Twitter' }, '7', true],
	[{ platforms: ['linkedin', { platform: 'x' }] }, undefined, true],
	[{ platform: 'linkedin' }, '7', false],
	[{ platform: 'linkedin' }, undefined, false],
])('the post %j is on X, account %s: %s', (post, accountId, is) =>
	expect(isOn(post, { platform: 'x', accountId })).toBe(is),
);

/** An item of a workspace with these accounts; none: the service can't be asked. */
const itemWith = (accounts?: IDataObject[], sent: Record<string, IDataObject> = {}): ItemContext =>
	({
		list: async () => {
			if (!accounts) throw new Error('no answer');
			return accounts;
		},
		once: async (_name: string, make: () => unknown) => await make(),
		sentBefore: (path: string, part: string) =>
			path === '/posts' && sent[part] && { method: 'POST', path, body: sent[part] },
	}) as unknown as ItemContext;

test('what is no platform is refused by its field, with all platforms', () => {
	const refused = failureOf(() => checkPlatforms(['x', 'instgram'], 'Platform Names or IDs'));
	expect(refused.details).toMatchObject({
		code: 'NODE_PLATFORM',
		message: "'instgram' isn't a platform",
		hint: expect.stringMatching(/^Correct it in 'Platform Names or IDs'\. Platforms are: (\w+, ){6}\w+\.$/),
	});
	expect(() => checkPlatforms(['Twitter', ' X ', ''], 'Platform Names or IDs')).not.toThrow();
});

test('an entry may name an account behind a colon; each target is one, in the order given', () => {
	expect(platformTargets(['Twitter', 'instagram: acc:1 ', 'x', 'linkedin:', 'instagram:acc:1'])).toEqual([
		{ platform: 'x', part: 'x' },
		{ platform: 'instagram', accountId: 'acc:1', part: 'instagram:acc:1' },
		{ platform: 'linkedin', part: 'linkedin' },
	]);
});

describe('accounts', () => {
	const accounts = [
		{ id: 2, platform: 'Twitter', name: 'Plum' },
		{ id: 'acc_1', platform: 'linkedin' },
	];

	test('by ID or name, each once, in the order given, with the platform that the service says', async () => {
		const plum = { platform: 'x', accountId: '2', part: 'Plum' };
		const other = { platform: 'linkedin', accountId: 'acc_1', part: 'acc_1' };
		expect(await accountTargets(itemWith(accounts), ['acc_1', 'Plum', 'acc_1', '2'])).toEqual([other, plum]);
		expect(await accountTargets(itemWith(accounts), ['Plum', 'acc_1'])).toEqual([plum, other]);
	});

	test('what an earlier try sent is not looked up again', async () => {
		const sent = {
			Plum: { platform: 'facebook', account_id: 7 },
			Pear: { platforms: ['x'], account_id: 'old' },
		};
		expect(await accountTargets(itemWith(undefined, sent), ['Plum', 'Pear'])).toEqual([
			{ platform: 'facebook', accountId: '7', part: 'Plum' },
			{ platform: 'x', accountId: 'old', part: 'Pear' },
		]);
	});

	test.each([undefined, '', null, 7])('whose platform is %j are refused', async (platform) => {
		const list = [...accounts, { id: 'acc_3', platform }] as IDataObject[];
		await expect(accountTargets(itemWith(list), ['acc_3'])).rejects.toMatchObject({
			details: {
				code: 'NODE_ACCOUNT_PLATFORM',
				message: "The service doesn't say which platform the account acc_3 is on",
				hint: expect.stringMatching(/'Post To' to 'Platforms'/),
			},
		});
	});
});

describe('what is wrong with posting to a platform', () => {
	const x = { platform: 'x', part: 'x' };
	const accounts = [
		{ id: 'acc_1', platform: 'twitter', name: 'Plum' },
		{ id: 'acc_2', platform: 'x' },
		{ id: 'acc_3', platform: 'x', name: 'Gone', status: 'disconnected' },
		{ id: 'acc_4', platform: 'facebook', name: 'Plum' },
	];
	const details = async (target: Target, list?: IDataObject[]) =>
		(await problemOf(itemWith(list), target))?.details;

	test('several connected accounts: they are named', async () => {
		expect(await details(x, accounts)).toMatchObject({
			code: 'NODE_ACCOUNT_UNCLEAR',
			message: '2 X accounts are connected: Plum (acc_1), acc_2 (acc_2)',
			hint: "Choose one of the accounts below X in 'Platform Names or IDs', or set 'Post To' to 'Accounts'.",
		});
	});

	test('no account', async () => {
		expect(await details({ platform: 'tiktok', part: 'tiktok' }, accounts)).toMatchObject({
			code: 'NODE_NOT_CONNECTED',
			message: 'TikTok is not connected to this workspace',
			hint: 'Connect it in the service or remove it here.',
		});
	});

	test.each<[string, Target, IDataObject[]?]>([
		['one account', { platform: 'facebook', part: 'facebook' }, accounts],
		['an account that is named', { ...x, accountId: 'acc_1' }, accounts],
		['a service that does not answer', x, undefined],
		['a service that does not say platforms', x, [...accounts, { id: 'acc_5' }]],
	])('nothing: %s', async (...[, target, list]) => expect(await details(target, list)).toBeUndefined());
});

describe('platforms that share a request', () => {
	const [a, b, c, d] = ['x', 'linkedin', 'facebook', 'tiktok'].map((part): Target => ({
		platform: part,
		part,
	}));
	const all = [a!, b!, c!, d!];

	test('are one group, where the first of them stands', () => {
		expect(groupTargets(all, () => false)).toEqual([[a], [b], [c], [d]]);
		expect(groupTargets(all, () => true)).toEqual([all]);
		expect(groupTargets(all, (one) => one === b || one === d)).toEqual([[a], [b, d], [c]]);
		expect(groupTargets([], () => true)).toEqual([]);
	});

	const refuse = (groups: Target[][], sent: Record<string, IDataObject>) => () =>
		refuseRegrouped(itemWith([], sent), groups);
	const together = { platforms: ['Twitter', 'linkedin'] };

	test('are the same in a retry, in whatever order', () => {
		expect(refuse([[b!, a!], [c!]], { '': together })).not.toThrow();
		expect(refuse([[a!], [b!]], { x: { platform: 'twitter' } })).not.toThrow();
		expect(refuse([[a!, b!]], {})).not.toThrow();
	});

	test.each<[string, Target[][], Record<string, IDataObject>]>([
		['one more', [[a!, b!, c!]], { '': together }],
		['one less, found by what is left', [[a!]], { x: together }],
		['apart', [[a!], [b!]], { linkedin: together }],
	])('are refused otherwise: %s', (_how, groups, sent) => {
		expect(failureOf(refuse(groups, sent)).details).toMatchObject({
			code: 'NODE_PLATFORMS_CHANGED',
			message:
				'An earlier try of this execution sent this post to X and LinkedIn in one request, or may have sent it',
			hint: 'Choose exactly these platforms for the retry. To post to others, run the workflow again with only those.',
		});
	});
});
