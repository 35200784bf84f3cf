import type { IDataObject } from 'n8n-workflow';

import { readDelivery } from '../../../nodes/api/records';
import { endedPosts, eventOf, postEndOf } from '../../../nodes/SocialPublishingTrigger/recover';

describe('the event of a delivery', () => {
	const event = { id: 'evt_1', type: 'post.failed', data: { post_id: 'p_1' } };
	const of = (delivery: IDataObject) => eventOf(readDelivery({ status: 'delivered', ...delivery }));

	test.each<[string, IDataObject]>([
		['under event', { event }],
		['under payload', { event: 'post.failed', payload: event }],
		['under body', { payload: null, body: event }],
		['as text in a text', { body: JSON.stringify(JSON.stringify(event)) }],
		['behind one without a type', { event: { id: 'evt_2' }, payload: event }],
		['behind one without an ID', { event: { type: 'post.failed' }, payload: event }],
		['behind a text that is no JSON', { event: '{', payload: event }],
	])('%s: as it was, with what became of the delivery', (_name, delivery) => {
		const became = { status: 'dead_letter', attempts: 5, last_error: 'HTTP 500', webhook_id: 'wh_1' };
		for (const facts of [{ status: 'delivered' }, became])
			expect(of({ ...facts, ...delivery, id: 'dl_1' })).toEqual({
				...event,
				recovered: true,
				delivery: facts,
			});
	});

	test.each<[IDataObject, IDataObject]>([
		[{ event_id: 'evt_1', event_type: 'x', occurred_at: '1', created_at: '2' }, { occurred_at: '1' }],
		[{ eventId: 'evt_1', event: 'x', created_at: '2' }, { occurred_at: '2' }],
		[
			{ event_id: 'evt_1', type: 'x', brand_id: null },
			{ occurred_at: null, brand_id: null },
		],
	])('by its fields, where it is not there as a whole: %j', (delivery, rest) => {
		const known = { id: 'evt_1', type: 'x', recovered: true, ...rest };
		for (const status of ['dead_letter', 'delivered'])
			expect(of({ ...delivery, status })).toEqual({ ...known, delivery: { status } });
		// The service sends it again, whole.
		for (const status of ['failed', 'pending']) expect(of({ ...delivery, status })).toBeUndefined();
	});

	test.each<[IDataObject, string]>([
		[{ event_type: 'post.failed' }, 'event ID'],
		[{ event_id: '' }, 'event ID'],
		[{ event_id: 'evt_1', event_type: 7 }, 'type'],
	])('%j: what it lacks', (delivery, lacks) => expect(of(delivery)).toBe(lacks));
});

test.each([
	['post.published', { post_id: 'p' }, 'post.published:p'],
	['post.failed', { post_id: 'p', status: 'failed' }, 'post.failed:p'],
	['post.canceled', { post_id: 'p' }, 'post.canceled:p'],
	['post.created', { post_id: 'p' }, undefined],
	['post.published', { post_id: '' }, undefined],
	['post.published', { post_id: 7 }, 'post.published:7'],
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
			return { records: posts, hasMore: false, isComplete: true };
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
