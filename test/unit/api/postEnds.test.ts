import type { IDataObject } from 'n8n-workflow';

import { endedPosts, postEndOf } from '../../../nodes/api/postEnds';

test.each([
	['post.published', { post_id: 'p' }, 'post.published:p'],
	['post.failed', { post_id: 'p', status: 'failed' }, 'post.failed:p'],
	['post.canceled', { post_id: 'p' }, 'post.canceled:p'],
	['post.created', { post_id: 'p' }, undefined],
	['post.published', { post_id: '' }, undefined],
	['post.published', { post_id: 7 }, undefined],
	['post.published', null, undefined],
	[undefined, { post_id: 'p' }, undefined],
])('the end of a post that %s of %j tells: %s', (type, data, expected) => {
	expect(postEndOf({ type, data } as IDataObject)).toBe(expected);
});

describe('the ends of posts that the service lists', () => {
	/** A service that answers with these posts in whatever state they are asked for. */
	async function ended(types: string[], posts: IDataObject[]) {
		const asked: IDataObject[] = [];
		const list = async ({ path, qs }: { path: string; qs?: IDataObject }) => {
			asked.push({ path, ...qs });
			return { records: posts, hasMore: false };
		};
		return { found: await endedPosts(list, types, Date.parse('2026-11-20T09:00:00Z')), asked };
	}

	it('are asked for in the states of the events that are wanted, since then', async () => {
		const { asked } = await ended(['post.failed', 'inbox.item.created', 'post.canceled'], []);
		expect(asked).toMatchObject([
			{ path: '/posts', status: 'failed', from: '2026-11-20T09:00:00Z', limit: 100 },
			{ path: '/posts', status: 'canceled' },
		]);
	});

	it('become the event that the service would have sent, as far as the post tells', async () => {
		const bare = { id: 'bare', status: 'completed' };
		const where = { workspace_id: 'ws', brand_id: 'b' };
		const provider = { provider_post_id: 'x_1' };
		const times = { published_at: '2026-11-20T10:00:00Z', updated_at: '2026-11-21T10:00:00Z' };
		const full = { ...bare, id: 'full', ...times, ...where, ...provider };
		const { found } = await ended(['post.published'], [bare, full]);
		const marks = { type: 'post.published', recovered: true, recovered_from: 'post' };
		expect(found).toEqual([
			{
				id: 'post.published:bare',
				occurred_at: null,
				workspace_id: null,
				brand_id: null,
				data: { post_id: 'bare', status: 'completed' },
				...marks,
			},
			{
				id: 'post.published:full',
				occurred_at: times.published_at,
				...where,
				data: { post_id: 'full', status: 'completed', ...provider },
				...marks,
			},
		]);
		expect(found.map(postEndOf)).toEqual(found.map(({ id }) => id));
	});

	it('leave out posts in another state, without an ID, and those that ended before', async () => {
		const failed = { status: 'failed' };
		const { found } = await ended(
			['post.failed'],
			[
				{ id: 'scheduled', status: 'scheduled' },
				failed,
				{ ...failed, id: '' },
				{ ...failed, id: 'before', updated_at: '2026-11-20T08:59:59.999Z' },
				{ ...failed, id: 'then', updated_at: '2026-11-20T09:00:00Z' },
				{ ...failed, id: 'untold', updated_at: 'yesterday' },
			],
		);
		expect(found.map(({ id }) => id)).toEqual(['post.failed:then', 'post.failed:untold']);
	});
});
