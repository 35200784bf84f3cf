import { map } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../../../../../nodes/api/failure';
import type { Item } from '../../../../../nodes/SocialPublishing/engine/item';
import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import type { PostPlan } from '../../../../../nodes/SocialPublishing/resources/post/plan';
import type { KeyMode } from '../../../../../nodes/SocialPublishing/writes/key';
import { fakeItem, NOW, planOf, type Given } from '../operations';
import { before, check, plan, quick, send, sentTo, textFor, useNow } from './posting';

useNow();

const accounts = ['x', 'linkedin', 'bluesky'].map((platform) => ({ id: `acc_${platform}`, platform }));

test('a code lets out as many as it was approved for, in all rows and tries; an approved slot is kept', async () => {
	const given = (approvedCode?: string) => ({
		...{ platforms: ['x'], text: 'Hi', when: 'nextSlot', slotTimes: '18:00, 20:00' },
		options: approvedCode ? { approvedCode } : { previewOnly: true },
	});
	const more = { answers: { '/accounts': accounts } };
	const planned = async (code?: string, writer: Given['writer'] = {}) =>
		await planOf<PostPlan>(create, given(code), { ...more, writer });
	const taken = { ...sentTo('x'), record: { platform: 'x', scheduled_at: '2026-06-01T16:00:00Z' } };
	const sentBefore = (approvalCode?: string) => ({
		sent: () => [{ ...taken, approvalCode }] as never,
	});
	const [request] = (await planned(undefined, sentBefore())).plan.requests;
	const [code, dueAt] = [request!.approvalCode!, '2026-06-01T18:00:00Z'];
	expect(request!.dueAt).toBe(dueAt);
	expect((await planned(code)).plan.requests).toMatchObject([{ dueAt, approvalCode: code }]);
	await expect(planned(code, sentBefore(code))).rejects.toThrow(
		"'Approved Code' has approved this once, and this is one more",
	);
	const rows = [await planned(`${code},${code}`), await planned(`${code},${code}`), await planned(code)];
	await create.check!(map(rows, 'plan') as never);
	const [first, second, third] = map(rows, 'plan.failure');
	expect([first, second, third.details.code]).toEqual([undefined, undefined, 'NODE_NOT_APPROVED']);
});

test('files are read for their codes at the same time, and one that can not be read is wrong with its row alone', async () => {
	const { context } = fakeItem();
	let running = 0;
	const atOnce: number[] = [];
	const preview = async ({ source }: { source: string }) => {
		atOnce.push(++running);
		await Promise.resolve();
		running--;
		if (source.endsWith('2')) throw new Error('gone');
		return { identity: source };
	};
	const uploads = { ...context.uploads, preview } as never;
	const rows = [1, 2, 3].map((n) => ({
		...{ mediaFrom: 'url', mediaUrls: `https://a.example/${n}`, options: { previewOnly: true } },
	}));
	const { failures, requests } = await check(rows, { item: { uploads } });
	expect([failures, atOnce]).toEqual([
		[undefined, 'gone', undefined],
		[1, 2, 3],
	]);
	const codes = map(requests, 'approvalCode');
	expect([codes[0] === codes[2], typeof codes[0], codes[1]]).toEqual([false, 'string', undefined]);
});

test('rows are checked in turns, so that n8n goes on with other work', async () => {
	jest.useFakeTimers({ now: NOW, advanceTimers: true });
	const timers = jest.spyOn(global, 'setTimeout');
	const { context } = fakeItem();
	const slow: Given['writer'] = {
		continued: (...given) => (jest.setSystemTime(Date.now() + 50), context.writer.continued(...given)),
	};
	await check([{}, {}, {}, {}], { writer: slow });
	expect(timers).toHaveBeenCalledTimes(2);
});

describe('the next free slot', () => {
	const slots = { when: 'nextSlot', slotTimes: '14:01, 18:00' };
	const [first, second] = ['2026-06-01T12:01:00Z', '2026-06-01T16:00:00Z'];

	test('goes to the rows in their order, each platform from its own queue; of it nothing is content but that it is one', async () => {
		const row = { ...slots, platforms: ['x', 'linkedin'] };
		const { requests, asked } = await check([row, row]);
		expect(map(requests, 'dueAt')).toEqual([first, first, second, second]);
		expect(map(asked, 'path')).toEqual(['/accounts', '/posts']);
		const write = requests[0]!.writeWith([]);
		expect(write).toMatchObject({ body: { scheduled_at: first }, says: [{ slot: true }] });
		expect(write.says![0]).not.toHaveProperty('scheduled_at');
	});

	test.each<[KeyMode, IDataObject, string | undefined]>([
		['content', {}, undefined],
		['custom', {}, undefined],
		['content', { previewOnly: true }, first],
		['execution', {}, first],
		['execution', { previewOnly: true }, first],
	])(
		'in mode %s, with %j, is chosen before anything is sent, or when the row is sent: an earlier execution may have sent it',
		async (keyMode, options, dueAt) => {
			const { requests, asked } = await check([{ ...slots, options }], { item: { keyMode } });
			expect([requests[0]!.dueAt, map(asked, 'path')]).toEqual([dueAt, ['/accounts', '/posts']]);
		},
	);

	test('is none that a later row has a time in', async () => {
		const { requests } = await check([slots, { when: 'at', scheduledAt: '2026-06-01T14:02' }, slots]);
		expect(map(requests, 'dueAt')).toEqual([second, '2026-06-01T12:02:00Z', '2026-06-02T12:01:00Z']);
	});

	test('is not asked for where an earlier try has sent it, or the user has a time', async () => {
		const options = { additionalFields: { scheduled_at: '2126-01-01T10:00:00Z' } };
		for (const [given, more] of [
			[{ options }, {}],
			[{}, before(sentTo('x'))],
			[{}, before(sentTo('x', { isRerun: true }))],
		] as const) {
			const { asked } = await send({ ...slots, ...given }, more);
			expect(asked.map(({ path }) => path)).toEqual(['/accounts']);
		}
	});

	test('that can not be found is an error of the row', async () => {
		const timed = { when: 'at', scheduledAt: '2026-06-01T14:02' };
		const { failures } = await check([slots, timed], { answers: { '/posts': new Error('no list') } });
		expect(failures).toEqual(['no list', undefined]);
	});

	test('is not taken by a row that is refused, which does not count for Max Posts per Execution either', async () => {
		const row = { ...slots, options: { mostPosts: 1 } };
		const { failures, requests } = await check([{ ...row, text: '' }, row]);
		expect(failures).toEqual(["'Text' is empty", undefined]);
		expect(map(requests, 'dueAt')).toEqual([undefined, first]);
	});

	test('that has come by the time of sending is left out', async () => {
		const finished = jest.fn();
		const write: Item['write'] = async ({ body, finish }) => {
			jest.setSystemTime(NOW + 60_000);
			finished(finish!(body!));
			return { body, response: {} };
		};
		await send(slots, { item: { write } });
		expect(finished.mock.calls).toEqual([[{ platform: 'x', content: { text: 'Hi' } }]]);
	});
});

describe('Max Posts per Execution', () => {
	const all = ['x', 'linkedin', 'facebook'];
	const most = (mostPosts: number, count: number, more: IDataObject = {}) => ({
		...{ platforms: all.slice(0, count), options: { mostPosts, ...more } },
	});
	const tries = (count: number) =>
		all.slice(0, count).map((platform, key) => ({ ...sentTo(platform), key: `${key}` }));
	const byHand = { ...sentTo('x', { isRerun: true }), key: 'rerun' };

	test.each<[IDataObject[], object[], string | undefined]>([
		[[most(3, 1), most(3, 2)], [], undefined],
		[[most(0, 1), { ...most(0, 3), options: {} }], [], undefined],
		[[most(2, 1), most(3, 2)], [], '2: this execution has sent 0 and asks for 3 more'],
		[[most(2, 2)], tries(1), '2: this execution has sent 1 and asks for 2 more'],
		[
			[most(2, 1)],
			[...tries(1), ...tries(1), byHand, { ...tries(1)[0], path: '/media', key: 'file' }],
			undefined,
		],
		[[most(3, 2)], tries(2), '3: this execution has sent 2 and asks for 2 more'],
		[
			[most(2, 1)],
			[{ ...tries(1)[0], record: { platforms: all } }],
			'2: this execution has sent 3 and asks for 1 more',
		],
		[[most(1, 1), most(0, 3)], [], undefined],
		[[most(1, 1), most(1, 1, { previewOnly: true })], [], undefined],
	])('%j after %j: %s', async (rows, sentBefore, message) => {
		const { failures } = await check(rows, {
			writer: { sent: (which) => (which === 'all' ? sentBefore : []) as never },
		});
		expect(failures).toEqual(rows.map(() => message && `'Max Posts per Execution' is ${message}`));
	});

	test('what an earlier try sent is not asked for again, what a failed run by hand sent is', async () => {
		const row = { ...most(1, 2), platforms: ['x', 'linkedin'] };
		const writer = { ...before(sentTo('x')).writer, sent: () => tries(1) as never };
		await expect(plan(row, { writer })).rejects.toMatchObject({
			details: {
				code: 'NODE_MOST_POSTS',
				message: "'Max Posts per Execution' is 1: this execution has sent 1 and asks for 1 more",
				hint: "Request fewer posts, or raise 'Max Posts per Execution' in the node's options.",
			},
		});
		await expect(plan(most(2, 2), { writer })).resolves.toBeDefined();
		// What rows without a limit sent does not count.
		const unlimited = { ...before(sentTo('x', { key: '0' })).writer, sent: writer.sent };
		const rows = [{ platforms: ['linkedin'], options: { mostPosts: 1 } }, most(0, 1)];
		expect((await check(rows, { writer: unlimited })).failures).toEqual([undefined, undefined]);
		const rerun = before(sentTo('x', { isRerun: true }));
		await expect(plan(most(1, 2), rerun)).rejects.toThrow('asks for 2 more');
	});
});

describe('My Own ID', () => {
	const shared = refusal('OWN_ID_SHARED', 'Row 1 has it', 'Give each row its own.');
	const own = { idempotencyKeyMode: 'custom', idempotencyKey: 'k' };
	const row = { mediaFrom: 'binary', binaryFields: 'a', options: own };

	test("that an expression left is a warning, which 'On Warnings' stops", async () => {
		const left = { ...own, idempotencyKey: '#N/A' };
		const warning = "'My Own ID' is '#N/A': check the expression";
		expect((await plan({ options: left })).requests).toMatchObject([{ warnings: [warning] }]);
		await expect(plan({ options: { ...left, onWarnings: 'stop' } })).rejects.toThrow(warning);
	});

	test('is refused where another row has it with other content, by what the files say of themselves', async () => {
		const sharedId = jest.fn(() => shared);
		await expect(plan(row, { writer: { sharedId } })).rejects.toThrow('Row 1 has it');
		expect(sharedId.mock.calls).toMatchObject([
			[{ ownKey: 'k' }, { path: '/posts', says: [{ platform: 'x' }, { files: [{ name: 'a' }] }] }],
		]);
	});

	test.each([
		['of a row without one', {}],
		['of a row that is refused anyway', { when: 'at', scheduledAt: '2026-06-01T13:00', options: own }],
	])('is not taken: %s', async (_what, given) => {
		const sharedId = jest.fn(() => shared);
		await plan(given, { writer: { sharedId } }).catch(() => undefined);
		expect(sharedId).not.toHaveBeenCalled();
	});
});

test('requests are in the order of the platforms, whatever an earlier try sent', async () => {
	const { requests } = await plan({ platforms: ['x', 'linkedin'] }, before(sentTo('linkedin')));
	expect(requests.map(({ posts }) => posts[0]!.platform)).toEqual(['x', 'linkedin']);
});

test('a row whose time has passed is skipped, with its own fields, too, and without a warning', async () => {
	const platformFields = { fields: [{ platform: 'x', fields: { n: 1 } }] };
	const options = { ifPast: 'skip', platformFields };
	const { requests } = await plan({ when: 'at', scheduledAt: '2026-06-01T13:00', options });
	expect(requests).toMatchObject([
		{ skipped: { message: expect.stringMatching(/^'Scheduled At' is in the past/) }, warnings: [] },
	]);
});

test('also in a preview in the quick start form, a name that is no platform stops the row', async () => {
	const row = { platforms: ['x', 'linkedn'], options: { previewOnly: true } };
	await expect(plan(row, quick)).rejects.toThrow("'linkedn' isn't a platform");
});

test('in the quick start form, too, an entry for a platform that is not known is refused by its name', async () => {
	const platformFields = { fields: [{ platform: 'threads', fields: { n: 1 } }] };
	await expect(plan(textFor('tiktk'), quick)).rejects.toThrow(/^'Text per Platform' has an entry for tiktk$/);
	await expect(plan({ options: { platformFields } }, quick)).rejects.toThrow(
		/^'Fields per Platform' has an entry for threads$/,
	);
});

test('a run without rows has nothing to check', async () => {
	await expect(create.check!([])).resolves.toBeUndefined();
});
