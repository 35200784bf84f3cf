import fc from 'fast-check';
import { range, sortBy } from 'lodash';

import { iso } from '../../../../nodes/api/postRange';
import {
	postLabel,
	searchOpenPosts,
	searchPosts,
	searchPublishedPosts,
} from '../../../../nodes/SocialPublishing/lookups/posts';
import { runs } from '../../../support/property';
import { editor, type Asked } from './fakes';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const MINUTE = 60_000;
/** n8n has run for a minute. */
beforeEach(() => void jest.useFakeTimers({ now: NOW - MINUTE }).advanceTimersByTime(MINUTE));
afterEach(() => void jest.useRealTimers());

test.each([
	[
		{ scheduled_at: '2026-06-01T12:00:00Z', platform: 'x', status: 'failed', text: 'Plum\njam' },
		'Plum jam · X · 1 Jun 14:00 · failed',
	],
	[{ id: 'p_1', platforms: ['linkedin', 'x', { platform: 'y' }] }, 'p_1 · LinkedIn, X, y'],
	[
		{ scheduled_at: '2027-06-01T12:00:00Z', platform: 'x', status: 'pending_approval', text: 'Jam' },
		'Jam · X · 1 Jun 2027 14:00 · pending_approval',
	],
	[{ status: 'scheduled', text: 'Jam' }, 'Jam'],
	[{ status: 'completed', text: 'Jam' }, 'Jam · published'],
	[
		{
			...{ status: 'completed', text: 'Jam', scheduled_at: '2026-05-01T12:00:00Z' },
			published_at: '2026-05-02T12:00:00Z',
		},
		'Jam · 2 May 14:00 · published',
	],
])('%j is shown as %s', (post, label) => expect(postLabel(post, 'Europe/Berlin')).toBe(label));

test.each([
	['Asia/Tokyo', 'Jam · 1 Jan 08:00'],
	['America/New_York', 'Jam · 31 Dec 18:00'],
])("on New Year's Eve, the year is that in %s", (zone, label) => {
	jest.setSystemTime(Date.parse('2026-12-31T23:00:00Z'));
	expect(postLabel({ scheduled_at: '2026-12-31T23:00:00Z', text: 'Jam' }, zone)).toBe(label);
});

/** A service with these posts: those in a range, newest first, a hundred at most. */
const serviceWith =
	(posts: Array<ReturnType<typeof post>>) =>
	({ qs }: Asked) => {
		const [from, to] = [qs.from, qs.to].map((end) => Date.parse(String(end))) as [number, number];
		const timeOf = ({ scheduled_at: at }: (typeof posts)[number]) => Date.parse(at);
		const inRange = posts.filter((one) => timeOf(one) >= from && timeOf(one) <= to);
		return sortBy(inRange, (one) => -timeOf(one)).slice(0, 100);
	};
const post = (i: number, at: number, more: object = {}) => ({
	...{ id: `p_${i}`, status: 'completed', text: `Text ${i}`, scheduled_at: iso(at) },
	...more,
});
/** Every ten hours one, the latest first. */
const many = range(320).map((i) => post(i, NOW - (i * 600 + 1) * MINUTE));

/** The IDs that are listed. */
async function listed(search: typeof searchPosts, service: (asked: Asked) => unknown, filter?: string) {
	const { results } = await search.call(editor(service).context, filter);
	return results.map(({ value }) => value);
}

test('those to come by time, then the newest first, a hundred at least', async () => {
	const posts = [...many, post(400, NOW + 2 * MINUTE), post(401, NOW + MINUTE)];
	const ids = await listed(searchPosts, serviceWith(posts));
	expect(ids.slice(0, 4)).toEqual(['p_401', 'p_400', 'p_0', 'p_1']);
	expect(new Set(ids).size).toBe(ids.length);
	expect(Math.floor(ids.length / 100)).toBe(1);
	expect(ids.slice(2)).toEqual(many.slice(0, ids.length - 2).map(({ id }) => id));
});

test('the newest first, in whatever order the service lists them', async () => {
	const posts = [
		...range(3).map((i) => post(i, NOW - (i + 1) * MINUTE)),
		post(3, NOW + MINUTE),
		post(4, NOW),
	];
	const oldestFirst = (asked: Asked) => serviceWith(posts)(asked).reverse();
	expect(await listed(searchPosts, oldestFirst)).toEqual(['p_4', 'p_3', 'p_0', 'p_1', 'p_2']);
});

test('any posts that are close together: the newest, each once', async () => {
	const spread = fc.record({
		...{ count: fc.integer({ min: 1, max: 300 }), shift: fc.integer({ min: 0, max: 3000 }) },
		gapMs: fc.constantFrom(40, 1000, 60_000),
	});
	await fc.assert(
		fc.asyncProperty(spread, async ({ count, shift, gapMs }) => {
			const posts = range(count).map((i) => post(i, NOW - shift - i * gapMs));
			const ids = await listed(searchPosts, serviceWith(posts));
			expect(ids).toEqual(posts.slice(0, ids.length).map(({ id }) => id));
			expect(ids.length).toBeGreaterThanOrEqual(Math.min(count, 100));
		}),
		runs(20),
	);
});

test.each([
	['TEXT 300', ['p_300']],
	['p_17', ['p_17', ...range(170, 180).map((i) => `p_${i}`)]],
	['no such text', []],
])('by text and ID in any part of the past: %s', async (filter, ids) =>
	expect(await listed(searchPosts, serviceWith(many), filter)).toEqual(ids),
);

test('a search that has found something ends after ten seconds', async () => {
	const slow = (asked: Asked) => {
		jest.advanceTimersByTime(6000);
		return serviceWith(many)(asked);
	};
	expect((await listed(searchPosts, slow, 'p_1')).length).toBeLessThan(100);
	expect(await listed(searchPosts, slow, 'p_300')).toEqual(['p_300']);
});

test('a search that finds nothing ends after a thousand posts, and says so instead of an empty list', async () => {
	const posts = range(3000).map((i) => post(i, NOW - (i * 600 + 1) * MINUTE));
	const { context, asked } = editor(serviceWith(posts));
	await expect(searchPosts.call(context, 'no such text')).rejects.toMatchObject({
		message: expect.stringMatching(/^None of the latest 1\d{3} posts match$/),
		description: expect.stringContaining('By ID'),
	});
	expect(asked.length).toBeLessThan(30);
	expect(await listed(searchPosts, serviceWith(posts), 'p_1007')).toEqual(['p_1007']);
});

test('more posts at one moment than the service lists: a hundred of them, and others before; a search says that it saw a part', async () => {
	const posts = [
		...range(105).map((i) => post(i, NOW + MINUTE)),
		...range(200, 203).map((i) => post(i, NOW - i)),
	];
	const ids = range(100).map((i) => `p_${i}`);
	expect(await listed(searchPosts, serviceWith(posts))).toEqual(ids);
	expect(await listed(searchPosts, serviceWith(posts), 'text 20')).toEqual([
		'p_20',
		...range(200, 203).map((i) => `p_${i}`),
	]);
	await expect(searchPosts.call(editor(serviceWith(posts)).context, 'no such text')).rejects.toThrow(
		/^None of the latest 103 posts match$/,
	);
});

test.each([
	['open', searchOpenPosts, ['p_0', 'p_4', 'p_5']],
	['published', searchPublishedPosts, ['p_1', 'p_3']],
])('posts that are %s', async (_what, search, ids) => {
	const states = ['scheduled', 'completed', 'failed', 'failed', 'draft', 'pending_approval', 'canceled'];
	const posts = states.map((status, i) => post(i, NOW - i * MINUTE, { status }));
	// Out on one of its platforms.
	Object.assign(posts[3]!, { platforms: [{ platform: 'x', provider_post_id: '7' }] });
	expect(await listed(search, serviceWith(posts))).toEqual(ids);
});
