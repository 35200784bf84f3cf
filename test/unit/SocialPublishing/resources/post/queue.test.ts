import fc from 'fast-check';
import { sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { readPost } from '../../../../../nodes/api/records';
import { Queue } from '../../../../../nodes/SocialPublishing/resources/post/queue';
import { parseSlots, slotsBetween } from '../../../../../nodes/SocialPublishing/resources/post/slots';
import { failureOf } from '../../../../support/failure';
import { runs } from '../../../../support/property';

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
/** A Monday, noon. */
const now = Date.parse('2026-06-01T12:00:00Z');
beforeEach(() => void jest.useFakeTimers({ now }));
afterEach(() => void jest.useRealTimers());

interface Place {
	platform: string;
	accountId?: string;
}
const x: Place = { platform: 'x' };
const instagram: Place = { platform: 'instagram' };
const plum: Place = { platform: 'instagram', accountId: 'plum' };
const pear: Place = { platform: 'instagram', accountId: 'pear' };
const daily = parseSlots(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'], '13:00, 18:00');

/** Takes the first free slot. */
function take(queue: Queue, place: Place, weekly = daily): string {
	const at = queue.firstFree(place, weekly);
	queue.occupy(place, at);
	return at;
}

const queueOf = (listed: IDataObject[] = []) => new Queue(listed.map(readPost), { zone: 'UTC', now });
const post = (scheduled_at: unknown, more: IDataObject = {}): IDataObject =>
	({ id: 'post_1', status: 'scheduled', platform: 'x', scheduled_at, ...more }) as IDataObject;
const first = '2026-06-01T13:00:00Z';
const second = '2026-06-01T18:00:00Z';
const third = '2026-06-02T13:00:00Z';

describe('a queue', () => {
	test('gives one slot after another, each platform and account from a queue of its own', () => {
		const queue = queueOf();
		// Which account the platform stands for isn't known, so it waits for all.
		const taken = [x, x, plum, pear, instagram, plum].map((place) => take(queue, place));
		expect(taken).toEqual([first, second, first, first, second, third]);
	});

	test('a slot that is given back goes to the next post', () => {
		const queue = queueOf();
		expect([take(queue, x), take(queue, x)]).toEqual([first, second]);
		queue.release(x, first);
		expect([take(queue, x), take(queue, x)]).toEqual([first, third]);
	});

	test.each<[string, IDataObject, string]>([
		['within ten minutes', post('2026-06-01T13:10:00Z'), second],
		['not so close', post('2026-06-01T13:10:01Z'), first],
		[
			'by Quick Start',
			post(undefined, { platform: undefined, platforms: ['linkedin', 'x'], schedule_at: first }),
			second,
		],
		['on another platform', post(first, { platform: 'xing' }), first],
		['waiting for approval', post(first, { status: 'pending_approval' }), second],
		['a draft with a time', post(first, { status: 'draft' }), second],
		['a draft without a time', post(null, { status: 'draft' }), first],
		['a draft of no platform', post(first, { status: 'draft', platform: null }), first],
		['being published: its time is gone', post(undefined, { status: 'publishing' }), first],
		['canceled', post(first, { status: 'canceled', platform: undefined }), first],
	])('is taken by a listed post, or not: %s', (_what, listed, slot) =>
		expect(queueOf([listed]).firstFree(x, daily)).toBe(slot),
	);

	test.each<[IDataObject, string]>([
		[post(undefined), 'post_1 without a time'],
		[post(null), 'post_1 without a time'],
		[post(first, { platform: null }), 'post_1 without a platform'],
	])('a scheduled post that does not say where or when is an error: %j', (listed, message) => {
		expect(failureOf(() => queueOf([post(second), listed])).details).toMatchObject({
			code: 'NODE_SLOTS_UNKNOWN',
			message: `Can't determine which slots are free: the service lists the scheduled post ${message}`,
		});
	});

	test('a slot that has passed since the run began is none', () => {
		const queue = queueOf();
		expect(queue.firstFree(x, daily)).toBe(first);
		jest.setSystemTime(Date.parse(first));
		expect(queue.firstFree(x, daily)).toBe(second);
	});

	test('nothing free within 90 days is an error that names the platform', () => {
		const weekly = parseSlots(['mon'], '13:00');
		const queue = queueOf();
		const slots = Array.from({ length: 13 }, () => take(queue, x, weekly));
		expect(slots.at(-1)).toBe('2026-08-24T13:00:00Z');
		expect(failureOf(() => queue.firstFree(x, weekly)).details).toMatchObject({
			...{ code: 'NODE_NO_FREE_SLOT', hint: expect.stringMatching(/^Add days or times in 'Slot Days'/) },
			message: 'No slot is free in the next 90 days for X',
		});
		expect(queue.firstFree(instagram, weekly)).toBe(first);
	});
});

/** Whether two posts may be on the same account, said in another way than the code does. */
const meet = (a: Place, b: Place): boolean =>
	a.platform === b.platform && (!a.accountId || !b.accountId || a.accountId === b.accountId);

const place = fc.constantFrom<Place[]>(x, instagram, plum, pear, { ...x, accountId: 'mine' });
const runOfANode = fc.record({
	zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe'),
	start: fc.integer({ min: Date.parse('2025-01-01'), max: Date.parse('2028-01-01') }),
	slots: fc.record({
		days: fc.subarray([1, 2, 3, 4, 5, 6, 7], { minLength: 1, maxLength: 2 }),
		times: fc.uniqueArray(fc.nat(1439), { minLength: 1, maxLength: 2 }).map((times) => sortBy(times)),
	}),
	/** Which slot a post is near, and how far, in minutes. */
	existing: fc.array(fc.record({ place, near: fc.nat(10), off: fc.integer({ min: -15, max: 15 }) }), {
		maxLength: 4,
	}),
	places: fc.array(place, { minLength: 1, maxLength: 7 }),
});

test('model: never two posts of an account in a slot, always the earliest', () => {
	const property = fc.property(runOfANode, ({ zone, start, slots, existing, places }) => {
		jest.setSystemTime(start);
		const all = slotsBetween(slots, zone, start, start + 90 * DAY);
		const due = existing.map((one) => ({ ...one.place, at: all[one.near]! + one.off * MINUTE }));
		const records = due.map(({ platform, accountId, at }) =>
			post(new Date(at).toISOString(), { platform, ...(accountId ? { account_id: accountId } : {}) }),
		);
		const queue = new Queue(records.map(readPost), { zone, now: start });
		for (const one of places) {
			const isFree = (slot: number): boolean =>
				!due.some((other) => meet(other, one) && Math.abs(other.at - slot) <= 10 * MINUTE);
			const at = all.find(isFree)!;
			expect(Date.parse(take(queue, one, slots))).toBe(at);
			due.push({ ...one, at });
		}
	});
	fc.assert(property, runs(20));
});
