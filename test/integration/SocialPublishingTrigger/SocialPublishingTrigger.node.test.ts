import type { IDataObject } from 'n8n-workflow';

import { credentialFor } from '../../n8n/examples';
import { startService, type Service } from '../../service';
import { Instance } from '../../support/triggerContexts';

/**
 * The trigger as built, in n8n-core's real contexts, against the service over HTTP: what n8n and the network have a say
 * in. What the parts do in every case is in test/unit/SocialPublishingTrigger/; faults, restarts and old backups meet a
 * real n8n in test/e2e/trigger*.test.ts.
 */

let service: Service;
let n8n: Instance;

/** The time of n8n, for checks that are due. */
let shift = 0;
const now = Date.now;
const monotonic = performance.now.bind(performance);

const credential = (key = service.addKey({ plan: 'enterprise' })): IDataObject =>
	credentialFor(service, key) as IDataObject;

beforeEach(async () => {
	shift = 0;
	Date.now = () => now() + shift;
	performance.now = () => monotonic() + shift;
	service = await startService({ inlineDelaysMs: [0, 20, 20], speed: 0 });
	n8n = await Instance.start({ credential: credential() });
	// The first request loads n8n's HTTP client, which under load takes longer than the 5 s that publishing gives its first try.
	await n8n.request(`${service.url}/v1/workspaces`);
});
afterEach(async () => {
	Date.now = now;
	performance.now = monotonic;
	await n8n.stop();
	await service.close();
});

const webhooks = () => [...service.store.webhooks.values()];

async function idle(): Promise<void> {
	await service.deliveries.idle();
	await n8n.idle();
}

/** A post ends; the service has tried to deliver its event. */
async function publishPost(workspaceId = 'ws_main'): Promise<{ id: string }> {
	const { post } = service.lifecycle.create({
		workspaceId,
		brandId: 'brand_main',
		shape: 'integrationGuide',
		text: 'Rye bread',
		media: [],
		platforms: ['linkedin'],
		scheduledAt: service.clock.iso(),
		extra: {},
	});
	service.lifecycle.publish(post);
	await idle();
	return post;
}

/** One check, as n8n's clock asks for it a quarter of an hour later. */
async function check(): Promise<void> {
	shift += 16 * 60_000;
	await n8n.tick();
	await idle();
}

const postsBehind = () => n8n.behind.map(({ data }) => (data as IDataObject).post_id);

test.each([
	[['post.published', 'inbox.item.created'], 'Post Published, New Comment or Message'],
	[['post.published', 'post.failed', 'post.created', 'x'], 'Post Published, Post Failed and 2 more'],
])('the subtitle says which events of %j start the workflow', (events, words) => {
	n8n.parameters.events = events;
	expect(n8n.subtitle).toBe(words);
});

test('subscribes in the workspace of the node, hands an event on with its post, once, and unsubscribes', async () => {
	const workspaces = [...service.store.workspaces.keys()];
	const workspaceId = workspaces.find((id) => id !== 'ws_main')!;
	n8n.credential = credential(service.addKey({ workspaces }));
	n8n.parameters.options = { workspaceId: { __rl: true, mode: 'id', value: workspaceId } };
	delete n8n.parameters.includePost;
	await n8n.publish();
	const [webhook] = webhooks();
	expect(webhook).toMatchObject({ url: n8n.url, workspaceId, description: 'n8n: A workflow' });
	const { id: webhookId, secret, url } = webhook!;
	expect(n8n.staticData).toMatchObject({ 'node:Trigger': { mine: { webhookId, secret, url } } });
	const { id } = await publishPost(workspaceId);
	expect(n8n.behind).toMatchObject([{ data: { post_id: id }, post: { id, status: 'completed' } }]);
	// After a restart n8n's database knows it; a retry of an execution passes it on all the same.
	n8n.forget();
	const [items] = n8n.executions as [IDataObject[]];
	expect(await n8n.execute(items, { executionId: 'another' })).toEqual([]);
	expect(await n8n.execute(items, { executionId: 'another', mode: 'retry' })).toHaveLength(1);
	await n8n.unpublish();
	expect([webhooks(), n8n.staticData]).toEqual([[], { 'node:Trigger': {} }]);
});

test("what was lost comes out once, oldest first, as one execution; the service's retries are copies then", async () => {
	await n8n.publish();
	await n8n.startTrigger();
	n8n.answerWith = 500;
	const lost: string[] = [];
	for (let i = 0; i < 3; i++) {
		lost.push((await publishPost()).id);
		await service.clock.advance(1000);
	}
	n8n.answerWith = 200;
	await check();
	expect(n8n.emitted).toHaveLength(1);
	expect(postsBehind()).toEqual(lost);
	expect(n8n.behind[0]).toMatchObject({ recovered: true, delivery: { status: 'failed' } });
	for (let hour = 0; hour < 24; hour++) {
		await service.clock.advance(3_600_000);
		await idle();
	}
	await check();
	expect(postsBehind()).toEqual(lost);
	// A subscription that was deleted is repaired.
	service.store.webhooks.clear();
	await check();
	lost.push((await publishPost()).id);
	expect(postsBehind()).toEqual(lost);
	expect(n8n.logged.map(({ message }) => message)).toEqual([
		'Trigger: the subscription was created again: the service no longer lists it',
	]);
});

test("an address that is not the service's gets no key, whoever asks with the credential", async () => {
	const { origin } = new URL(String(n8n.credential.baseUrl));
	const elsewhere = n8n.url.replace('127.0.0.1', 'localhost');
	await expect(n8n.request(elsewhere)).rejects.toThrow(
		`This credential is only for ${origin}, but the request goes to ${new URL(elsewhere).origin}: nothing was sent`,
	);
	expect(n8n.received).toBe(0);
});

test('events and options by expression: checks repair and recover as with fixed ones', async () => {
	n8n.parameters.events = "={{ ['post', 'inbox'].map(() => 'post.published') }}";
	n8n.parameters.options = { brandIds: "={{ 'brand_' + 'main' }}" };
	await n8n.publish();
	await n8n.startTrigger();
	n8n.answerWith = 500;
	const { id } = await publishPost();
	n8n.answerWith = 200;
	await check();
	expect(n8n.logged).toEqual([]);
	expect(postsBehind()).toEqual([id]);
	service.store.webhooks.clear();
	await check();
	expect(webhooks()).toMatchObject([{ events: ['post.published'] }]);
});
