import {
	DataDeduplicationService,
	ExecuteContext,
	HookContext,
	TriggerContext,
	WebhookContext,
} from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { createEmptyRunExecutionData, Workflow } from 'n8n-workflow';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { credentialsHelper, load, nodeTypes } from './package';

/** The built trigger in n8n-core's real contexts of a trigger. `npm run build` first. */

/** The trigger's type version. */
export const TRIGGER_VERSION = 2;

/** n8n's table `processed_data`, in memory, with its way of reading and writing. */
export class ProcessedData {
	readonly rows = new Map<string, string[]>();
	/** Thrown by the next so many calls. */
	failures = 0;

	async checkProcessedAndRecord(items: string[], _scope: string, { node }: any, { maxEntries }: any) {
		if (this.failures > 0) {
			this.failures--;
			throw new Error('the database is away');
		}
		const list = this.rows.get(node.id) ?? [];
		const added = items.filter((item) => !list.includes(item));
		this.rows.set(node.id, [...list, ...added].slice(-maxEntries));
		return { new: added, processed: items.filter((item) => !added.includes(item)) };
	}
}

export const processedData = new ProcessedData();
let deduplicating: Promise<void> | undefined;

export interface InstanceOptions {
	credential: IDataObject;
	parameters?: IDataObject;
	/** Where this n8n says that it is. */
	webhookBaseUrl?: string;
}

export interface Logged {
	level: string;
	message: string;
	meta: unknown;
}

let nodes = 0;

/** One workflow with one trigger in one n8n: what n8n keeps of it, and n8n's calls. */
export class Instance {
	/** What n8n has in its database. */
	staticData: IDataObject = {};
	readonly logged: Logged[] = [];
	credential: IDataObject;
	parameters: IDataObject;
	/** JSON of every item that came out behind the trigger. */
	readonly behind: IDataObject[] = [];
	/** Executions that n8n started, in order. */
	readonly executions: Array<{ id: string; items: IDataObject[] }> = [];
	/** What n8n does with a delivery that the trigger accepted. */
	afterAccept: (respond: (status: number) => void, event: IDataObject) => Promise<void> = async (respond) =>
		respond(200);
	webhookBaseUrl: string;
	readonly webhookId: string;
	readonly nodeId: string;
	/** What the trigger's monitor asked n8n for: its clock and its executions. */
	readonly ticks: Array<() => unknown> = [];
	readonly emitted: Array<{ items: IDataObject[]; key?: string }> = [];
	private process = 1;
	private closeTrigger?: () => Promise<void>;
	private readonly running = new Set<Promise<unknown>>();
	private server!: Server;

	constructor({ credential, parameters = {}, webhookBaseUrl = '' }: InstanceOptions) {
		this.credential = credential;
		this.parameters = {
			events: ['post.published', 'post.failed'],
			includePost: false,
			options: {},
			...parameters,
		};
		this.webhookBaseUrl = webhookBaseUrl;
		nodes++;
		this.webhookId = `hook-${process.pid}-${nodes}`;
		this.nodeId = `node-${nodes}`;
	}

	static async start(options: InstanceOptions): Promise<Instance> {
		await load();
		await (deduplicating ??= DataDeduplicationService.init(processedData as any));
		const instance = new Instance(options);
		await instance.listen();
		return instance;
	}

	/** The address that the service delivers to. */
	get url(): string {
		return `${this.webhookBaseUrl}/${this.webhookId}/webhook`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	/** A life-cycle call; static data is kept as n8n keeps it: only where the call did not throw. */
	async hook(
		name: 'checkExists' | 'create' | 'delete',
		{ activation = 'activate', workflow = this.workflow() } = {},
	): Promise<boolean> {
		const webhookData: any = { isTest: false, webhookDescription: this.type.description.webhooks[0] };
		const context: any = new HookContext(
			workflow,
			workflow.getNode('Trigger')!,
			this.additionalData(),
			'trigger',
			activation as any,
			webhookData,
		);
		this.catchLog(context);
		const answer = await this.type.webhookMethods.default[name].call(context);
		this.staticData = JSON.parse(JSON.stringify(workflow.staticData));
		return answer;
	}

	/** What n8n's canvas shows below the node's name. */
	get subtitle(): unknown {
		const workflow = this.workflow();
		const { subtitle } = this.type.description;
		return workflow.expression.getSimpleParameterValue(
			workflow.getNode('Trigger')!,
			subtitle,
			'internal',
			{},
		);
	}

	/** As n8n starts (or publishes): the life-cycle calls, and `trigger`, whose ticks and emits are kept. */
	async startTrigger(activation: 'init' | 'activate' = 'init'): Promise<any> {
		const workflow = this.workflow();
		const emit = (data: any, _response: unknown, done: any, key?: string) => {
			const items = data[0].map(({ json }: any) => json);
			// The key is unique among n8n's executions.
			if (key !== undefined && this.emitted.some((one) => one.key === key)) return done?.resolve(undefined);
			this.emitted.push({ items, ...(key === undefined ? {} : { key }) });
			const executionId = `recovered-${this.emitted.length}`;
			const execution = this.execute(items, { mode: 'trigger', executionId })
				.then((out) => this.behind.push(...out.map(({ json }) => json)))
				.then(
					() => done?.resolve({ status: 'success' }),
					(error) => done?.reject(error),
				);
			this.follow(execution);
		};
		const context: any = new TriggerContext(
			workflow,
			workflow.getNode('Trigger')!,
			this.additionalData(),
			'trigger',
			activation,
			emit as any,
			(() => undefined) as any,
			(() => undefined) as any,
			{ registerCron: (_cron: unknown, onTick: () => unknown) => void this.ticks.push(onTick) } as any,
		);
		this.catchLog(context);
		const response = await this.type.trigger.call(context);
		this.closeTrigger = response.closeFunction;
		return response;
	}

	/** Resolves when no delivery is being handled and no execution runs. */
	async idle(): Promise<void> {
		while (this.running.size > 0) await Promise.all(this.running);
	}

	private follow(work: Promise<unknown>): void {
		this.running.add(work);
		void work.finally(() => this.running.delete(work));
	}

	/** Another process, which knows nothing of this one: what a process remembers goes by workflow and node. */
	forget(): void {
		this.process++;
	}

	/** A start of n8n as 1.123 and 2.20 do it: asks, subscribes where there is none, then `trigger`. */
	async restart(): Promise<void> {
		await this.closeTrigger?.();
		if (!(await this.hook('checkExists', { activation: 'init' })))
			await this.hook('create', { activation: 'init' });
		await this.startTrigger('init');
	}

	/** As n8n publishes: asks, and subscribes where there is none. */
	async publish(): Promise<void> {
		if (!(await this.hook('checkExists'))) await this.hook('create');
	}

	/**
	 * As n8n 2.40 and later publishes: a workflow that it loads once, up to five tries, `delete` after each that failed.
	 * Where that fails, too, n8n keeps the address, and publishing again would do nothing.
	 */
	async publication(): Promise<void> {
		const workflow = this.workflow();
		for (let attempt = 1; ; attempt++) {
			try {
				if (!(await this.hook('checkExists', { workflow }))) await this.hook('create', { workflow });
				return;
			} catch (error) {
				await this.hook('delete', { workflow, activation: 'update' });
				if (attempt === 5) throw error;
			}
		}
	}

	async unpublish(): Promise<void> {
		await this.hook('delete', { activation: 'update' });
	}

	/** Runs the trigger's `execute` as an execution does. */
	async execute(items: IDataObject[], { mode = 'webhook', executionId = '1' } = {}): Promise<any[]> {
		const workflow = this.workflow();
		const node = workflow.getNode('Trigger')!;
		const input: any = { main: [items.map((json) => ({ json }))] };
		const context: any = new ExecuteContext(
			workflow,
			node,
			this.additionalData({ executionId }),
			mode as any,
			createEmptyRunExecutionData(),
			0,
			input.main[0],
			input,
			{ node, data: input, source: null } as any,
			[],
		);
		this.catchLog(context);
		const [out] = await this.type.execute.call(context);
		return out;
	}

	private get type(): any {
		return nodeTypes.getByNameAndVersion('socialPublishingTrigger', TRIGGER_VERSION);
	}

	private workflow(): Workflow {
		return new Workflow({
			id: `workflow in process ${this.process}`,
			name: 'A workflow',
			active: true,
			nodeTypes,
			staticData: JSON.parse(JSON.stringify(this.staticData)),
			nodes: [
				{
					id: this.nodeId,
					name: 'Trigger',
					type: 'n8n-nodes-social-publishing.socialPublishingTrigger',
					typeVersion: TRIGGER_VERSION,
					position: [0, 0],
					webhookId: this.webhookId,
					parameters: this.parameters,
					credentials: { socialPublishingApi: { id: '1', name: 'credential' } },
				},
			],
			connections: {},
		} as any);
	}

	private additionalData(more: object = {}): any {
		const base = this.webhookBaseUrl;
		return {
			instanceId: 'test-instance',
			variables: {},
			credentialsHelper: credentialsHelper(() => this.credential),
			restApiUrl: base,
			instanceBaseUrl: base,
			webhookBaseUrl: base,
			webhookTestBaseUrl: `${base}-test`,
			webhookWaitingBaseUrl: base,
			formWaitingBaseUrl: base,
			setExecutionStatus: () => undefined,
			...more,
		};
	}

	private catchLog(context: object): void {
		const write = (level: string) => (message: string, meta?: unknown) =>
			this.logged.push({ level, message, meta });
		const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
		Object.defineProperty(context, 'logger', { value: logger });
	}

	/** n8n's webhook server: raw body, the trigger's `webhook`, an execution for what it hands on. */
	private async listen(): Promise<void> {
		this.server = createServer((request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk) => chunks.push(chunk));
			request.on('end', () => {
				const body = Buffer.concat(chunks);
				Object.assign(request, { rawBody: body });
				Object.assign(response, {
					set: (more: Record<string, string>) => {
						for (const [name, value] of Object.entries(more)) response.setHeader(name, value);
						return response;
					},
					status: (status: number) => {
						response.statusCode = status;
						return response;
					},
					json: (value: unknown) =>
						response.setHeader('content-type', 'application/json').end(JSON.stringify(value)),
				});
				this.follow(this.receive(request, response));
			});
			request.on('error', () => undefined);
		});
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		this.webhookBaseUrl ||= `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/webhook`;
	}

	private async receive(request: any, response: any): Promise<void> {
		const workflow = this.workflow();
		const context: any = new WebhookContext(
			workflow,
			workflow.getNode('Trigger')!,
			this.additionalData({ httpRequest: request, httpResponse: response }),
			'webhook',
			{ isTest: false, webhookDescription: this.type.description.webhooks[0] } as any,
			[],
			null,
		);
		this.catchLog(context);
		let result: any;
		try {
			result = await this.type.webhook.call(context);
		} catch (error) {
			response.statusCode = 500;
			response.end(`threw: ${(error as Error).message}`);
			return;
		}
		if (!result.workflowData) {
			if (!result.noWebhookResponse) response.end('{}');
			return;
		}
		const items = result.workflowData[0].map(({ json }: any) => json);
		const id = String(this.executions.length + 1);
		this.executions.push({ id, items });
		await this.afterAccept((status) => {
			response.statusCode = status;
			response.end('{}');
		}, items[0]);
		if (response.statusCode !== 200) return;
		for (const { json } of await this.execute(items, { executionId: id })) this.behind.push(json);
	}
}
