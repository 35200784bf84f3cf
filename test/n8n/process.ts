import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { poll } from './client';
import { cacheFolder, type N8nHost } from './install';
import { disown, own } from './owned';

/** How long one request may take that asks whether n8n is ready, in ms: one that got lost in its start is asked anew. */
const ANSWER_TIMEOUT_MS = 30_000;
const keptLog = 2_000_000;

interface ProcessOptions {
	host: N8nHost;
	kind: 'start' | 'webhook' | 'worker';
	env: Record<string, string>;
	userFolder: string;
	port: number;
}

/** One operating system process of n8n (with the task runner that it starts), to start, stop, kill and start again. */
export class N8nProcess {
	private child?: ChildProcess;
	private output = '';

	constructor(readonly options: ProcessOptions) {}

	get pid(): number | undefined {
		return this.child?.pid;
	}

	get isRunning(): boolean {
		return this.child !== undefined && !hasExited(this.child);
	}

	/** Where it listens itself, past the load balancer of queue mode. */
	get origin(): string {
		return `http://127.0.0.1:${this.options.port}`;
	}

	log(): string {
		return this.output;
	}

	async start(): Promise<void> {
		const { host, kind, env, userFolder } = this.options;
		await mkdir(userFolder, { recursive: true });
		const child = spawn(host.node, [host.n8n, kind], {
			cwd: userFolder,
			// A group of its own: the task runner goes with it, and Ctrl-C reaches n8n only through us.
			detached: true,
			env: {
				...inheritedEnv(),
				PATH: `${dirname(host.node)}:${process.env.PATH}`,
				// n8n's thousands of files are compiled once, not at each of its starts.
				NODE_COMPILE_CACHE: join(cacheFolder(), 'compiled'),
				...env,
			},
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		await once(child, 'spawn');
		this.child = child;
		own('group', child.pid!);
		const keep = (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-keptLog));
		child.stdout.on('data', keep);
		child.stderr.on('data', keep);
		try {
			await poll(`n8n ${kind} to be ready`, async () => {
				if (hasExited(child)) throw new Error('It ended while starting');
				return (await this.isReady()) || undefined;
			});
		} catch (error) {
			await this.kill();
			throw new Error(`n8n ${kind} did not start:\n${this.output.slice(-3000)}`, { cause: error });
		}
	}

	/** While n8n starts it answers every path with 200 and the text "n8n is starting up": only JSON counts. */
	private async isReady(): Promise<boolean> {
		// 401: one has to sign in.
		const path = this.options.kind === 'start' ? 'rest/login' : 'healthz/readiness';
		try {
			const signal = AbortSignal.timeout(ANSWER_TIMEOUT_MS);
			const response = await fetch(`${this.origin}/${path}`, { signal });
			await response.arrayBuffer();
			const { ok, status, headers } = response;
			return (ok || status === 401) && /json/.test(headers.get('content-type') ?? '');
		} catch {
			return false;
		}
	}

	async stop(): Promise<void> {
		this.child?.kill('SIGTERM');
		await this.ended();
	}

	/** Kills the whole group, task runner included: what a crash or a power cut looks like. */
	async kill(): Promise<void> {
		if (this.child) signalGroup(this.child.pid!);
		await this.ended();
	}

	private async ended(): Promise<void> {
		const { child } = this;
		if (!child) return;
		if (!hasExited(child)) await once(child, 'exit');
		signalGroup(child.pid!);
		disown('group', child.pid!);
		this.child = undefined;
	}
}

const hasExited = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

function signalGroup(group: number): void {
	try {
		process.kill(-group, 'SIGKILL');
	} catch {
		// Nothing of it is left.
	}
}

/** Our environment without what npm, jest and a developer's own n8n settings put into it. */
function inheritedEnv(): NodeJS.ProcessEnv {
	const foreign = /^(npm_|N8N_|DB_|QUEUE_|EXECUTIONS_|WEBHOOK_URL$|JEST_|NODE_OPTIONS$|NODE_ENV$|NODE_PATH$)/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/** Ports below those that the system gives to others, a slice of them for each of jest's workers. */
const slice = { size: 1000, first: 16_000 + 1000 * (Number(process.env.JEST_WORKER_ID ?? 0) % 16) };
let offset = randomInt(slice.size);
const nextPort = (): number => slice.first + (offset = (offset + 1) % slice.size);

/** A port that is free now, another one at each call; `preferred` if that one is free. */
export async function freePort(preferred = nextPort()): Promise<number> {
	let port = preferred;
	while (!(await isFree(port))) port = nextPort();
	return port;
}

const isFree = async (port: number): Promise<boolean> =>
	await new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
