import {
	DataDeduplicationService,
	ExecuteContext,
	HookContext,
	TriggerContext,
	WebhookContext,
} from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';
import { createEmptyRunExecutionData, IsolateError, Workflow } from 'n8n-workflow';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { credentialsHelper, load, nodeTypes } from './package';

/** The built trigger in n8n-core's real contexts of a trigger. `npm run build` first. */

/** n8n's table `processed_data`, in memory, with its way of reading and writing. */
const rows = new Map<string, string[]>();
const processedData = {
	async checkProcessedAndRecord(items: string[], _scope: string, { node }: any, { maxEntries }: any) {
		const list = rows.get(node.id) ?? [];
		const added = items.filter((item) => !list.includes(item));
		rows.set(node.id, [...list, ...added].slice(-maxEntries));
		return { new: added, processed: items.filter((item) => !added.includes(item)) };
	},
};
let deduplicating: Promise<void> | undefined;

let nodes = 0;

/** As in n8n 2.41, expressions have a sandbox only while n8n waits for a call of its own: not for what the node does later. */
async function inCall(context: any, method: (this: unknown) => Promise<any>): Promise<any> {
	try {
		return await method.call(context);
	} finally {
		context.workflow.expression.expression.renderExpression = () => {
			throw new IsolateError('No bridge acquired for this context. Call acquire() first.');
		};
	}
}

/** One workflow with one trigger in one n8n: what n8n keeps of it, and n8n's calls. */
export class Instance {
	/** What n8n has in its database. */
	staticData: IDataObject = {};
	readonly logged: Array<{ level: string; message: string; meta: unknown }> = [];
	parameters: IDataObject = { events: ['post.published', 'post.failed'], includePost: false, options: {} };
	/** JSON of every item that came out behind the trigger. */
	readonly behind: IDataObject[] = [];
	/** The items of each execution that a delivery started. */
	readonly executions: IDataObject[][] = [];
	/** n8n's answer to a delivery that the trigger accepted. */
	answerWith = 200;
	/** The address that the service delivers to. */
	url = '';
	/** What the trigger's monitor asked n8n for: its clock and its executions. */
	tick!: () => Promise<void>;
	readonly emitted: IDataObject[][] = [];
	/** How many requests came to its address. */
	received = 0;
	private process = 1;
	private readonly nodeId = `node-${++nodes}`;
	private readonly webhookId = `hook-${process.pid}-${nodes}`;
	private readonly running = new Set<Promise<unknown>>();
	private server!: Server;

	private constructor(public credential: IDataObject) {}

	static async start({ credential }: { credential: IDataObject }): Promise<Instance> {
		await load();
		await (deduplicating ??= DataDeduplicationService.init(processedData as any));
		const instance = new Instance(credential);
		await instance.listen();
		return instance;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	/** A life-cycle call; static data is kept as n8n keeps it: only where the call did not throw. */
	async hook(name: 'checkExists' | 'create' | 'delete'): Promise<boolean> {
		const how = name === 'delete' ? ['internal', 'update'] : ['trigger', 'activate'];
		const context = this.context(HookContext, {}, ...how, this.webhookData);
		const answer = await inCall(context, this.type.webhookMethods.default[name]);
		this.staticData = JSON.parse(JSON.stringify(context.workflow.staticData));
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

	/** n8n calls `trigger` as it publishes: its ticks and emits are kept. */
	async startTrigger(): Promise<void> {
		const emit = ([data]: any, _response: unknown, done: any) => {
			const items = data.map(({ json }: any) => json);
			this.emitted.push(items);
			const executionId = `recovered-${this.emitted.length}`;
			this.follow(
				this.execute(items, { mode: 'trigger', executionId }).then((out) => {
					this.behind.push(...out.map(({ json }) => json));
					done.resolve({ status: 'success' });
				}),
			);
		};
		const registerCron = (_cron: unknown, onTick: () => Promise<void>) => (this.tick = onTick);
		const scheduler = [() => undefined, () => undefined, { registerCron }];
		const context = this.context(TriggerContext, {}, 'trigger', 'activate', emit, ...scheduler);
		await inCall(context, this.type.trigger);
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

	/** A request with the credential, as n8n's HTTP Request node sends it. */
	async request(url: string): Promise<unknown> {
		const context = this.context(HookContext, {}, 'trigger', 'activate', this.webhookData);
		const { httpRequestWithAuthentication: send } = context.helpers;
		return await send.call(context, 'socialPublishingApi', { url });
	}

	/** As n8n publishes: asks, and subscribes where there is none. */
	async publish(): Promise<void> {
		if (!(await this.hook('checkExists'))) await this.hook('create');
	}

	async unpublish(): Promise<void> {
		await this.hook('delete');
	}

	/** Runs the trigger's `execute` as an execution does. */
	async execute(items: IDataObject[], { mode = 'webhook', executionId = '1' } = {}): Promise<any[]> {
		const main = [items.map((json) => ({ json }))];
		const context = this.context(
			ExecuteContext,
			{ executionId },
			mode,
			createEmptyRunExecutionData(),
			0,
			main[0],
			{ main },
			{ data: { main }, source: null },
			[],
		);
		const [out] = await inCall(context, this.type.execute);
		return out;
	}

	private get type(): any {
		return nodeTypes.getByNameAndVersion('socialPublishingTrigger', 2);
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
					typeVersion: 2,
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
		return {
			variables: {},
			credentialsHelper: credentialsHelper(() => this.credential),
			webhookBaseUrl: this.url.replace(`/${this.webhookId}/webhook`, ''),
			setExecutionStatus: () => undefined,
			...more,
		};
	}

	/** One of n8n-core's contexts, whose log is kept. */
	private context(Context: any, more: object, ...rest: unknown[]): any {
		const workflow = this.workflow();
		const context = new Context(workflow, workflow.getNode('Trigger'), this.additionalData(more), ...rest);
		const write = (level: string) => (message: string, meta?: unknown) =>
			this.logged.push({ level, message, meta });
		const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
		return Object.defineProperty(context, 'logger', { value: logger });
	}

	private get webhookData(): object {
		return { isTest: false, webhookDescription: this.type.description.webhooks[0] };
	}

	/** n8n's webhook server: raw body, the trigger's `webhook`, an execution for what it hands on. */
	private async listen(): Promise<void> {
		this.server = createServer((request, response) => {
			this.received++;
			Object.assign(response, {
				set: (more: object) => response.setHeaders(new Map(Object.entries(more))),
				status: (status: number) => Object.assign(response, { statusCode: status }),
				json: (value: unknown) => response.end(JSON.stringify(value)),
			});
			this.follow(
				buffer(request).then(
					async (rawBody) => await this.receive(Object.assign(request, { rawBody }), response),
				),
			);
		});
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		const { port } = this.server.address() as AddressInfo;
		this.url = `http://127.0.0.1:${port}/webhook/${this.webhookId}/webhook`;
	}

	private async receive(request: any, response: any): Promise<void> {
		const more = { httpRequest: request, httpResponse: response };
		const context = this.context(WebhookContext, more, 'webhook', this.webhookData, [], null);
		const result = await inCall(context, this.type.webhook);
		// The trigger has answered.
		if (!result.workflowData) return;
		const items = result.workflowData[0].map(({ json }: any) => json);
		this.executions.push(items);
		response.statusCode = this.answerWith;
		response.end('{}');
		if (this.answerWith !== 200) return;
		const executionId = String(this.executions.length);
		for (const { json } of await this.execute(items, { executionId })) this.behind.push(json);
	}
}
