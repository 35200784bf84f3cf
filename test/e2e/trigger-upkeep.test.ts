import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient, poll } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { type N8n, startN8n } from '../n8n/instance';
import { disown, own } from '../n8n/owned';
import { startService, type Service } from '../service';
import { Field } from '../tools/soak/support/field';
import { allExecutions, killsWithout } from '../tools/soak/support/kills';
import { Sink } from '../tools/soak/support/sink';
import { ours, tell } from '../tools/soak/support/workflows';

/** A trigger of version 1.2 in a real n8n: nobody publishes anew, nobody catches up by hand. */

let service: Service;
let sink: Sink;
let folder: string;
let n8n: N8n;
let field: Field;
let id: string;
let hook: string;

const subscriptions = () => field.subscriptions(hook);
const emit = (): string =>
	service.deliveries.emit({
		type: 'post.published',
		workspaceId: 'ws_main',
		brandId: 'brand_1',
		resource: randomUUID(),
		data: { post_id: 'p', status: 'completed' },
	}).id;
const times = (event: string): number => sink.byEvent().get(event)?.length ?? 0;
const arrived = async (event: string) =>
	await poll(`event ${event} behind the trigger`, 150_000, async () => times(event) > 0 || undefined);
const works = async () => {
	const event = emit();
	await arrived(event);
	expect(times(event)).toBe(1);
};

beforeAll(async () => {
	service = await startService();
	sink = await Sink.start();
	folder = await mkdtemp(join(tmpdir(), 'n8n-social-'));
	own('folder', folder);
	n8n = await startN8n({ userFolder: folder });
	field = await Field.set(await N8nClient.connect(n8n), service);
	const workflow = ours([tell(sink.url)], {
		name: 'Looked after',
		typeVersion: 1.2,
		options: { checkEvery: 1 },
	});
	hook = workflow.nodes[0].webhookId;
	({ id } = await field.publish(workflow));
}, 300_000);

afterAll(async () => {
	await n8n?.stop();
	await rm(folder, { recursive: true, force: true, maxRetries: 3 });
	disown('folder', folder);
	await sink.stop();
	await service.close();
}, 120_000);

test('published: one subscription, events arrive, no execution but theirs', async () => {
	await works();
	expect(subscriptions()).toHaveLength(1);
	expect(await allExecutions(n8n, id)).toHaveLength(1);
});

test('the subscription is deleted at the service by hand: back within one look', async () => {
	service.store.webhooks.clear();
	await poll('the subscription to be back', 150_000, async () => subscriptions().length === 1 || undefined);
	await works();
}, 300_000);

test('it is disabled at the service: another one within one look', async () => {
	subscriptions()[0]!.status = 'disabled';
	await poll('an active one', 150_000, async () =>
		subscriptions().length === 1 && subscriptions()[0]!.status === 'active' ? true : undefined,
	);
	await works();
}, 300_000);

test('the key is replaced while events flow: none refused, none lost, a new secret', async () => {
	const { secret } = subscriptions()[0]!;
	await n8n.rest('PATCH', `/credentials/${field.credential}`, {
		name: 'Social Publishing account',
		type: 'socialPublishingApi',
		data: credentialFor(service, service.addKey({ plan: 'enterprise' })),
	});
	const events: string[] = [];
	// One after another: so many as n8n takes, however busy this machine is.
	const send = async () => {
		events.push(emit());
		await service.deliveries.idle();
	};
	await poll('another secret', 150_000, async () => {
		await send();
		const [one] = subscriptions();
		return subscriptions().length === 1 && one!.secret !== secret ? true : undefined;
	});
	for (let i = 0; i < 5; i++) await send();
	for (const event of events) await arrived(event);
	expect(events.filter((event) => times(event) !== 1)).toEqual([]);
	// An attempt without any answer in 15 s (a status of null) is a busy n8n; every answer has to be a yes.
	const refused = service.deliveries
		.history()
		.filter(({ event_id }) => events.includes(event_id))
		.flatMap(({ log }) => log.filter(({ status }) => status !== null && status >= 300));
	expect(refused).toEqual([]);
}, 300_000);

test('n8n is away while events are lost: all of them are handed on at the start, once', async () => {
	await n8n.main.stop();
	const lost = Array.from({ length: 5 }, emit);
	await service.deliveries.idle();
	// Two days of the service: it has given them up.
	for (let hour = 0; hour < 48; hour++) {
		await service.clock.advance(3_600_000);
		await service.deliveries.idle();
	}
	const late = emit();
	await service.deliveries.idle();
	await n8n.restart();
	for (const event of [...lost, late]) await arrived(event);
	expect([...lost, late].map(times)).toEqual(Array(6).fill(1));
	expect(subscriptions()).toHaveLength(1);
	await works();
}, 400_000);

test('deleted while n8n is away, then killed and started: subscribed again', async () => {
	await n8n.kill();
	service.store.webhooks.clear();
	await n8n.restart();
	await poll('the subscription to be back', 150_000, async () => subscriptions().length === 1 || undefined);
	await works();
}, 400_000);

test('unpublished: nothing is subscribed again', async () => {
	await n8n.deactivate(id);
	await poll('the subscription to be gone', 90_000, async () => subscriptions().length === 0 || undefined);
	await new Promise((resolve) => setTimeout(resolve, 70_000));
	expect(subscriptions()).toEqual([]);
}, 300_000);

test('kill -9 under load with nothing in front of n8n: nothing lost, nothing twice', async () => {
	const found = await killsWithout(field, n8n, 2);
	expect(found).toMatchObject({ lost: 0, doubled: 0 });
}, 900_000);
