import { getDeliveries } from '../../../../../nodes/SocialPublishing/resources/webhook/getDeliveries';
import { requestOf } from '../operations';

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
