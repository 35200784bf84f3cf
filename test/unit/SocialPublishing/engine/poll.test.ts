import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/failure';
import { Pace } from '../../../../nodes/api/pace';
import { PostPoller, type PollOptions } from '../../../../nodes/SocialPublishing/engine/poll';

const NOW = Date.parse('2027-06-01T10:00:00Z');
const iso = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();
const published = { id: 'post_1', status: 'completed', provider_post_id: 'x_1' };

beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => {
	jest.restoreAllMocks();
	jest.useRealTimers();
});

/** Waits for a post that looks like these one after the other, the last one for ever; a failure is thrown. */
async function wait(looks: Array<IDataObject | Error>, more: Partial<PollOptions> = {}, pace = new Pace()) {
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
	const at: number[] = [];
	const ends: number[] = [];
	const options: PollOptions = { waitFor: 'completed', timeoutMs: 300_000, ...more };
	const work = new PostPoller(pace).until('post_1', options, async (withinMs) => {
		at.push((Date.now() - NOW) / 1000);
		ends.push((Date.now() - NOW + withinMs) / 1000);
		const look = looks[Math.min(at.length, looks.length) - 1]!;
		if (look instanceof Error) throw look;
		return look;
	});
	let outcome: any;
	void work.then(
		(value) => (outcome = value),
		(error: unknown) => (outcome = error),
	);
	while (outcome === undefined) await jest.advanceTimersByTimeAsync(60_000);
	return { outcome, at, ends };
}

const open = { id: 'post_1', status: 'publishing' };

describe('when a post is looked at', () => {
	test('at once, and then less and less often', async () => {
		const { outcome, at, ends } = await wait([open, open, open, open, published]);
		expect(outcome).toEqual(published);
		expect(at).toEqual([0, 1.5, 3.75, 7.125, 12.1875].map((second) => expect.closeTo(second, 1)));
		expect(ends).toEqual([300, 300, 300, 300, 300]);
	});

	test.each([undefined, null, 'text', 7, [[]], {}])(
		'whatever comes: %j keeps pauses and deadline',
		async (odd) => {
			const { outcome, at } = await wait([odd as never]);
			expect(outcome).toMatchObject({ details: { code: 'NODE_WAIT_TIMEOUT' } });
			expect(at.length).toBeLessThan(20);
			expect(at.at(-1)).toBeCloseTo(300, 1);
			expect((await wait([open, odd as never, published])).outcome).toEqual(published);
		},
	);

	test('every 30 seconds at the most, and once when the time is up', async () => {
		const { at, ends } = await wait([open]);
		const pauses = at.slice(1).map((second, i) => second - at[i]!);
		expect(Math.max(...pauses)).toBeCloseTo(30, 1);
		expect(at.at(-1)).toBeCloseTo(300, 1);
		expect(ends.at(-1)).toBeCloseTo(301, 1);
	});

	test('not before it is known, where it is known already', async () => {
		const { at } = await wait([published], { known: open });
		expect(at).toHaveLength(1);
		expect(at[0]).toBeCloseTo(1, 1);
		expect((await wait([], { known: published })).at).toEqual([]);
	});

	test('less often where many share the read limit', async () => {
		const pace = new Pace();
		jest.spyOn(pace, 'limitOf').mockReturnValue(10);
		const { at } = await wait([open, published], {}, pace);
		// Half of ten a minute.
		expect(at[1]).toBeCloseTo(12, 0);
		expect(pace.limitOf).toHaveBeenCalledWith('read');
	});

	test('all that wait count, and no longer than they wait', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		const poller = new PostPoller(new Pace());
		const seconds: number[] = [];
		const one = async () => {
			let looks = 0;
			await poller.until('post_1', { waitFor: 'completed', timeoutMs: 300_000 }, async () => {
				if (looks++ === 0) return open;
				seconds.push((Date.now() - NOW) / 1000);
				return published;
			});
		};
		const all = Promise.all(Array.from({ length: 50 }, one));
		await jest.advanceTimersByTimeAsync(60_000);
		await all;
		// 50 posts, 100 ms each.
		expect(Math.max(...seconds)).toBeCloseTo(5, 0);
		const before = Date.now();
		seconds.length = 0;
		void one();
		await jest.advanceTimersByTimeAsync(60_000);
		expect(seconds[0]! - (before - NOW) / 1000).toBeCloseTo(1.5, 1);
	});

	test('three times more where it is published and its ID at the platform is not there yet', async () => {
		const late = { id: 'post_1', status: 'completed' };
		expect((await wait([late])).at).toHaveLength(4);
		const { outcome, at } = await wait([late, { ...late, platforms: [{ provider_post_id: 'x_1' }] }]);
		expect(at).toHaveLength(2);
		expect(outcome.platforms).toHaveLength(1);
		expect((await wait([{ id: 'post_1', status: 'failed' }])).at).toHaveLength(1);
	});
});

describe('how a wait ends', () => {
	const failing = async (looks: Array<IDataObject | Error>, more: Partial<PollOptions> = {}) => {
		const { outcome } = await wait(looks, more);
		expect(outcome).toBeInstanceOf(Failure);
		return (outcome as Failure).details;
	};

	test.each([
		['', {}],
		[': Too long', { error: 'Too long.' }],
		[': Too long', { error: { message: 'Too long' } }],
		[': Too long', { failure_reason: 'Too long' }],
		[': Version 1.2: too long', { error_message: 'Version 1.2: too long.' }],
		['', { error: '' }],
		['', { error: null }],
		['', { error: 7 }],
	])('a post that failed%s', async (said, more) => {
		const post = { id: 'post_1', status: 'failed', ...more };
		expect(await failing([post])).toMatchObject({
			code: 'NODE_POST_FAILED',
			message: `The post was accepted, but publishing it failed${said} (post ID: post_1)`,
			hint: expect.stringContaining('Correct the content'),
			post,
		});
		expect((await wait([post], { waitFor: 'terminal' })).outcome).toEqual(post);
	});

	test('a post that was canceled', async () => {
		const post = { id: 'post_1', status: 'canceled' };
		expect(await failing([post])).toMatchObject({
			code: 'NODE_POST_CANCELED',
			message: 'The post was canceled before it was published (post ID: post_1)',
			hint: expect.stringContaining("set 'Wait For' to 'Any Final Status'"),
			post,
		});
		expect((await wait([post], { waitFor: 'terminal' })).outcome).toEqual(post);
	});

	test('time is up', async () => {
		expect(await failing([open], { timeoutMs: 7400 })).toMatchObject({
			code: 'NODE_WAIT_TIMEOUT',
			message: "Waited 7 s, but the post's status is still 'publishing' (post ID: post_1)",
			hint: expect.stringContaining("Raise 'Wait Timeout (Seconds)'"),
			post: open,
		});
		for (const [status, shown] of [
			[undefined, 'unknown'],
			['', 'unknown'],
			['x'.repeat(200), 'x'.repeat(100)],
		])
			expect((await failing([{ id: 'post_1', status }])).message).toContain(`still '${shown}'`);
	});

	test.each([
		{ status: 'pending_approval' },
		{ status: 'in_review' },
		{ status: 'held' },
		{ status: 'on_hold' },
		{ status: 'scheduled', approval_status: 'approval requested' },
		{ status: 'scheduled', approval_state: 'Review' },
		{ status: 'scheduled', hold_reason: 'approval' },
	])('time is up for a post that waits for approval: %j', async (post) => {
		expect(await failing([post])).toMatchObject({
			code: 'NODE_WAIT_APPROVAL',
			message: `The post still waits for approval after 300 s: its state is '${post.status}' (post ID: post_1)`,
			hint: expect.stringContaining('Ask an approver'),
			post,
		});
	});

	test.each([
		{ status: 'publishing', hold_reason: 7 },
		{ status: 'upheld' },
		{ status: 'draft', note: 'approval' },
		{ status: 'scheduled', approval_status: 'approved' },
		{ status: 'approved' },
		{ status: 'scheduled', hold_reason: 'no hold' },
	])('… and not for %j', async (post) =>
		expect((await failing([post as IDataObject])).code).toBe('NODE_WAIT_TIMEOUT'),
	);

	const away = (retryable: boolean) =>
		new Failure({ code: 'AWAY', message: 'away', hint: 'wait', retryable });

	test('a look that fails is a failure; when the time is up, the last state says more', async () => {
		expect((await failing([open, away(true)])).code).toBe('AWAY');
		const last = { timeoutMs: 1000, known: open };
		expect((await failing([away(true)], last)).code).toBe('NODE_WAIT_TIMEOUT');
		expect((await failing([away(false)], last)).code).toBe('AWAY');
		expect((await failing([away(true)], { timeoutMs: 0 })).code).toBe('AWAY');
		expect((await failing([open, new Error('no')])).message).toBe('no');
	});
});

describe('a post that is scheduled', () => {
	const scheduled = (seconds: number, name = 'scheduled_at') => ({
		id: 'post_1',
		status: 'scheduled',
		[name]: iso(seconds),
	});

	test.each(['scheduled_at', 'schedule_at'])(
		'later than the wait lasts, by %s: is not waited for',
		async (name) => {
			const post = scheduled(301, name);
			const { outcome, at } = await wait([post], { waitFor: 'terminal' });
			expect([outcome, at]).toEqual([{ ...post, not_waited_for: expect.stringContaining(iso(301)) }, [0]]);
		},
	);

	test('within the wait: is waited for', async () => {
		expect((await wait([scheduled(300), published])).outcome).toEqual(published);
		for (const status of ['publishing', 'draft'])
			expect((await wait([{ ...scheduled(301), status }, published])).outcome).toEqual(published);
		expect((await wait([{ id: 'post_1', status: 'scheduled' }, published])).outcome).toEqual(published);
	});

	test('a failure says when it is due', async () => {
		const { outcome } = await wait([scheduled(3600)], { timeoutMs: 1600 });
		expect(outcome.details).toEqual({
			code: 'NODE_NOT_YET_PUBLISHED',
			message: `Not published yet: due ${iso(3600)}, after the wait timeout of 2 s (post ID: post_1)`,
			hint: expect.stringContaining("n8n's Wait node"),
			status: 0,
			retryable: false,
			post: scheduled(3600),
		});
	});
});
