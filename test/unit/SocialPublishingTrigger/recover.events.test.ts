import type { IDataObject } from 'n8n-workflow';

import { readDelivery } from '../../../nodes/api/records';
import { endedPosts, eventOf, postEndOf } from '../../../nodes/SocialPublishingTrigger/recover';

describe('the event of a delivery', () => {
	const event = { id: 'evt_1', type: 'post.failed', data: { post_id: 'p_1' } };
	const of = (delivery: IDataObject) => eventOf(readDelivery({ status: 'delivered', ...delivery }));
	const recovered = { ...event, recovered: true, delivery: { status: 'delivered' } };

	test.each<[string, IDataObject]>([
		['under event', { event }],
		['under payload', { event: 'post.failed', payload: event }],
		['under body', { payload: null, body: event }],
		['as text', { body: JSON.stringify(event) }],
		['as text in a text', { body: JSON.stringify(JSON.stringify(event)) }],
		['behind one without a type', { event: { id: 'evt_2' }, payload: event }],
		['behind one without an ID', { event: { type: 'post.failed' }, payload: event }],
		['behind a text that is no JSON', { event: '{', payload: event }],
		['behind a number', { event: 7, payload: event }],
	])('%s: as it was', (_name, delivery) => expect(of(delivery)).toEqual(recovered));

	test('with what became of the delivery', () => {
		const became = { status: 'dead_letter', attempts: 5, last_error: 'HTTP 500', webhook_id: 'wh_1' };
		expect(of({ ...became, event, id: 'dl_1' })).toEqual({ ...recovered, delivery: became });
	});

	test.each<[string, IDataObject, IDataObject]>([
		[
			'event_id and event_type',
			{ event_id: 'evt_1', event_type: 'x', occurred_at: '1', created_at: '2' },
			{ occurred_at: '1' },
		],
		['eventId and event', { eventId: 'evt_1', event: 'x', created_at: '2' }, { occurred_at: '2' }],
		[
			'event_id and type, with a brand',
			{ event_id: 'evt_1', type: 'x', brand_id: null },
			{ occurred_at: null, brand_id: null },
		],
	])('by its fields, where it is not there as a whole: %s', (_name, delivery, rest) => {
		const known = { id: 'evt_1', type: 'x', recovered: true, ...rest };
		for (const status of ['dead_letter', 'delivered'])
			expect(of({ ...delivery, status })).toEqual({ ...known, delivery: { status } });
		// The service sends it again, whole.
		for (const status of ['failed', 'pending']) expect(of({ ...delivery, status })).toBeUndefined();
	});

	test.each<[string, IDataObject, string]>([
		['no ID', { event_type: 'post.failed' }, 'event ID'],
		['an empty ID', { event_id: '' }, 'event ID'],
		['no type', { event_id: 'evt_1', event_type: 7 }, 'type'],
	])('%s: why there is none', (_name, delivery, trouble) => expect(of(delivery)).toBe(trouble));
});

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
		['post.published', { post_id: '' }, undefined],
		['post.published', { post_id: 7 }, 'post.published:7'],
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
