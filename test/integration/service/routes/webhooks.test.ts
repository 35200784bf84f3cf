import { omit } from 'lodash';

import { today } from '../../../service/dialect';
import { deliveryStatuses } from '../../../support/specification';
import { embedded, Receiver } from '../harness';

// Shapes: test/support/checkContract.ts. What is delivered: ../deliveries.test.ts.
const { service, call, data, get, create } = embedded({ inlineDelaysMs: [0, 5, 10] });
const receiver = new Receiver();
const body = { url: 'https://receiver.example/hook', events: ['post.published'], description: 'Mine' };
const make = async (more = {}) => (await data('POST', '/webhooks', { body: { ...body, ...more } })).webhook;

test('the secret is in the answer to POST alone: one of its own, or that of the caller', async () => {
	const made = await make();
	expect(made.secret).toMatch(/^whsec_\w{48}$/);
	const own = { secret: 'sixteen letters!' };
	expect((await make(own)).secret).toBe(own.secret);
	const { webhooks } = await get('/webhooks');
	expect(webhooks).toContainEqual(omit(made, 'secret'));
	expect(JSON.stringify(webhooks)).not.toContain('secret');
	service().speak({ ...today, 'own secret': 'refused' });
	const refused = await call('POST', '/webhooks', { body: { ...body, ...own } });
	service().speak(today);
	expect(refused.code).toBe('PUBLIC_API_BODY_INVALID');
});

test.each<[object, number]>([
	[{ url: 'http://127.0.0.1/hook' }, 201],
	[{ url: 'http://[::1]/hook' }, 201],
	[{ url: 'http://receiver.example/hook' }, 400],
	[{ url: 'http://my.localhost.example/hook' }, 400],
	[{ events: [] }, 400],
	[{ events: ['post.exploded'] }, 400],
	[{ events: ['post.failed', 'post.failed'] }, 400],
	[{ secret: 'fifteen letters' }, 400],
])('POST with %j: %d', async (more, expected) => {
	expect((await call('POST', '/webhooks', { body: { ...body, ...more } })).status).toBe(expected);
});

test('DELETE: an empty 204, also of a request that is sent again; then there is none', async () => {
	const { id } = await make();
	expect((await call('DELETE', `/webhooks/${id}`, { workspace: 'ws_second' })).status).toBe(404);
	for (let n = 0; n < 2; n++) {
		const answer = await call('DELETE', `/webhooks/${id}`, { idempotencyKey: 'remove:once' });
		expect(answer).toMatchObject({ status: 204, text: '' });
	}
	expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(404);
});

test('GET deliveries: newest first, by status', async () => {
	const { id, secret } = await make({ url: receiver.url, events: ['post.created'] });
	for (receiver.answer of [200, 503]) {
		await create();
		await service().deliveries.idle();
	}
	const path = `/webhooks/${id}/deliveries`;
	const [failed, delivered] = (await get(path)).deliveries;
	expect(delivered).toMatchObject({ status: 'delivered', attempts: 1, last_error: null, last_status: 200 });
	expect(delivered.event).toEqual(receiver.received[0]!.event);
	expect(failed).toMatchObject({ status: 'failed', attempts: 3, last_error: 'The receiver answered 503' });
	for (const status of deliveryStatuses)
		expect((await get(path, { status })).deliveries).toEqual(
			[failed, delivered].filter((one) => one.status === status),
		);
	expect((await call('GET', path)).text).not.toContain(secret);
	expect((await call('GET', path, { workspace: 'ws_second' })).status).toBe(404);
});
