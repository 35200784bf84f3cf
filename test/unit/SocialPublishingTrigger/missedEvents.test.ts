import type { IDataObject } from 'n8n-workflow';

import {
	deliveriesOf,
	deliveryTime,
	eachOnce,
	eventOf,
} from '../../../nodes/SocialPublishingTrigger/missedEvents';

describe('deliveries of a webhook', () => {
	const asked: object[] = [];
	const get = async (request: object) => {
		asked.push(request);
		return { deliveries: [{ id: 'dl_1' }] };
	};
	beforeEach(() => void (asked.length = 0));

	test('in one state', async () => {
		expect(await deliveriesOf(get, 'wh/2', 'failed')).toEqual([{ id: 'dl_1' }]);
		expect(asked).toEqual([
			expect.objectContaining({ path: '/webhooks/wh%2F2/deliveries', qs: { status: 'failed' } }),
		]);
	});

	test('an ID that is none is refused by name', async () => {
		await expect(deliveriesOf(get, '..', 'failed')).rejects.toThrow(/'Webhook'/);
		expect(asked).toEqual([]);
	});
});

describe('the event of a delivery', () => {
	const event = { id: 'evt_1', type: 'post.failed', data: { post_id: 'p_1' } };
	const of = (delivery: IDataObject) => eventOf(delivery);
	const recovered = { ...event, recovered: true, delivery: {} };

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
	])('%s: as it was', (_name, delivery) => expect(of(delivery)).toEqual({ event: recovered }));

	test('with what became of the delivery', () => {
		const became = { status: 'dead_letter', attempts: 5, last_error: 'HTTP 500', webhook_id: 'wh_1' };
		expect(of({ ...became, event, id: 'dl_1' })).toEqual({ event: { ...recovered, delivery: became } });
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
			expect(of({ ...delivery, status })).toEqual({ event: { ...known, delivery: { status } } });
		// The service sends it again, whole.
		expect(of({ ...delivery, status: 'failed' })).toEqual({ trouble: 'no payload yet' });
	});

	test.each<[string, IDataObject, string]>([
		['no ID', { event_type: 'post.failed' }, 'no event ID'],
		['an empty ID', { event_id: '' }, 'no event ID'],
		['a number as ID', { event: { id: 7, type: 'post.failed' } }, 'no event ID'],
		['no type', { event_id: 'evt_1', event_type: 7 }, 'no event type'],
	])('%s: why there is none', (_name, delivery, trouble) => expect(of(delivery)).toEqual({ trouble }));

	test('when it was made', () => {
		const [delivered_at, created_at, occurred_at] = ['2026-01-03', '2026-01-02', '2026-01-01'];
		for (const record of [
			{ delivered_at, created_at, occurred_at },
			{ created_at: delivered_at, occurred_at },
			{ event: { occurred_at: delivered_at } },
			{ event: JSON.stringify({ occurred_at: delivered_at }) },
		])
			expect(deliveryTime(record)).toBe(Date.parse(delivered_at));
		expect(deliveryTime({ created_at: 'yesterday' })).toBeUndefined();
	});
});

test('each event once, as it came last, the oldest first', () => {
	const event = (id: string, occurred_at?: string, more: IDataObject = {}) =>
		({ id, recovered: true, ...(occurred_at === undefined ? {} : { occurred_at }), ...more }) as const;
	// By what the times mean, not by how they are written.
	const [first, second, third] = [
		'2026-01-01T12:00:00+05:00',
		'2026-01-01T09:00:00.5Z',
		'2026-01-01T10:00:00Z',
	];
	const events = [
		event('c', third),
		event('a', first),
		event('b', second),
		event('a', first, { again: true }),
		event('none'),
	];
	expect(eachOnce(events)).toEqual([
		event('none'),
		event('a', first, { again: true }),
		event('b', second),
		event('c', third),
	]);
});
