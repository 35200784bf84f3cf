import type { IDataObject } from 'n8n-workflow';

import { eventOf } from '../../../nodes/api/deliveries';
import { readDelivery } from '../../../nodes/api/records';

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
		['behind a summary of it', { event: { id: 'evt_1', type: 'post.failed', data: null }, payload: event }],
		['behind what has data, but no ID', { event: { type: 'post.failed', data: {} }, payload: event }],
		['behind what has data, but no type', { event: { id: 'evt_2', data: {} }, payload: event }],
		['behind a summary, as text', { event: { id: 'evt_1', type: 'x' }, body: JSON.stringify(event) }],
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

	it('has no `__proto__`, as if it had been delivered, whether the record has it as an object or as text', () => {
		const json = JSON.stringify({ ...event, x: 1 }).replace(
			'"x":1',
			'"a":[{"__proto__":{"x":1},"b":2}],"__proto__":{}',
		);
		for (const body of [JSON.parse(json), json])
			expect(JSON.stringify(of({ body }))).toBe(
				JSON.stringify({ ...event, a: [{ b: 2 }], recovered: true, delivery: { status: 'delivered' } }),
			);
	});

	test.each<[IDataObject, IDataObject]>([
		[{ event_id: 'evt_1', event_type: 'x', occurred_at: '1', created_at: '2' }, { occurred_at: '1' }],
		[{ eventId: 'evt_1', event: 'x', created_at: '2' }, { occurred_at: '2' }],
		[
			{ event_id: 'evt_1', type: 'x', brand_id: null },
			{ occurred_at: null, brand_id: null },
		],
		[
			{ event: { id: 'evt_1', type: 'x.y', occurred_at: '1', post_id: 'p_1', data: [] }, created_at: '2' },
			{ type: 'x.y', occurred_at: '1', post_id: 'p_1', data: [] },
		],
		[
			{
				payload: { id: 'evt_1', type: 'x.y', brand_id: 'br_1', data: 'p_1' },
				event_id: 'no',
				occurred_at: '2',
			},
			{ type: 'x.y', occurred_at: '2', brand_id: 'br_1', data: 'p_1' },
		],
		[{ event_id: 'evt_1', event_type: 'x', payload: { id: 'p_1', type: 'image' } }, { occurred_at: null }],
		[
			{ event_id: 'evt_1', event: 'x', brand_id: null, payload: { type: 'x.y', brand_id: 'br_1' } },
			{ occurred_at: null, brand_id: null },
		],
	])('by its fields, where it is not there as a whole: %j', (delivery, rest) => {
		const known = { id: 'evt_1', type: 'x', recovered: true, ...rest };
		for (const status of ['dead_letter', 'delivered'])
			expect(of({ ...delivery, status })).toEqual({ ...known, delivery: { status } });
		// The service may send it again, whole, for a day, whatever it calls that.
		const ago = (ms: number) => ({ updated_at: new Date(Date.now() - ms).toISOString() });
		for (const status of ['failed', 'pending', 'Retrying', null]) {
			for (const at of [ago(0), ago(86_300_000)]) expect(of({ ...delivery, status, ...at })).toBeUndefined();
			expect(of({ ...delivery, status, ...ago(86_400_000) })).toMatchObject(known);
		}
		expect(of({ event_id: 'evt_1', type: 'x', status: 'retrying' })).toBeUndefined();
	});

	test.each<[IDataObject, string]>([
		[{ event_type: 'post.failed' }, 'event ID'],
		[{ event_id: '' }, 'event ID'],
		[{ event_id: 'evt_1', event_type: 7 }, 'type'],
	])('%j: what it lacks', (delivery, lacks) => expect(of(delivery)).toBe(lacks));

	test('where it names no brand, the event has no field for one', () => {
		const record = { event_id: 'evt_1', type: 'x', status: 'delivered' };
		expect(of({ ...record, brand_id: 'br_1' })).toMatchObject({ brand_id: 'br_1' });
		expect(Object.keys(of(record) as object)).not.toContain('brand_id');
	});
});
