import type { Service } from '../../../service';
import { addWebhook, describeOperation } from './frame';

const byId = (value: string) => ({ mode: 'id', value });

describeOperation('webhook.create', {
	endpoint: 'POST /webhooks',
	parameters: () => ({
		url: 'https://example.com/events',
		events: ['post.published', 'post.failed'],
		description: 'Newsroom',
	}),
	sent: {
		body: {
			url: 'https://example.com/events',
			events: ['post.published', 'post.failed'],
			description: 'Newsroom',
		},
	},
	answer: ({ json }, service) => {
		const [webhook] = service.store.webhooks.values();
		expect(json).toEqual([
			expect.objectContaining({
				webhook: expect.objectContaining({ id: webhook!.id, secret: webhook!.secret }),
			}),
		]);
	},
});

describeOperation('webhook.getAll', {
	endpoint: 'GET /webhooks',
	parameters: (service) => {
		addWebhook(service, 'wh_1');
		addWebhook(service, 'wh_2', 'Archive');
		return { returnAll: true };
	},
	sent: {},
	answer: ({ json }) => {
		expect(json.map(({ id }) => id)).toEqual(['wh_1', 'wh_2']);
		expect(JSON.stringify(json)).not.toContain('secret');
	},
	empty: {
		prepare: () => ({ returnAll: true }),
		check: ({ json }) => expect(json).toEqual([]),
	},
});

describeOperation('webhook.delete', {
	endpoint: 'DELETE /webhooks/{id}',
	parameters: (service) => ({ webhookId: byId(addWebhook(service)) }),
	sent: {},
	answer: ({ json }, service) => {
		expect(json).toEqual([{ deleted: true, id: 'wh_1', idempotency_key: expect.any(String) }]);
		expect(service.store.webhooks.size).toBe(0);
	},
	noContent: true,
});

/** A webhook whose receiver does not answer, and an event that it should have got. */
async function addFailedDelivery(service: Service): Promise<string> {
	const id = addWebhook(service);
	service.store.webhooks.get(id)!.url = 'http://127.0.0.1:9/events';
	const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'brand_main', data: {} };
	service.deliveries.emit({ ...event, resource: 'post_1' });
	await service.deliveries.idle();
	return id;
}

describeOperation('webhook.getDeliveries', {
	endpoint: 'GET /webhooks/{id}/deliveries',
	parameters: async (service) => ({
		webhookId: byId(await addFailedDelivery(service)),
		returnAll: true,
		filters: { status: 'failed' },
	}),
	sent: { query: { status: 'failed' } },
	answer: ({ json }) => {
		expect(json).toHaveLength(1);
		expect(json[0]).toMatchObject({ status: 'failed' });
	},
	empty: {
		prepare: (service) => ({ webhookId: byId(addWebhook(service)), returnAll: true }),
		check: ({ json }) => expect(json).toEqual([]),
	},
});

describeOperation('webhook.check', {
	endpoint: 'GET /webhooks',
	parameters: (service) => ({ webhookId: byId(addWebhook(service)) }),
	sent: {},
	answer: ({ json }) =>
		expect(json).toEqual([expect.objectContaining({ verdict: expect.any(String), subscriptions: 1 })]),
});
