import fc from 'fast-check';
import sortBy from 'lodash/sortBy';

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
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

test.each([
	[
		{ scheduled_at: '2026-06-01T12:00:00Z', platform: 'x', status: 'failed', text: 'Plum\njam' },
		'Plum jam · X · 1 Jun 14:00 · failed',
	],
	[{ id: 'p_1', platforms: ['linkedin', 'x', { platform: 'y' }] }, 'p_1 · LinkedIn, X, y'],
	[
		{ scheduled_at: '2027-06-01T12:00:00Z', platform: 'x', status: 'pending_approval', text: 'Jam' },
		'Jam · X · 1 Jun 2027 14:00 · waiting for approval',
	],
	[{ status: 'scheduled', text: 'Jam' }, 'Jam'],
	[{ status: 'completed', text: 'Jam' }, 'Jam · published'],
	[{ id: 'p_1', content: 'Hi' }, 'Hi'],
	[{ id: 'p_1', content: { text: 'Hi' } }, 'Hi'],
	[{ id: 'p_1', content: null }, 'p_1'],
])('%j is shown as %s', (post, label) => expect(postLabel(post, 'Europe/Berlin')).toBe(label));

/** A service with these posts: those in a range, newest first, ends included or not, a hundred at most. */
function serviceWith(posts: Array<ReturnType<typeof post>>, isInclusive = true) {
	const sorted = sortBy(
		posts.map((one) => ({ one, at: Date.parse(one.scheduled_at) })),
		({ at }) => -at,
	);
	return ({ qs }: Asked) => {
		const [from, to] = [qs.from, qs.to].map((end) => Date.parse(String(end))) as [number, number];
		return sorted
			.filter(({ at }) => (isInclusive ? at >= from && at <= to : at > from && at < to))
			.slice(0, 100)
			.map(({ one }) => one);
	};
}
const post = (i: number, at: number, status = 'completed') => ({
	id: `p_${i}`,
	status,
	text: `Text ${i}`,
	scheduled_at: new Date(at).toISOString(),
});

/** The IDs of all pages, and how many these are. */
async function all(search: typeof searchPosts, service: (asked: Asked) => unknown, filter?: string) {
	const { context } = editor(service);
	const ids: unknown[] = [];
	let pages = 0;
	let token: string | undefined;
	do {
		const page = await search.call(context, filter, token);
		ids.push(...page.results.map(({ value }) => value));
		token = page.paginationToken as string | undefined;
		pages++;
	} while (token !== undefined && pages < 50);
	return { ids, pages };
}

test('any posts: page after page each once; those to come by time, then newest first', async () => {
	const gaps = fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 60, maxLength: 250 });
	await fc.assert(
		fc.asyncProperty(gaps, fc.boolean(), async (minutes, isInclusive) => {
			let at = NOW + 100 * MINUTE;
			const posts = minutes.map((gap, i) => post(i, (at -= gap * MINUTE)));
			const { ids, pages } = await all(searchPosts, serviceWith(posts, isInclusive));
			const due = posts.filter(({ scheduled_at: time }) => Date.parse(time) >= NOW);
			const sorted = [...due.reverse(), ...posts.filter((one) => !due.includes(one))];
			expect(ids).toEqual(sorted.map(({ id }) => id));
			expect(pages).toBeLessThanOrEqual(1 + posts.length / 100);
		}),
		runs(20),
	);
});

test.each([
	['seconds', 1000],
	['milliseconds', 7],
])('any posts that are only %s apart: on one page or the next each once', async (_unit, gapMs) => {
	const counts = fc.integer({ min: 100, max: 400 });
	await fc.assert(
		fc.asyncProperty(
			counts,
			fc.integer({ min: 0, max: 3000 }),
			fc.boolean(),
			async (count, shift, isInclusive) => {
				const posts = Array.from({ length: count }, (_, i) => post(i, NOW - shift - i * gapMs));
				const { ids } = await all(searchPosts, serviceWith(posts, isInclusive));
				expect(sortBy(ids)).toEqual(sortBy(posts.map(({ id }) => id)));
			},
		),
		runs(20),
	);
});

test('by text and ID in any part of the past', async () => {
	const posts = Array.from({ length: 320 }, (_, i) => post(i, NOW - i * 600 * MINUTE));
	expect(await all(searchPosts, serviceWith(posts), 'TEXT 300')).toEqual({ ids: ['p_300'], pages: 1 });
	expect((await all(searchPosts, serviceWith(posts), 'p_17')).ids).toHaveLength(11);
	expect((await all(searchPosts, serviceWith(posts), 'no such text')).ids).toEqual([]);
});

test('a search that has found something ends after five seconds, to be gone on with', async () => {
	const posts = Array.from({ length: 320 }, (_, i) => post(i, NOW - i * 600 * MINUTE));
	const service = serviceWith(posts);
	const slow = (asked: Asked) => {
		jest.setSystemTime(Date.now() + 3000);
		return service(asked);
	};
	const { context } = editor(slow);
	const first = await searchPosts.call(context, 'p_1');
	expect(first.results.length).toBeLessThan(131);
	expect(first.paginationToken).toEqual(expect.any(String));
});

test('those that can still be changed are open', async () => {
	const states = ['scheduled', 'completed', 'failed', 'canceled', 'draft', 'pending_approval'];
	const posts = states.map((status, i) => post(i, NOW - i * MINUTE, status));
	expect((await all(searchOpenPosts, serviceWith(posts))).ids).toEqual(['p_0', 'p_4', 'p_5']);
});

test('those that went out on a platform at least are published', async () => {
	const states = ['scheduled', 'completed', 'failed', 'failed'];
	const posts = states.map((status, i) => post(i, NOW - i * MINUTE, status));
	Object.assign(posts[2]!, { platforms: [{ platform: 'x', provider_post_id: '7' }] });
	expect((await all(searchPublishedPosts, serviceWith(posts))).ids).toEqual(['p_1', 'p_2']);
});
