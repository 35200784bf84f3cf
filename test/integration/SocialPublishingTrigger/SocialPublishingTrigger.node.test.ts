import type { IDataObject } from 'n8n-workflow';

import { credentialFor } from '../../n8n/examples';
import { startService, type Fault, type Service } from '../../service';
import { Instance, type InstanceOptions, processedData } from '../../support/triggerContexts';

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

	it.each<[string, Fault]>([
		['a dropped connection', { kind: 'dropBefore' }],
		['a dropped connection after acting', { kind: 'dropAfter' }],
		['a 500 after acting', { kind: 'errorAfter', code: 'PUBLIC_API_INTERNAL_ERROR' }],
		['a 502 without an envelope', { kind: 'status', status: 502 }],
		['malformed JSON', { kind: 'malformed' }],
		['an empty answer', { kind: 'empty' }],
	])('through %s: one subscription, an event arrives, and none is left', async (_name, fault) => {
		service.faults.add({ ...fault, method: 'POST' });
		await n8n.publication();
		expect(webhooks()).toHaveLength(1);
		const event = await emit();
		expect(n8n.behind).toEqual([event]);
		service.faults.add({ ...fault, method: 'DELETE' });
		await n8n.unpublish().catch(async () => await n8n.unpublish());
		expect(webhooks()).toEqual([]);
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
});
