import { getDeliveries } from '../../../../../nodes/SocialPublishing/resources/webhook/getDeliveries';
import { requestOf, shapeOf } from '../operations';

test('asks for the deliveries of a webhook, all or those in a state', () => {
	const webhookId = 'wh/1';
	const path = '/webhooks/wh%2F1/deliveries';
	expect(requestOf(getDeliveries, { webhookId })).toEqual({ path });
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
