import type { IDataObject } from 'n8n-workflow';

import { eventOf } from '../../../nodes/api/deliveries';
import { readDelivery } from '../../../nodes/api/records';

describe('the event of a delivery', () => {
	const event = { id: 'evt_1', type: 'post.failed', data: { post_id: 'p_1' } };
	const of = (delivery: IDataObject) => eventOf(readDelivery({ status: 'delivered', ...delivery }));

	test.each<IDataObject>([{ event }, { event: 'post.failed', payload: event }])(
		'%j: as it was, with what became of the delivery',
		(delivery) => {
			const became = { status: 'dead_letter', attempts: 5, last_error: 'HTTP 500', webhook_id: 'wh_1' };
			for (const facts of [{ status: 'delivered' }, became])
				expect(of({ ...facts, ...delivery, id: 'dl_1' })).toEqual({
					...{ ...event, recovered: true, delivery: facts },
				});
		},
	);

	test('by its fields, where it is not there as a whole', () => {
		const delivery = { event_id: 'evt_1', event_type: 'x', created_at: '2026-01-01T00:00:00Z' };
		const known = { id: 'evt_1', type: 'x', occurred_at: delivery.created_at, recovered: true };
		for (const status of ['dead_letter', 'delivered'])
			expect(of({ ...delivery, status })).toEqual({ ...known, delivery: { status } });
		expect(of({ ...delivery, status: 'failed' })).toBeUndefined();
	});

	test.each<IDataObject>([
		{ event_type: 'post.failed' },
		{ event_id: '' },
		{ event_id: 'evt_1', event_type: 7 },
	])('%j names none', (delivery) => expect(of(delivery)).toBeUndefined());

	test('where it names no brand, the event has no field for one', () => {
		const record = { event_id: 'evt_1', event_type: 'x', status: 'delivered' };
		expect(of({ ...record, brand_id: 'br_1' })).toMatchObject({ brand_id: 'br_1' });
		expect(Object.keys(of(record) as object)).not.toContain('brand_id');
	});
});
