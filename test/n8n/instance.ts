import { sumBy } from 'lodash';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { N8nClient } from './client';
import { installN8n, type N8nHost, run } from './install';
import { disown, own } from './owned';
import { packPackage, speedUpChecks, unpackPackage } from './package';
import { freePort, N8nProcess } from './process';
import type { Release } from './releases';
import { createDatabase, dropDatabase, type Listener, postgres, redis, startBalancer } from './queue';

/** Starts a real n8n with the built package in it. What it can then be asked to do: `N8nClient`. */

export interface N8nOptions {
	/** Which n8n; by default the locked one. */
	release?: Release;
	/** With a worker and two webhook processors. */
	mode?: 'queue';
	port?: number;
	/** With n8n's editor. Without it n8n starts in half the time: it prepares a thousand files for it at every start. */
	editor?: boolean;
	env?: Record<string, string>;
	/** Kept after `stop()`; without it a temporary folder is used and removed. */
	userFolder?: string;
	/** The trigger's checks come ten times as often as their settings say. */
	fastChecks?: boolean;
	packageTarball?: false;
}

const owner = { email: 'demo@example.com', password: 'Example-password-1' };

export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const host = await installN8n(options.release);
	const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-social-')));
	if (!options.userFolder) own('folder', userFolder);
	const n8n = new N8n(host, userFolder, options.userFolder === undefined);
	try {
		await n8n.launch(options);
	} catch (error) {
		await n8n.stop();
		throw error;
	}
	return n8n;
}

export class N8n extends N8nClient {
	readonly processes: N8nProcess[] = [];
	database?: string;
	private balancer?: Listener;

	constructor(
		readonly host: N8nHost,
		readonly userFolder: string,
		private readonly temporary: boolean,
	) {
		super();
	}

	get main(): N8nProcess {
		return this.processes[0]!;
	}

	get webhooks(): N8nProcess[] {
		return this.processes.filter(({ options }) => options.kind === 'webhook');
	}

	get workers(): N8nProcess[] {
		return this.processes.filter(({ options }) => options.kind === 'worker');
	}

	/** Called by `startN8n`. */
	async launch({ mode, ...options }: N8nOptions): Promise<void> {
		const { host, processes } = this;
		const tarball = options.packageTarball === false ? undefined : await packPackage();
		const queue = mode === 'queue';
		const mainPort = await freePort(options.port);
		const webhookPort = queue ? await freePort() : mainPort;
		const url = `http://127.0.0.1:${mainPort}`;
		const webhookUrl = `http://127.0.0.1:${webhookPort}`;
		if (queue) this.database = await createDatabase(host);

		const kinds: Array<N8nProcess['options']['kind']> = ['start'];
		if (queue) kinds.push('webhook', 'webhook', 'worker');
		for (const [i, kind] of kinds.entries()) {
			const port = i === 0 ? mainPort : await freePort();
			const userFolder = i === 0 ? this.userFolder : join(this.userFolder, `${kind}-${i}`);
			if (tarball) await unpackPackage(tarball, userFolder);
			if (options.fastChecks) await speedUpChecks(userFolder);
			const env = {
				...commonEnv,
				WEBHOOK_URL: webhookUrl,
				N8N_EDITOR_BASE_URL: url,
				...(options.editor || !host.locked ? {} : slimEnv),
				...(this.database ? queueEnv(this.database) : {}),
				N8N_USER_FOLDER: userFolder,
				N8N_PORT: String(port),
				QUEUE_HEALTH_CHECK_PORT: String(port),
				// The task runner's broker has a port too, 5679 for every process unless told otherwise.
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				...options.env,
			};
			processes.push(new N8nProcess({ host, kind, env, userFolder, port }));
		}
		await this.bringUp();
		const targets = this.webhooks.map((each) => each.options.port);
		if (queue) this.balancer = await startBalancer(webhookPort, targets);
		await this.signIn({ url, webhookUrl, ...owner, version: host.version });
	}

	log(): string {
		return this.processes.map((each) => each.log()).join('\n');
	}

	/** Kills all processes at once: what a crash looks like. `restart()` brings them back. */
	async kill(): Promise<void> {
		await Promise.all(this.processes.map(async (each) => await each.kill()));
	}

	/** Starts what does not run; the main process first: it migrates the database. */
	async bringUp(): Promise<void> {
		const bringUp = async (each: N8nProcess) => each.isRunning || (await each.start());
		await bringUp(this.main);
		await Promise.all(this.processes.map(bringUp));
	}

	async restart(): Promise<void> {
		await Promise.all(this.processes.map(async (each) => await each.stop()));
		await this.bringUp();
	}

	/** Resident memory in bytes of all processes, task runners included. */
	async memory(): Promise<number> {
		const { stdout } = await run('ps', ['-A', '-o', 'pgid=,rss=']);
		const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
		const groups = new Set(this.processes.map(({ pid }) => pid));
		return 1024 * sumBy(rows, ([group, value = 0]) => (groups.has(group) ? value : 0));
	}

	async stop(): Promise<void> {
		await this.balancer?.close();
		await Promise.all(this.processes.map(async (each) => await each.stop()));
		if (this.database) await dropDatabase(this.host, this.database);
		if (this.temporary) {
			await rm(this.userFolder, { recursive: true, force: true, maxRetries: 3 });
			disown('folder', this.userFolder);
		}
	}
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
	// n8n 3 loads no package otherwise that n8n has not verified.
	N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	GENERIC_TIMEZONE: 'UTC',
	// A start takes a fifth less CPU: room for what it loads, and no look for a Python that no test uses.
	NODE_OPTIONS: '--max-semi-space-size=64',
	N8N_PYTHON_ENABLED: 'false',
	// An execution takes a third less CPU: isolates only where there is an expression, from compiled code.
	N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
	N8N_EXPRESSION_ENGINE_COMPILE_CACHE: 'true',
	// n8n's own time limits that a busy machine does not keep: 5 s for its database to answer (after that n8n refuses all
	// requests until it does), 5 s for an expression, 2 s for the task runner to take a task.
	DB_PING_TIMEOUT_MS: '60000',
	N8N_EXPRESSION_ENGINE_TIMEOUT: '60000',
	N8N_RUNNERS_TASK_ACCEPT_TIMEOUT: '60',
};

/** Of the locked n8n: without its editor, and without what no test without an editor uses, it starts in half the time. */
const slimEnv = {
	N8N_DISABLE_UI: 'true',
	N8N_DISABLED_MODULES: [
		...['agents', 'breaking-changes', 'chat-hub', 'dynamic-credentials', 'encryption-key-manager'],
		...[
			'external-secrets',
			'favorites',
			'insights',
			'instance-ai',
			'instance-registry',
			'instance-version-history',
		],
		...['ldap', 'log-streaming', 'mcp', 'mcp-registry', 'n8n-packages', 'oauth-jwe', 'oauth-server', 'otel'],
		...['provisioning', 'quick-connect', 'redaction', 'runtime-credentials', 'source-control', 'sso-oidc'],
		...['sso-saml', 'token-exchange', 'workflow-builder', 'workflow-reviews'],
	].join(),
};

function queueEnv(database: string): Record<string, string> {
	return {
		EXECUTIONS_MODE: 'queue',
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
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
