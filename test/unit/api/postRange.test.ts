import fc from 'fast-check';
import { sortBy } from 'lodash';

import { posts, postsByTime, wholeRange } from '../../../nodes/api/postRange';
import { generator } from '../../service/faults';
import { runs, sample } from '../../support/property';

/** A post as a service may show it; `at` is what its range looks at. */
interface Stored {
	id: string;
	at: number;
	/** What the answer says of its time: the truth, something else, or nothing; under another name than the usual. */
	shown?: string | Record<string, string>;
}

type Ends = 'inclusive' | 'exclusive' | 'from' | 'to';
type Order = 'newest' | 'oldest' | 'mixed';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const DAY = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();

/** A model of `GET /posts`: only `from`, `to` and `limit`, 100 at most. Counts requests and keeps what was asked. */
function endpoint(stored: Stored[], ends: Ends, order: Order) {
	const asked: Array<{ from: string; to: string; limit: number }> = [];
	const noise = (id: string) => [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
	const sorted = sortBy(stored, ({ id, at }) =>
		order === 'mixed' ? noise(id) : order === 'newest' ? -at : at,
	);
	const within = (at: number, from: number, to: number) =>
		(ends === 'inclusive' || ends === 'from' ? at >= from : at > from) &&
		(ends === 'inclusive' || ends === 'to' ? at <= to : at < to);
	return {
		asked,
		async ask(range: { from: string; to: string; limit: number }) {
			asked.push(range);
			if (asked.length > 5000) throw new Error('no end');
			if (range.limit !== 100 || !range.from.endsWith('Z')) throw new Error(`asked ${JSON.stringify(range)}`);
			const [from, to] = [Date.parse(range.from), Date.parse(range.to)];
			const found = sorted.filter(({ at }) => within(at, from, to));
			return found.slice(0, 100).map(({ id, shown }) => ({
				id,
				...(typeof shown === 'string' ? { scheduled_at: shown } : shown),
			}));
		},
		/** The IDs that one answer without a limit would have. */
		all: (from: number, to: number) => idsOf(sorted.filter(({ at }) => within(at, from, to))),
	};
}

/** As one text: comparing arrays of thousands takes jest far longer than the code under test. */
const idsOf = (found: Array<{ id?: unknown }>) =>
	found
		.map(({ id }) => String(id))
		.sort()
		.join(' ');

const endsOf = fc.constantFrom<Ends>('inclusive', 'exclusive', 'from', 'to');
const orderOf = fc.constantFrom<Order>('newest', 'oldest', 'mixed');

/** Times in bursts and spread out; never more than 99 at one time. */
const times = fc
	.array(
		fc.record({
			at: fc.integer({ min: NOW - 9 * 365 * DAY, max: NOW + 365 * DAY }),
			count: fc.integer({ min: 1, max: 260 }),
			spread: fc.constantFrom(3000, 60_000, DAY, 30 * DAY),
			wholeSeconds: fc.boolean(),
			seed: fc.integer(),
		}),
		{ maxLength: 6 },
	)
	.map((bursts) => {
		const perSecond = new Map<number, number>();
		return bursts.flatMap(({ at, count, spread, wholeSeconds, seed }) =>
			Array.from({ length: count }, (_, i) => {
				const offset = Math.abs(Math.imul(i + 1, seed | 1)) % spread;
				const time = at + offset;
				return wholeSeconds ? Math.floor(time / 1000) * 1000 : time;
			}).filter((time) => {
				const second = Math.floor(time / 1000);
				perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
				return perSecond.get(second)! <= 49;
			}),
		);
	});

const shownAs = fc.constantFrom<(at: number, i: number) => string | undefined>(
	(at) => iso(at),
	(_at, i) => iso(NOW - ((i * 7919) % 1000) * DAY),
	(at, i) => iso(at - ((i * 7919) % 1000) * 60_000),
	() => undefined,
	() => 'soon',
);

describe('all posts of a time range', () => {
	test('none is missed and none comes twice: any times, ends, order, whatever times the answer shows', async () => {
		await fc.assert(
			fc.asyncProperty(times, endsOf, orderOf, shownAs, async (when, ends, order, show) => {
				const stored = when.map((at, i) => ({ id: `post_${i}`, at, shown: show(at, i) }));
				const model = endpoint(stored, ends, order);
				const found = await posts(model.ask, {}, NOW, Infinity);
				expect(idsOf(found)).toBe(idsOf(stored));
			}),
			runs(40),
		);
	});

	test("within the user's own range: what one endless answer would have", async () => {
		const moments = fc.integer({ min: NOW - 400 * DAY, max: NOW + 100 * DAY });
		await fc.assert(
			fc.asyncProperty(times, endsOf, orderOf, moments, moments, async (when, ends, order, a, b) => {
				const stored = when.map((at, i) => ({ id: `post_${i}`, at, shown: iso(at) }));
				// Ends that fall on a post are where it matters.
				const [from, to] = [when[0] ?? a, when.at(-1) ?? b].sort((x, y) => x - y) as [number, number];
				const model = endpoint(stored, ends, order);
				const found = await posts(model.ask, { from: iso(from), to: iso(to) }, NOW, Infinity);
				expect(idsOf(found)).toBe(model.all(from, to));
				for (const one of model.asked) {
					expect(Date.parse(one.from)).toBeGreaterThanOrEqual(from);
					expect(Date.parse(one.to)).toBeLessThanOrEqual(to);
				}
			}),
			runs(30),
		);
	});

	test.each(['inclusive', 'exclusive'] as const)(
		'99 posts in each of many neighbouring seconds, ends %s',
		async (ends) => {
			const stored = Array.from({ length: 990 }, (_, i) => {
				const at = NOW - Math.floor(i / 99) * 1000;
				return { id: `post_${i}`, at, shown: iso(at) };
			});
			const found = await posts(endpoint(stored, ends, 'newest').ask, {}, NOW, Infinity);
			expect(idsOf(found)).toBe(idsOf(stored));
		},
	);

	test.each(['newest', 'oldest', 'mixed'] as const)(
		'more than 99 posts at one time are a clear failure, not a loss (%s first)',
		async (order) => {
			const stored = Array.from({ length: 150 }, (_, i) => ({ id: `post_${i}`, at: NOW - 5000 }));
			const failing = posts(endpoint(stored, 'inclusive', order).ask, {}, NOW, Infinity);
			await expect(failing).rejects.toMatchObject({ details: { code: 'NODE_SECOND_TOO_FULL' } });
			await expect(failing).rejects.toThrow(
				'More than 99 posts share the second 2026-11-20T11:59:55Z: the service gives only 100 of them and has no pages',
			);
			await expect(failing).rejects.toMatchObject({
				details: {
					hint: expect.stringMatching(
						/'Status' or 'Platform' in 'Filters'.*'Scheduled From' and 'Scheduled To'/,
					),
				},
			});
		},
	);

	test('the newest come first, and no more is asked for than is wanted', async () => {
		const stored = Array.from({ length: 2000 }, (_, i) => ({
			id: `post_${String(i).padStart(4, '0')}`,
			at: NOW - i * 3_600_000,
			shown: iso(NOW - i * 3_600_000),
		}));
		const model = endpoint(stored, 'inclusive', 'newest');
		const found = await posts(model.ask, {}, NOW, 250);
		expect(found.map(({ id }) => id)).toEqual(stored.slice(0, 250).map(({ id }) => id));
		expect(model.asked.length).toBeLessThanOrEqual(6);
	});

	test('nothing there: one request, from ten years back to two years ahead', async () => {
		const model = endpoint([], 'inclusive', 'newest');
		expect(await posts(model.ask, {}, NOW, Infinity)).toEqual([]);
		expect(model.asked).toEqual([{ from: '2016-11-20T12:00:00Z', to: '2028-11-20T12:00:00Z', limit: 100 }]);
	});

	test('one end given: the other one lies beyond it', () => {
		const spanOf = (range: { from?: string; to?: string }) => {
			const { from, to } = wholeRange(range, NOW);
			return [iso(from), iso(to)];
		};
		expect(spanOf({ to: '2010-01-01T00:00:00Z' })[0]).toBe('2000-01-01T00:00:00.000Z');
		expect(spanOf({ from: '2030-01-01T00:00:00Z' })[1]).toBe('2032-01-01T00:00:00.000Z');
		expect(spanOf({ from: '2026-01-01T00:00:00Z' })[1]).toBe('2028-11-20T12:00:00.000Z');
	});

	/** Fewer than 100 must come back for an answer to be known complete: 26 answers are the least for 2,500. */
	const LEAST = 26;
	const HOUR = DAY / 24;
	const spread: Record<string, (i: number, random: () => number) => number> = {
		'one every hour': (i) => NOW - i * HOUR,
		'at random over a year': (_i, random) => NOW - Math.floor(random() * 365 * DAY),
		'at random within a day': (_i, random) => NOW - Math.floor(random() * DAY),
		'at random, in whole minutes of working hours': (_i, random) =>
			Math.floor((NOW - Math.floor(random() * 365) * DAY + random() * 8 * HOUR) / 60_000) * 60_000,
		'at 9, 12 and 18 each day': (_i, random) =>
			NOW - Math.floor(random() * 400) * DAY + [9, 12, 18][Math.floor(random() * 3)]! * HOUR,
		'twenty at a time, every six hours': (i) => NOW - Math.floor(i / 20) * 6 * HOUR,
		'fewer the longer ago': (_i, random) => NOW + Math.floor(300 * DAY * Math.log(random())),
	};
	const all = Object.keys(spread);
	type Show = (at: number, random: () => number, i: number) => Stored['shown'];
	/** What the answers show of a post's time, how often more than the least may be asked then, and where it is tried. */
	const shows: Array<[what: string, most: number, show: Show, spreads: string[]]> = [
		['its time', 3, (at) => iso(at), all],
		['no time', 5, () => undefined, all],
		[
			'when it was made, up to 30 days before',
			5,
			(at, random) => iso(at - Math.floor(random() * 30 * DAY)),
			all,
		],
		[
			'a time that has nothing to do with it',
			5,
			(_at, random) => iso(NOW - Math.floor(random() * 900 * DAY)),
			all,
		],
		['its time, or none for one in twelve', 5, (at, _random, i) => (i % 12 ? iso(at) : undefined), [all[1]!]],
		...['created_at', 'published_at', 'updated_at'].map((name): (typeof shows)[0] => [
			`when it is due, and its time as ${name}`,
			2,
			(at, random) => ({ scheduled_at: iso(at + Math.floor(random() * 30 * DAY)), [name]: iso(at) }),
			all.slice(0, 2),
		]),
		...[-14 * DAY, 14 * DAY, -HOUR, HOUR, DAY].map((shift): (typeof shows)[0] => [
			`a time that is ${shift} ms off`,
			5,
			(at) => iso(at + shift),
			[all[0]!, all[2]!, all[5]!],
		]),
	];
	const orders = ['newest', 'oldest'] as const;
	test.each(
		sample(
			orders.flatMap((order) => shows.map((row) => [order, ...row] as const)),
			5,
		),
	)(
		'%s first, 2,500 posts, answers show %s: at most %d times the least possible number of requests',
		async (order, _what, most, show, spreads) => {
			for (const [n, name] of spreads.entries()) {
				const random = generator(n + most);
				const stored = Array.from({ length: 2500 }, (_, i) => {
					const at = spread[name]!(i, random);
					return { id: `post_${i}`, at, shown: show(at, random, i) };
				});
				const model = endpoint(stored, n % 2 ? 'exclusive' : 'inclusive', order);
				expect(idsOf(await posts(model.ask, {}, NOW, Infinity))).toBe(idsOf(stored));
				expect([name, model.asked.length <= most * LEAST]).toEqual([name, true]);
			}
		},
	);

	test('as many as the first parts have: nothing is asked beyond them', async () => {
		const stored = Array.from({ length: 500 }, (_, i) => {
			return { id: `post_${i}`, at: NOW - i * HOUR, shown: iso(NOW - i * HOUR) };
		});
		const model = endpoint(stored, 'inclusive', 'newest');
		let first: unknown[] = [];
		for await (const { items } of postsByTime(model.ask, wholeRange({}, NOW))) {
			first = items;
			break;
		}
		const again = endpoint(stored, 'inclusive', 'newest');
		expect(await posts(again.ask, {}, NOW, first.length)).toEqual(first);
		expect(again.asked).toEqual(model.asked);
	});

	const bursts = [NOW - 300 * DAY, NOW - 2 * DAY, NOW + 40 * DAY];
	test.each(
		sample(
			orders.flatMap((order) => [
				[order, 'shown', 3 * 13] as const,
				// An hour is found in twelve years by halves: 17 requests a burst at best.
				[order, 'hidden', 3 * (13 + 2 * 17)] as const,
			]),
			2,
		),
	)('%s first: 1,234 posts in three bursts, time %s: at most %d requests', async (order, shown, most) => {
		for (let seed = 1; seed <= 4; seed++) {
			const random = generator(seed);
			const stored = Array.from({ length: 1234 }, (_, i) => {
				const time = bursts[i % 3]! + Math.floor(random() * 3_600_000);
				return { id: `post_${i}`, at: time, shown: shown === 'shown' ? iso(time) : undefined };
			});
			const model = endpoint(stored, 'inclusive', order);
			expect(await posts(model.ask, {}, NOW, Infinity)).toHaveLength(1234);
			expect(model.asked.length).toBeLessThanOrEqual(most);
		}
	});

	test('posts that are made or published while the list is read: what was there comes once, in any order', async () => {
		await fc.assert(
			fc.asyncProperty(
				times,
				endsOf,
				orderOf,
				fc.array(fc.integer({ min: 0, max: 400 * DAY })),
				async (when, ends, order, later) => {
					const stored: Stored[] = when.map((at, i) => ({ id: `post_${i}`, at, shown: iso(at) }));
					const model = endpoint(stored, ends, order);
					let added = 0;
					const found = await posts(
						async (range) => {
							const offset = later[added++ % 50];
							const at = NOW - 200 * DAY + (offset ?? 0);
							const grown = endpoint(
								[...stored, ...(offset === undefined ? [] : [{ id: `new_${added}`, at, shown: iso(at) }])],
								ends,
								order,
							);
							return await grown.ask(range);
						},
						{},
						NOW,
						Infinity,
					);
					const ids = found.map(({ id }) => String(id)).sort();
					expect(new Set(ids).size).toBe(ids.length);
					expect(ids.filter((id) => id.startsWith('post_')).join(' ')).toBe(model.all(0, Infinity));
				},
			),
			runs(20),
		);
	});

	test('newest parts first, also from a service that answers oldest first', async () => {
		const stored = Array.from({ length: 700 }, (_, i) => ({
			id: String(i),
			at: NOW - i * DAY,
			shown: iso(NOW - i * DAY),
		}));
		for (const [order, bound] of [
			['newest', 2],
			['oldest', 2],
		] as const) {
			const model = endpoint(stored, 'inclusive', order);
			const found = await posts(model.ask, {}, NOW, Infinity);
			expect(Number(found[0]!.id)).toBeLessThan(100);
			expect(Number(found.at(-1)!.id)).toBeGreaterThan(600);
			expect(model.asked.length).toBeLessThanOrEqual(bound * 8);
			const some = endpoint(stored, 'inclusive', order);
			const first = await posts(some.ask, {}, NOW, 250);
			expect(first.every(({ id }) => Number(id) < 400)).toBe(true);
			expect(some.asked.length).toBeLessThanOrEqual(20);
		}
	});
});
