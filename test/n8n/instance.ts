import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { installN8n, type N8nHost } from './install';
import { disown, own } from './owned';
import { packPackage, unpackPackage } from './package';
import { freePort, N8nProcess } from './process';
import { type Balancer, createDatabase, dropDatabase, dropRedisKeys, postgres, redis, startBalancer } from './queue';
import { N8nRest, unflatten } from './rest';

/** Starts a real n8n with the built package in it, and drives it. */

export interface N8nOptions {
	mode?: 'regular' | 'queue';
	/** Taken if it is free. */
	port?: number;
	/** Joins (and wins over) the environment of every process. */
	env?: Record<string, string>;
	/** Kept after `stop()`; without it a temporary folder is used and removed. */
	userFolder?: string;
	/** Another package than the one just built, e.g. an older version. `false`: n8n without it. */
	packageTarball?: string | false;
	/** Queue mode: number of webhook processors (default 2) and workers (default 1), and jobs at once in each worker. */
	webhooks?: number;
	workers?: number;
	concurrency?: number;
	report?: (line: string) => void;
}

export interface ExecutionSummary {
	id: string;
	workflowId: string;
	status: string;
	mode: string;
	retryOf?: string | null;
	startedAt: string;
	stoppedAt?: string | null;
}

export interface Execution extends ExecutionSummary {
	finished: boolean;
	/** The decoded run data, as n8n-workflow's `IRunExecutionData`. */
	data: any;
}

const unfinished = new Set(['new', 'running', 'waiting', 'unknown']);
const defaultTimeout = 120_000;

export const owner = { email: 'demo@example.com', password: 'Example-password-1' };

export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const host = await installN8n(options.report);
	const tarball = options.packageTarball === false ? undefined : (options.packageTarball ?? (await packPackage()));
	const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-social-')));
	if (!options.userFolder) own('folder', userFolder);
	const n8n = new N8n(host, userFolder, options.userFolder === undefined);
	try {
		await n8n.launch(options, tarball);
	} catch (error) {
		await n8n.stop();
		throw new Error('n8n did not start', { cause: error });
	}
	return n8n;
}

export class N8n {
	readonly email = owner.email;
	readonly password = owner.password;
	/** The editor's and REST's address. */
	url = '';
	/** Where production webhooks arrive; in queue mode a load balancer before the webhook processors. */
	webhookUrl = '';
	main!: N8nProcess;
	webhooks: N8nProcess[] = [];
	workers: N8nProcess[] = [];
	private session!: N8nRest;
	private database?: string;
	private balancer?: Balancer;

	constructor(
		readonly host: N8nHost,
		readonly userFolder: string,
		private readonly temporary: boolean,
	) {}

	/** Called by `startN8n`. */
	async launch(options: N8nOptions, tarball: string | undefined): Promise<void> {
		const port = await freePort(options.port);
		const queue = options.mode === 'queue';
		const balancerPort = queue ? await freePort() : port;
		this.url = `http://127.0.0.1:${port}`;
		this.webhookUrl = `http://127.0.0.1:${balancerPort}`;
		const common = { ...commonEnv, WEBHOOK_URL: this.webhookUrl, N8N_EDITOR_BASE_URL: this.url };
		if (queue) {
			this.database = await createDatabase(this.host);
			Object.assign(common, queueEnv(this.database));
		}

		const create = async (kind: string, folder: string, ownPort: number, args: string[] = []) => {
			if (tarball) await unpackPackage(tarball, folder);
			const env = {
				...common,
				N8N_USER_FOLDER: folder,
				...(kind === 'worker'
					? { QUEUE_HEALTH_CHECK_ACTIVE: 'true', QUEUE_HEALTH_CHECK_PORT: String(ownPort), N8N_WORKER_SERVER_ADDRESS: '127.0.0.1' }
					: { N8N_PORT: String(ownPort) }),
				// The task runner's broker has a port too, 5679 for every process unless told otherwise.
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				...options.env,
			};
			const readyUrl = `http://127.0.0.1:${ownPort}/${kind === 'start' ? 'rest/settings' : 'healthz/readiness'}`;
			return new N8nProcess({ host: this.host, args: [kind, ...args], env, userFolder: folder, readyUrl });
		};

		this.main = await create('start', this.userFolder, port);
		// The main process first: it migrates the database.
		await this.main.start();
		if (queue) {
			const ports = await Promise.all(Array.from({ length: options.webhooks ?? 2 }, async () => await freePort()));
			for (const [i, each] of ports.entries()) {
				this.webhooks.push(await create('webhook', join(this.userFolder, `webhook-${i}`), each));
			}
			for (let i = 0; i < (options.workers ?? 1); i++) {
				const args = [`--concurrency=${options.concurrency ?? 10}`];
				this.workers.push(await create('worker', join(this.userFolder, `worker-${i}`), await freePort(), args));
			}
			await Promise.all([...this.webhooks, ...this.workers].map(async (each) => await each.start()));
			this.balancer = await startBalancer(balancerPort, ports.length > 0 ? ports : [port]);
		}
		this.session = new N8nRest(this.url, this.email, this.password);
		await this.session.signIn();
	}

	// ── Processes ──────────────────────────────────────────────────────────────────────────────────────────

	get processes(): N8nProcess[] {
		return [this.main, ...this.webhooks, ...this.workers].filter((each) => each !== undefined);
	}

	pids(): number[] {
		return this.processes.flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
	}

	/** What all processes printed. */
	log(): string {
		return this.processes.map((each) => each.log()).join('\n');
	}

	/** Kills all processes at once: what a crash looks like. `restart()` brings them back. */
	async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
		await Promise.all(this.processes.map(async (each) => await each.kill(signal)));
	}

	/** Stops what still runs and starts all of it again: same user folder, database and ports. */
	async restart(): Promise<void> {
		await Promise.all(this.processes.map(async (each) => await each.stop()));
		await this.main.start();
		await Promise.all([...this.webhooks, ...this.workers].map(async (each) => await each.start()));
	}

	/** Resident memory in bytes of all processes, task runners included. */
	async memory(): Promise<number> {
		const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pgid=,rss=']);
		const groups = new Set(this.pids());
		const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
		return rows.reduce((sum, [group = 0, kilobytes = 0]) => (groups.has(group) ? sum + kilobytes * 1024 : sum), 0);
	}

	async stop(): Promise<void> {
		await this.balancer?.close();
		await Promise.all(this.processes.map(async (each) => await each.stop()));
		if (this.database) {
			await dropDatabase(this.host, this.database);
			await dropRedisKeys(this.host, this.database);
		}
		if (this.temporary) {
			await rm(this.userFolder, { recursive: true, force: true, maxRetries: 3 });
			disown('folder', this.userFolder);
		}
	}

	// ── REST ───────────────────────────────────────────────────────────────────────────────────────────────

	/** A call to n8n's internal REST interface, e.g. `rest('GET', '/workflows')`; the answer's `data`. */
	async rest(method: string, path: string, body?: unknown): Promise<any> {
		return await this.session.send(method, `/rest${path}`, body);
	}

	/** The new credential's id. */
	async createCredential(name: string, type: string, data: Record<string, unknown>): Promise<string> {
		return (await this.rest('POST', '/credentials', { name, type, data })).id;
	}

	/** What the credential dialog's test says: `{ status: 'OK' | 'Error', message }`. */
	async testCredential(id: string, name: string, type: string, data: Record<string, unknown>): Promise<{ status: string; message: string }> {
		return await this.rest('POST', '/credentials/test', { credentials: { id, name, type, data } });
	}

	/** Saves a workflow (JSON as the editor exports it); its id. `credentials`: ids filled in by credential type. */
	async createWorkflow(workflow: Record<string, any>, credentials: Record<string, string> = {}): Promise<string> {
		const { name = 'Workflow', nodes = [], connections = {}, settings = {} } = workflow;
		const filled = nodes.map((node: Record<string, any>) => withCredentials(node, credentials));
		return (await this.rest('POST', '/workflows', { name, nodes: filled, connections, settings })).id;
	}

	/** Publishes the saved version. n8n subscribes after it has answered: wait for the subscription at the service. */
	async activate(id: string): Promise<void> {
		const { versionId } = await this.rest('GET', `/workflows/${id}`);
		await this.rest('POST', `/workflows/${id}/activate`, { versionId });
	}

	async deactivate(id: string): Promise<void> {
		await this.rest('POST', `/workflows/${id}/deactivate`, {});
	}

	/** n8n deletes archived workflows only. */
	async deleteWorkflow(id: string): Promise<void> {
		await this.rest('POST', `/workflows/${id}/archive`, {});
		await this.rest('DELETE', `/workflows/${id}`);
	}

	/** "Execute workflow": runs the saved workflow by hand and waits for the end. */
	async runWorkflow(id: string, options: { trigger?: string; timeout?: number } = {}): Promise<Execution> {
		const workflow = await this.rest('GET', `/workflows/${id}`);
		const trigger = options.trigger ?? workflow.nodes.find((node: any) => /trigger$/i.test(node.type))?.name;
		if (!trigger) throw new Error(`Workflow ${id} has no trigger to start from`);
		const { executionId } = await this.rest('POST', `/workflows/${id}/run`, { triggerToStartFrom: { name: trigger } });
		if (!executionId) throw new Error(`Workflow ${id} waits for a request to "${trigger}" instead of running`);
		return await this.waitForFinish(executionId, options.timeout);
	}

	/** The newest first. */
	async executions(workflowId?: string, filter: Record<string, unknown> = {}): Promise<ExecutionSummary[]> {
		const query = JSON.stringify({ ...filter, ...(workflowId ? { workflowId } : {}) });
		const { results } = await this.rest('GET', `/executions?limit=100&filter=${encodeURIComponent(query)}`);
		return results;
	}

	async execution(id: string): Promise<Execution> {
		const execution = await this.rest('GET', `/executions/${id}`);
		return { ...execution, data: typeof execution.data === 'string' ? unflatten(execution.data) : execution.data };
	}

	async waitForFinish(id: string, timeout = defaultTimeout): Promise<Execution> {
		return await poll(`execution ${id} to finish`, timeout, async () => {
			const execution = await this.execution(id);
			return unfinished.has(execution.status) ? undefined : execution;
		});
	}

	/** Waits until the workflow has `count` finished executions that fit; the newest of them. */
	async waitForExecution(
		workflowId: string,
		options: { count?: number; status?: string; timeout?: number } = {},
	): Promise<Execution> {
		const { count = 1, status, timeout = defaultTimeout } = options;
		const id = await poll(`${count} execution(s) of workflow ${workflowId}`, timeout, async () => {
			const all = await this.executions(workflowId);
			const fitting = all.filter((each) => (status ? each.status === status : !unfinished.has(each.status)));
			return fitting.length >= count ? fitting[0]?.id : undefined;
		});
		return await this.execution(id);
	}

	/** "Retry execution"; waits for the retry's end and returns the retry. */
	async retryExecution(id: string, options: { loadWorkflow?: boolean } = {}): Promise<Execution> {
		const before = new Set((await this.executions()).map((each) => each.id));
		await this.rest('POST', `/executions/${id}/retry`, { loadWorkflow: options.loadWorkflow ?? false });
		return await poll(`the retry of execution ${id}`, defaultTimeout, async () => {
			const retry = (await this.executions()).find((each) => each.retryOf === id && !before.has(each.id));
			return retry && !unfinished.has(retry.status) ? await this.execution(retry.id) : undefined;
		});
	}

	async stopExecution(id: string): Promise<void> {
		await this.rest('POST', `/executions/${id}/stop`);
	}
}

/** The JSON of the items that a node gave out (its last run, unless told otherwise). */
export function itemsOf(execution: Execution, node: string, options: { output?: number; run?: number } = {}): any[] {
	const runs = execution.data.resultData.runData[node] ?? [];
	const items = runs.at(options.run ?? -1)?.data?.main?.[options.output ?? 0] ?? [];
	return items.map((item: any) => item.json);
}

/** The error that ended the execution, if one did. */
export const errorOf = (execution: Execution): any => execution.data.resultData.error;

/** Asks again until there is an answer; says what it waited for when there is none in time. */
export async function poll<T>(what: string, timeout: number, ask: () => Promise<T | undefined>): Promise<T> {
	const deadline = Date.now() + timeout;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined) return answer;
		if (Date.now() > deadline) throw new Error(`Waited ${timeout / 1000} s for ${what} in vain`);
		await pause(200);
	}
}

function withCredentials(node: Record<string, any>, ids: Record<string, string>): Record<string, any> {
	if (!node.credentials) return node;
	const filled = Object.entries<any>(node.credentials).map(([type, value]) => [type, ids[type] ? { ...value, id: ids[type] } : value]);
	return { ...node, credentials: Object.fromEntries(filled) };
}

/** Nothing but this machine is asked, and nothing but the work is shown. */
const commonEnv: Record<string, string> = {
	N8N_LISTEN_ADDRESS: '127.0.0.1',
	N8N_HOST: '127.0.0.1',
	N8N_SECURE_COOKIE: 'false',
	// The same for every start, so that a user folder can be used again; it protects nothing real.
	N8N_ENCRYPTION_KEY: 'example-of-an-encryption-key',
	N8N_LOG_LEVEL: 'warn',
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	GENERIC_TIMEZONE: 'UTC',
};

function queueEnv(database: string): Record<string, string> {
	return {
		EXECUTIONS_MODE: 'queue',
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: postgres.host,
		DB_POSTGRESDB_PORT: String(postgres.port),
		DB_POSTGRESDB_USER: postgres.user,
		DB_POSTGRESDB_DATABASE: database,
		QUEUE_BULL_REDIS_HOST: redis.host,
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		QUEUE_BULL_PREFIX: `${database}:bull`,
		N8N_REDIS_KEY_PREFIX: `${database}:n8n`,
		N8N_CACHE_REDIS_KEY_PREFIX: `${database}:cache`,
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	};
}
