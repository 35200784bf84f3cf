import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient, poll } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { type N8n, startN8n } from '../n8n/instance';
import { disown, own } from '../n8n/owned';
import { startService, type Service } from '../service';
import { Gate } from '../support/e2e/gate';
import { Field } from '../tools/soak/support/field';
import { allExecutions, killsWithout } from '../tools/soak/support/kills';
import { Sink } from '../tools/soak/support/sink';
import { chain, ours, tell } from '../tools/soak/support/workflows';

/**
 * A trigger of version 1.2 in a real n8n: nobody publishes anew, nobody catches up by hand. The tests are one story: each
 * goes on with what the one before left.
 */

/** After a crash n8n waits this long until it goes on with a publication that was under way, in s; by default 120. */
const LEASE = 24;

let service: Service;
/** The way to the service, which can be shut. */
let gate: Gate;
let sink: Sink;
let folder: string;
/** n8n's database as it once was. */
let backup: string;
let n8n: N8n;
let field: Field;

/** A workflow whose trigger tells the sink; each has an event type of its own. */
interface Ours {
	id: string;
	/** Part of its address. */
	hook: string;
	type: string;
}

/** The one that most of this happens to, and the duplicate of it that another key was put into. */
let one: Ours;
let duplicate: Ours & { credential: string; key: string };
/** Published when the backup was made, and not any more. */
let unpublishedSince: Ours;

async function save(name: string, type: string, credential = field.credential, settings = {}): Promise<Ours> {
	const workflow = ours([tell(sink.url)], {
		name,
		events: [type],
		typeVersion: 1.2,
		options: { checkEvery: 1 },
		settings,
	});
	const id = await field.n8n.createWorkflow(workflow, { socialPublishingApi: credential });
	return { id, hook: workflow.nodes[0].webhookId, type };
}

async function published(...how: Parameters<typeof save>): Promise<Ours> {
	const saved = await save(...how);
	await field.n8n.activate(saved.id);
	await poll('the subscription', 90_000, async () => subscriptions(saved)[0]);
	return saved;
}

async function unpublish(which: Ours): Promise<void> {
	await field.n8n.deactivate(which.id);
	await poll('no subscription', 90_000, async () => subscriptions(which).length === 0 || undefined);
}

const subscriptions = ({ hook } = one) => field.subscriptions(hook);
const emit = ({ type } = one): string =>
	service.deliveries.emit({
		type,
		workspaceId: 'ws_main',
		brandId: 'brand_1',
		resource: randomUUID(),
		data: { post_id: 'p', status: 'completed' },
	}).id;
const times = (event: string): number => sink.byEvent().get(event)?.length ?? 0;
const arrived = async (event: string) =>
	await poll(`event ${event} behind the trigger`, 150_000, async () => times(event) > 0 || undefined);
const works = async (which = one) => {
	expect(subscriptions(which)).toHaveLength(1);
	const event = emit(which);
	await arrived(event);
	expect(times(event)).toBe(1);
};

/** One active subscription, at most a look later: looks come once a minute. */
const backAgain = async (which = one) =>
	await poll('one active subscription', 150_000, async () => {
		const [first, ...others] = subscriptions(which);
		return first?.status === 'active' && others.length === 0 ? first : undefined;
	});

/** Starts n8n, at the same address and with the same data every time. */
async function start(env: Record<string, string> = {}): Promise<void> {
	const port = n8n ? Number(new URL(n8n.url).port) : undefined;
	const environment = {
		N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: String(LEASE),
		N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
	};
	n8n = await startN8n({ userFolder: folder, port, env: { ...environment, ...env } });
}

async function temporary(): Promise<string> {
	const made = await mkdtemp(join(tmpdir(), 'n8n-social-'));
	own('folder', made);
	return made;
}

async function putKey(credential: string, key: string): Promise<void> {
	const data = credentialFor({ url: gate.url }, key);
	const name = 'Social Publishing account';
	await field.n8n.rest('PATCH', `/credentials/${credential}`, { name, type: 'socialPublishingApi', data });
}

beforeAll(async () => {
	service = await startService();
	gate = await Gate.to(service.url);
	sink = await Sink.start();
	folder = await temporary();
	backup = await temporary();
	await start();
	field = await Field.set(await N8nClient.connect(n8n), service);
	await putKey(field.credential, service.addKey({ plan: 'enterprise' }));
	one = await published('Looked after', 'post.published');
}, 300_000);

afterAll(async () => {
	await n8n?.stop();
	for (const made of [folder, backup]) {
		await rm(made, { recursive: true, force: true, maxRetries: 3 });
		disown('folder', made);
	}
	await sink.stop();
	await gate.shut();
	await service.close();
}, 120_000);

test('published: one subscription, events arrive, no execution but theirs', async () => {
	await works();
	expect(await allExecutions(n8n, one.id)).toHaveLength(1);
});

test('duplicated, with another account: a subscription and a secret of its own; then its key is revoked', async () => {
	const key = service.addKey({ plan: 'enterprise' });
	const data = credentialFor({ url: gate.url }, key);
	const credential = await field.n8n.createCredential('Another account', 'socialPublishingApi', data);
	const onError = { name: 'Error', type: 'n8n-nodes-base.errorTrigger', typeVersion: 1, parameters: {} };
	const errorWorkflow = await field.n8n.createWorkflow(
		chain('On error', onError, [tell(sink.url, '$json.workflow.name')]),
	);
	await field.n8n.activate(errorWorkflow);
	duplicate = {
		...(await published('Looked after copy', 'post.failed', credential, { errorWorkflow })),
		credential,
		key,
	};
	await works();
	await works(duplicate);
	expect(subscriptions()[0]!.secret).not.toBe(subscriptions(duplicate)[0]!.secret);
	service.store.keys.get(key)!.revoked = true;
	await works(duplicate);
});

test('deleted, or disabled, at the service by hand: another one within one look', async () => {
	const disabled = await published('Disabled', 'post.created');
	service.store.webhooks.delete(subscriptions()[0]!.id);
	subscriptions(disabled)[0]!.status = 'disabled';
	for (const each of [one, disabled]) {
		await backAgain(each);
		await works(each);
	}
	await field.remove(disabled.id);
}, 300_000);

test('the key is replaced while events flow: none refused, none lost, a new secret', async () => {
	const { secret } = subscriptions()[0]!;
	await putKey(field.credential, service.addKey({ plan: 'enterprise' }));
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
	// The trigger's own answers: a busy n8n may answer late, or by itself that its database is not ready.
	const refused = service.deliveries
		.history()
		.filter(({ event_id }) => events.includes(event_id))
		.flatMap(({ log }) => log.filter(({ said }) => said?.startsWith('{"error"')));
	expect(refused).toEqual([]);
}, 300_000);

test('a key revoked for long: deliveries go on, people are told once; a new key is all it takes', async () => {
	const failed = async () =>
		(await allExecutions(n8n, duplicate.id)).filter(({ status }) => status === 'error');
	await poll('a failed execution', 300_000, async () => (await failed()).length > 0 || undefined);
	await poll('the error workflow', 60_000, async () => times('Looked after copy') > 0 || undefined);
	await works(duplicate);
	const { secret } = subscriptions(duplicate)[0]!;
	await putKey(duplicate.credential, service.addKey({ plan: 'enterprise' }));
	await poll('another secret', 300_000, async () => {
		const [first, ...others] = subscriptions(duplicate);
		return first && first.secret !== secret && others.length === 0 ? true : undefined;
	});
	await works(duplicate);
	expect(await failed()).toHaveLength(1);
	expect(times('Looked after copy')).toBe(1);
	await field.remove(duplicate.id);
	expect(subscriptions(duplicate)).toEqual([]);
}, 700_000);

test('n8n is away while events are lost: all of them are handed on at the start, once', async () => {
	unpublishedSince = await published('Unpublished since', 'approval.batch_created');
	await n8n.main.stop();
	await copyDatabase(folder, backup);
	const lost = Array.from({ length: 5 }, () => emit());
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
	await works();
	await unpublish(unpublishedSince);
}, 400_000);

test('killed between subscribing and storing, or before the service heard of it, and another one deleted: one each', async () => {
	const killed = await save('Killed', 'post.created');
	service.faults.add({ kind: 'hang', method: 'POST', path: '^/webhooks$', act: true });
	await field.n8n.activate(killed.id);
	await poll('a subscription', 60_000, async () => subscriptions(killed)[0]);
	const early = await save('Killed before the service heard of it', 'post.scheduled');
	const asked = service.requests.length;
	service.faults.add({ kind: 'hang', method: 'POST', path: '^/webhooks$' });
	await field.n8n.activate(early.id);
	await poll('a request', 60_000, async () => service.requests.length > asked || undefined);
	await n8n.kill();
	service.faults.clear();
	service.store.webhooks.delete(subscriptions()[0]!.id);
	await n8n.restart();
	for (const each of [one, killed, early]) {
		await backAgain(each);
		await works(each);
	}
	for (const each of [killed, early]) await field.remove(each.id);
	expect([...subscriptions(killed), ...subscriptions(early)]).toEqual([]);
}, 500_000);

test('an old backup: subscribed again with the key that it has, also what was unpublished since', async () => {
	await n8n.kill();
	await copyDatabase(backup, folder);
	const { id } = subscriptions()[0]!;
	await n8n.restart();
	await poll('another subscription', 150_000, async () =>
		subscriptions().every((each) => each.id !== id) ? backAgain() : undefined,
	);
	await works();
	await backAgain(unpublishedSince);
	await works(unpublishedSince);
	await unpublish(unpublishedSince);
}, 400_000);

test('another address, and the service is down while n8n starts: moved when it is there again', async () => {
	await n8n.stop();
	const { port } = new URL(n8n.url);
	gate.turnAway();
	await start({ WEBHOOK_URL: `http://localhost:${port}` });
	await poll('n8n to have asked', 90_000, async () => gate.turnedAway > 0 || undefined);
	// As before, at the address that it still has.
	expect(subscriptions()[0]!.url).toContain('127.0.0.1');
	await works();
	await gate.open();
	await poll('the new address', 300_000, async () =>
		subscriptions().every(({ url }) => url.startsWith('http://localhost:')) ? backAgain() : undefined,
	);
	await works();
}, 700_000);

test('kill -9 under load with nothing in front of n8n: nothing lost, nothing twice', async () => {
	await unpublish(one);
	const found = await killsWithout(field, n8n, 2);
	expect(found).toMatchObject({ lost: 0, doubled: 0 });
}, 900_000);

test('unpublished before that: no look and no start of n8n has subscribed again', () => {
	expect(subscriptions()).toEqual([]);
});

/** n8n's SQLite database with what belongs to it; n8n has to be stopped. */
async function copyDatabase(from: string, to: string): Promise<void> {
	const names = async (root: string) =>
		(await readdir(join(root, '.n8n')).catch(() => [])).filter((name) => name.startsWith('database.sqlite'));
	for (const name of await names(to)) await rm(join(to, '.n8n', name));
	for (const name of await names(from)) await cp(join(from, '.n8n', name), join(to, '.n8n', name));
}
