import { omit } from 'lodash';

import { deliveryStatuses } from '../../../support/specification';
import { embedded, Receiver, TIMESTAMP, type Received } from '../harness';

const { service, call, data, get, create } = embedded({ inlineDelaysMs: [0, 5, 10] });
const receiver = new Receiver();
const body = { url: 'https://receiver.example/hook', events: ['post.published'], description: 'Mine' };
const make = async (more = {}) => (await data('POST', '/webhooks', { body: { ...body, ...more } })).webhook;
const foreign = () => ({ key: service().keys.otherWorkspace });

test('the secret is in the answer to POST alone: one of its own, or that of the caller', async () => {
	const { status, data: made } = await call('POST', '/webhooks', { body });
	expect(status).toBe(201);
	expect(made.webhook).toMatchObject({ ...body, id: expect.any(String) });
	expect(made.webhook.secret).toMatch(/^whsec_\w{48}$/);
	expect((await make()).secret).not.toBe(made.webhook.secret);
	const own = { secret: 'sixteen letters!' };
	expect((await make(own)).secret).toBe(own.secret);
	const { webhooks } = await get('/webhooks');
	expect(webhooks).toContainEqual(omit(made.webhook, 'secret'));
	expect(JSON.stringify(webhooks)).not.toContain('secret');
	expect((await data('GET', '/webhooks', foreign())).webhooks).toEqual([]);
	service().store.acceptCallerSecret = false;
	const refused = await call('POST', '/webhooks', { body: { ...body, ...own } });
	service().store.acceptCallerSecret = true;
	expect(refused.code).toBe('PUBLIC_API_BODY_INVALID');
});

test.each<[object, number]>([
	[{ url: 'https://receiver.example/hook' }, 201],
	[{ url: 'http://localhost:5678/hook' }, 201],
	[{ url: 'http://127.0.0.1/hook' }, 201],
	[{ url: 'http://[::1]/hook' }, 201],
	[{ url: 'http://receiver.example/hook' }, 400],
	[{ url: 'http://my.localhost.example/hook' }, 400],
	[{ events: [] }, 400],
	[{ events: ['post.exploded'] }, 400],
	[{ events: ['post.failed', 'post.failed'] }, 400],
	[{ secret: 'fifteen letters' }, 400],
])('POST with %j: %d', async (more, expected) => {
	const { status, code } = await call('POST', '/webhooks', { body: { ...body, ...more } });
	expect([status, code]).toEqual([expected, expected === 201 ? undefined : 'PUBLIC_API_BODY_INVALID']);
});

test('DELETE: an empty 204, also of a request that is sent again; then there is none', async () => {
	const { id } = await make();
	expect((await call('DELETE', `/webhooks/${id}`, foreign())).status).toBe(404);
	const options = { idempotencyKey: 'remove:once' };
	for (let n = 0; n < 2; n++)
		expect(await call('DELETE', `/webhooks/${id}`, options)).toMatchObject({ status: 204, text: '' });
	expect(JSON.stringify(await get('/webhooks'))).not.toContain(id);
	expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(404);
});

test('GET deliveries: all that is known of each, newest first, by status', async () => {
	const { id, secret } = await make({ url: receiver.url, events: ['post.created'] });
	for (const answer of [200, 503]) {
		receiver.answer = answer;
		await create();
		await service().deliveries.idle();
	}
	const path = `/webhooks/${id}/deliveries`;
	const list = async (query = {}) => (await get(path, query)).deliveries;
	const [failed, delivered] = await list();
	const [{ event }] = receiver.received as [Received];
	expect(delivered).toEqual({
		...{ id: expect.any(String), webhook_id: id, status: 'delivered', attempts: 1 },
		...{ event_type: 'post.created', event_id: event.id, event },
		...{ last_error: null, last_status: 200, next_attempt_at: null },
		...{ created_at: expect.stringMatching(TIMESTAMP), delivered_at: expect.stringMatching(TIMESTAMP) },
	});
	expect(failed).toMatchObject({
		...{ status: 'failed', attempts: 3, last_status: 503, last_error: 'The receiver answered 503' },
		...{ next_attempt_at: expect.stringMatching(TIMESTAMP), delivered_at: null },
	});
	const byStatus = await Promise.all(deliveryStatuses.map(async (status) => await list({ status })));
	expect(byStatus).toEqual([[], [delivered], [failed], []]);
	expect((await call('GET', path)).text).not.toContain(secret);
	expect((await call('GET', path, foreign())).status).toBe(404);
	expect((await call('GET', '/webhooks/wh_none/deliveries')).status).toBe(404);
	service().store.deliveriesNameEvents = false;
	expect((await list())[1]).toEqual(omit(delivered, ['event', 'event_id', 'event_type']));
});
