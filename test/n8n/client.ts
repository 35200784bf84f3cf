import { parse } from 'flatted';
import { mapValues } from 'lodash';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

/** The longest a step may take in a real n8n, or in its editor, in ms. A wait ends with what it waits for. */
export const STEP_TIMEOUT_MS = 120_000;

/** A request to n8n, on a connection of its own: n8n closes idle ones after 5 s, also in the moment they are used again. */
export const request = async (url: string, options: RequestInit = {}): Promise<Response> =>
	await fetch(url, {
		...options,
		headers: { ...options.headers, connection: 'close' },
		signal: AbortSignal.timeout(STEP_TIMEOUT_MS),
	});

export class N8nRestError extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}

/** Drives an n8n that runs: credentials, workflows, executions, over its internal REST interface. */

export interface ExecutionSummary {
	id: string;
	status: string;
	retryOf?: string | null;
	startedAt: string;
	stoppedAt?: string | null;
}

export interface Execution extends ExecutionSummary {
	/** The decoded run data, as n8n-workflow's `IRunExecutionData`. */
	data: any;
}

/** A session is bound to the browser that signed in, known by this header. */
export const browserId = 'tests';

const unfinished = new Set(['new', 'running', 'waiting', 'unknown']);
const hasFinished = ({ status }: { status: string }): boolean => !unfinished.has(status);

export interface N8nAddress {
	/** The editor's and REST's address. */
	url: string;
	/** Where production webhooks arrive; in queue mode a load balancer before the webhook processors. */
	webhookUrl: string;
	email: string;
	password: string;
	/** n8n's own, e.g. `2.41.1`. */
	version: string;
}

export class N8nClient implements N8nAddress {
	url = '';
	webhookUrl = '';
	email = '';
	password = '';
	version = '';
	/** The session, as `name=value`. */
	cookie = '';

	/** Signs in to an n8n that somebody else started. */
	static async connect(address: N8nAddress): Promise<N8nClient> {
		const client = new N8nClient();
		await client.signIn(address);
		return client;
	}

	/** On a fresh instance as the owner who is created by that. */
	protected async signIn({ url, webhookUrl, email, password, version }: N8nAddress): Promise<void> {
		Object.assign(this, { url, webhookUrl, email, password, version });
		try {
			await this.rest('POST', '/login', { emailOrLdapLoginId: email, password });
		} catch (error) {
			if (!(error instanceof N8nRestError) || error.status !== 401) throw error;
			const name = { firstName: 'Sam', lastName: 'Example' };
			await this.rest('POST', '/owner/setup', { email, password, ...name });
		}
	}

	/** n8n 1.x: a workflow is switched on or off as it is saved; from 2.0 on one of its versions is published. */
	private get switches(): boolean {
		return this.version.startsWith('1.');
	}

	/** A call to n8n's internal REST interface, e.g. `rest('GET', '/workflows')`; the answer's `data`. */
	async rest(method: string, path: string, body?: unknown): Promise<any> {
		return await this.send(method, `/rest${path}`, body);
	}

	/** A file that the editor loads, e.g. `/types/nodes.json`. */
	async get(path: string): Promise<any> {
		return await this.send('GET', path);
	}

	private async send(method: string, path: string, body?: unknown): Promise<any> {
		const response = await request(this.url + path, {
			method,
			headers: { 'browser-id': browserId, cookie: this.cookie, 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		const session = response.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';')[0]!;
		const text = await response.text();
		if (!response.ok)
			throw new N8nRestError(response.status, `${method} ${path}: ${response.status} ${text.slice(0, 1000)}`);
		const parsed = text ? JSON.parse(text) : undefined;
		return parsed?.data ?? parsed;
	}

	async createCredential(name: string, type: string, data: Record<string, unknown>): Promise<string> {
		return (await this.rest('POST', '/credentials', { name, type, data })).id;
	}

	/** Saves a credential; what the dialog's test says of it: `{ status: 'OK' | 'Error', message }`. */
	async testCredential(
		type: string,
		data: Record<string, unknown>,
	): Promise<{ status: string; message: string }> {
		const id = await this.createCredential('Tested', type, data);
		return await this.rest('POST', '/credentials/test', { credentials: { id, name: 'Tested', type, data } });
	}

	/** Saves a workflow (JSON as the editor exports it); its id. `credentials`: ids filled in by credential type. */
	async createWorkflow(
		workflow: Record<string, any>,
		credentials: Record<string, string> = {},
	): Promise<string> {
		const { name = 'Workflow', nodes = [], connections = {}, settings = {}, pinData = {} } = workflow;
		const filled = nodes.map((node: Record<string, any>) => ({
			...node,
			credentials:
				node.credentials &&
				mapValues(node.credentials, (one, type) => ({ ...one, id: credentials[type] ?? one.id })),
		}));
		// As the editor saves it: without pinData, n8n 2.41's editor fails when a node is executed twice.
		const saved = { name, nodes: filled, connections, settings, pinData, active: false };
		return (await this.rest('POST', '/workflows', saved)).id;
	}

	/** Publishes the saved version. n8n subscribes after it has answered: wait for the subscription at the service. */
	async activate(id: string): Promise<void> {
		const { versionId } = await this.rest('GET', `/workflows/${id}`);
		if (this.switches) await this.rest('PATCH', `/workflows/${id}`, { versionId, active: true });
		else await this.rest('POST', `/workflows/${id}/activate`, { versionId });
	}

	async deactivate(id: string): Promise<void> {
		if (!this.switches) return void (await this.rest('POST', `/workflows/${id}/deactivate`, {}));
		const { versionId } = await this.rest('GET', `/workflows/${id}`);
		await this.rest('PATCH', `/workflows/${id}`, { versionId, active: false });
	}

	/** n8n deletes archived workflows only, and only once it is done with unpublishing, which it goes on with by itself. */
	async deleteWorkflow(id: string): Promise<void> {
		await this.rest('POST', `/workflows/${id}/archive`, {});
		const remove = async () => {
			try {
				await this.rest('DELETE', `/workflows/${id}`);
				return 'deleted';
			} catch (error) {
				if (error instanceof N8nRestError && error.status === 409) return error.message;
				throw error;
			}
		};
		await poll('the workflow to be unpublished', remove, (outcome) => outcome === 'deleted');
	}

	/** "Execute workflow": runs the saved workflow by hand and waits for the end. */
	async runWorkflow(id: string, options: { trigger?: string; timeoutMs?: number } = {}): Promise<Execution> {
		const workflow = await this.rest('GET', `/workflows/${id}`);
		const trigger = options.trigger ?? workflow.nodes.find((node: any) => /trigger$/i.test(node.type)).name;
		const { executionId } = await this.rest('POST', `/workflows/${id}/run`, {
			triggerToStartFrom: { name: trigger },
			// Up to 2.0; later ones take what is saved.
			workflowData: workflow,
			startNodes: [],
		});
		if (!executionId)
			throw new Error(`Workflow ${id} waits for a request to "${trigger}" instead of running`);
		return await this.waitForFinish(executionId, options.timeoutMs);
	}

	/** The newest first. */
	async executions(workflowId?: string, filter: Record<string, unknown> = {}): Promise<ExecutionSummary[]> {
		const query = encodeURIComponent(JSON.stringify({ ...filter, workflowId }));
		const all = new Map<string, ExecutionSummary>();
		let cursor = '';
		do {
			const path = `/executions?limit=100&filter=${query}${cursor && `&cursor=${cursor}`}`;
			const page = await this.rest('GET', path);
			const before = all.size;
			// One that ends while n8n looks is there twice, as running and as ended.
			for (const each of page.results as ExecutionSummary[]) all.set(each.id, each);
			cursor = all.size > before ? (page.nextCursor ?? '') : '';
		} while (cursor);
		return [...all.values()];
	}

	async execution(id: string): Promise<Execution> {
		const execution = await this.rest('GET', `/executions/${id}`);
		return {
			...execution,
			data: typeof execution.data === 'string' ? parse(execution.data) : execution.data,
		};
	}

	async waitForFinish(id: string, timeout?: number): Promise<Execution> {
		// n8n 2.20 fails to show one that runs by hand until it has ended.
		const look = async () =>
			await this.execution(id).catch((error: unknown) => {
				if (error instanceof N8nRestError && error.status === 500) return undefined;
				throw error;
			});
		return await poll(`execution ${id} to finish`, look, hasFinished, timeout);
	}

	/** Waits until the workflow has `count` finished executions that fit; the newest of them. */
	async waitForExecution(
		workflowId: string,
		options: { count?: number; status?: string } = {},
	): Promise<Execution> {
		const { count = 1, status } = options;
		const fitting = (all: ExecutionSummary[]) =>
			all.filter((each) => (status ? each.status === status : hasFinished(each)));
		const all = await poll(
			`${count} execution(s)${status ? ` that end with ${status}` : ''} of workflow ${workflowId}`,
			async () => await this.executions(workflowId),
			(seen) => fitting(seen).length >= count,
		);
		return await this.execution(fitting(all)[0]!.id);
	}

	/** "Retry execution"; waits for the retry's end and returns the retry. */
	async retryExecution(id: string, options: { loadWorkflow?: boolean } = {}): Promise<Execution> {
		await this.rest('POST', `/executions/${id}/retry`, { loadWorkflow: options.loadWorkflow ?? false });
		const retry = await poll(
			`the retry of execution ${id}`,
			async () => (await this.executions()).find((each) => each.retryOf === id),
			hasFinished,
		);
		return await this.execution(retry.id);
	}

	async stopExecution(id: string): Promise<void> {
		await this.rest('POST', `/executions/${id}/stop`);
	}
}

/** The items of a node's first output, in its last run. */
const outputOf = ({ data }: Execution, node: string): any[] =>
	data.resultData.runData[node]?.at(-1)?.data?.main?.[0] ?? [];

export const itemsOf = (execution: Execution, node: string): any[] =>
	outputOf(execution, node).map(({ json }) => json);

/** The files of the first item that a node gave out, by field: what n8n knows of them. */
export const binaryOf = (execution: Execution, node: string): Record<string, any> =>
	outputOf(execution, node)[0]?.binary ?? {};

export const errorOf = (execution: Execution): any => execution.data.resultData.error;

/** Looks until what it sees fits (by default: anything), and gives that; else fails with what it saw last. */
export async function poll<T>(
	what: string,
	look: () => T | Promise<T>,
	fits: (seen: NonNullable<T>) => unknown = () => true,
	timeout = STEP_TIMEOUT_MS,
): Promise<NonNullable<T>> {
	const deadline = Date.now() + timeout;
	for (;;) {
		const seen = await look();
		if (seen !== undefined && seen !== null && fits(seen)) return seen;
		if (Date.now() > deadline)
			throw new Error(`Waited ${timeout / 1000} s for ${what} in vain, and saw at last: ${shown(seen)}`);
		await pause(200);
	}
}

const shown = (seen: unknown): string =>
	inspect(seen, { depth: 4, breakLength: 100, maxArrayLength: 20, maxStringLength: 2000 }).slice(0, 5000);
