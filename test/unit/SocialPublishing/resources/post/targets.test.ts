import type { IDataObject } from 'n8n-workflow';

import { answerFailure } from '../../../../../nodes/api/failureTexts';
import type { Item } from '../../../../../nodes/SocialPublishing/engine/item';
import { resolveTargets, type Chosen } from '../../../../../nodes/SocialPublishing/resources/post/targets';
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
const itemWith = (list: IDataObject[] | undefined = accounts, hasMore = false): Item =>
	({
		list: async () => {
			if (list.length === 0) throw new Error('no answer');
			return { records: list, hasMore, isComplete: !hasMore && list.length < 10 };
		},
		once: async (_name: string, make: () => unknown) => await make(),
	}) as unknown as Item;
const unreadable: IDataObject[] = [];

const resolve = async (given: string[] | Partial<Chosen>, list?: IDataObject[], hasMore?: boolean) =>
	await resolveTargets(itemWith(list, hasMore), {
		...{ postTo: 'platforms', platforms: [], accounts: [] },
		...(Array.isArray(given) ? { platforms: given } : { postTo: 'accounts', ...given }),
	});
/** Each once, as they are sent: platform, account, whether the user named it, and the name. */
const sentTo = async (given: string[] | Partial<Chosen>, list?: IDataObject[]) =>
	continued(await resolve(given, list), [], false).left.map(
		({ platform, accountId, isAccountNamed, name }) =>
			`${platform} ${accountId}${isAccountNamed ? ' (named)' : ''}: ${name}`,
	);
/** What is wrong with the first of them: code, message and hint. */
async function problemOf(given: string[] | Partial<Chosen>, list?: IDataObject[]) {
	const [target] = await resolve(given, list);
	const { code, message, hint } = target!.problem?.details ?? {};
	return target!.problem && `${code?.replace('NODE_', '')}: ${message}. ${hint}`;
}

test.each<[string[] | Partial<Chosen>, string[]]>([
	[
		['Twitter', 'x ', 'LinkedIn'],
		['x 2: x', 'linkedin acc_1: linkedin'],
	],
	// Accounts behind a colon, by ID, name or handle, and alone.
	[['facebook: acc_3 '], ['facebook acc_3 (named): facebook:acc_3']],
	[['facebook:pear'], ['facebook acc_4 (named): facebook:pear']],
	[['linkedin:@plum_ltd'], ['linkedin acc_1 (named): linkedin:@plum_ltd']],
	[[' @plum_ltd '], ['linkedin acc_1 (named): @plum_ltd']],
	[['facebook:'], ['facebook undefined: facebook']],
	[
		['Twitter\u200b', '\u2060LinkedIn:acc_1'],
		['x 2: x', 'linkedin acc_1 (named): linkedin:acc_1'],
	],
	// An ID in capitals, a platform that was added later.
	[['ACC_6', 'Threads'], ['threads ACC_6 (named): ACC_6']],
	// One account in several ways; as the list shows it.
	[['linkedin', 'linkedin:acc_1', 'acc_1'], ['linkedin acc_1: linkedin']],
	[{ accounts: ['2', 'Plum'] }, ['x 2 (named): 2']],
	[{ accounts: ['pear · Facebook', 'acc_4'] }, ['facebook acc_4 (named): pear · Facebook']],
	// Records: of an account, a post, a part of one, a row, another list's option.
	[['{"id":"acc_4","platform":"Facebook","name":"Pear"}'], ['facebook acc_4 (named): facebook:acc_4']],
	[['{"id":"acc_4"}'], ['facebook acc_4 (named): acc_4']],
	[
		['{"id":"post_1","platform":"facebook","account_id":"acc_4"}'],
		['facebook acc_4 (named): facebook:acc_4'],
	],
	[['{"id":"rec1","platform":"linkedin"}'], ['linkedin acc_1: linkedin']],
	[['{"id":2,"value":"LinkedIn","color":"blue"}'], ['linkedin acc_1: linkedin']],
	[
		{ accounts: ['{"id":2,"platform":"x","name":"Plum"}', '{"id":"p","account_id":"acc_4"}'] },
		['x 2 (named): 2', 'facebook acc_4 (named): acc_4'],
	],
])('%j', async (given, targets) => expect(await sentTo(given)).toEqual(targets));

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
	['blusk', 'bluesky'],
	['TT', 'tiktok'],
	['bsky.app', 'bluesky'],
	['LI', 'linkedin'],
	['IG Story', 'instagram'],
	['𝕏', 'x'],
	['ＩＮＳＴＡ', 'instagram'],
	['https://x.com/plum', 'x'],
	['xxxxxxx', undefined],
	['tikt', undefined],
	['bluee', undefined],
	['nlinked', undefined],
	['mastodon', undefined],
	['pinterest', undefined],
])('%s is no platform: did you mean %s?', async (name, meant) => {
	expect(/did you mean (\w+)\?/.exec((await problemOf([name]))!)?.[1]).toBe(meant);
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
	['Plum ❤\ufe0f', 'plum ❤'],
	['Ana-Maria', 'Ana\u2011Maria'],
	['Plum – Jam', 'Plum - Jam'],
	['“Plum”', '"Plum"'],
	["Anna's", 'Anna´s'],
	["l'Été", 'L\u02bcE\u0301te\u0301'],
])('an account that is called %j is found as %j', async (name, given) => {
	const list = [...accounts, { id: 'acc_9', platform: 'bluesky', name }].filter(({ id }) => id !== 'acc_3');
	expect(await resolve({ accounts: [given] }, list)).toMatchObject([{ accountId: 'acc_9' }]);
});

const twice = [...accounts, { id: 'acc_9', platform: 'x', name: 'Pear' }];
const nowhere = [...accounts, { id: 'acc_7', name: 'Nowhere' }];
const withoutId = { account_id: 'a', platform: 'x', name: 'Plum', status: 'ok' };
/** Of these, two things are not known. */
const doubtful = [withoutId, { id: 'acc_8', platform: 'tiktok_page', status: 'ok' }];
const doubts =
	"1 of 2 accounts has no ID that this node can read, 1 of 2 accounts has a platform that this node doesn't know ('tiktok_page')";
const sameId = [
	{ id: 1, network: 'a', name: 'a', status: 'expired' },
	{ id: 1, network: 'b', name: 'b', status: 'ok' },
];
const choosePlatform = "Set 'Post To' to 'Platforms' and choose the platform there.";
const connect = 'is not connected to this workspace. Connect it in the service or remove it here.';
const unclear =
	"ACCOUNT_UNCLEAR: The workspace has 2 Facebook accounts: Plum Page · Facebook (acc_3), Pear · Facebook (acc_4). Choose one of these accounts in 'Platform Names or IDs', or set 'Post To' to 'Accounts'.";

test.each<[string[] | Partial<Chosen>, IDataObject[], string | undefined]>([
	[['x'], accounts, undefined],
	[
		['instgram'],
		accounts,
		"PLATFORM: 'instgram' isn't a platform (did you mean instagram?). Correct it in 'Platform Names or IDs'. Platforms are: instagram, tiktok, youtube, x, linkedin, facebook, bluesky. To post to single accounts, choose them in the list, or set 'Post To' to 'Accounts'.",
	],
	// What can't be seen in a name is shown.
	[['Pl\u200bot'], accounts, "PLATFORM: 'Pl U+200B ot' isn't a platform. Correct it"],
	[['x:acc_1'], accounts, "NAME_UNKNOWN: 'Platform Names or IDs' matches no account: acc_1. Choose"],
	[
		['bluesky:a'],
		accounts,
		"NAME_UNKNOWN: 'Platform Names or IDs' matches no account: a. The service lists no account there. Connect one",
	],
	// An account that a record names is never swapped for another one of its platform.
	[
		['{"platform":"facebook","account_id":"gone"}'],
		accounts,
		"NAME_UNKNOWN: 'Platform Names or IDs' matches no account: gone. Choose",
	],
	[
		{ accounts: ['{"id":"rec1","platform":"x"}'] },
		accounts,
		`NAME_UNKNOWN: 'Account Names or IDs' matches no account: {"id":"rec1","platform":"x"}. Choose`,
	],
	[['mastodon:a'], accounts, "PLATFORM: 'mastodon:a' isn't a platform. Correct it"],
	// What has a colon is not sent as a platform that nobody named.
	...[
		'{"id":"rec1"}',
		'{"id":"rec1","name":"Jam"}',
		'#plum:jam',
		'Plum!:jam',
		'Plum: the jam',
		'https://plum.example',
	].map((entry): [string[], IDataObject[], string] => [
		[entry],
		nowhere,
		`PLATFORM: '${entry}' isn't a platform. Correct it`,
	]),
	[
		['x linkedin'],
		accounts,
		"PLATFORM: 'x linkedin' isn't a platform (did you mean x, linkedin?). Correct it",
	],
	[
		['x\nlinkedin'],
		accounts,
		"PLATFORM: 'x\nlinkedin' isn't a platform (did you mean x, linkedin?). Correct it",
	],
	// Accounts that have it in their name come first.
	[
		{ accounts: ['Page'] },
		accounts,
		"NAME_UNKNOWN: 'Account Names or IDs' matches no account: Page. Choose one from the list or enter its ID: Plum Page · Facebook (acc_3), ",
	],
	[
		{ accounts: ['Plum Pages'] },
		accounts,
		"NAME_UNKNOWN: 'Account Names or IDs' matches no account: Plum Pages. Choose one from the list or enter its ID: Plum Page · Facebook (acc_3), Plum · X (2), ",
	],
	[
		{ accounts: ['r'] },
		accounts,
		"NAME_UNKNOWN: 'Account Names or IDs' matches no account: r. Choose one from the list or enter its ID: Pear · Facebook (acc_4), Thread · threads (ACC_6), Plum · X (2), ….",
	],
	[{ accounts: ['pl@um'] }, accounts, "NAME_UNKNOWN: 'Account Names or IDs' matches no account: pl@um. "],
	[
		{ accounts: ['go'] },
		accounts,
		"NAME_UNKNOWN: 'Account Names or IDs' matches no account: go. Choose one from the list or enter its ID: Gone · TikTok (acc_5), Plum · X (2), Pear · Facebook (acc_4), ….",
	],
	[
		{ accounts: ['Pear'] },
		twice,
		"NAME_AMBIGUOUS: 'Account Names or IDs' matches 2 accounts: Pear. Choose one from the list or enter its ID: Pear · Facebook (acc_4), Pear · X (acc_9).",
	],
	[
		['x:Pear'],
		[...twice, { ...twice.at(-1), id: 'acc_10' }],
		"NAME_AMBIGUOUS: 'Platform Names or IDs' matches 2 accounts: Pear. Choose one",
	],
	[
		{ accounts: ['1'] },
		sameId,
		`NAME_AMBIGUOUS: 'Account Names or IDs' matches 2 accounts: 1. ${choosePlatform}`,
	],
	[
		{ accounts: ['acc_1'] },
		doubtful,
		`NAME_UNKNOWN: 'Account Names or IDs' matches no account: acc_1 (${doubts}). `,
	],
	[
		['Pear'],
		[withoutId, { ...withoutId, name: 'Pear' }],
		`ACCOUNT_PLATFORM: The service doesn't say which ID the account Pear · X (no ID) has. ${choosePlatform}`,
	],
	[
		{ accounts: ['acc_7'] },
		nowhere,
		`ACCOUNT_PLATFORM: The service doesn't say which platform the account Nowhere (acc_7) is on. ${choosePlatform}`,
	],
	[['tiktok'], accounts, `NOT_CONNECTED: TikTok ${connect}`],
	[['bluesky'], accounts, `NOT_CONNECTED: Bluesky ${connect}`],
	[['acc_5'], accounts, `NOT_CONNECTED: The account Gone · TikTok (acc_5) ${connect}`],
	[['tiktok:acc_5'], accounts, `NOT_CONNECTED: The account Gone · TikTok (acc_5) ${connect}`],
	[
		['x:1'],
		['x', 'tiktok'].map((platform) => ({ id: 1, platform, status: 'expired' })),
		`NOT_CONNECTED: The account 1 · X (1) ${connect}`,
	],
	[
		['x:acc_9'],
		[...accounts, { id: 'acc_9', platform: 'x_page', name: 'Fig', status: 'expired' }],
		`NOT_CONNECTED: The account Fig · x_page (acc_9) ${connect}`,
	],
	// An account whose platform is unknown may be on any.
	[['bluesky'], nowhere, undefined],
	// Presence is a fact, whatever else the list says, or doesn't.
	[['facebook'], accounts, unclear],
	[['facebook'], [...accounts, { id: 1, platform: 'facebook_page', status: '?' }], unclear],
	[['facebook'], accounts.map((one) => ({ ...one, status: undefined })), unclear],
	// Which of two with the same ID is disconnected is no fact.
	[['x:1'], sameId, undefined],
	[['x:1'], ['x_page', 'tiktok_page'].map((platform) => ({ id: 1, platform, status: 'expired' })), undefined],
	// Accounts that can't be read.
	[['x:@plum'], unreadable, 'UNEXPECTED: no answer. '],
	[['@plum'], unreadable, 'UNEXPECTED: no answer. '],
	[[':a'], unreadable, 'UNEXPECTED: no answer. '],
	[{ accounts: ['a'] }, unreadable, 'UNEXPECTED: no answer. '],
])('what is wrong with %j', async (given, list, said) => {
	const problem = await problemOf(given, list);
	expect(problem?.slice(0, said?.length)).toBe(said);
});

test('what can not be found is on no platform, and is no account that the user named', async () => {
	const problem = expect.anything();
	expect(await resolve(['Pl'])).toEqual([
		{ name: 'Pl', platform: '', account: 'Pl', isAccountNamed: false, problem },
	]);
});

test('the only account is no fact where the service may have more: it is not named', async () => {
	for (const [hasMore, accountId] of [
		[false, '2'],
		[true, undefined],
	] as const)
		expect((await resolve(['x'], accounts, hasMore))[0]!.accountId).toBe(accountId);
});

const again = ' Rows that earlier runs sent without an account would be posted again: leave them out.';
test.each([
	['execution', ''],
	['content', again],
	['custom', again],
] as const)(
	'%s: that the account has to be named says what goes out again then: "%s"',
	async (keyMode, more) => {
		const chosen: Chosen = { postTo: 'platforms', platforms: ['facebook'], accounts: [] };
		const [target] = await resolveTargets({ ...itemWith(), keyMode } as Item, chosen);
		expect(target!.problem!.details.hint).toBe(
			`Choose one of these accounts in 'Platform Names or IDs', or set 'Post To' to 'Accounts'.${more}`,
		);
	},
);

const whichever = (why: string, title: string) =>
	`${why}; ${title} is posted to whichever account the service uses`;
const no = (what: string) => `1 of 1 accounts has ${what}`;

test.each<[string, IDataObject[], string]>([
	[
		'linkedin',
		accounts.map(({ id, ...one }) => ({ account_id: id, ...one })),
		whichever('6 of 6 accounts have no ID that this node can read', 'LinkedIn'),
	],
	[
		'linkedin',
		[{ id: 1, platform: 'linkedin_page', status: 'ok' }],
		whichever(no("a platform that this node doesn't know ('linkedin_page')"), 'LinkedIn'),
	],
	[
		'tiktok',
		[{ id: 1, platform: { name: 'LinkedIn' }, status: 'ok' }],
		whichever(no("a platform that this node doesn't know"), 'TikTok'),
	],
	[
		'linkedin',
		[{ id: 1, platform: 'linkedin', status: 'not_expired' }],
		whichever(no("a status that this node doesn't know ('not_expired')"), 'LinkedIn'),
	],
	['tiktok', [{ id: 1, platform: 'linkedin' }], whichever(no('no status that this node can read'), 'TikTok')],
	[
		'linkedin',
		['linkedin', 'linkedin_page'].map((platform, id) => ({ id, platform, status: 'ok' })),
		whichever("1 of 2 accounts has a platform that this node doesn't know ('linkedin_page')", 'LinkedIn'),
	],
	// Of two, only one has an ID.
	[
		'x',
		[...doubtful, { id: 1, platform: 'x', status: 'ok' }],
		whichever(doubts.replaceAll('of 2', 'of 3'), 'X'),
	],
	['x', unreadable, whichever('The accounts could not be read (no answer)', 'X')],
	[
		'x:Plum Jam',
		unreadable,
		"'Plum Jam' is none of the accounts that could be read: The accounts could not be read (no answer)",
	],
	// An ID goes out as it is where that it isn't listed, or which of several it is, is no fact.
	['x:acc_1', doubtful, `'acc_1' is none of the accounts that could be read: ${doubts}`],
	[
		'mastodon:acc//8',
		[withoutId],
		`'acc//8' is none of the accounts that could be read: ${no('no ID that this node can read')}`,
	],
	[
		'x:acc_8',
		[{ id: 'acc_8', platform: 'tiktok_page', status: 'ok' }],
		`'acc_8' is none of the accounts that could be read: ${no("a platform that this node doesn't know ('tiktok_page')")}`,
	],
	[
		'x:1',
		sameId,
		"'1' may be several of the accounts that could be read: 2 of 2 accounts have a platform that this node doesn't know",
	],
])('%s goes out, with a warning: %j', async (name, list, warning) => {
	const [target] = await resolve([name], list);
	const [platform, accountId] = name.split(':');
	expect(target).toMatchObject({ platform, warning, isAccountNamed: accountId !== undefined });
	expect(target).toMatchObject(accountId ? { accountId } : {});
	expect(target!.problem).toBeUndefined();
});

test.each([
	['linkedin', 10, false, 'the service may have more accounts than it listed', 'LinkedIn'],
	['x', 1, true, 'the service has more accounts than it listed', 'X'],
])('so it is with a list that may go on: %s', async (name, count, hasMore, why, title) => {
	const ofX = Array.from({ length: count }, (_, id) => ({ id: id + 1, platform: 'x', status: 'ok' }));
	const [target] = await resolve([name], ofX, hasMore);
	expect([target!.warning, target!.problem]).toEqual([whichever(why, title), undefined]);
});

test('what bears on another platform is no warning; an account that is named by its ID has none', async () => {
	const list = [...accounts, { id: 'acc_8', platform: 'tiktok_page', status: '?' }];
	const names = ['x', 'linkedin', 'x:2', 'facebook:acc_3', 'tiktok:acc_8', 'acc_3', 'tiktok'];
	const warned = (await resolve(names, list)).filter(({ warning }) => warning);
	expect(warned.map(({ name }) => name)).toEqual(['tiktok']);
});

test('an account whose name has a colon is found by it', async () => {
	const list = [...nowhere, { id: 'acc_9', platform: 'x', name: 'Plum: the jam', status: 'ok' }];
	for (const [given, name] of [
		[' plum: The Jam ', 'plum: The Jam'],
		['x:Plum: the jam', 'x:Plum: the jam'],
	] as const)
		expect(await resolve([given], list)).toMatchObject([{ name, platform: 'x', accountId: 'acc_9' }]);
});

test('an account without an ID is its platform, where it is the only one', async () => {
	expect(await resolve(['x:Plum'], [withoutId])).toMatchObject([
		{ name: 'x:Plum', platform: 'x', isAccountNamed: false },
	]);
	expect(await resolve(['linkedin'], [{ id: 1, platform: 'linkedin' }])).toMatchObject([{ accountId: '1' }]);
});

test('where accounts can not be read, platforms and IDs are taken as they are; a key that is refused is an error', async () => {
	expect(await sentTo(['mastodon', 'x:acc_2', 'x:acc_1'], unreadable)).toEqual([
		...['mastodon undefined: mastodon', 'x acc_2 (named): x:acc_2', 'x acc_1 (named): x:acc_1'],
	]);
	await expect(sentTo(['x', 'x:acc_1'], unreadable)).rejects.toThrow(
		"'x' and 'x:acc_1' may be the same account",
	);
	const list = async () => await Promise.reject(answerFailure(401));
	const refused = resolveTargets({ ...itemWith(), list } as unknown as Item, {
		...{ postTo: 'platforms', platforms: ['x'], accounts: [] },
	});
	await expect(refused).rejects.toMatchObject({ details: { status: 401 } });
});
