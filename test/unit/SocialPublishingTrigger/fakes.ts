import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';
import { EventEmitter } from 'node:events';

import { authenticated } from '../../../nodes/api/address';
import { SocialPublishingTrigger } from '../../../nodes/SocialPublishingTrigger/SocialPublishingTrigger.node';
import { signed, timestampAt } from '../../support/signing';
import { FakeService } from './fakeService';

export * from './fakeService';

/** An n8n in memory, as far as the trigger sees it, beside the service: for tests of what the service has and n8n gets. */

const node = new SocialPublishingTrigger();
let nodes = 0;

/** n8n with one workflow with one trigger: what n8n keeps, and its calls. */
export class FakeN8n {
	staticData: any = {};
	testData: any = {};
	key: any;
	parameters: IDataObject = { events: ['post.published', 'post.failed'], includePost: false, options: {} };
	url = 'https://n8n.example.com/webhook/a/webhook';
	workflowName: string | undefined = 'A workflow';
	credentialFailure?: Error;
	credentialReads = 0;
	/** Whether `saveFailedExecution` is missing, as in n8n 1. */
	isOld = false;
	/** Whether the workflow is set to Engine 2.0, which takes no trigger that waits for the execution (n8n 2.41). */
	isEngine2 = false;
	/** The ID of the subscription that the last answer to this n8n named. */
	lastAnswered?: string;
	readonly logged: Array<{ level: string; message: string; meta?: any }> = [];
	readonly emitted: Array<{ items: IDataObject[]; key: string }> = [];
	readonly failedExecutions: Error[] = [];
	readonly executions: IDataObject[][] = [];
	readonly behind: IDataObject[] = [];
	processed: string[] = [];
	/** n8n's answer to a delivery that the trigger accepted; `undefined`: the connection is cut before it. */
	answerWith: (event: IDataObject) => number | undefined | Promise<number | undefined> = () => 200;
	executionFailure?: Error;
	cron?: { expression: string; tick: () => Promise<void> };
	readonly nodeId = `node ${++nodes}`;
	private process = 1;
	private close?: () => Promise<void>;
	private readonly running: Array<Promise<unknown>> = [];

	workspaceId = '';

	constructor(public service: FakeService) {
		this.key = service.key;
	}

	context(mode: string, more: object = {}): any {
		const write = (level: string) => (message: string, meta?: unknown) =>
			this.logged.push({ level, message, meta });
		return {
			getNode: () => ({ id: this.nodeId, name: 'Trigger', typeVersion: 2, type: 't', parameters: {} }),
			// What a process remembers goes by workflow and node: another process knows the workflow by another name.
			getWorkflow: () => this.workflow(mode !== 'manual'),
			// n8n 2.0 has no such method.
			...(this.isEngine2 ? { getWorkflowSettings: () => ({ engineType: 'v2' }) } : {}),
			getMode: () => mode,
			getNodeParameter: (name: string, ...rest: unknown[]) => this.parameters[name] ?? rest.at(-1),
			getNodeWebhookUrl: (name: string) => (name === 'default' ? this.urlIn(mode) : undefined),
			getCredentials: async () => {
				this.credentialReads++;
				if (this.credentialFailure) throw this.credentialFailure;
				return this.credential;
			},
			getWorkflowStaticData: (type: string) => (type === 'node' ? this.load(mode === 'manual') : {}),
			logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') },
			...more,
			helpers: {
				httpRequestWithAuthentication: async (_: string, options: IHttpRequestOptions) =>
					await this.service.answer(authenticated(this.credential, options), this.key, this),
				...(more as any).helpers,
			},
		};
	}

	private workflow(active: boolean): object {
		return { id: `workflow in process ${this.process}`, name: this.workflowName, active };
	}

	private get credential(): IDataObject {
		const { baseUrl } = this.service;
		return { apiKey: this.key, baseUrl, apiPath: '/v1', workspaceId: this.workspaceId };
	}

	private readonly urlIn = (mode: string): string =>
		mode === 'manual' ? this.url.replace('/webhook/', '/webhook-test/') : this.url;

	get warnings(): string[] {
		return this.logged.filter(({ level }) => level === 'warn').map(({ message }) => message);
	}

	/** A life-cycle call; what it changes in static data is kept unless it throws. */
	async hook(
		name: 'checkExists' | 'create' | 'remove',
		{ activation = 'activate', test = false, data = this.load(test) } = {},
	): Promise<boolean> {
		const more = {
			getActivationMode: () => activation,
			getWorkflowStaticData: (type: string) => (type === 'node' ? data : {}),
		};
		const { checkExists, create, delete: remove } = node.webhookMethods.default;
		const call = { checkExists, create, remove }[name];
		const getNodeWebhookUrl = () => this.urlIn(test ? 'manual' : 'trigger');
		// n8n says `internal` at the end of a test, too.
		const mode = name === 'remove' ? 'internal' : test ? 'manual' : 'trigger';
		const ofTest = { getNodeWebhookUrl, getWorkflow: () => this.workflow(!test) };
		const answer = await through(call.call(this.context(mode, { ...more, ...ofTest })));
		this[test ? 'testData' : 'staticData'] = structuredClone(data);
		return answer;
	}

	private readonly load = (test = false): IDataObject =>
		structuredClone(test ? this.testData : this.staticData);

	/**
	 * As n8n 2.40 and later publishes: with the workflow as loaded once, up to five tries, `delete` after each that failed.
	 * @returns the tries whose `delete` failed, too: n8n then keeps the address, and publishing again does nothing
	 */
	async publish({ activation = 'activate', tries = 5 } = {}): Promise<number> {
		const data = this.load();
		let stuck = 0;
		for (let attempt = 1; ; attempt++)
			try {
				if (!(await this.hook('checkExists', { activation, data })))
					await this.hook('create', { activation, data });
				return stuck;
			} catch (error) {
				await this.hook('remove', { activation: 'update', data }).catch(() => stuck++);
				if (attempt === tries) throw Object.assign(error as Error, { stuck });
			}
	}

	async unpublish(): Promise<void> {
		for (let attempt = 1; ; attempt++)
			try {
				return void (await this.hook('remove', { activation: 'update' }));
			} catch (error) {
				if (attempt === 3) throw error;
			}
	}

	/** n8n calls `trigger`: when it publishes, and as it starts. */
	async start(activation = 'init', mode = 'trigger'): Promise<object> {
		await this.close?.();
		this.close = undefined;
		const response = await node.trigger.call(
			this.context(mode, {
				getActivationMode: () => activation,
				emit: this.emit.bind(this),
				...(this.isOld
					? {}
					: { saveFailedExecution: (error: Error) => void this.failedExecutions.push(error) }),
				helpers: {
					createDeferredPromise: deferred,
					registerCron: ({ expression }: { expression: string }, tick: () => Promise<void>) =>
						(this.cron = { expression, tick }),
				},
			}),
		);
		this.close = response.closeFunction;
		return response;
	}

	forget(): void {
		this.process++;
	}

	loseData(): void {
		this.forget();
		this.staticData = {};
	}

	/** As n8n starts: asks, subscribes where there is none, then `trigger`. */
	async restart(): Promise<void> {
		this.forget();
		await this.publish({ activation: 'init' });
		await this.start();
	}

	async stop(): Promise<void> {
		await this.close?.();
	}

	/** n8n's clock asks, by default when the next check is due. */
	async check(after = 16 * MINUTE): Promise<void> {
		await jest.advanceTimersByTimeAsync(after);
		await through(this.cron!.tick());
		await through(this.idle());
	}

	async checks(times: number): Promise<void> {
		for (let i = 0; i < times; i++) await this.check();
	}

	async goLive(options?: IDataObject): Promise<void> {
		if (options) this.parameters.options = options;
		await this.publish();
		await this.start('activate');
	}

	async idle(): Promise<void> {
		while (this.running.length > 0) await this.running.shift();
	}

	private emit([items]: any, _response: unknown, done: any, key: string): void {
		if (this.isEngine2 && done) return done.reject(new Error('Engine 2.0 cannot run a trigger that waits'));
		// The key is unique among n8n's executions.
		if (this.emitted.some((one) => one.key === key)) return done?.resolve(undefined);
		const events = items.map(({ json }: any) => json);
		this.emitted.push({ items: events, key });
		const execution = this.executionFailure
			? Promise.reject(this.executionFailure)
			: this.execute(events, { mode: 'trigger', executionId: `caught up ${this.emitted.length}` });
		this.running.push(
			execution.then(
				() => done?.resolve({}),
				(error) => done?.reject(error),
			),
		);
	}

	/** An execution of these items; what comes out behind the trigger. */
	async execute(items: IDataObject[], { mode = 'webhook', executionId = '1' } = {}): Promise<IDataObject[]> {
		const json = (await this.run(items, { mode, executionId })).map((item) => item.json);
		this.behind.push(...json);
		return json;
	}

	async run(items: IDataObject[], { mode = 'webhook', executionId = '1' } = {}) {
		const [output] = await node.execute.call(
			this.context(mode, {
				getInputData: () => items.map((json) => ({ json })),
				getExecutionId: () => executionId,
				helpers: {
					checkProcessedAndRecord: async (values: string[], scope: string, { maxEntries }: any) =>
						await this.addProcessed(scope === 'node' ? values : [], maxEntries),
				},
			}),
		);
		return output!;
	}

	/** n8n's list reads, then writes. */
	async addProcessed(values: string[], maxEntries: number): Promise<{ new: string[] }> {
		const added = values.filter((value) => !this.processed.includes(value));
		this.processed = [...this.processed, ...added].slice(-maxEntries);
		return { new: added };
	}

	/** A delivery of an event, signed with a secret; of what the service has by default. */
	async deliver(
		event: unknown,
		{ secret = this.service.hooks[0]?.secret ?? '', mode = 'webhook', at = Date.now() } = {},
	): Promise<{ status: number; body: any; headers: any }> {
		const { body, signature, timestamp } = signed(JSON.stringify(event), timestampAt(at), secret);
		const headers = { 'x-service-signature': signature, 'x-service-timestamp': timestamp };
		return await this.receive({ rawBody: body, headers }, { mode });
	}

	/** A request to the node's address, n8n's answer, and the execution where the trigger accepts it. */
	async receive(request: object, { mode = 'webhook', response = new Response() } = {}) {
		const { workflowData, noWebhookResponse } = await through(
			node.webhook.call(
				this.context(mode, {
					getRequestObject: () => request,
					getResponseObject: () => response,
				}),
			),
		);
		if (workflowData) {
			const items = workflowData[0]!.map(({ json }) => json);
			this.executions.push(items);
			const status = await this.answerWith(items[0]!);
			response.end(status);
			if (status === 200)
				await through(this.execute(items, { mode, executionId: `${this.executions.length}` }));
		} else if (!noWebhookResponse) throw new Error('n8n answers with what the trigger does not expect');
		return response.answer;
	}
}

function deferred(): object {
	const parts: any = {};
	parts.promise = new Promise((resolve, reject) => Object.assign(parts, { resolve, reject }));
	return parts;
}

/** What the trigger uses of express' response. */
export class Response extends EventEmitter {
	statusCode = 200;
	writableFinished = false;
	closed = false;
	readonly answer: { status: number; body: any; headers: any } = { status: 0, body: undefined, headers: {} };

	set(headers: object): this {
		Object.assign(this.answer.headers, headers);
		return this;
	}

	status(status: number): this {
		this.statusCode = status;
		return this;
	}

	json(body: unknown): void {
		this.answer.body = body;
		this.end(this.statusCode);
	}

	/** The answer goes out; undefined: the connection is cut first. */
	end(status: number | undefined): void {
		this.statusCode = status ?? this.statusCode;
		this.answer.status = status ?? 0;
		this.writableFinished = status !== undefined;
		this.closed = true;
		this.emit('close');
	}
}

/** Moves the test's clock until `work` has ended, and no further. */
export async function through<T>(work: Promise<T>): Promise<T> {
	let over = false;
	const ended = work.finally(() => (over = true));
	ended.catch(() => undefined);
	while (!over) {
		await jest.advanceTimersByTimeAsync(0);
		if (!over) await jest.advanceTimersToNextTimerAsync();
	}
	return await ended;
}

/** Those of the test that runs, see {@link anewForEachTest}. */
export let service: FakeService;
export let n8n: FakeN8n;

/** Noon, a service and an n8n: for each test new ones. */
export function anewForEachTest(prepare: () => Promise<unknown> = async () => undefined): void {
	beforeEach(async () => {
		jest.useFakeTimers({ now: NOON });
		service = new FakeService();
		n8n = new FakeN8n(service);
		await prepare();
	});
	afterEach(() => jest.useRealTimers());
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const NOON = Date.parse('2026-11-20T12:00:00Z');

let events = 0;

export const newEvent = (more: IDataObject = {}): IDataObject & { id: string } => ({
	id: `evt_${++events}`,
	type: 'post.published',
	occurred_at: '2026-11-20T09:00:00Z',
	workspace_id: 'ws_1',
	brand_id: 'br_1',
	data: { post_id: `p_${events}`, status: 'completed' },
	...more,
});

/** An event comes through: signed with the secret of the subscription at the address of that n8n. */
export async function works(
	one = n8n,
	{ secret } = one.service.hooks.find(({ url }) => url === one.url)!,
): Promise<void> {
	const event = newEvent({ type: 'post.failed' });
	expect(await one.deliver(event, { secret })).toMatchObject({ status: 200 });
	expect(one.behind).toContainEqual(event);
}
