import type { IDataObject } from 'n8n-workflow';

import { credentialFor } from '../../n8n/examples';
import { startService, type Service } from '../../service';
import { signatureOf, timestampAt } from '../../support/signing';
import { Instance, type InstanceOptions, processedData, send } from '../../support/triggerContexts';

/**
 * The trigger as built, in n8n-core's real contexts, against the service over HTTP: what n8n and the network have a say
 * in. What the parts do in every case is in test/unit/SocialPublishingTrigger/, under their names.
 */

let service: Service;
let n8n: Instance;
const instances: Instance[] = [];

/** The time of n8n, for looks that are due. */
let shift = 0;
const now = Date.now;

const credential = (key = service.addKey({ plan: 'enterprise' })) =>
	credentialFor(service, key) as InstanceOptions['credential'];

async function start(options: Partial<InstanceOptions> = {}): Promise<Instance> {
	const instance = await Instance.start({ credential: credential(), ...options });
	instances.push(instance);
	return instance;
}

beforeEach(async () => {
	processedData.rows.clear();
	shift = 0;
	Date.now = () => now() + shift;
	service = await startService({ inlineDelaysMs: [0, 20, 20], speed: 0 });
	n8n = await start();
});
afterEach(async () => {
	Date.now = now;
	for (const instance of instances.splice(0)) await instance.stop();
	await service.close();
});

const webhooks = () => [...service.store.webhooks.values()];
const stored = () => n8n.staticData['node:Trigger'] as IDataObject;

async function settled(): Promise<void> {
	await service.deliveries.idle();
	for (const instance of instances) await instance.idle();
}

/** The service has an event, and has tried to deliver it. */
async function emit(workspaceId = 'ws_main'): Promise<IDataObject & { id: string }> {
	const event = service.deliveries.emit({
		type: 'post.published',
		workspaceId,
		brandId: 'brand_1',
		resource: `r${Math.random()}`,
		data: { post_id: 'p', status: 'completed' },
	});
	await settled();
	return event as never;
}

/** The service's clock goes through its retries. */
async function retries(hours: number): Promise<void> {
	for (let hour = 0; hour < hours; hour++) {
		await service.clock.advance(3_600_000);
		await settled();
	}
}

/** One look, as n8n's clock asks for it a quarter of an hour later. */
async function look(): Promise<void> {
	shift += 16 * 60_000;
	await n8n.ticks.at(-1)!();
	await settled();
}

const idsBehind = () => n8n.behind.map(({ id }) => id);
const away = () => (n8n.afterAccept = async (respond) => respond(500));
const back = () => (n8n.afterAccept = async (respond) => respond(200));

describe('the description', () => {
	it.each([
		[['post.published', 'post.failed'], 'Post Published, Post Failed'],
		[['inbox.item.created', 'approval.batch_approved'], 'New Comment or Message, Approval Batch Approved'],
		[
			['post.published', 'post.failed', 'post.created', 'post.canceled', 'x'],
			'Post Published, Post Failed and 3 more',
		],
	])('says which events of %j start the workflow', (events, words) => {
		n8n.parameters.events = events;
		expect(n8n.subtitle).toBe(words);
	});
});

describe('publishing', () => {
	it('subscribes, stores what n8n keeps, hands events on, and unsubscribes', async () => {
		const workspaces = [...service.store.workspaces.keys()];
		const workspaceId = workspaces.find((id) => id !== 'ws_main')!;
		n8n.credential = credential(service.addKey({ workspaces }));
		n8n.parameters.options = { workspaceId: { __rl: true, mode: 'id', value: workspaceId } };
		expect(await n8n.hook('checkExists')).toBe(false);
		await n8n.publish();
		const [webhook] = webhooks();
		expect(webhook).toMatchObject({ url: n8n.url, workspaceId, description: 'n8n: A workflow' });
		expect(stored().current).toMatchObject({ webhookId: webhook!.id, secret: webhook!.secret, url: n8n.url });
		expect(await n8n.hook('checkExists')).toBe(true);
		const event = await emit(workspaceId);
		expect(n8n.behind).toEqual([event]);
		await n8n.unpublish();
		expect(webhooks()).toEqual([]);
		expect(stored()).toEqual({});
	});

	it('of two workflows: a subscription and a secret each; an event comes to each once', async () => {
		const other = await start();
		await n8n.publish();
		await other.publish();
		expect(new Set(webhooks().map(({ secret }) => secret)).size).toBe(2);
		const event = await emit();
		expect([n8n.behind, other.behind]).toEqual([[event], [event]]);
		expect(await service.deliveries.forge({ webhookId: webhooks()[0]!.id, url: other.url })).toBe(401);
		expect(other.executions).toHaveLength(1);
		await n8n.unpublish();
		expect(webhooks().map(({ url }) => url)).toEqual([other.url]);
	});

	it('with static data that is lost, or from an old backup: events arrive, and one subscription is left', async () => {
		await n8n.publish();
		const backup = structuredClone(n8n.staticData);
		await n8n.unpublish();
		await n8n.publish();
		for (const staticData of [backup, { global: { x: 1 } }]) {
			n8n.staticData = structuredClone(staticData);
			n8n.forget();
			const event = await emit();
			expect(n8n.behind).toContainEqual(event);
		}
		await n8n.publish();
		expect(webhooks()).toHaveLength(1);
		expect(stored().current).toMatchObject({ webhookId: webhooks()[0]!.id });
	});

	it('"Listen for test event" beside the live subscription: address, secret and data of its own', async () => {
		await n8n.publish();
		const [live] = webhooks();
		expect(await n8n.hook('checkExists', { test: true })).toBe(false);
		await n8n.hook('create', { test: true });
		const test = webhooks()[1]!;
		expect(test).toMatchObject({
			url: expect.stringContaining('/webhook-test/'),
			description: 'n8n: A workflow (test)',
		});
		await emit();
		expect(n8n.behind).toHaveLength(2);
		// A delivery of the test address replayed to the live one is forged.
		expect(await service.deliveries.forge({ webhookId: test.id, url: n8n.url })).toBe(401);
		await n8n.hook('delete', { test: true });
		expect(webhooks()).toEqual([live]);
		expect(await n8n.hook('checkExists')).toBe(true);
	});

	it('through a dropped connection after acting: one subscription, an event arrives, and none is left', async () => {
		const fault = { kind: 'dropAfter' } as const;
		service.faults.add({ ...fault, method: 'POST' });
		expect(await n8n.publication()).toBe(0);
		expect(webhooks()).toHaveLength(1);
		const event = await emit();
		expect(n8n.behind).toEqual([event]);
		service.faults.add({ ...fault, method: 'DELETE' });
		await n8n.unpublish().catch(async () => await n8n.unpublish());
		expect(webhooks()).toEqual([]);
	});

	// n8n keeps the address where `delete` fails after a try, and then takes the workflow for published.
	it('while the service is down: n8n is told, and nothing keeps it from publishing again', async () => {
		service.faults.add({ kind: 'dropBefore', times: 0 });
		await expect(n8n.publication(1)).rejects.toMatchObject({ name: 'NodeApiError', stuck: 0 });
		service.faults.clear();
		expect(await n8n.publication()).toBe(0);
		expect(webhooks()).toHaveLength(1);
	});
});

describe('deliveries', () => {
	beforeEach(async () => await n8n.publish());

	let counter = 0;
	const newEvent = () => ({
		id: `evt_${++counter}`,
		type: 'post.published',
		workspace_id: 'ws_main',
		data: { post_id: 'post_gone' },
	});
	const deliver = async (event: unknown, key = webhooks()[0]!.secret) => {
		const body = JSON.stringify(event);
		const timestamp = timestampAt(Date.now());
		return await send(n8n.url, body, {
			'content-type': 'application/json',
			'x-service-timestamp': timestamp,
			'x-service-signature': signatureOf(key, timestamp, Buffer.from(body)),
		});
	};

	it('twenty copies at the same moment: one execution; a forged one: none, and no trace', async () => {
		const event = newEvent();
		const answers = await Promise.all(Array.from({ length: 20 }, async () => await deliver(event)));
		expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
		expect(n8n.executions).toHaveLength(1);
		expect(n8n.behind).toEqual([event]);
		const { status, body } = await deliver(newEvent(), 'guess');
		expect([status, body]).toEqual([401, { error: 'The signature or the timestamp is not valid' }]);
		expect(n8n.executions).toHaveLength(1);
		expect(n8n.logged).toEqual([]);
	});

	it('a copy of one that is being accepted takes its place when n8n fails with that', async () => {
		let failFirst!: () => void;
		n8n.afterAccept = async (respond) =>
			await new Promise((resolve) => {
				failFirst = () => {
					respond(500);
					resolve();
				};
			});
		const event = newEvent();
		const first = deliver(event);
		while (n8n.executions.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
		const copy = deliver(event);
		back();
		failFirst();
		expect((await first).status).toBe(500);
		expect((await copy).status).toBe(200);
		expect(n8n.behind).toEqual([event]);
	});

	it("cut before the answer: forgotten here, and the copy stopped by n8n's database", async () => {
		n8n.afterAccept = async (respond) => {
			await new Promise((resolve) => setTimeout(resolve, 80));
			respond(200);
		};
		service.deliveries.cutNext({ times: 1, afterMs: 30 });
		const event = await emit();
		expect(n8n.executions).toHaveLength(2);
		expect(n8n.behind).toEqual([event]);
	});

	it("after a restart n8n's database knows what was handed on; a retry of an execution does not ask it", async () => {
		const event = newEvent();
		expect(await n8n.execute([event], { executionId: '11' })).toEqual([
			{ json: event, pairedItem: { item: 0 } },
		]);
		n8n.forget();
		expect(await n8n.execute([event], { executionId: '12' })).toEqual([]);
		expect(await n8n.execute([event], { executionId: '12', mode: 'retry' })).toHaveLength(1);
		processedData.failures = 10;
		expect(await n8n.execute([event], { executionId: '13' })).toHaveLength(1);
		processedData.failures = 0;
		expect(n8n.logged.map(({ level }) => level)).toEqual(['warn']);
	});

	it('with the post beside the event, or why it could not be downloaded', async () => {
		delete n8n.parameters.includePost;
		const { id } = endOfPost();
		const events = [{ ...newEvent(), data: { post_id: id } }, newEvent()];
		const [found, gone] = await n8n.execute(events, { mode: 'manual' });
		expect(found.json).toEqual({ ...events[0], post: expect.objectContaining({ id, status: 'completed' }) });
		expect(gone.json).toMatchObject({
			post: null,
			post_error: { code: 'PUBLIC_API_POST_NOT_FOUND', status: 404 },
		});
	});
});

/** A post that ends now. */
function endOfPost(): { id: string } {
	const { post } = service.lifecycle.create({
		workspaceId: 'ws_main',
		brandId: 'brand_main',
		shape: 'integrationGuide',
		text: 'Rye bread',
		media: [],
		platforms: ['linkedin'],
		scheduledAt: service.clock.iso(),
		extra: {},
		draft: false,
	});
	service.lifecycle.publish(post);
	return post;
}

describe('looking after itself', () => {
	beforeEach(async () => {
		await n8n.publish();
		await n8n.startTrigger('activate');
	});

	it('a subscription that was deleted, and a key that was replaced: repaired, no event refused', async () => {
		service.store.webhooks.clear();
		await n8n.ticks[0]!();
		expect(webhooks()).toEqual([]);
		await look();
		const [made] = webhooks();
		n8n.credential = credential();
		const events = [await emit()];
		await look();
		expect(webhooks()).toHaveLength(1);
		expect(webhooks()[0]!.secret).not.toBe(made!.secret);
		events.push(await emit());
		expect(n8n.behind).toEqual(events);
		expect(n8n.logged.map(({ message }) => message)).toEqual([
			'Trigger: the subscription was created again: the service no longer lists it',
			'Trigger: the subscription was created again: the API key was replaced',
		]);
	});

	it('a key that was revoked: people are told once', async () => {
		n8n.credential = credential(service.keys.revoked);
		for (let i = 0; i < 5; i++) await look();
		expect(n8n.failedExecutions).toMatchObject([{ name: 'NodeApiError' }]);
		expect(n8n.logged).toHaveLength(5);
		expect(JSON.stringify([n8n.logged, n8n.failedExecutions])).not.toContain(service.keys.revoked);
	});

	it('n8n starts at a new address while the service refuses everything: subscribed once it no longer does', async () => {
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', times: 0 });
		n8n.webhookBaseUrl = n8n.webhookBaseUrl.replace('127.0.0.1', 'localhost');
		n8n.forget();
		await n8n.restart();
		await look();
		service.faults.clear();
		await look();
		expect(webhooks().map(({ url }) => url)).toContain(n8n.url);
		const event = await emit();
		expect(n8n.behind).toContainEqual(event);
	});

	it("what was lost comes out once, oldest first, as one execution; the service's retries are copies then", async () => {
		away();
		const lost: unknown[] = [];
		for (let i = 0; i < 3; i++) {
			lost.push((await emit()).id);
			await service.clock.advance(1000);
		}
		back();
		await look();
		expect(n8n.emitted).toHaveLength(1);
		expect(idsBehind()).toEqual(lost);
		expect(n8n.behind[0]).toMatchObject({ recovered: true, delivery: { status: 'failed' } });
		await retries(24);
		await look();
		expect(n8n.emitted).toHaveLength(1);
		expect(idsBehind()).toEqual(lost);
	});

	it('after two days away, everything comes out at the start, once, in every process', async () => {
		away();
		const lost: unknown[] = [(await emit()).id, (await emit()).id];
		await retries(48);
		shift += 48 * 3_600_000;
		lost.push((await emit()).id);
		back();
		for (let starts = 1; starts <= 2; starts++) {
			n8n.forget();
			await n8n.restart();
			await look();
			expect(idsBehind().sort()).toEqual([...lost].sort());
		}
	});

	it('an execution that died with n8n is started again', async () => {
		away();
		const { id } = await emit();
		back();
		const execute = n8n.execute.bind(n8n);
		n8n.execute = async () => await Promise.reject(new Error('killed'));
		await look();
		expect([n8n.emitted.length, n8n.behind]).toEqual([1, []]);
		n8n.execute = execute;
		await look();
		expect(idsBehind()).toEqual([id]);
	});

	it('from posts, where deliveries name no event, and where the service had no subscription: once each', async () => {
		service.store.deliveriesNameEvents = false;
		n8n.parameters.options = { catchUpFromPosts: true };
		await n8n.startTrigger('activate');
		await service.clock.advance(60_000);
		const came = endOfPost();
		await settled();
		away();
		const lost = endOfPost();
		await settled();
		back();
		await look();
		service.store.webhooks.clear();
		const unheard = endOfPost();
		await look();
		await retries(24);
		await look();
		const posts = n8n.behind.map(({ data }) => (data as IDataObject).post_id);
		expect(posts).toEqual([came.id, lost.id, unheard.id]);
		expect(n8n.behind[1]).toMatchObject({
			type: 'post.published',
			recovered: true,
			recovered_from: 'post',
		});
	});
});

describe('the workspaces dropdown', () => {
	it("lists those of the key, or shows the service's message", async () => {
		const { results } = await n8n.search('searchWorkspaces', 'main');
		expect(results.map(({ value }: any) => value)).toEqual(['ws_main']);
		n8n.credential = credential(service.keys.expired);
		await expect(n8n.search('searchWorkspaces')).rejects.toThrow('The API key has expired');
	});
});
