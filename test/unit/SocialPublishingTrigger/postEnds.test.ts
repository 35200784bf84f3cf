import type { IDataObject } from 'n8n-workflow';

import { endedPosts, postEndOf } from '../../../nodes/SocialPublishingTrigger/postEnds';

/** The ends of posts, from events and from the posts themselves. */

const SINCE = Date.parse('2026-11-20T09:00:00Z');

/** A service that answers with these posts in whatever state they are asked for. */
async function ended(types: string[], posts: IDataObject[]) {
	const asked: IDataObject[] = [];
	const found = await endedPosts(
		async ({ path, qs }) => {
			asked.push({ path, ...qs });
			return { items: posts };
		},
		types,
		SINCE,
	);
	return { found, asked, ids: found.map(({ id }) => id) };
}

describe('the end of a post that an event tells', () => {
	it.each([
		['post.published', { post_id: 'p' }, 'post.published:p'],
		['post.failed', { post_id: 'p', status: 'failed' }, 'post.failed:p'],
		['post.canceled', { post_id: 'p' }, 'post.canceled:p'],
		['post.created', { post_id: 'p' }, undefined],
		['inbox.item.created', { post_id: 'p' }, undefined],
		['post.published', { post_id: '' }, undefined],
		['post.published', { post_id: 7 }, undefined],
		['post.published', null, undefined],
		['post.published', undefined, undefined],
		[undefined, { post_id: 'p' }, undefined],
	])('%s of %j: %s', (type, data, expected) => {
		expect(postEndOf({ type, data } as IDataObject)).toBe(expected);
	});
});

describe('the ends of posts that the service lists', () => {
	it('asks for the states of the events that are wanted, since then', async () => {
		const { asked } = await ended(['post.failed', 'inbox.item.created', 'post.canceled'], []);
		expect(asked).toMatchObject([
			{ path: '/posts', status: 'failed', from: '2026-11-20T09:00:00Z', limit: 100 },
			{ path: '/posts', status: 'canceled' },
		]);
	});

	it('makes the event that the service would have sent, as far as the post tells', async () => {
		const bare = { id: 'bare', status: 'completed' };
		const full = {
			...bare,
			id: 'full',
			published_at: '2026-11-20T10:00:00Z',
			updated_at: '2026-11-21T10:00:00Z',
			workspace_id: 'ws',
			brand_id: 'b',
			provider_post_id: 'x_1',
		};
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
				occurred_at: '2026-11-20T10:00:00Z',
				workspace_id: 'ws',
				brand_id: 'b',
				data: { post_id: 'full', status: 'completed', provider_post_id: 'x_1' },
				...marks,
			},
		]);
		expect(found.map(postEndOf)).toEqual(found.map(({ id }) => id));
	});

	it('leaves out posts in another state, without an ID, and those that ended before', async () => {
		const { ids } = await ended(
			['post.failed'],
			[
				{ id: 'scheduled', status: 'scheduled' },
				{ status: 'failed' },
				{ id: '', status: 'failed' },
				{ id: 'before', status: 'failed', updated_at: '2026-11-20T08:59:59.999Z' },
				{ id: 'then', status: 'failed', updated_at: '2026-11-20T09:00:00Z' },
				{ id: 'untold', status: 'failed', updated_at: 'yesterday' },
			],
		);
		expect(ids).toEqual(['post.failed:then', 'post.failed:untold']);
	});
});
