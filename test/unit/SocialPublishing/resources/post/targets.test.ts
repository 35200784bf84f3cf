import type { IDataObject } from 'n8n-workflow';

import { accountNames, readAccounts } from '../../../../../nodes/api/records';
import { answerFailure } from '../../../../../nodes/api/failureTexts';
import type { Item } from '../../../../../nodes/SocialPublishing/engine/item';
import {
	resolveTargets,
	type Chosen,
	type Target,
} from '../../../../../nodes/SocialPublishing/resources/post/targets';
import { continued } from '../../../../../nodes/SocialPublishing/writes/continued';

const accounts = [
	{ id: 2, platform: 'Twitter', name: 'Plum' },
	{ id: 'acc_1', platform: 'linkedin', username: 'plum_ltd' },
	{ id: 'acc_1', platform: 'linkedin', username: 'plum_ltd' },
	{ id: 'acc_3', platform: 'facebook', name: 'Plum Page' },
	{ id: 'acc_4', platform: 'facebook', name: 'Pear' },
	{ id: 'acc_5', platform: 'tiktok', name: 'Gone', status: 'needs_reauth' },
	{ id: 'ACC_6', platform: 'Threads', name: 'Thread' },
].map((one) => ({ status: 'connected', ...one }));

/** An item of a workspace with these accounts; undefined: they can't be read. */
const itemWith = (list: IDataObject[] | undefined = accounts, isComplete = true): Item =>
	({
		list: async () => {
			if (list.length === 0) throw new Error('no answer');
			return { records: list, hasMore: false, isComplete };
		},
		once: async (_name: string, make: () => unknown) => await make(),
	}) as unknown as Item;
const unreadable: IDataObject[] = [];

const to = (given: Partial<Chosen>): Chosen => ({
	postTo: given.accounts ? 'accounts' : 'platforms',
	platforms: [],
	accounts: [],
	...given,
});
const resolve = async (given: Partial<Chosen>, list?: IDataObject[]) =>
	await resolveTargets(itemWith(list), to(given));
/** Each once, as they are sent. */
const once = async (given: Partial<Chosen>, list?: IDataObject[]) =>
	continued(await resolve(given, list), [], false).left;
/** Why a name is no target. */
async function problemOf(given: Partial<Chosen>, list?: IDataObject[]) {
	const unknown = (await resolve(given, list)).find(({ platform }) => platform === '');
	return unknown!.problem!.details;
}
/** Platform, account, whether the user named it, and the name. */
const short = ({ platform, accountId, isAccountNamed, name }: Target) =>
	`${platform} ${accountId}${isAccountNamed ? ' (named)' : ''}: ${name}`;

test.each<[Partial<Chosen>, string[]]>([
	[{ platforms: ['Twitter', 'x ', 'LinkedIn'] }, ['x 2: x', 'linkedin acc_1: linkedin']],
	// Accounts behind a colon, by ID, name or handle, and alone.
	[{ platforms: ['facebook: acc_3 '] }, ['facebook acc_3 (named): facebook:acc_3']],
	[{ platforms: ['facebook:pear'] }, ['facebook acc_4 (named): facebook:pear']],
	[{ platforms: ['linkedin:@plum_ltd'] }, ['linkedin acc_1 (named): linkedin:@plum_ltd']],
	[{ platforms: ['acc_3'] }, ['facebook acc_3 (named): acc_3']],
	[{ platforms: ['@plum_ltd'] }, ['linkedin acc_1 (named): @plum_ltd']],
	[{ platforms: ['facebook:'] }, ['facebook undefined: facebook']],
	// An ID in capitals, a platform that was added later.
	[{ platforms: ['ACC_6', 'Threads'] }, ['threads ACC_6 (named): ACC_6']],
	// One account in several ways; as the list shows it.
	[{ platforms: ['linkedin', 'linkedin:acc_1', 'acc_1'] }, ['linkedin acc_1: linkedin']],
	[{ accounts: ['2', 'Plum'] }, ['x 2 (named): 2']],
	[{ accounts: ['pear · Facebook', 'acc_4'] }, ['facebook acc_4 (named): pear · Facebook']],
])('%j', async (given, targets) => expect((await once(given)).map(short)).toEqual(targets));

test.each([
	['facebok', 'facebook'],
	['Twitter / X', 'x'],
	['IG', 'instagram'],
	['You Tube', 'youtube'],
	['insta', 'instagram'],
	['FB', 'facebook'],
	['Linked-In', 'linkedin'],
	['tik tok', 'tiktok'],
	['blueskey', 'bluesky'],
	['Facebook Page', 'facebook'],
	['linkdin', 'linkedin'],
	['mastodon', undefined],
	['pinterest', undefined],
])('%s is no platform: did you mean %s?', async (name, meant) => {
	const { hint } = await problemOf({ platforms: [name] });
	expect(/^Did you mean (\w+)\?/.exec(hint)?.[1]).toBe(meant);
});

test.each([
	["Anna's Café", 'Anna\u2019s Cafe\u0301'],
	['Anna\u2018s Cafe\u0301', "@anna's  caf\u00e9"],
	['Plum Page', 'Plum\u00a0Page\u200b'],
	['\ufeffPlum Page', ' plum page'],
	['Plum\u00adPage', 'plumpage'],
	['Plum\u2060Page\u200e', 'PLUMPAGE'],
	['Plum\u2003Page', 'plum\u202fpage'],
	['Plum\tPage\n', 'Plum Page'],
	['Ａnna', 'ａnna'],
	["l'Été", 'L\u02bcE\u0301te\u0301'],
])('an account that is called %j is found as %j', async (name, given) => {
	const list = [...accounts, { id: 'acc_9', platform: 'bluesky', name }].filter(({ id }) => id !== 'acc_3');
	expect(await resolve({ accounts: [given] }, list)).toMatchObject([{ accountId: 'acc_9' }]);
});

test('an error shows what can not be seen in a name', async () => {
	const { message } = await problemOf({ platforms: ['Pl\u200bot'] });
	expect(message).toBe("'Pl U+200B ot' isn't a platform");
});

test.each<[Partial<Chosen>, string, string]>([
	[{ platforms: ['instgram'] }, 'NODE_PLATFORM', "'instgram' isn't a platform"],
	[{ platforms: ['x:acc_1'] }, 'NODE_NAME_UNKNOWN', "'Platform Names or IDs' matches no account: acc_1"],
	[{ accounts: ['Plu'] }, 'NODE_NAME_UNKNOWN', "'Account Names or IDs' matches no account: Plu"],
])('%j is no target: %s', async (given, code, message) =>
	expect(await problemOf(given)).toMatchObject({ code, message }),
);

test('an unknown name: accounts that have it in theirs come first; an ambiguous one: their IDs', async () => {
	const hintOf = async (given: Partial<Chosen>, list = accounts as IDataObject[]) =>
		(await problemOf(given, list)).hint;
	expect(await hintOf({ accounts: ['Page'] })).toMatch(/enter its ID: Plum Page · Facebook \(acc_3\), /);
	const twice = [...accounts, { id: 'acc_9', platform: 'x', name: 'Pear' }];
	expect(await hintOf({ accounts: ['Pear'] }, twice)).toBe(
		'Choose one from the list or enter its ID: Pear · Facebook (acc_4), Pear · X (acc_9).',
	);
	expect(await hintOf({ platforms: ['bluesky:a'] })).toMatch(/^No account is connected there/);
});

test.each<[string, string | undefined]>([
	['x', undefined],
	['facebook', '2 Facebook accounts are connected: Plum Page · Facebook (acc_3), Pear · Facebook (acc_4)'],
	['tiktok', 'TikTok is not connected to this workspace'],
	['acc_5', 'The account Gone · TikTok (acc_5) is not connected to this workspace'],
	['tiktok:acc_5', 'The account Gone · TikTok (acc_5) is not connected to this workspace'],
	['bluesky', 'Bluesky is not connected to this workspace'],
])('what is wrong with %s: %s', async (platform, message) => {
	const [target] = await resolve({ platforms: [platform] });
	expect(target!.problem?.details.message).toBe(message);
});

test('an account whose platform is unknown may be on any', async () => {
	const list = [...accounts, { id: 'acc_7', name: 'Nowhere' }];
	expect((await resolve({ platforms: ['bluesky'] }, list))[0]!.problem).toBeUndefined();
	const message = "The service doesn't say which platform the account Nowhere (acc_7) is on";
	const hint = "Set 'Post To' to 'Platforms' and choose the platform there.";
	const details = { code: 'NODE_ACCOUNT_PLATFORM', message, hint };
	expect(await problemOf({ accounts: ['acc_7'] }, list)).toMatchObject(details);
});

const whichever = (why: string, title: string) =>
	`${why}; ${title} is posted to whichever account the service uses`;

test.each<[string, IDataObject[], string, string]>([
	[
		'accounts without an ID',
		accounts.map(({ id, ...one }) => ({ account_id: id, ...one })),
		'linkedin',
		'6 of 6 accounts have no ID that this node can read',
	],
	[
		'a platform in other words',
		[{ id: 1, platform: 'linkedin_page', status: 'ok' }],
		'linkedin',
		"1 of 1 accounts has a platform that this node doesn't know ('linkedin_page')",
	],
	[
		'a platform that is no text',
		[{ id: 1, platform: { name: 'LinkedIn' }, status: 'ok' }],
		'tiktok',
		"1 of 1 accounts has a platform that this node doesn't know",
	],
	[
		'a status in other words',
		[{ id: 1, platform: 'linkedin', status: 'not_expired' }],
		'linkedin',
		"1 of 1 accounts has a status that this node doesn't know ('not_expired')",
	],
	[
		'no word of the connection',
		[{ id: 1, platform: 'linkedin' }],
		'tiktok',
		'1 of 1 accounts has no status that this node can read',
	],
	[
		'a list that may go on',
		Array.from({ length: 10 }, (_, id) => ({ id: id + 1, platform: 'x', status: 'ok' })),
		'linkedin',
		'the service may have more accounts than it listed',
	],
])('%s: the post goes out, with a warning', async (_what, list, platform, why) => {
	const [target] = await resolveTargets(itemWith(list, list.length < 10), to({ platforms: [platform] }));
	expect(target).toMatchObject({ platform, isAccountNamed: false });
	expect([target!.problem, target!.warning]).toEqual([
		undefined,
		whichever(why, { linkedin: 'LinkedIn', tiktok: 'TikTok' }[platform]!),
	]);
});

test.each<[string, IDataObject[]]>([
	[
		'two accounts, whatever else the list says',
		[...accounts, { id: 1, platform: 'facebook_page', status: '?' }],
	],
	[
		'two accounts that say nothing of their connection',
		accounts.map((one) => ({ ...one, status: undefined })),
	],
])('presence is a fact: %s', async (_what, list) => {
	const [target] = await resolve({ platforms: ['facebook'] }, list);
	expect(target!.problem?.details.code).toBe('NODE_ACCOUNT_UNCLEAR');
});

test('a post of a platform whose other account is disconnected names none: which of them it went to is not said', () => {
	const of = (status: string) =>
		accountNames(
			{ platform: 'x' },
			readAccounts({
				records: ['ok', status].map((one, i) => ({ id: i + 1, platform: 'x', name: `X${i}`, status: one })),
				...{ hasMore: false, isComplete: true },
			}),
		);
	expect([of('expired'), of('ok')]).toEqual(['', '']);
});

test('what bears on another platform is no warning; an account that is named by its ID has none', async () => {
	const list = [...accounts, { id: 'acc_8', platform: 'tiktok_page', status: '?' }];
	const warnings = async (...platforms: string[]) =>
		(await resolve({ platforms }, list)).map(({ warning }) => warning?.replace(/^.*; /, ''));
	expect(await warnings('x', 'linkedin', 'x:2', 'facebook:acc_3', 'tiktok:acc_8', 'acc_3')).toEqual(
		Array(5).fill(undefined),
	);
	expect(await warnings('tiktok')).toEqual(['TikTok is posted to whichever account the service uses']);
});

test('an account that is in no complete list goes out by its ID, with a warning; a name can not', async () => {
	const list = [{ account_id: 'a', platform: 'x', name: 'Plum', status: 'ok' }];
	const [target] = await resolve({ platforms: ['x:acc_1'] }, list);
	expect(target).toMatchObject({ platform: 'x', accountId: 'acc_1', isAccountNamed: true });
	expect(target!.warning).toMatch(
		/^'acc_1' is none of the accounts that could be read: 1 of 1 accounts has no ID/,
	);
	expect(await resolve({ platforms: ['x:Plum'] }, list)).toMatchObject([
		{ name: 'x:Plum', isAccountNamed: false },
	]);
	expect(await resolve({ platforms: ['linkedin'] }, [{ id: 1, platform: 'linkedin' }])).toMatchObject([
		{ accountId: '1' },
	]);
	const two = [...list, { ...list[0], name: 'Pear' }];
	const refusals = {
		NAME_UNKNOWN: { accounts: ['acc_1'] },
		ACCOUNT_PLATFORM: { platforms: ['x:@pear', 'Pear'] },
	};
	for (const [code, given] of Object.entries(refusals))
		expect(await problemOf(given, two)).toMatchObject({ code: `NODE_${code}` });
});

test('accounts that can not be read: the post goes out, with a warning; with a key that is refused nothing does', async () => {
	const [target] = await resolve({ platforms: ['x'] }, unreadable);
	expect(target!.warning).toBe(whichever('The accounts could not be read (no answer)', 'X'));
	const refused = {
		...itemWith(),
		list: async () => await Promise.reject(answerFailure(401)),
	} as unknown as Item;
	await expect(resolveTargets(refused, to({ platforms: ['x'] }))).rejects.toMatchObject({
		details: { status: 401 },
	});
});

test.each<[string, Partial<Chosen>]>([
	[
		"NODE_PLATFORM Did you mean instagram? Correct it in 'Platform Names or IDs'. Platforms are: instagram, tiktok, youtube, x, linkedin, facebook, bluesky. To post to single accounts, choose them in the list, or set 'Post To' to 'Accounts'.",
		{ platforms: ['instgram'] },
	],
	[
		'NODE_NAME_UNKNOWN Choose one from the list or enter its ID: Gone · TikTok (acc_5), Plum · X (2), plum_ltd · LinkedIn (acc_1), ….',
		{ accounts: ['go'] },
	],
])('%s', async (said, given) => {
	const { code, hint } = await problemOf(given);
	expect(`${code} ${hint}`).toBe(said);
});

test.each([
	[
		'facebook',
		"NODE_ACCOUNT_UNCLEAR Choose one of these accounts in 'Platform Names or IDs', or set 'Post To' to 'Accounts'.",
	],
	['bluesky', 'NODE_NOT_CONNECTED Connect it in the service or remove it here.'],
])('what to do about %s: %s', async (platform, said) => {
	const { code, hint } = (await resolve({ platforms: [platform] }))[0]!.problem!.details;
	expect(`${code} ${hint}`).toBe(said);
});

describe('where accounts can not be read', () => {
	test('platforms and IDs are taken as they are, names are not', async () => {
		const targets = await resolve({ platforms: ['mastodon', 'x:acc_1'] }, unreadable);
		expect(targets.map(short)).toEqual(['mastodon undefined: mastodon', 'x acc_1 (named): x:acc_1']);
		for (const given of [{ platforms: ['x:@plum'] }, { platforms: [':a'] }, { accounts: ['a'] }])
			expect(await problemOf(given, unreadable)).toMatchObject({ message: 'no answer' });
	});

	test('two names that may be one account are refused', async () => {
		await expect(once({ platforms: ['x', 'x:acc_1'] }, unreadable)).rejects.toThrow(
			"'x' and 'x:acc_1' may be the same account",
		);
		expect(await once({ platforms: ['x:acc_2', 'x:acc_1'] }, unreadable)).toHaveLength(2);
	});
});

test('an ID that several platforms share goes out with its platform; alone, it says to choose the platform', async () => {
	const list = ['a', 'b'].map((name) => ({
		id: 1,
		network: name,
		name,
		status: name === 'a' ? 'expired' : 'ok',
	}));
	const [target] = await resolve({ platforms: ['x:1'] }, list);
	expect(target).toMatchObject({ platform: 'x', accountId: '1' });
	expect(target!.problem).toBeUndefined();
	expect(target!.warning).toMatch(
		/^'1' may be several of the accounts that could be read: 2 of 2 accounts have/,
	);
	const [{ problem }] = (await resolve({ accounts: ['1'] }, list)) as [Target];
	expect([problem!.details.code, problem!.details.hint]).toEqual([
		'NODE_NAME_AMBIGUOUS',
		"Set 'Post To' to 'Platforms' and choose the platform there.",
	]);
	// Which of the two is disconnected is no fact either.
	const pages = ['x_page', 'tiktok_page'].map((platform) => ({ id: 1, platform, status: 'expired' }));
	expect((await resolve({ platforms: ['x:1'] }, pages))[0]!.problem).toBeUndefined();
});
