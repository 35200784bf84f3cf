import fc from 'fast-check';
import { isEqual, map, pick, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import type { PostPlan } from '../../../../../nodes/SocialPublishing/resources/post/plan';
import { rejectionOf } from '../../../../support/failure';
import { runs } from '../../../../support/property';
import { NOW, planOf } from '../operations';
import { before, check, plan as planned, quick, send, sentTo, textFor, useNow } from './posting';

useNow();

const accounts = ['x', 'linkedin', 'bluesky'].map((platform) => ({ id: `acc_${platform}`, platform }));

/** Of *Additional Fields*, which win. */
const ownFields: IDataObject[] = [
	{ platform: 'facebook' },
	{ account_id: 'acc_other' },
	{ text: 'Ho' },
	{ content: { text: 'Ho' } },
	{ content: { media: ['https://a.example/2'] } },
	{ content: 'Ho' },
	{ media: ['https://a.example/2'] },
	{ schedule_at: '2126-01-01T10:00:00Z' },
	{ schedule_at: '2126-01-01T10:01:00Z' },
];

/** What a person may set, and what of it has nothing to do with what is sent. */
const settings = fc.record({
	platforms: fc.subarray(['x', 'linkedin', 'bluesky'], { minLength: 1 }),
	text: fc.constantFrom('Hi', 'Hi ', 'Ho'),
	ownText: fc.constantFrom('', 'Hi', 'Dear all'),
	media: fc.constantFrom('', 'https://a.example/1', 'https://a.example/2'),
	note: fc.nat(2),
	added: fc.constantFrom<IDataObject[]>({}, ...ownFields),
	fieldOfX: fc.nat(1),
	time: fc.constantFrom<IDataObject[]>(
		{ when: 'now' },
		{ when: 'at', scheduledAt: '2026-07-01T10:00' },
		{ when: 'at', scheduledAt: '2026-07-01T10:01' },
		{ when: 'delay', delayAmount: 1 },
		{ when: 'delay', delayAmount: 2 },
	),
	workspaceId: fc.constantFrom('', 'ws_main'),
	concurrency: fc.integer({ min: 1, max: 5 }),
	maxRetryWait: fc.nat(60),
	minutesLater: fc.nat(30),
});
type Settings = typeof settings extends fc.Arbitrary<infer One> ? One : never;

async function plan(one: Settings, more: IDataObject = { previewOnly: true }): Promise<PostPlan> {
	const now = NOW + one.minutesLater * 60_000;
	jest.setSystemTime(now);
	const media = one.media ? { mediaFrom: 'readUrls', mediaUrls: one.media } : {};
	const given = { ...one.time, ...media, platforms: one.platforms, text: one.text };
	const options = {
		...(one.ownText ? textFor('linkedin', one.ownText).options : {}),
		additionalFields: { ...one.added, ...(one.note ? { note: one.note } : {}) },
		platformFields: { fields: one.fieldOfX ? [{ platform: 'x', fields: { reply: one.fieldOfX } }] : [] },
		...pick(one, 'workspaceId', 'concurrency', 'maxRetryWait'),
		...more,
	};
	const item = { now };
	return (await planOf<PostPlan>(create, { ...given, options }, { answers: { '/accounts': accounts }, item }))
		.plan;
}

/** By platform: the code, and all that would be sent there. */
async function sentBy(one: Settings) {
	const isDelayed = one.time.when === 'delay';
	const media = one.media ? [{ readUrl: one.media, identity: one.media }] : [];
	const entries = (await plan(one)).requests.map((request) => {
		const time = isDelayed ? { scheduled_at: '', time: one.time } : {};
		const sent = { ...request.writeWith(media).body, ...time, workspace: one.workspaceId };
		return [request.posts[0]!.platform, { code: request.approvalCode, sent }] as const;
	});
	return Object.fromEntries(entries);
}

test('a code changes whenever anything that would be sent changes, and with nothing else; only approved ones pass', async () => {
	await fc.assert(
		fc.asyncProperty(settings, settings, async (one, other) => {
			const [mine, theirs] = [await sentBy(one), await sentBy(other)];
			for (const [platform, { code, sent }] of Object.entries(mine))
				if (theirs[platform])
					expect(code === theirs[platform].code).toBe(isEqual(sent, theirs[platform].sent));
			const codes = map(mine, 'code');
			const approved = plan(other, { approvedCode: codes.join(', ') });
			if (map(theirs, 'code').every((code) => codes.includes(code))) await approved;
			else await expect(approved).rejects.toThrow(/^This isn't what was approved: /);
		}),
		runs(200),
	);
});

const one: Settings = {
	...{
		platforms: ['x'],
		text: 'Hi',
		ownText: '',
		media: '',
		note: 0,
		fieldOfX: 0,
		workspaceId: '',
		added: {},
	},
	...{ time: { when: 'now' }, concurrency: 5, maxRetryWait: 60, minutesLater: 0 },
};

test('a code is of what Additional Fields make of a request, too, of both fields that may hold the time', async () => {
	const time = { when: 'at', scheduledAt: '2026-07-01T10:00' };
	const all = [
		one,
		...ownFields.map((added) => ({ ...one, added, ...('schedule_at' in added ? { time } : {}) })),
	];
	const [code, ...others] = await Promise.all(all.map(async (each) => (await sentBy(each)).x!.code));
	expect(others).not.toContain(code);
	const [first, second] = others.slice(-2);
	expect(first).not.toBe(second);
});

test('a code is of the platforms and accounts in any order, of a delay whenever it is sent, and of any other time', async () => {
	const codeOf = async (given: IDataObject, item = {}, id = 'acc_facebook') => {
		const answers = {
			'/accounts': [
				{ id: 'acc_1', platform: 'x' },
				{ id, platform: 'facebook' },
			],
		};
		const both = {
			platforms: ['x', 'facebook'],
			...given,
			options: { previewOnly: true, ...(given.options as object) },
		};
		return (await planned(both, { answers, item: { ...quick.item, ...item } })).requests[0]!.approvalCode;
	};
	const at = (time: string) => ({ when: 'at', scheduledAt: `2026-06-02T${time}` });
	const delay = (delayAmount: number, time?: string) => ({
		...{ when: 'delay', delayAmount, delayUnit: 'hours' },
		options: { additionalFields: time ? { schedule_at: `2026-06-02T${time}Z` } : {} },
	});
	const later = { now: NOW + 60_000 };
	expect(await codeOf({ platforms: ['facebook', 'x'] })).toBe(await codeOf({}));
	expect(await codeOf(delay(1), later)).toBe(await codeOf(delay(1)));
	const own = [delay(1, '10:00'), delay(1, '11:00')];
	const codes = [{}, at('10:00'), at('11:00'), delay(1), delay(2), ...own].map(
		async (one) => await codeOf(one),
	);
	expect(new Set(await Promise.all([...codes, codeOf({}, {}, 'acc_9')])).size).toBe(8);
});

describe("the account is approved, where the platform's name is all that is sent", () => {
	const ofThreads = (count: number) => range(count).map((id) => ({ id: `acc_${id}`, platform: 'threads' }));
	const codeFor = async (list: unknown) => {
		const { requests } = await planned(
			{ options: { previewOnly: true } },
			{ answers: { '/accounts': list } },
		);
		return requests[0]!.approvalCode!;
	};
	const refused = async (approvedCode: string, list: unknown, more: IDataObject = {}) =>
		await planned({ ...more, options: { approvedCode } }, { answers: { '/accounts': list } }).then(
			() => undefined,
			({ message }) => message as string,
		);

	test('of the one that is listed, whether or not the list has as many accounts as a page may have', async () => {
		const code = await codeFor(accounts);
		for (const count of [6, 7, 8])
			for (const approvedCode of [code, await codeFor([...accounts, ...ofThreads(count)])])
				expect(await refused(approvedCode, [...accounts, ...ofThreads(7)])).toBeUndefined();
		const another = [{ id: 'acc_9', platform: 'x' }, ...ofThreads(9)];
		expect(await refused(code, another)).toMatch(/has no code for this platform, account and workspace$/);
		// Which of two it goes to would be the service's choice.
		expect(await refused(code, [...another.slice(1), ...accounts, another[0]])).toMatch(/2 X accounts/);
	});

	test.each([
		[new Error('gone'), 'the accounts could not be read (gone)'],
		[{ items: accounts, has_more: true }, 'the service has more accounts than it listed'],
		[[...accounts, { id: 'acc_9', platform: 'x_page' }], /^1 of 4 accounts has a platform/],
	])('while it is not known, the post is refused for that: %s', async (list, why) => {
		const approvedCode = await codeFor(accounts);
		const unknown = await codeFor(list);
		const message = await refused(approvedCode, list);
		const [, said] = /^This can't be compared with 'Approved Code': (.*)$/.exec(message!) ?? [];
		expect(said).toMatch(why);
		// Nothing is posted.
		expect(said).not.toMatch(/;| is posted/);
		// As it was shown, it goes out.
		expect(await refused(unknown, list)).toBeUndefined();
		expect(await refused(unknown, list, { text: 'Ho' })).toBe(
			"This isn't what was approved: the text changed",
		);
	});

	test('the code of a post that would be refused lets out none to whichever account', async () => {
		const two = [...accounts, { id: 'acc_9', platform: 'x' }];
		const none = [{ id: 'acc_2', platform: 'linkedin', status: 'ok' }];
		for (const list of [two, none])
			expect(await refused(await codeFor(list), new Error('gone'))).toMatch(
				/^This can't be compared with 'Approved Code': the accounts could not be read/,
			);
	});

	test('one that is named is known by its ID, whether the accounts can be read or not', async () => {
		const given = { platforms: ['x:acc_x'] };
		const approvedCode = await codeFor(accounts);
		expect(await refused(approvedCode, new Error('gone'), given)).toBeUndefined();
		expect(await refused(approvedCode, new Error('gone'), { platforms: ['x:acc_9'] })).toMatch(
			/has no code for this platform, account and workspace$/,
		);
	});
});

test('a slot is approved in either form', async () => {
	for (const more of [{}, quick]) {
		const slot = (slotTimes: string) => ({ when: 'nextSlot', slotTimes });
		const [request] = (await planned({ ...slot('20:00'), options: { previewOnly: true } }, more)).requests;
		const options = { approvedCode: request!.approvalCode };
		expect((await send({ ...slot('18:00, 20:00'), options }, more)).outcomes).toMatchObject([
			{ scheduled_at: request!.dueAt },
		]);
	}
});

test('a code that was approved twice lets out two posts', async () => {
	const code = (await planned({ options: { previewOnly: true } })).requests[0]!.approvalCode;
	const row = { options: { approvedCode: `${code}, ${code}` } };
	const { failures } = await check([row, row, row]);
	const onceMore = "'Approved Code' has approved this 2 times, and this is one more";
	expect(failures).toEqual([undefined, undefined, onceMore]);
});

test('a file that could not be read whole gets no code, as the preview says', async () => {
	const { item: fake } = await planOf(
		create,
		{ platforms: ['x'], text: 'Hi', when: 'now' },
		{ answers: { '/accounts': accounts } },
	);
	const uploads = { ...fake.uploads, preview: async () => ({ identity: '' }) } as never;
	const media = { mediaFrom: 'url', mediaUrls: 'https://a.example/1' };
	const { requests } = await planned({ ...media, options: { previewOnly: true } }, { item: { uploads } });
	expect(requests[0]).toMatchObject({
		warnings: [
			"There is no approval_code, since the file behind 'Media URLs' is larger than 200 MB or takes longer than 30 s to read",
		],
	});
});

test('a code is of the files of the item by what they hold', async () => {
	const codes = ['a', 'b', 'a'].map(async (binaryFields) => {
		const given = { ...{ platforms: ['x'], text: 'Hi', when: 'now', mediaFrom: 'binary', binaryFields } };
		const { plan: made } = await planOf<PostPlan>(create, { ...given, options: { previewOnly: true } });
		return made.requests[0]!.approvalCode;
	});
	const [first, second, third] = await Promise.all(codes);
	expect([first === second, first === third]).toEqual([false, true]);
});

test('what was sent needs no code, so that its files may be gone', async () => {
	const answers = { '/accounts': accounts };
	const { item: fake } = await planOf(create, { platforms: ['x'], text: 'Hi', when: 'now' }, { answers });
	const preview = jest.fn(async (): Promise<never> => await Promise.reject(new Error('gone')));
	const item = { uploads: { ...fake.uploads, preview } as never };
	const media = { mediaFrom: 'url', mediaUrls: 'https://a.example/1' };
	const given = { platforms: ['x'], text: 'Hi', when: 'now', ...media, options: { approvedCode: 'any' } };
	const again = { item, ...before(sentTo('x')), answers };
	const { plan: sent } = await planOf<PostPlan>(create, given, again);
	expect(sent.requests).toMatchObject([{ sent: {} }]);
	await expect(planOf(create, given, { item, answers })).rejects.toThrow('gone');
	// Whole, not only its beginning.
	expect(preview.mock.calls).toEqual([[expect.objectContaining({ source: 'https://a.example/1' }), true]]);
	const unasked = await planOf<PostPlan>(create, { ...given, options: {} }, { item, answers });
	expect(unasked.plan.requests[0]!.approvalCode).toBeUndefined();
});

test('the error names what changed', async () => {
	const approvedCode = Object.values(await sentBy(one))[0]!.code!;
	const wrong = async (more: Partial<Settings>) =>
		await plan({ ...one, ...more }, { approvedCode }).then(
			() => undefined,
			({ message }) => message as string,
		);
	expect(await wrong({ text: 'Ho', note: 1 })).toBe(
		"This isn't what was approved: the text and the fields changed",
	);
	const later = { when: 'at', scheduledAt: '2026-07-01T10:00' };
	expect(await wrong({ time: later })).toBe("This isn't what was approved: the time changed");
	expect(await wrong({ media: 'https://a.example/1' })).toBe(
		"This isn't what was approved: the files changed",
	);
	const { details } = await rejectionOf(plan({ ...one, text: 'Ho' }, { approvedCode }));
	expect(details).toMatchObject({
		code: 'NODE_NOT_APPROVED',
		hint: "Run the preview again and let a person approve the new 'approval_code', or set the post back.",
	});
	expect(await wrong({ platforms: ['bluesky'] })).toMatch(
		/has no code for this platform, account and workspace$/,
	);
	expect(await wrong({})).toBeUndefined();
});

test('the preview of a post that was changed since its approval has the new code, and warns of it', async () => {
	const approvedCode = Object.values(await sentBy(one))[0]!.code!;
	const { requests } = await plan({ ...one, text: 'Ho' }, { previewOnly: true, approvedCode });
	expect(map(requests, 'warnings')).toEqual([
		["Would be refused: This isn't what was approved: the text changed"],
	]);
	await expect(
		plan({ ...one, text: 'Ho' }, { approvedCode: requests[0]!.approvalCode }),
	).resolves.toBeDefined();
});

test('of many changed rows each is compared with all codes, which are taken apart once', async () => {
	const parts = Object.values(await sentBy(one))[0]!.code!.split('.');
	const codes = range(200).map((i) => [parts[0], `text_${i}`, ...parts.slice(2)].join('.'));
	const options = { approvedCode: codes.join() };
	const rows = range(200).map((i) => ({ text: `Post ${i}`, options }));
	const split = jest.spyOn(String.prototype, 'split');
	const { failures } = await check(rows, { answers: { '/accounts': accounts } });
	const count = split.mock.calls.filter(([separator]) => String(separator) === '.').length;
	split.mockRestore();
	expect(new Set(failures)).toEqual(new Set(["This isn't what was approved: the text changed"]));
	// In each choice of four parts.
	expect(count).toBeLessThanOrEqual(16 * (codes.length + rows.length));
});

test('of several approved rows, the error compares with the likest; codes may stand in lines or in a list', async () => {
	const codesOf = async (text: Settings['text']) => Object.values(await sentBy({ ...one, text }))[0]!.code!;
	const codes = [await codesOf('Ho'), await codesOf('Hi'), await codesOf('Hi ')];
	const changed = plan({ ...one, note: 7 }, { approvedCode: codes.join() });
	await expect(changed).rejects.toThrow("This isn't what was approved: the fields changed");
	for (const approvedCode of [
		codes.join('\n'),
		JSON.stringify(codes),
		codes.join(' ; '),
		`${codes.join('. ')}.`,
	])
		await expect(plan(one, { approvedCode })).resolves.toBeDefined();
});
