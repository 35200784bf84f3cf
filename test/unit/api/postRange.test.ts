import fc from 'fast-check';
import { groupBy, sortBy } from 'lodash';
import { Settings } from 'luxon';

import { posts, wholeRange } from '../../../nodes/api/postRange';
import { generator } from '../../service/faults';
import { runs, sample } from '../../support/property';

/** A post as a service may show it; `at` is what its range looks at. */
interface Stored {
	id: string;
	at: number;
	/** What the answer says of its time: the truth, something else, or nothing; under another name than the usual. */
	shown?: string | Record<string, string>;
}

// n8n sets the workflow's.
Settings.defaultZone = 'America/New_York';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY = 86_400_000;
const HOUR = DAY / 24;
const iso = (ms: number) => new Date(ms).toISOString();
/** Posts of these times, each once; the answers show their times as `shown` says. */
const postsAt = (
	times: readonly number[],
	shown: (at: number, i: number) => Stored['shown'] = iso,
): Stored[] => times.map((at, i) => ({ id: `post_${i}`, at, shown: shown(at, i) }));
/** So many times, each so much before the one before. */
const every = (ms: number, count: number) => Array.from({ length: count }, (_, i) => NOW - i * ms);

/** How a service answers: in which order, whether a range has its ends, what it counts times in, in ms, and how many. */
interface Ways {
	order?: 'newest' | 'oldest' | 'mixed';
	withFrom?: boolean;
	withTo?: boolean;
	unit?: number;
	/** How many posts it gives at most; fewer than 100 where it says that there are more, but not how to get them. */
	size?: number;
}

/** A model of `GET /posts`: only `from`, `to` and `limit`, 100 at most. Keeps what was asked. */
function endpoint(
	stored: Stored[],
	{ order = 'newest', withFrom = true, withTo = true, unit = 1, size = 100 }: Ways = {},
) {
	const asked: Array<{ from: string; to: string; limit: number }> = [];
	const noise = (id: string) => [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
	const inOrder = (all: Stored[]) =>
		sortBy(all, ({ id, at }) => (order === 'mixed' ? noise(id) : order === 'newest' ? -at : at));
	let sorted = inOrder(stored);
	/** What one answer without a limit would have. */
	const all = (from: number, to: number): Stored[] => {
		const [first, last] = [from, to].map((end) => Math.floor(end / unit)) as [number, number];
		return sorted.filter(({ at }) => {
			const time = Math.floor(at / unit);
			return (withFrom ? time >= first : time > first) && (withTo ? time <= last : time < last);
		});
	};
	return {
		asked,
		all,
		add: (post: Stored) => void (sorted = inOrder([...sorted, post])),
		async ask(range: { from: string; to: string; limit: number }) {
			asked.push(range);
			if (asked.length > 5000) throw new Error('no end');
			if (range.limit !== 100 || !range.from.endsWith('Z')) throw new Error(`asked ${JSON.stringify(range)}`);
			const found = all(Date.parse(range.from), Date.parse(range.to));
			const records = found.slice(0, size).map(({ id, shown }) => ({
				id,
				...(typeof shown === 'string' ? { scheduled_at: shown } : shown),
			}));
			return { records, hasMore: size < 100 && found.length > size };
		},
	};
}

/** As one text: comparing arrays of thousands takes jest far longer than the code under test. */
const idsOf = (found: Array<{ id?: unknown }>) =>
	found
		.map(({ id }) => String(id))
		.sort()
		.join(' ');

const orders = ['newest', 'oldest', 'mixed'] as const;
const ways = fc.record<Ways>({
	order: fc.constantFrom(...orders),
	withFrom: fc.boolean(),
	withTo: fc.boolean(),
	unit: fc.constantFrom(1, 1000),
	// Where the times tell nothing, an answer has to hold three neighbouring seconds.
	size: fc.constantFrom(100, 100, 90),
});

const MOST_A_SECOND = 27;
/** Times in bursts and spread out. */
const burst = fc.record({
	at: fc.integer({ min: NOW - 9 * 365 * DAY, max: NOW + 365 * DAY }),
	count: fc.integer({ min: 1, max: 200 }),
	spread: fc.constantFrom(3000, 60_000, DAY, 30 * DAY),
	seed: fc.integer(),
});
const times = fc.array(burst, { maxLength: 6 }).map((bursts) => {
	const all = bursts.flatMap(({ at, count, spread, seed }) =>
		Array.from({ length: count }, (_, i) => at + (Math.abs(Math.imul(i + 1, seed | 1)) % spread)),
	);
	const bySecond = Object.values(groupBy(all, (time) => Math.floor(time / 1000)));
	return bySecond.flatMap((ofOne) => ofOne.slice(0, MOST_A_SECOND));
});

const shownAs = fc.constantFrom<(at: number, i: number) => string | undefined>(
	iso,
	(_at, i) => iso(NOW - ((i * 7919) % 1000) * DAY),
	(at, i) => iso(at - ((i * 7919) % 1000) * 60_000),
	() => undefined,
	() => 'soon',
);

describe('all posts of a time range', () => {
	test("none is missed and none comes twice: any times, any service, the user's own range or none, while posts are added", async () => {
		const added = fc.array(fc.integer({ min: NOW - 200 * DAY, max: NOW + 200 * DAY }), { maxLength: 5 });
		await fc.assert(
			fc.asyncProperty(times, ways, shownAs, fc.boolean(), added, async (when, how, show, isOwn, later) => {
				const stored = postsAt(when, show);
				const model = endpoint(stored, how);
				// Ends that fall on a post are where it matters.
				const ends = [when[0] ?? NOW - DAY, when.at(-1) ?? NOW].sort((a, b) => a - b).map(iso);
				const range = isOwn ? { from: ends[0], to: ends[1] } : {};
				const { from, to } = wholeRange(range, NOW);
				const wanted = model.all(from, to);
				const ask = async (asked: Parameters<typeof model.ask>[0]) => {
					const at = later.pop();
					if (at !== undefined) model.add({ id: `new_${later.length}`, at, shown: show(at, 0) });
					return await model.ask(asked);
				};
				const found = await posts(ask, range, NOW, Infinity);
				expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
				expect(idsOf(found.filter(({ id }) => !String(id).startsWith('new_')))).toBe(idsOf(wanted));
				const isOutside = (one: { from: string; to: string }) =>
					Date.parse(one.from) < from || Date.parse(one.to) > to;
				expect(model.asked.filter(isOutside)).toEqual([]);
			}),
			runs(60, 30),
		);
	});

	test.each([{}, { withFrom: false, withTo: false }, { order: 'oldest' as const }])(
		'33 posts in each of 15 seconds are all read, by %j',
		async (service) => {
			const stored = postsAt(Array.from({ length: 495 }, (_, i) => NOW - Math.floor(i / 33) * 1000));
			const { ask } = endpoint(stored, { unit: 1000, ...service });
			expect(idsOf(await posts(ask, {}, NOW, Infinity))).toBe(idsOf(stored));
		},
	);

	test.each(orders)('more than 99 posts at one time are a failure, not a loss (%s first)', async (order) => {
		const { ask } = endpoint(postsAt(Array(150).fill(NOW - 5000)), { order });
		await expect(posts(ask, {}, NOW, 101)).rejects.toMatchObject({
			message: expect.stringMatching(
				/^The service returns only 100 posts at a time, .* around 2026-11-20T11:59:5\dZ$/,
			),
			details: { code: 'NODE_SECOND_TOO_FULL', hint: expect.stringContaining("'Scheduled From'") },
		});
		expect(await posts(ask, {}, NOW, 100)).toHaveLength(100);
	});

	test('a post that changes between two requests is the same one', async () => {
		const model = endpoint(postsAt(every(1000, 150)));
		const changing = async (asked: Parameters<typeof model.ask>[0]) => {
			const { records, ...more } = await model.ask(asked);
			return { ...more, records: records.map((one) => ({ ...one, n: model.asked.length })) };
		};
		expect(await posts(changing, {}, NOW, Infinity)).toHaveLength(150);
	});

	test('nothing there: one request, from ten years back to two years ahead', async () => {
		const model = endpoint([]);
		expect(await posts(model.ask, {}, NOW, Infinity)).toEqual([]);
		expect(model.asked).toEqual([{ from: '2016-11-20T12:00:00Z', to: '2028-11-20T12:00:00Z', limit: 100 }]);
	});

	test.each([
		[{ to: '2010-01-01T00:00:00Z' }, '2000-01-01', '2010-01-01'],
		[{ from: '2030-01-01T00:00:00Z' }, '2030-01-01', '2032-01-01'],
		[{ from: '2026-01-01T00:00:00Z' }, '2026-01-01', '2028-11-20'],
		// With daylight saving time at one end alone.
		[{ to: '2026-03-08T12:00:00Z' }, '2016-03-08T12:00', '2026-03-08'],
	])('of %j the other end lies beyond, wherever n8n runs', (given, from, to) => {
		const range = wholeRange(given, NOW + 999);
		expect([iso(range.from), iso(range.to)]).toEqual([from, to].map((day) => expect.stringContaining(day)));
	});

	const sorted = orders.slice(0, 2);

	test.each(sorted)(
		'newest parts first, and no more is asked for than is wanted: %s first',
		async (order) => {
			const stored = postsAt(every(DAY, 700));
			const found = async (most: number) => {
				const model = endpoint(stored, { order });
				const numbers = (await posts(model.ask, {}, NOW, most)).map(({ id }) => Number(String(id).slice(5)));
				return { numbers, asked: model.asked };
			};
			const all = await found(Infinity);
			expect(all.numbers).toHaveLength(700);
			expect([all.numbers[0]! < 100, all.numbers.at(-1)! > 600]).toEqual([true, true]);
			// Little more than a full answer and a part of 97 after it, eight times.
			expect(all.asked.length).toBeLessThanOrEqual(15);
			const some = await found(250);
			expect([some.numbers.length, Math.max(...some.numbers) < 400]).toEqual([250, true]);
			if (order === 'newest') {
				expect(some.numbers).toEqual(stored.slice(0, 250).map((_, i) => i));
				expect((await found(2 * 97)).asked).toHaveLength(4);
			}
			expect(some.asked).toHaveLength(order === 'newest' ? 6 : 11);
		},
	);

	const spread: Record<string, (i: number, random: () => number) => number> = {
		'at random within a day': (_i, random) => NOW - Math.floor(random() * DAY),
		'twenty at a time, every six hours': (i) => NOW - Math.floor(i / 20) * 6 * HOUR,
		'in three bursts of an hour': (i, random) =>
			NOW + [-300, -2, 40][i % 3]! * DAY + Math.floor(random() * HOUR),
	};
	const all = Object.keys(spread);
	/** What the answers show of a post's time, how many requests that takes, and where it is tried. */
	const shows: Array<[what: string, most: number, show: (at: number) => Stored['shown'], spreads: string[]]> =
		[
			// 13 parts of 99 at most, and what is left cut 12 times: 25 are the least.
			['its time', 36, iso, all],
			['no time', 103, () => undefined, all],
			['a time two weeks off', 76, (at) => iso(at + 14 * DAY), all.slice(0, 2)],
		];
	const rows = sorted.flatMap((order) => shows.map((row) => [order, ...row] as const));
	test.each(sample(rows, 3, 2))(
		'%s first, 1,250 posts, answers show %s: at most %d requests',
		async (order, _what, most, show, spreads) => {
			for (const [n, name] of spreads.entries()) {
				const random = generator(n + 1);
				const times = Array.from({ length: 1250 }, (_, i) => spread[name]!(i, random));
				const stored = postsAt(times, show);
				const model = endpoint(stored, { order, withFrom: n % 2 === 0, withTo: n % 2 === 0 });
				const found = await posts(model.ask, {}, NOW, Infinity);
				expect([name, found.length, new Set(found.map(({ id }) => id)).size]).toEqual([name, 1250, 1250]);
				expect([name, Math.max(most, model.asked.length)]).toEqual([name, most]);
			}
		},
	);
});
