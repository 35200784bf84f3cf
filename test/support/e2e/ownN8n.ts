import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient, poll } from '../../n8n/client';
import { credentialFor } from '../../n8n/examples';
import { type N8n, startN8n } from '../../n8n/instance';
import { disown, own } from '../../n8n/owned';
import { startService, type Service } from '../../service';
import { Field, type PublicationStatus } from './field';
import { emit } from './sender';
import { Sink } from './sink';
import { hookOf, ours, tell, type TriggerOptions } from './workflows';
import { Gate } from './gate';

const credentialType = 'socialPublishingApi';

/** A workflow whose trigger tells the sink; each has an event type of its own. */
export interface Ours {
	name: string;
	id: string;
	/** Part of its address. */
	hook: string;
	type: string;
	credential: string;
}

/**
 * An n8n of a test's own, which is stopped, killed and started again at one address and with one folder, and the service,
 * which can be out of its reach.
 */
export class OwnN8n {
	n8n!: N8n;
	/** Its session outlives the starts of n8n. */
	field!: Field;
	private readonly folders: string[] = [];
	private readonly saved = new Set<Ours>();
	private folder = '';

	private constructor(
		readonly service: Service,
		/** The way to the service, which can be shut. */
		readonly gate: Gate,
		readonly sink: Sink,
		/** How long n8n may be at a publication, in s (by default 120): how soon it goes on with one after a crash. */
		private readonly lease: number,
		/** What the triggers of all workflows are. */
		private readonly triggers: TriggerOptions,
	) {}

	static async start(lease: number, triggers: TriggerOptions = {}): Promise<OwnN8n> {
		const service = await startService();
		const one = new OwnN8n(service, await Gate.to(service.url), await Sink.start(), lease, triggers);
		one.folder = await one.temporary();
		await one.start();
		await one.enter(await N8nClient.connect(one.n8n));
		return one;
	}

	/** The same in an n8n that other tests use, too: for one that neither stops nor kills it. */
	static async in(client: N8nClient, triggers: TriggerOptions = {}): Promise<OwnN8n> {
		const service = await startService();
		const one = new OwnN8n(service, await Gate.to(service.url), await Sink.start(), 0, triggers);
		await one.enter(client);
		return one;
	}

	private async enter(client: N8nClient): Promise<void> {
		this.field = await Field.set(client, this.service);
		await this.setKey(this.field.credential, this.service.addKey({ plan: 'enterprise' }));
	}

	async close(): Promise<void> {
		if (this.n8n) await this.n8n.stop();
		else for (const one of this.saved) await this.remove(one);
		for (const folder of this.folders) {
			await rm(folder, { recursive: true, force: true, maxRetries: 3 });
			disown('folder', folder);
		}
		await this.sink.stop();
		await this.gate.shut();
		await this.service.close();
	}

	/** Starts n8n, at the same address and with the same data every time. */
	async start(env: Record<string, string> = {}): Promise<void> {
		const port = this.n8n ? Number(new URL(this.n8n.url).port) : undefined;
		const environment = {
			N8N_WORKFLOW_PUBLICATION_OUTBOX_LEASE_SECONDS: String(this.lease),
			N8N_WORKFLOW_PUBLICATION_OUTBOX_POLL_INTERVAL_MS: '1000',
		};
		this.n8n = await startN8n({ userFolder: this.folder, port, env: { ...environment, ...env } });
	}

	/** A copy of n8n's database, which has to be stopped; its folder. */
	async backUp(): Promise<string> {
		const backup = await this.temporary();
		await copyDatabase(this.folder, backup);
		return backup;
	}

	/** n8n has to be stopped. */
	async restore(backup: string): Promise<void> {
		await copyDatabase(backup, this.folder);
	}

	async save(
		name: string,
		type: string,
		credential = this.field.credential,
		workflow = this.workflow(name, type),
	): Promise<Ours> {
		const id = await this.field.n8n.createWorkflow(workflow, { [credentialType]: credential });
		const one = { name, id, hook: hookOf(workflow), type, credential };
		this.saved.add(one);
		return one;
	}

	/** Saved, published, and subscribed. */
	async published(...how: Parameters<OwnN8n['save']>): Promise<Ours> {
		const saved = await this.save(...how);
		await this.publish(saved);
		return saved;
	}

	async publish(one: Ours): Promise<void> {
		await this.field.n8n.activate(one.id);
		await this.until(one, 'published');
	}

	async unpublish(one: Ours): Promise<void> {
		await this.field.n8n.deactivate(one.id);
		await this.until(one, 'not_published');
	}

	async until({ id }: Ours, wanted: PublicationStatus): Promise<any> {
		return await this.field.settled(id, wanted);
	}

	async remove(one: Ours): Promise<void> {
		this.saved.delete(one);
		await this.field.remove(one.id);
	}

	workflow(name: string, type: string, settings?: Record<string, unknown>) {
		return ours([tell(this.sink.url)], { ...this.triggers, name, events: [type], settings });
	}

	async createCredential(url: string, key: string): Promise<string> {
		return await this.field.n8n.createCredential(
			'Another account',
			credentialType,
			credentialFor({ url }, key),
		);
	}

	/** An account whose budget of reads is its own: its triggers' checks don't wait for those of others. */
	async ownAccount(): Promise<string> {
		return await this.createCredential(this.gate.url, this.service.addKey({ plan: 'enterprise' }));
	}

	/** Puts another key into a credential, as a person does. */
	async setKey(id: string, key: string, url = this.gate.url): Promise<void> {
		const data = credentialFor({ url }, key);
		await this.field.n8n.rest('PATCH', `/credentials/${id}`, {
			name: 'An account',
			type: credentialType,
			data,
		});
	}

	subscriptions({ hook }: Ours) {
		return this.field.subscriptions(hook);
	}

	/** The new event's id. */
	emit(type: string): string {
		return emit(this.service, { type });
	}

	/** How often the event came out behind a trigger. */
	arrivals(event: string): number {
		return this.sink.times(event);
	}

	async arrived(event: string): Promise<void> {
		const look = () => ({
			arrivals: this.arrivals(event),
			deliveries: this.service.deliveries
				.history()
				.filter(({ event_id }) => event_id === event)
				.map(({ webhook_id, status, log }) => ({ webhook_id, status, log })),
		});
		await poll(`event ${event} behind the trigger`, look, ({ arrivals }) => arrivals > 0);
	}

	/** What has to be so after every case: exactly one subscription, and an event arrives once. */
	async works(one: Ours) {
		expect(this.subscriptions(one)).toHaveLength(1);
		const event = this.emit(one.type);
		await this.arrived(event);
		await this.service.deliveries.idle();
		expect(this.arrivals(event)).toBe(1);
		return this.subscriptions(one)[0]!;
	}

	/** One active subscription, at most a look later: looks come once a minute. */
	async backAgain(one: Ours): Promise<void> {
		await poll(
			'one active subscription',
			() => this.subscriptions(one),
			([first, ...others]) => first?.status === 'active' && others.length === 0,
		);
	}

	private async temporary(): Promise<string> {
		const folder = await mkdtemp(join(tmpdir(), 'n8n-social-'));
		own('folder', folder);
		this.folders.push(folder);
		return folder;
	}
}

/** n8n's SQLite database with what belongs to it, in place of what is there. */
async function copyDatabase(from: string, to: string): Promise<void> {
	const names = async (root: string) =>
		(await readdir(join(root, '.n8n')).catch(() => [])).filter((name) => name.startsWith('database.sqlite'));
	for (const name of await names(to)) await rm(join(to, '.n8n', name));
	for (const name of await names(from)) await cp(join(from, '.n8n', name), join(to, '.n8n', name));
}
