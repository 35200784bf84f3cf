import {
	getDeliveries,
	readDeliveries,
} from '../../../../../nodes/SocialPublishing/resources/webhook/getDeliveries';
import { fakeItem, requestOf, shapeOf } from '../operations';

test('asks for the deliveries of a webhook, all or those in a state', () => {
	const webhookId = 'wh/1';
	const path = '/webhooks/wh%2F1/deliveries';
	expect(requestOf(getDeliveries, { webhookId })).toEqual({ path, qs: {} });
	expect(requestOf(getDeliveries, { webhookId, filters: { status: 'failed' } })).toEqual({
		path,
		qs: { status: 'failed' },
	});
	expect(() => requestOf(getDeliveries, { webhookId: '..' })).toThrow(/^'Webhook'/);
});

test('a signed address in an error of the service loses its query', () => {
	const list = (query: string) => ({ deliveries: [{ last_error: `https://s.example/a?${query}` }] });
	expect(shapeOf(getDeliveries, { webhookId: 'wh_1' }, list('sig=1'))).toEqual(list('[hidden]'));
});

test('a delivery that holds its webhook hides the secret', () => {
	const list = (secret: string) => ({ deliveries: [{ status: 'failed', webhook: { id: 'wh_1', secret } }] });
	expect(shapeOf(getDeliveries, { webhookId: 'wh_1' }, list('whsec_1'))).toEqual(list('[hidden]'));
});

test.each([undefined, 'dead_letter'])('reads the deliveries of a webhook, in state %s', async (status) => {
	const path = '/webhooks/wh%2F1/deliveries';
	const { context, asked } = fakeItem({
		answers: { [path]: { deliveries: [{ status: 'failed', last_error: 'a' }] } },
	});
	expect(await readDeliveries(context, 'wh/1', status)).toEqual([
		expect.objectContaining({ status: 'failed', lastError: 'a' }),
	]);
	expect(asked).toEqual([{ path, qs: { status }, expects: expect.anything() }]);
});

test('a webhook without an ID is refused before anything is asked', async () => {
	const { context, asked } = fakeItem();
	await expect(readDeliveries(context, undefined)).rejects.toThrow('without an ID');
	expect(asked).toEqual([]);
});
