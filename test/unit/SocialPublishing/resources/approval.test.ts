import { DateTime } from 'luxon';

import { fakeItem, operationOf, paramsOf } from './operations';

const rowsOf = async (batches: object[], answers = {}) => {
	const { context, asked } = fakeItem({ answers });
	const getAll = operationOf('approval.getAll');
	const get = jest.spyOn(context, 'get');
	const rows = await getAll.rows!(batches as never, paramsOf(getAll, {}), context);
	return { rows, asked: asked.map(({ path }) => path), get };
};

test('a batch begins with its status and what its posts say, where and when; it keeps all of its own', async () => {
	const post = { platform: 'x', text: 'Plum jam', scheduled_at: '2026-06-02T08:00:00Z' };
	const batch = { id: 'b', status: 'pending', items: [{ id: 'apr_1', post_id: 'p_1' }, { post_id: 'p_2' }] };
	const answers = { '/posts/p_1': post, '/posts/p_2': new Error('gone') };
	const { rows, get } = await rowsOf([batch], answers);
	expect(get).toHaveBeenCalledWith({ path: '/posts/p_1', expects: 'record' }, { withinMs: 5_000 });
	expect(rows).toEqual([{ ...batch, about: 'Plum jam · X · 2 Jun 10:00\np_2' }]);
	expect(Object.keys(rows[0]!).slice(0, 2)).toEqual(['status', 'about']);
});

test("an item's own ID isn't looked up as a post's", async () => {
	const batch = { id: 'b', items: [{ id: 7, content_id: 99 }, 8, { id: 9, text: 'Plum jam' }] };
	const posts = { '/posts/7': { text: 'Other' }, '/posts/8': { text: 'Other' } };
	expect(await rowsOf([batch], posts)).toMatchObject({ rows: [{ about: 'Plum jam' }], asked: [] });
});

test('what a batch leaves empty of a post is what the post says', async () => {
	const post = { platform: 'x', content: { text: 'Plum jam' }, scheduled_at: '2026-06-02T08:00:00Z' };
	const empty = { post_id: 'p_1', platform: null, content: null, text: null, scheduled_at: null };
	const { rows } = await rowsOf([{ id: 'b', items: [empty] }], { '/posts/p_1': post });
	expect(rows).toMatchObject([{ about: 'Plum jam · X · 2 Jun 10:00' }]);
});

test('of a batch of many posts, no more are worked out than are shown', async () => {
	const fromMillis = jest.spyOn(DateTime, 'fromMillis');
	const post = { platform: 'x', text: 'Plum jam', scheduled_at: '2026-06-02T08:00:00Z' };
	const { rows } = await rowsOf([{ id: 'b', items: Array(50).fill(post) }]);
	expect(String(rows[0]!.about).split('\n')).toEqual([...Array(5).fill('Plum jam · X · 2 Jun 10:00'), '…']);
	expect(fromMillis).toHaveBeenCalledTimes(6);
});

test('what a batch says of its posts itself is not asked for; of many batches the first posts are', async () => {
	const own = { posts: [{ id: 'p_1', platform: 'x', text: 'Jam' }] };
	expect(await rowsOf([own])).toMatchObject({
		rows: [{ status: null, about: 'Jam · X', ...own }],
		asked: [],
	});
	const noId = { posts: [{ id: '..' }] };
	expect(await rowsOf([noId])).toMatchObject({ rows: [{ about: '..' }], asked: [] });
	const many = Array.from({ length: 50 }, (_, index) => ({ post_ids: [`p_${index}`] }));
	const { rows, asked } = await rowsOf(many);
	expect([rows.length, asked.length, rows[49]!.about]).toEqual([50, 25, 'p_49']);
});
