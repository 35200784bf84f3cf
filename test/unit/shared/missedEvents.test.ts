import type { IDataObject } from 'n8n-workflow';

import { deliveriesOf, eachOnce, missedEvent } from '../../../nodes/shared/missedEvents';

describe('deliveries of a webhook', () => {
	const asked: object[] = [];
	const get = async (request: object) => {
		asked.push(request);
		return { deliveries: [{ id: 'dl_1' }] };
	};
	beforeEach(() => void (asked.length = 0));

	test('all, or those in one state', async () => {
		expect(await deliveriesOf(get, 'wh/1')).toEqual([{ id: 'dl_1' }]);
		expect(await deliveriesOf(get, 'wh_2', 'failed')).toEqual([{ id: 'dl_1' }]);
		const expects = { list: ['deliveries', 'items'] };
		expect(asked).toEqual([
			{ path: '/webhooks/wh%2F1/deliveries', expects },
			{ path: '/webhooks/wh_2/deliveries', qs: { status: 'failed' }, expects },
		]);
	});

	test('an ID that is none is refused by name', async () => {
		await expect(deliveriesOf(get, '..')).rejects.toThrow(/'Webhook'/);
		expect(asked).toEqual([]);
	});
});

describe('the event of a delivery', () => {
	const event = { id: 'evt_1', type: 'post.failed', data: { post_id: 'p_1' } };
	const of = (delivery: IDataObject) => missedEvent(delivery);
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
	])('%s: as it was', (_name, delivery) => expect(of(delivery)).toEqual(recovered));

	test('with what became of the delivery', () => {
		const became = { status: 'dead_letter', attempts: 5, last_error: 'HTTP 500', webhook_id: 'wh_1' };
		expect(of({ ...became, event, id: 'dl_1' })).toEqual({ ...recovered, delivery: became });
	});

	test('by its fields, where it is not there as a whole', () => {
		const rest = { recovered: true, delivery: {} };
		expect(of({ event_id: 'evt_1', event_type: 'post.failed', occurred_at: '1', created_at: '2' })).toEqual({
			...rest,
			id: 'evt_1',
			type: 'post.failed',
			occurred_at: '1',
		});
		expect(of({ eventId: 'evt_1', event: 'post.failed', created_at: '2' })).toEqual({
			...rest,
			id: 'evt_1',
			type: 'post.failed',
			occurred_at: '2',
		});
		expect(of({ event_id: 'evt_1' })).toEqual({ ...rest, id: 'evt_1', type: null, occurred_at: null });
	});

	test.each<[string, IDataObject]>([
		['no ID', { event_type: 'post.failed' }],
		['an empty ID', { event_id: '' }],
		['a number as ID', { event: { id: 7, type: 'post.failed' } }],
	])('%s: none', (_name, delivery) => expect(of(delivery)).toBeUndefined());
});

test('each event once, as it came last, the oldest first', () => {
	const event = (id: string, occurred_at?: string, more: IDataObject = {}) =>
		({ id, recovered: true, ...(occurred_at === undefined ? {} : { occurred_at }), ...more }) as const;
	const events = [
		event('c', '3'),
		event('a', '1'),
		event('b', '2'),
		event('a', '1', { again: true }),
		event('none'),
	];
	expect(eachOnce(events)).toEqual([
		event('none'),
		event('a', '1', { again: true }),
		event('b', '2'),
		event('c', '3'),
	]);
});
