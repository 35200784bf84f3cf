import { setTimeout as pause } from 'node:timers/promises';

import { type N8nClient, poll } from '../../n8n/client';
import { accountOf, credentialFor } from '../../n8n/examples';
import type { Service } from '../../service';
import type { Webhook } from '../../service/types';
import { hookOf, ours, type TriggerOptions, type Workflow } from './flow';
import { Gate } from './gate';
import { emit } from './sender';
import { Sink } from './sink';

/** A saved workflow of our trigger. */
export interface Ours {
	id: string;
	hook: string;
	type: string;
	credential: string;
}

/** A real n8n and an embedded service that know each other, the workflows between them, and what stands behind these. */
export class Field<N extends N8nClient = N8nClient> {
	n8n!: N;
	service!: Service;
	/** The way to the service, which can be shut. */
	gate!: Gate;
	sink!: Sink;
	/** As `createWorkflow` takes it. */
	credentials: Record<string, string> = {};
	private readonly saved = new Set<string>();

	/** @param options those of the triggers */
	constructor(private readonly options: TriggerOptions['options'] = { checkEvery: 1 }) {}

	async set(n8n: N, service: Service): Promise<this> {
		const [gate, sink] = [await Gate.to(service.url), await Sink.start()];
		Object.assign(this, { n8n, service, gate, sink });
		this.credentials = { socialPublishingApi: await this.account() };
		return this;
	}

	async clear(): Promise<void> {
		// The last one first: others may use an earlier one.
		for (const id of [...this.saved].reverse()) await this.remove({ id });
	}

	async close(): Promise<void> {
		await this.clear();
		await this.sink.stop();
		await this.gate.shut();
	}

	get credential(): string {
		return this.credentials.socialPublishingApi!;
	}

	/** A credential; with a key of its own its triggers' checks don't wait for those of others. */
	async account(key = this.service.addKey(), url = this.gate.url): Promise<string> {
		const { keys } = this.service;
		return (await accountOf(this.n8n, { url, keys }, key)).socialPublishingApi;
	}

	/** Puts another key into a credential, as a person does. */
	async setKey(id: string, key: string): Promise<void> {
		const data = credentialFor(this.gate, key);
		const type = 'socialPublishingApi';
		await this.n8n.rest('PATCH', `/credentials/${id}`, { name: 'An account', type, data });
	}

	/** Our trigger for events of a type, with the sink behind it. */
	workflow(name: string, type: string, settings?: TriggerOptions['settings']): Workflow {
		return ours([this.sink.tell()], { name, events: [type], options: this.options, settings });
	}

	/** Saves a workflow of our trigger, and doesn't publish it. */
	async keep(workflow: Workflow, credential = this.credential): Promise<Ours> {
		const id = await this.save(workflow, { socialPublishingApi: credential });
		const [type] = workflow.nodes[0].parameters.events;
		return { id, hook: hookOf(workflow), type, credential };
	}

	/** Saves any workflow; its ID. */
	readonly save = async (workflow: Workflow, credentials = this.credentials): Promise<string> => {
		const id = await this.n8n.createWorkflow(workflow, credentials);
		this.saved.add(id);
		return id;
	};

	async publish(workflow: Workflow, credential?: string): Promise<Ours & { receiver: Webhook }> {
		const one = await this.keep(workflow, credential);
		await this.start(one);
		return { ...one, receiver: await poll('the subscription', () => this.subscriptions(one)[0]) };
	}

	async start({ id }: { id: string }): Promise<void> {
		await this.n8n.activate(id);
		await this.settled(id, 'published');
	}

	async unpublish({ id }: { id: string }): Promise<void> {
		await this.n8n.deactivate(id);
		await this.settled(id, 'not_published');
	}

	async remove({ id }: { id: string }): Promise<void> {
		this.saved.delete(id);
		await this.n8n.deleteWorkflow(id);
	}

	/** Changes the trigger as the editor saves it, and publishes it again. */
	async change({ id }: { id: string }, change: (trigger: any) => void): Promise<void> {
		const { nodes, connections, settings, versionId, name } = await this.n8n.rest('GET', `/workflows/${id}`);
		change(nodes[0]);
		await this.n8n.rest('PATCH', `/workflows/${id}`, { name, nodes, connections, settings, versionId });
		await this.start({ id });
	}

	/** n8n goes on with publishing after it has answered: it subscribes, and stores the secret after that. */
	async settled(id: string, wanted: 'published' | 'failed' | 'not_published'): Promise<any> {
		// Before 2.40, n8n answers when it has subscribed, and stores the secret a moment later.
		if (this.n8n.version.localeCompare('2.40.0', 'en', { numeric: true }) < 0) return await pause(1000);
		return await poll(
			`the workflow to be ${wanted}`,
			async () => await this.n8n.rest('GET', `/workflows/${id}/publication-status`),
			({ status }) => status === wanted,
		);
	}

	subscriptions({ hook }: { hook: string }): Webhook[] {
		return [...this.service.store.webhooks.values()].filter(({ url }) => url.includes(hook));
	}

	async arrived(event: string, times = 1): Promise<void> {
		const look = () => ({
			arrivals: this.sink.times(event),
			deliveries: this.service.deliveries
				.history()
				.filter(({ event_id }) => event_id === event)
				.map(({ webhook_id, status, log }) => ({ webhook_id, status, log })),
		});
		await poll(`event ${event} behind the trigger`, look, ({ arrivals }) => arrivals >= times);
	}

	/** What has to be so after every case: exactly one subscription, and an event arrives once. */
	async works(one: Ours): Promise<Webhook> {
		expect(this.subscriptions(one)).toHaveLength(1);
		const event = emit(this.service, one.type);
		await this.arrived(event);
		await this.service.deliveries.idle();
		expect(this.sink.times(event)).toBe(1);
		return this.subscriptions(one)[0]!;
	}

	/** One active subscription that fits, at most a check later: checks come once a minute. */
	async one(of: Ours, fits: (webhook: Webhook) => boolean = ({ status }) => status === 'active') {
		const look = () => this.subscriptions(of);
		const [found] = await poll(
			'exactly one subscription that fits',
			look,
			(all) => all.length === 1 && fits(all[0]!),
		);
		return found!;
	}
}
