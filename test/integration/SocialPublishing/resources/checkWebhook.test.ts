import type { IDataObject } from 'n8n-workflow';

import { runOperation, says, useService } from '../../../support/service';

/** *Check Delivery*: why a trigger does not start. */

const service = useService();
const now = Math.floor(Date.now() / 1000) * 1000;
const url = 'https://n8n.example.com/webhook/a';
const webhook = { id: 'wh_1', url, events: ['post.failed'] };
/** By its address. */
const at = (address: string) => ({ options: { address } });
const delivery = (status: string, last_error?: string, daysAgo = 0) => ({
	...{ status, last_error, created_at: new Date(now - daysAgo * 86_400_000).toISOString() },
});
const delivered = delivery('delivered');

/** What is found, of each webhook that is checked; without deliveries, they can't be read. */
async function found(given: IDataObject, webhooks: object[], deliveries?: object[]) {
	says(service(), { 'GET /webhooks': { webhooks }, 'GET /webhooks/:id/deliveries': deliveries ?? [] });
	if (!deliveries)
		service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', path: 'deliveries$' });
	const { json, hints } = await runOperation(service(), 'webhook:check', given);
	return { items: json, hints: hints.map(({ message }) => message as string) };
}

test.each<
	[verdict: string, given: IDataObject, webhooks: object[], deliveries: object[] | undefined, message: RegExp]
>([
	['ok', at(url), [webhook], [delivered], /the last delivery arrived$/],
	['ok', at(url), [webhook], [], /it lists no delivery yet$/],
	['ok', { webhookId: 'wh_1' }, [webhook], [delivered, delivered], /arrived$/],
	['disabled', at(url), [{ ...webhook, status: 'disabled' }], [], /^The service has disabled/],
	['failing', at(url), [webhook], [delivered, delivery('failed', 'HTTP 500', -1)], /says: HTTP 500$/],
	['failing', at(url), [webhook], [delivery('dead_letter')], /^The last delivery failed$/],
	['recovering', at(url), [webhook], [delivered, delivery('failed', 'a', 3)], /but 1 earlier ones did not$/],
	// What is older was recovered before, or is lost.
	['ok', at(url), [webhook], [delivered, delivery('dead_letter', 'a', 3)], /arrived$/],
	[
		'not_subscribed',
		at(url),
		[{ id: 'wh_2', url: 'https://a.example' }],
		[],
		/no subscription for this address/,
	],
	['not_subscribed', {}, [], [], /no webhooks in this workspace/],
	[
		'other_address',
		at(url),
		[{ id: 'wh_2', url: url.replace('n8n', 'old') }],
		[],
		/delivers to https:\/\/old/,
	],
	['unknown', at(url), [webhook], undefined, /could not be read: The API key is not allowed/],
	['unknown', { webhookId: 'wh_1' }, [], undefined, /could not be read/],
])('%s: %j, %j, %j', async (verdict, given, webhooks, deliveries, message) => {
	const { items } = await found(given, webhooks, deliveries);
	expect(items).toEqual([
		expect.objectContaining({
			verdict,
			message: expect.stringMatching(message),
			hint: expect.stringMatching(/\w/),
		}),
	]);
	expect('other_addresses' in items[0]!).toBe(verdict === 'other_address');
});

test('without a choice, each subscription is checked, and a hint says how to ask for one that is gone', async () => {
	const { items, hints } = await found({}, [webhook, { id: 'wh_2' }], []);
	expect(items).toMatchObject([
		{ url, verdict: 'ok' },
		{ url: null, verdict: 'ok' },
	]);
	expect(hints).toEqual([
		expect.stringMatching(/^Only subscriptions that exist are listed\. .* Options → Address /),
	]);
	expect((await found(at(url), [webhook], [])).hints).toEqual([]);
});

test('the facts: the webhook without its secret, its deliveries, and the last error', async () => {
	const deliveries = [delivery('failed', 'https://s.example/a?sig=1', 1), delivered];
	const { items } = await found(at(url), [{ ...webhook, secret: 'whsec_example' }], deliveries);
	expect(items[0]).toMatchObject({
		url,
		last_error: 'https://s.example/a?[hidden]',
		webhook: { ...webhook, secret: '[hidden]' },
		deliveries: {
			...{ total: 2, by_status: { delivered: 1, failed: 1 } },
			last_delivered_at: new Date(now).toISOString().replace('.000', ''),
		},
	});
});
