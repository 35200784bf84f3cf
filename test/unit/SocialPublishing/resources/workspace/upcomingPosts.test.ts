import fc from 'fast-check';

import { upcomingPosts } from '../../../../../nodes/SocialPublishing/resources/workspace/upcomingPosts';
import { runs } from '../../../../support/property';
import { NOW } from '../operations';

const DAY = 86_400_000;
const range = { from: NOW - DAY, now: NOW, to: NOW + 7 * DAY };

/** A service with posts at these times, in ms. */
function service(times: number[], order: 'newest' | 'oldest', ends: 'inclusive' | 'exclusive' = 'inclusive') {
	const sign = order === 'newest' ? -1 : 1;
	const posts = times
		.map((time, i) => ({ time, post: { id: `post_${i}`, scheduled_at: new Date(time).toISOString() } }))
		.sort((a, b) => sign * (a.time - b.time));
	let requests = 0;
	const ask = async (given: { from: string; to: string; limit: number }) => {
		requests++;
		const [from, to] = [Date.parse(given.from), Date.parse(given.to)];
		return posts
			.filter(({ time }) => (ends === 'inclusive' ? time >= from && time <= to : time > from && time < to))
			.slice(0, given.limit)
			.map(({ post }) => post);
	};
	return { ask, requests: () => requests };
}

const evenly = (count: number) =>
	Array.from({ length: count }, (_, i) => range.from + Math.floor((8 * DAY * (i + 0.5)) / count));

test.each([
	[0, 1],
	[99, 1],
	[133, 3],
	[250, 5],
	[1000, 15],
])('%d posts in eight days: all to come in %d requests at most', async (count, most) => {
	for (const order of ['newest', 'oldest'] as const) {
		const times = evenly(count);
		const { ask, requests } = service(times, order);
		const { posts, from, until } = await upcomingPosts(ask, range, 100);
		expect([from, until]).toEqual([count < 100 ? range.from : NOW, range.to]);
		expect(posts).toHaveLength(times.filter((time) => time >= from - 1000).length);
		expect(requests()).toBeLessThanOrEqual(most);
	}
});

test('any times, order and number of requests: every post between `from` and `until`, each once', async () => {
	const bursts = fc.array(
		fc.tuple(fc.integer({ min: 1, max: 8 * 86_400 }), fc.integer({ min: 1, max: 90 }), fc.nat({ max: 1000 })),
		{ maxLength: 12 },
	);
	await fc.assert(
		fc.asyncProperty(
			bursts,
			fc.constantFrom('newest' as const, 'oldest' as const),
			fc.constantFrom('inclusive' as const, 'exclusive' as const),
			fc.integer({ min: 1, max: 30 }),
			async (groups, order, ends, most) => {
				// A burst: so many posts, so many seconds apart.
				const times = groups.flatMap(([at, count, step]) =>
					Array.from({ length: count }, (_, i) => range.from + (at + i * (step + 1)) * 1000),
				);
				const { ask, requests } = service(times, order, ends);
				const { posts, from, until } = await upcomingPosts(ask, range, most);
				const isIn = (time: number) => time >= from && time < until;
				const found = posts.map(({ scheduled_at }) => Date.parse(String(scheduled_at)));
				expect(found.filter(isIn).sort()).toEqual(times.filter(isIn).sort());
				expect(new Set(posts.map(({ id }) => id)).size).toBe(posts.length);
				expect(requests()).toBeLessThanOrEqual(most);
			},
		),
		runs(200),
	);
});

test('1,000 posts a week and three requests: the next day at least', async () => {
	const { ask } = service(evenly(1143), 'newest');
	const { from, until } = await upcomingPosts(ask, range, 3);
	expect(from).toBe(NOW);
	expect(until - NOW).toBeGreaterThan(DAY);
});

test('more than 100 posts in one second, or posts without a time: it ends all the same', async () => {
	const burst = service(Array<number>(150).fill(NOW + DAY), 'newest');
	const { posts, until } = await upcomingPosts(burst.ask, range, 100);
	expect([posts.length, until]).toEqual([100, range.to]);
	let asked = 0;
	const timeless = async () => Array.from({ length: asked++ < 5 ? 100 : 3 }, (_, id) => ({ id }));
	expect((await upcomingPosts(timeless, range, 50)).posts).toHaveLength(3);
});
