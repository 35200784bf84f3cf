import { mapValues, omit } from 'lodash';
import { sleep, type IDataObject, type IHttpRequestOptions } from 'n8n-workflow';
import { EventEmitter } from 'node:events';

import { authenticated } from '../../../nodes/api/address';
import { SocialPublishingTrigger } from '../../../nodes/SocialPublishingTrigger/SocialPublishingTrigger.node';
import { signed, timestampAt } from '../../support/signing';

/** A service and an n8n in memory, as far as the trigger sees them: for tests of what the service has and n8n gets. */

export interface Hook {
	id: string;
	url: string;
	events: string[];
	status: string;
	secret: string;
	description: string;
	workspace?: string;
	/** The address as it was asked for. */
	madeFor?: string;
	madeAt?: number;
}

export interface Sent {
	method: string;
	path: string;
	qs: IDataObject;
	body: IDataObject;
	workspace?: string;
	idempotencyKey?: string;
	by?: FakeN8n;
}

export interface Reply {
	statusCode: number;
	headers: IDataObject;
	body: unknown;
}

export const ok = (data: unknown, statusCode = 200): Reply => ({
	statusCode,
	headers: {},
	body: { success: true, data, request_id: 'r' },
});
export const refused = (
	statusCode: number,
	code: string,
	{ headers = {}, message = 'The service says no', request_id = 'r' } = {},
): Reply => ({ statusCode, headers, body: { success: false, error: { code, message }, request_id } });
const broken = (): never => {
	throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
};

/** How a request goes wrong; `act` does what it asks for. */
export type Fault = (act: () => Reply) => Reply | Promise<Reply>;

export const faults = {
	'a dropped connection': broken,
	'a dropped connection after acting': (act) => (act(), broken()),
	'a 500': () => refused(500, 'PUBLIC_API_CONTEXT_ERROR'),
	'a 500 after acting': (act) => (act(), refused(500, 'PUBLIC_API_WEBHOOK_CREATE_FAILED')),
	'a 500 for good after acting': (act) => (act(), refused(500, 'PUBLIC_API_INTERNAL_ERROR')),
	'a rate limit': () => refused(429, 'PUBLIC_API_RATE_LIMITED', { headers: { 'retry-after': '1' } }),
	'a 502 without an envelope': () => ({ statusCode: 502, headers: {}, body: 'Bad gateway' }),
	'malformed JSON': (act) => (act(), { statusCode: 200, headers: {}, body: '{"success":tr' }),
	'an empty answer': () => ({ statusCode: 200, headers: {}, body: '' }),
	'a forbidden scope': () => refused(403, 'PUBLIC_API_SCOPE_FORBIDDEN'),
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;

/** A secret that the service made, once it updates a subscription: repeated, kept without a word, or another one. */
export type Updates = 'repeats' | 'keeps' | 'changes';

export const isYounger = ({ madeAt = -Infinity }: Hook, ms: number): boolean =>
	performance.now() - madeAt < ms;

/** How long the trigger waits until it is subscribed. */
const PATIENCE_MS = 30_000;

let services = 0;

export class FakeService {
	hooks: Hook[] = [];
	/** Deliveries as the service lists them, each with `webhook_id` and `status`. */
	deliveries: IDataObject[] = [];
	posts: IDataObject[] = [];
	accounts: IDataObject[] = [];
	key = 'example-key-0';
	baseUrl = `https://api-${++services}.example.com`;
	/** How it shows its subscriptions. */
	list: (hooks: Array<Omit<Hook, 'secret'>>) => unknown = (webhooks) => ({ webhooks });
	rewrite: (hook: Hook) => Partial<Hook> = () => ({});
	newId = (made: number): string => `wh_${made}`;
	created: (hook: Hook) => unknown = (webhook) => ({ webhook });
	/** How long it takes until a new one is in the list. */
	lagMs = 0;
	/** How long it lists a new one as not active. */
	inactiveMs = 0;
	/** Whether it takes a secret that the caller offers; if not, whether it says so. */
	takesSecret = true;
	ignoresSecret = false;
	/** Whether it answers for an address that it knows by updating what is there, and what it then does with its own secret. */
	updates: Updates | undefined;
	/** How it writes a subscription and a delivery in its lists. */
	writes = {
		hook: (hook: Omit<Hook, 'secret'>): unknown => hook,
		delivery: (one: IDataObject): unknown => one,
	};
	readonly sent: Sent[] = [];
	/** The secrets of subscriptions whose answer arrived. */
	readonly told = new Set<string>();
	/** Those that a list has shown by their ID, to the n8n that they deliver to. */
	readonly shown = new WeakSet<Hook>();
	/** … as active. */
	readonly shownActive = new WeakSet<Hook>();
	/** What was deleted, and the address of the n8n that did it. */
	readonly deleted: Array<{ hook: Hook; url?: string }> = [];
	fault: (sent: Sent) => Fault | undefined = () => undefined;
	before: (sent: Sent) => Promise<void> | void = () => undefined;
	private made = 0;
	/** The one whose secret the last answer has. */
	private answered?: Hook;
	private lastMade?: Hook;
	private readonly everMade = new Set<string>();

	/** The next `times` requests that fit go wrong. */
	fail(how: FaultName | Fault, method = '', path = /./, times = Infinity): void {
		let left = times;
		const fault = typeof how === 'string' ? faults[how] : how;
		this.fault = (sent) =>
			sent.method.startsWith(method) && path.test(sent.path) && left-- > 0 ? fault : undefined;
	}

	/** Answers so many requests a minute, and says in each how many are left (spec, "Rate limits"). */
	limit(most: number): void {
		let [used, endsAt] = [0, -Infinity];
		this.fault = () => async (act) => {
			// As long as an answer takes: those that wait for the next minute go on at the same time.
			await sleep(20);
			const now = performance.now();
			if (now >= endsAt) [used, endsAt] = [0, now + 60_000];
			const reset = Math.ceil((endsAt - now) / 1000);
			const remaining = Math.max(0, most - ++used);
			const said = {
				'x-ratelimit-limit': most,
				'x-ratelimit-remaining': remaining,
				'x-ratelimit-reset': reset,
			};
			const headers = mapValues(said, String);
			if (used <= most) return { ...act(), headers };
			const more = { 'retry-after': String(reset) };
			return refused(429, 'PUBLIC_API_RATE_LIMITED', { headers: { ...headers, ...more } });
		};
	}

	heal(): void {
		this.fault = () => undefined;
	}

	get ids(): string[] {
		return this.hooks.map(({ id }) => id);
	}

	asked(path = /./): string[] {
		return this.sent.filter((one) => path.test(one.path)).map((one) => `${one.method} ${one.path}`);
	}

	record(status: string, more: IDataObject): IDataObject {
		const delivery = { webhook_id: this.hooks[0]!.id, status, attempts: 3, ...more };
		this.deliveries.push(delivery);
		return delivery;
	}

	/** Of lists, and how they say that there is more. */
	pageSize = 1_000_000;
	/** Whether it knows the deliveries of a subscription that is gone. */
	keepsHistory = false;
	more: () => IDataObject = () => ({ pagination: { hasNext: true } });

	/** The key's own workspace, which no header means, too. */
	ownWorkspace?: string;

	async answer(
		{ method, url, body, qs, headers }: IHttpRequestOptions,
		key: string,
		by?: FakeN8n,
	): Promise<Reply> {
		const sent: Sent = {
			method: method!,
			path: url.slice(`${this.baseUrl}/v1`.length),
			qs: qs ?? {},
			body: body as IDataObject,
			workspace: headers!['x-service-workspace-id'] as string | undefined,
			idempotencyKey: headers!['idempotency-key'] as string | undefined,
			...(by ? { by } : {}),
		};
		this.sent.push(sent);
		const sentAt = performance.now();
		await this.before(sent);
		const act = () => (key === this.key ? this.act(sent) : refused(401, 'PUBLIC_API_KEY_INVALID'));
		const fault = this.fault(sent);
		if (fault) return fault(act);
		const reply = act();
		if (sent.method === 'GET' && sent.path === '/webhooks') this.show(JSON.stringify(reply.body), by?.url);
		// Later, nobody waits for it.
		if (reply.statusCode !== 201 || performance.now() - sentAt > PATIENCE_MS) return reply;
		if (this.answered) this.told.add(this.answered.secret);
		if (by) by.lastAnswered = this.lastMade?.id;
		return reply;
	}

	private show(list: string, url = ''): void {
		const own = this.hooks.filter(({ madeFor }) => madeFor === url);
		for (const one of own.filter(({ id }) => new RegExp(`"id":"?${id}\\b`).test(list))) {
			this.shown.add(one);
			if (!isYounger(one, this.inactiveMs)) this.shownActive.add(one);
		}
	}

	private act({ method, path, qs, body, by, workspace = this.ownWorkspace }: Sent): Reply {
		const [, resource, id, part] = path.split('/').map(decodeURIComponent);
		if (resource === 'accounts') return ok({ accounts: this.accounts });
		if (resource === 'posts') {
			const post = this.posts.find((one) => one.id === id);
			if (!id) return ok({ items: this.posts.filter(({ status }) => status === qs.status) });
			return post ? ok(post) : refused(404, 'PUBLIC_API_POST_NOT_FOUND');
		}
		// A webhook of another workspace is not there.
		const here = this.hooks.filter((one) => one.workspace === workspace);
		const hook = here.find((one) => one.id === id);
		const isHistory = part === 'deliveries' && this.keepsHistory && this.everMade.has(id!);
		const isKnown = hook !== undefined || isHistory;
		if (id && !isKnown) return refused(404, 'PUBLIC_API_WEBHOOK_NOT_FOUND');
		const end = Number(qs?.page ?? 1) * this.pageSize;
		const page = <T>(all: T[]) => all.slice(end - this.pageSize, end);
		const more = (all: unknown[]) => (end < all.length ? this.more() : {});
		if (part === 'deliveries') {
			const all = this.deliveries.filter((one) => one.webhook_id === id && one.status === qs.status);
			return ok({ deliveries: page(all).map(this.writes.delivery), ...more(all) });
		}
		if (method === 'GET') {
			const listed = here.filter((one) => !isYounger(one, this.lagMs));
			const written = page(listed).map((one) => {
				const status = isYounger(one, this.inactiveMs) ? 'disabled' : one.status;
				return this.writes.hook({ ...omit(one, 'secret'), status }) as Hook;
			});
			const shown = this.list(written);
			if (!shown || end >= listed.length) return ok(shown);
			return ok({ ...(Array.isArray(shown) ? { webhooks: shown } : shown), ...more(listed) });
		}
		if (method === 'DELETE') {
			this.deleted.push({ hook: hook!, url: by?.url });
			this.hooks = this.hooks.filter((one) => one !== hook);
			return { statusCode: 204, headers: {}, body: '' };
		}
		const { takesSecret, ignoresSecret } = this;
		if (body.secret && !takesSecret && !ignoresSecret) return refused(400, 'PUBLIC_API_BODY_INVALID');
		const { url, events, description } = body as unknown as Hook;
		const made = ++this.made;
		const there = this.updates && here.find(({ madeFor }) => madeFor === url);
		const isKept = there && this.updates !== 'changes';
		const own = isKept ? there.secret : `made by the service ${made}`;
		const secret = String((takesSecret && body.secret) || own);
		const newId = there?.id ?? this.newId(made);
		const asked = { id: newId, url, events, status: 'active', secret, description, workspace };
		const one: Hook = Object.assign(there ?? {}, asked, this.rewrite(asked));
		this.answered = there && this.updates === 'keeps' ? undefined : one;
		this.lastMade = one;
		// Answered as new: what lists have shown of it before is of no account.
		for (const shown of [this.shown, this.shownActive]) shown.delete(one);
		if (there) return ok(this.created(this.answered ?? (omit(one, 'secret') as Hook)), 201);
		Object.defineProperty(one, 'madeFor', { value: url, enumerable: false });
		Object.defineProperty(one, 'madeAt', { value: performance.now(), enumerable: false });
		this.hooks.push(one);
		this.everMade.add(one.id);
		return ok(this.created(one), 201);
	}
}

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
	readonly emitted: Array<{ items: IDataObject[] }> = [];
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

	private emit([items]: any, _response: unknown, done: any): void {
		if (this.isEngine2 && done) return done.reject(new Error('Engine 2.0 cannot run a trigger that waits'));
		const events = items.map(({ json }: any) => json);
		this.emitted.push({ items: events });
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
