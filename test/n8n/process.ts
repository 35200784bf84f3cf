import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cacheFolder, type N8nHost } from './install';
import { STEP_TIMEOUT_MS } from './limits';
import { disown, own } from './owned';

/** How long one request may take that asks whether n8n is ready, in ms: one that got lost in its start is asked anew. */
const ANSWER_TIMEOUT_MS = 30_000;
const keptLog = 2_000_000;

interface ProcessOptions {
	host: N8nHost;
	/** `start`, `webhook` or `worker`, and its options. */
	args: string[];
	env: Record<string, string>;
	userFolder: string;
	/** Answers with JSON once the process is of use: 200, or 401 where one has to sign in. */
	readyUrl: string;
}

/** One operating system process of n8n (with the task runner that it starts), to start, stop, kill and start again. */
export class N8nProcess {
	private child?: ChildProcess;
	private output = '';

	constructor(private readonly options: ProcessOptions) {}

	get pid(): number | undefined {
		return this.child?.pid;
	}

	get isRunning(): boolean {
		return this.child !== undefined && !hasExited(this.child);
	}

	get name(): string {
		return this.options.args[0] ?? 'n8n';
	}

	/** Where it listens itself, past the load balancer of queue mode. */
	get origin(): string {
		return new URL(this.options.readyUrl).origin;
	}

	/** What it printed so far, over all its starts. */
	log(): string {
		return this.output;
	}

	async start(): Promise<void> {
		const { host, args, env, userFolder } = this.options;
		await mkdir(userFolder, { recursive: true });
		const child = spawn(host.node, [host.n8n, ...args], {
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
		this.child = child;
		const keep = (chunk: Buffer) => (this.output = (this.output + chunk.toString()).slice(-keptLog));
		child.stdout?.on('data', keep);
		child.stderr?.on('data', keep);
		if (child.pid) own('group', child.pid);
		await this.waitUntilReady(child);
	}

	/** Ends it as an operator would (SIGTERM), or by force where it does not go. */
	async stop(): Promise<void> {
		this.child?.kill('SIGTERM');
		if (!(await this.waitForExit())) await this.kill();
		else this.release();
	}

	/** Kills the whole group, task runner included: what a crash or a power cut looks like. */
	async kill(): Promise<void> {
		if (this.child?.pid) signalGroup(this.child.pid);
		if (await this.waitForExit()) this.release();
	}

	private release(): void {
		if (!this.child?.pid) return;
		signalGroup(this.child.pid);
		disown('group', this.child.pid);
		this.child = undefined;
	}

	private async waitUntilReady(child: ChildProcess): Promise<void> {
		const deadline = Date.now() + STEP_TIMEOUT_MS;
		let failure: Error | undefined;
		child.on('error', (error) => (failure = error));
		while (!(await answers(this.options.readyUrl))) {
			if (failure || hasExited(child)) {
				this.release();
				throw new Error(`n8n ${this.name} ended while starting. ${failure?.message ?? ''}\n${this.tail()}`);
			}
			if (Date.now() > deadline) {
				await this.kill();
				throw new Error(`n8n ${this.name} was not ready after ${STEP_TIMEOUT_MS / 1000} s.\n${this.tail()}`);
			}
			await pause(200);
		}
	}

	private tail(): string {
		return this.output.slice(-3000);
	}

	private async waitForExit(): Promise<boolean> {
		const deadline = Date.now() + STEP_TIMEOUT_MS;
		while (this.child && !hasExited(this.child)) {
			if (Date.now() > deadline) return false;
			await pause(50);
		}
		return true;
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

/** While n8n starts it answers every path with 200 and the text "n8n is starting up": only JSON counts. */
async function answers(url: string): Promise<boolean> {
	try {
		const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) });
		await response.arrayBuffer();
		const known = response.ok || response.status === 401;
		return known && (response.headers.get('content-type') ?? '').includes('json');
	} catch {
		return false;
	}
}

/** Our environment without what npm, jest and a developer's own n8n settings put into it. */
function inheritedEnv(): NodeJS.ProcessEnv {
	const foreign = /^(npm_|N8N_|DB_|QUEUE_|EXECUTIONS_|WEBHOOK_URL$|JEST_|NODE_OPTIONS$|NODE_ENV$|NODE_PATH$)/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/**
 * Ports below those that the system gives to whoever asks for any, a slice of them for each of jest's workers: nobody else
 * takes one between now and n8n's start, nor while n8n is away.
 */
const slice = { size: 1000, first: 16_000 + 1000 * (Number(process.env.JEST_WORKER_ID ?? 0) % 16) };
let offset = randomInt(slice.size);

/** A port that is free now, another one at each call; `preferred` if that one is free. */
export async function freePort(preferred?: number): Promise<number> {
	if (preferred !== undefined && (await isFree(preferred))) return preferred;
	for (let tries = 0; tries < slice.size; tries++) {
		offset = (offset + 1) % slice.size;
		const port = slice.first + offset;
		if (await isFree(port)) return port;
	}
	throw new Error(`None of the ports from ${slice.first} on is free`);
}

const isFree = async (port: number): Promise<boolean> =>
	await new Promise((resolve) => {
		const server = createServer();
		server.once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
