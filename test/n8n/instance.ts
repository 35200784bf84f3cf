import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { N8nClient } from './client';
import { installN8n, type N8nHost } from './install';
import { disown, own } from './owned';
import { packPackage, unpackPackage } from './package';
import { freePort, N8nProcess } from './process';
import type { Release } from './releases';
import {
	createDatabase,
	dropDatabase,
	dropRedisKeys,
	type Listener,
	postgres,
	redis,
	startBalancer,
} from './queue';

/** Starts a real n8n with the built package in it. What it can then be asked to do: `N8nClient`. */

export interface N8nOptions {
	/** Which n8n; without it the one that has a lock file. */
	release?: Release;
	mode?: 'regular' | 'queue';
	/** Taken if it is free. */
	port?: number;
	/** With n8n's editor. Without it n8n starts in half the time: it prepares a thousand files for it at every start. */
	editor?: boolean;
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

export const owner = { email: 'demo@example.com', password: 'Example-password-1' };

export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const host = await installN8n(options.report, options.release);
	const tarball =
		options.packageTarball === false ? undefined : (options.packageTarball ?? (await packPackage()));
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

export class N8n extends N8nClient {
	main!: N8nProcess;
	webhooks: N8nProcess[] = [];
	workers: N8nProcess[] = [];
	/** Its name in PostgreSQL; queue mode only. */
	database?: string;
	private balancer?: Listener;

	constructor(
		readonly host: N8nHost,
		readonly userFolder: string,
		private readonly temporary: boolean,
	) {
		super();
	}

	/** Called by `startN8n`. */
	async launch(options: N8nOptions, tarball: string | undefined): Promise<void> {
		const port = await freePort(options.port);
		const queue = options.mode === 'queue';
		const balancerPort = queue ? await freePort() : port;
		const url = `http://127.0.0.1:${port}`;
		const webhookUrl = `http://127.0.0.1:${balancerPort}`;
		const common = {
			...commonEnv,
			WEBHOOK_URL: webhookUrl,
			N8N_EDITOR_BASE_URL: url,
			N8N_DISABLE_UI: String(!options.editor),
		};
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
					? {
							QUEUE_HEALTH_CHECK_ACTIVE: 'true',
							QUEUE_HEALTH_CHECK_PORT: String(ownPort),
							N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
						}
					: { N8N_PORT: String(ownPort) }),
				// The task runner's broker has a port too, 5679 for every process unless told otherwise.
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				...options.env,
			};
			const readyUrl = `http://127.0.0.1:${ownPort}/${kind === 'start' ? 'rest/login' : 'healthz/readiness'}`;
			return new N8nProcess({ host: this.host, args: [kind, ...args], env, userFolder: folder, readyUrl });
		};

		this.main = await create('start', this.userFolder, port);
		// The main process first: it migrates the database.
		await this.main.start();
		if (queue) {
			const ports = await Promise.all(
				Array.from({ length: options.webhooks ?? 2 }, async () => await freePort()),
			);
			for (const [i, each] of ports.entries()) {
				this.webhooks.push(await create('webhook', join(this.userFolder, `webhook-${i}`), each));
			}
			for (let i = 0; i < (options.workers ?? 1); i++) {
				const args = [`--concurrency=${options.concurrency ?? 10}`];
				this.workers.push(
					await create('worker', join(this.userFolder, `worker-${i}`), await freePort(), args),
				);
			}
			await Promise.all([...this.webhooks, ...this.workers].map(async (each) => await each.start()));
			this.balancer = await startBalancer(balancerPort, ports.length > 0 ? ports : [port]);
		}
		await this.signIn({ url, webhookUrl, ...owner, version: this.host.version });
	}

	get processes(): N8nProcess[] {
		return [this.main, ...this.webhooks, ...this.workers].filter((each) => each !== undefined);
	}

	/** What all processes printed. */
	log(): string {
		return this.processes.map((each) => each.log()).join('\n');
	}

	/** Kills all processes at once: what a crash looks like. `restart()` brings them back. */
	async kill(): Promise<void> {
		await Promise.all(this.processes.map(async (each) => await each.kill()));
	}

	/** Starts what does not run. */
	async bringUp(): Promise<void> {
		for (const each of this.processes) if (!each.isRunning) await each.start();
	}

	/** Stops what still runs and starts all of it again: same user folder, database and ports. */
	async restart(): Promise<void> {
		await Promise.all(this.processes.map(async (each) => await each.stop()));
		await this.main.start();
		await Promise.all([...this.webhooks, ...this.workers].map(async (each) => await each.start()));
	}

	/** Resident memory in bytes of all processes (or of those given), task runners included. */
	async memory(of: N8nProcess[] = this.processes): Promise<number> {
		const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pgid=,rss=']);
		const groups = new Set(of.map(({ pid }) => pid));
		const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
		return rows.reduce(
			(sum, [group = 0, kilobytes = 0]) => (groups.has(group) ? sum + kilobytes * 1024 : sum),
			0,
		);
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
	// n8n's own time limits that a busy machine does not keep: 5 s for its database to answer (after that n8n refuses all
	// requests until it does), 5 s for an expression, 2 s for the task runner to take a task.
	DB_PING_TIMEOUT_MS: '60000',
	N8N_EXPRESSION_ENGINE_TIMEOUT: '60000',
	N8N_RUNNERS_TASK_ACCEPT_TIMEOUT: '60',
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
