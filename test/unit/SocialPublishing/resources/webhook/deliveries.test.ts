import { byTime, readDeliveries } from '../../../../../nodes/SocialPublishing/resources/webhook/deliveries';
import { readDelivery } from '../../../../../nodes/api/records';
import { fakeItem } from '../operations';

test.each([undefined, 'dead_letter'])('reads the deliveries of a webhook, in state %s', async (status) => {
	const path = '/webhooks/wh%2F1/deliveries';
	const { context, asked } = fakeItem({
		answers: { [path]: { deliveries: [{ status: 'failed', last_error: 'a' }] } },
	});
	expect(await readDeliveries(context, 'wh/1', status)).toEqual([
		expect.objectContaining({ status: 'failed', lastError: 'a' }),
	]);
	expect(asked).toEqual([{ path, ...(status ? { qs: { status } } : {}), expects: expect.anything() }]);
});

test('a webhook without an ID is refused before anything is asked', async () => {
	const { context, asked } = fakeItem();
	await expect(readDeliveries(context, undefined)).rejects.toThrow('without an ID');
	expect(asked).toEqual([]);
});

test('the latest last; of the same time, and where there is none, those that failed', () => {
	const old = readDelivery({ status: 'failed', created_at: '2026-01-01T00:00:00Z' });
	const late = readDelivery({ status: 'delivered', created_at: '2026-01-02T00:00:00Z' });
	const [lost, arrived] = [readDelivery({ status: 'failed' }), readDelivery({ status: 'delivered' })];
	expect(byTime([late, lost, old, arrived])).toEqual([arrived, lost, old, late]);
});
