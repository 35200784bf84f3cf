import fc from 'fast-check';
import omit from 'lodash/omit';
import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { readPost } from '../../../../../nodes/api/records';
import { Queue, queueOf as queueOfItem } from '../../../../../nodes/SocialPublishing/resources/post/queue';
import {
	parseSlots,
	slotsBetween,
	type WeeklySlots,
} from '../../../../../nodes/SocialPublishing/resources/post/slots';
import { failureOf } from '../../../../support/failure';
import { runs } from '../../../../support/property';
import { fakeItem } from '../operations';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** A Monday, noon. */
const now = Date.parse('2026-06-01T12:00:00Z');
interface Place {
	platform: string;
	accountId?: string;
}
const x: Place = { platform: 'x' };
const instagram: Place = { platform: 'instagram' };
const plum: Place = { platform: 'instagram', accountId: 'plum' };
const pear: Place = { platform: 'instagram', accountId: 'pear' };
const daily = parseSlots(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], '13:00, 18:00');

const queueOf = (listed: IDataObject[] = []) => new Queue(listed.map(readPost), { zone: 'UTC', now });
const post = (scheduled_at: unknown, more: IDataObject = {}): IDataObject =>
	({ id: 'post_1', status: 'scheduled', platform: 'x', scheduled_at, ...more }) as IDataObject;
const first = '2026-06-01T13:00:00Z';
const second = '2026-06-01T18:00:00Z';
const third = '2026-06-02T13:00:00Z';

describe('a queue', () => {
	test('gives one slot after another, each platform and account from a queue of its own', () => {
		const queue = queueOf();
		const take = (...places: Place[]) => queue.take(places, daily);
		expect([take(x), take(x), take(plum), take(pear)]).toEqual([...[first, second], ...[first, first]]);
		// Which account the platform stands for isn't known, so it waits for all.
		expect(take(instagram)).toBe(second);
		expect(take(plum)).toBe(third);
	});

	test('gives targets that share a request the first slot that is free for all of them', () => {
		const queue = queueOf([post(first), post(second, { platform: 'instagram' })]);
		expect(queue.take([x, instagram], daily)).toBe(third);
		expect(queue.take([x], daily)).toBe(second);
	});

	test.each<[string, IDataObject[], string]>([
		['at its time', [post(first)], second],
		['within ten minutes', [post('2026-06-01T13:10:00Z')], second],
		['not so close', [post('2026-06-01T13:10:01Z')], first],
		['by Quick Start', [post(undefined, { platforms: ['linkedin', 'x'], schedule_at: first })], second],
		['waiting for approval', [post(first, { status: 'pending_approval' })], second],
		['a draft with a time', [post(first, { status: 'draft' })], second],
		['a draft without a time', [post(null, { status: 'draft' })], first],
		['a draft that shows none', [post(undefined, { status: 'draft' })], first],
		['being published: its time is gone', [post(undefined, { status: 'publishing' })], first],
		['completed', [post(first, { status: 'completed' })], first],
		['failed', [post(first, { status: 'failed' })], first],
		['canceled', [post(first, { status: 'canceled', platform: undefined })], first],
		['on another platform', [post(first, { platform: 'linkedin' })], first],
	])('is taken by a listed post, or not: %s', (_what, listed, slot) =>
		expect(queueOf(listed).take([x], daily)).toBe(slot),
	);

	test('a post without a time goes out at once: a slot in the next ten minutes is taken', () => {
		const soon = parseSlots(['mon'], '12:05, 13:00');
		expect(queueOf([post(null)]).take([x], soon)).toBe(first);
		expect(queueOf().take([x], soon)).toBe('2026-06-01T12:05:00Z');
	});

	test.each<[IDataObject, string]>([
		[post(undefined), 'post_1 without a time'],
		[post('soon'), 'post_1 without a time'],
		[post(first, { platform: undefined }), 'post_1 without a platform'],
		[post(first, { platform: 7, platforms: [], id: 'p' }), 'p without a platform'],
	])('a list that does not say what is taken is an error: %j', (listed, message) => {
		expect(failureOf(() => queueOf([post(second), listed])).details).toMatchObject({
			code: 'NODE_SLOTS_UNKNOWN',
			message: `Can't determine which slots are free: the service lists the post ${message} that can be read`,
			hint: expect.stringContaining('docs/spec-gaps.md'),
		});
	});

	test('nothing free within 90 days is an error that names the platforms', () => {
		const weekly = parseSlots(['mon'], '13:00');
		const queue = queueOf();
		const slots = Array.from({ length: 13 }, () => queue.take([x], weekly));
		expect(slots.at(-1)).toBe('2026-08-24T13:00:00Z');
		expect(failureOf(() => queue.take([x, instagram], weekly)).details).toMatchObject({
			code: 'NODE_NO_FREE_SLOT',
			message: 'No slot is free in the next 90 days for X and Instagram',
			hint: expect.stringMatching(/^Add days or times in 'Slot Days'/),
		});
		expect(queue.take([instagram], weekly)).toBe(first);
	});
});

describe("the queue of an item's workspace", () => {
	const answers = { '/posts': { items: [post('2026-06-01T16:00:00Z')] } };

	test('is asked for once a run, from now to the horizon, with what is close to both ends', async () => {
		const { context, asked } = fakeItem({ answers });
		const daily18 = parseSlots(['mon'], '18:00, 19:00');
		const queue = await queueOfItem(context);
		expect(queue.take([x], daily18)).toBe('2026-06-01T17:00:00Z');
		expect(await queueOfItem(context)).toBe(queue);
		expect(queue.take([instagram], daily18)).toBe('2026-06-01T16:00:00Z');
		expect(asked).toEqual([
			{
				path: '/posts',
				expects: { list: ['items', 'posts'] },
				qs: { from: '2026-06-01T11:50:00Z', to: '2026-08-30T12:10:00Z', limit: 100 },
			},
		]);
	});

	test.each([
		['takes a slot, too', { id: undefined }, third],
		['without a time takes none', { scheduled_at: undefined }, second],
		['that the list has counts as the list has it', { id: 'post_1' }, second],
	])('what was sent %s', async (_what, more, slot) => {
		const record = { platform: 'x', scheduled_at: second, ...more };
		const sent = { path: '/posts', state: 'inDoubt', record };
		const sentBefore = [sent, { ...sent, path: '/media' }, { ...sent, state: 'keptAsFailed' }] as never;
		const { context } = fakeItem({
			answers: { '/posts': [post(first, { status: 'canceled' }), post(first, { id: 'p_2' })] },
			item: { zone: 'UTC', sentBefore },
		});
		expect((await queueOfItem(context)).take([x], daily)).toBe(slot);
	});

	test('that can not be read is a failure, which is remembered', async () => {
		const { context, asked } = fakeItem({ answers: { '/posts': new Error('gone') } });
		for (let i = 0; i < 2; i++) await expect(queueOfItem(context)).rejects.toThrow('gone');
		expect(asked).toHaveLength(1);
	});
});

describe('model: queues of random accounts, posts and zones, with retries', () => {
	const targets = [x, instagram, plum, pear, { ...x, accountId: 'mine' }];
	/** Whether two posts may be on the same account, said in another way than the code does. */
	const meet = (a: Place, b: Place): boolean =>
		a.platform === b.platform && (!a.accountId || !b.accountId || a.accountId === b.accountId);

	/** A post that the service has, or may have. */
	interface Known {
		target: Place;
		at: number;
		status: string;
		/** Whether the list shows it. */
		isListed: boolean;
	}
	const toRecord = ({ target, at, status }: Known, index: number): IDataObject => ({
		id: `post_${index}`,
		status,
		...(index % 2 ? { platform: target.platform } : { platforms: [target.platform] }),
		...(target.accountId ? { account_id: target.accountId } : {}),
		[index % 3 ? 'scheduled_at' : 'schedule_at']: new Date(at).toISOString(),
	});

	const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe');
	const weekly: fc.Arbitrary<WeeklySlots> = fc.record({
		days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1, maxLength: 2 }),
		times: fc.uniqueArray(fc.nat(1439), { minLength: 1, maxLength: 2 }).map((times) => sortBy(times)),
	});
	const target = fc.constantFrom(...targets);
	const before = fc.record({
		target,
		/** Which slot it is near, and how far, in minutes. */
		near: fc.nat(12),
		off: fc.integer({ min: -15, max: 15 }),
		status: fc.constantFrom('scheduled', 'scheduled', 'pending_approval', 'canceled', 'completed', 'failed'),
	});
	const fate = fc.constantFrom('accepted', 'accepted', 'unanswered', 'lost', 'refused');
	const item = fc.record({ target, fates: fc.array(fate, { minLength: 3, maxLength: 3 }) });

	test('never two posts of an account in a slot, never in the past, always the earliest that is free', () => {
		const property = fc.property(
			zones,
			fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2028-01-01') }),
			weekly,
			fc.array(before, { maxLength: 12 }),
			fc.array(item, { minLength: 1, maxLength: 8 }),
			fc.nat(2 * 1440),
			(zone, start, slots, existing, items, minutesBetweenTries) => {
				const near = slotsBetween(slots, zone, start, start + 100 * DAY);
				const known = existing.map(({ near: i, off, ...post }): Known => ({
					...post,
					at: near[i]! + off * MINUTE,
					isListed: true,
				}));
				const sent = new Set<number>();
				for (let round = 0; round < 3; round++) {
					const time = start + round * minutesBetweenTries * MINUTE;
					// The journal has the body of what may have been sent, and no ID where no answer came.
					const posts = known.map((one, i) =>
						readPost(omit(toRecord(one, i), one.isListed ? [] : ['id', 'status'])),
					);
					const queue = new Queue(posts, { zone, now: time });
					const busy = known.filter(({ status }) => !['canceled', 'completed', 'failed'].includes(status));
					const all = near.filter((slot) => slot > time && slot <= time + 90 * DAY);
					for (const [index, { target, fates }] of items.entries()) {
						if (sent.has(index)) continue;
						const isFree = (slot: number): boolean =>
							!busy.some((one) => meet(one.target, target) && Math.abs(one.at - slot) <= 10 * MINUTE);
						const at = all.find(isFree);
						const take = () => Date.parse(queue.take([target], slots));
						if (at === undefined) {
							expect(take).toThrow(/^No slot is free/);
							continue;
						}
						expect([take(), at > time]).toEqual([at, true]);
						busy.push({ target, at, status: 'scheduled', isListed: false });
						const fate = fates[round]!;
						if (fate === 'refused') continue;
						// It keeps its slot in all tries that follow: what went out goes out again.
						sent.add(index);
						known.push({ target, at, status: 'scheduled', isListed: fate === 'accepted' });
					}
				}
			},
		);
		fc.assert(property, runs(20));
	});
});
