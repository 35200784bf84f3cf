import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { disown, own } from './owned';

/**
 * Installs the real n8n that the demo, the end-to-end tests and the benchmark run in: once, into a cache
 * folder outside the checkout named after the lock file, so that a fresh clone does not pay again.
 */

const hostFolder = join(__dirname, 'host');
/** n8n 2.41 wants this Node; an older machine gets one from npm (the package `node`). */
const wantedNodeMajor = 24;

export interface N8nHost {
	/** Where n8n is installed. */
	folder: string;
	/** The Node binary that runs it. */
	node: string;
	/** n8n's command line script. */
	n8n: string;
	version: string;
}

/** Where everything is kept between runs; `SOCIAL_PUBLISHING_N8N_CACHE` moves it. */
export function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	return process.env.SOCIAL_PUBLISHING_N8N_CACHE || join(base, 'n8n-nodes-social-publishing');
}

/** The installed n8n; installs it first where it is missing. Two callers at once: the second waits for the first. */
export async function installN8n(report: (line: string) => void = console.log): Promise<N8nHost> {
	const folder = join(cacheFolder(), `n8n-${await lockHash()}`);
	if (!existsSync(stampOf(folder))) {
		await withLock(`${folder}.lock`, report, async () => {
			if (!existsSync(stampOf(folder))) await install(folder, report);
		});
	}
	if (!existsSync(nodeOf(folder))) {
		await withLock(`${folder}.lock`, report, async () => {
			if (existsSync(nodeOf(folder))) return;
			await npm(
				folder,
				['rebuild', 'node', '--ignore-scripts=false'],
				`Fetching Node ${wantedNodeMajor}`,
				report,
			);
		});
	}
	const manifest = JSON.parse(await readFile(join(folder, 'node_modules/n8n/package.json'), 'utf8'));
	return {
		folder,
		node: nodeOf(folder),
		n8n: join(folder, 'node_modules/n8n/bin/n8n'),
		version: manifest.version,
	};
}

/** Names the cache folder: another lock file is another installation. */
async function lockHash(): Promise<string> {
	const lock = await readFile(join(hostFolder, 'package-lock.json'));
	return createHash('sha256').update(lock).digest('hex').slice(0, 12);
}

/** Written last: a folder without it was not finished. */
const stampOf = (folder: string) => join(folder, '.complete');

function nodeOf(folder: string): string {
	if (Number(process.versions.node.split('.')[0]) >= wantedNodeMajor) return process.execPath;
	return join(folder, 'node_modules/node/bin/node');
}

/** Builds the installation beside its place and moves it there when it is complete. */
async function install(folder: string, report: (line: string) => void): Promise<void> {
	const started = Date.now();
	report('Installing n8n into the cache (once, a few minutes, about 2 GB):');
	report(`  ${folder}`);
	const draft = `${folder}.draft-${process.pid}`;
	own('folder', draft);
	for (const leftover of [folder, draft]) await rm(leftover, { recursive: true, force: true });
	await mkdir(draft, { recursive: true });
	for (const name of ['package.json', 'package-lock.json'])
		await copyFile(join(hostFolder, name), join(draft, name));

	// Not `npm ci`: it refuses the lock file for other platforms' packages. `npm install` keeps the locked versions.
	// No install scripts: some of n8n's optional native parts do not build; sqlite3 is the one that is needed.
	const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
	await npm(draft, ['install', '--legacy-peer-deps', '--ignore-scripts', ...quiet], 'Fetching n8n', report);
	await npm(draft, ['rebuild', 'sqlite3', '--ignore-scripts=false'], 'Building its database driver', report);

	await writeFile(stampOf(draft), new Date().toISOString());
	await rename(draft, folder);
	disown('folder', draft);
	report(`n8n is installed (${Math.round((Date.now() - started) / 1000)} s).`);
}

/** Runs npm and says every 15 s that it still goes on. */
async function npm(
	cwd: string,
	args: string[],
	label: string,
	report: (line: string) => void,
): Promise<void> {
	const started = Date.now();
	const seconds = () => Math.round((Date.now() - started) / 1000);
	report(`  ${label} ...`);
	const ticker = setInterval(() => report(`  ${label} ... ${seconds()} s`), 15_000);
	try {
		await new Promise<void>((resolve, reject) => {
			const child = spawn('npm', args, {
				cwd,
				// A group of its own, which the guard ends when we are interrupted.
				detached: true,
				shell: process.platform === 'win32',
				stdio: ['ignore', 'pipe', 'pipe'],
			});
			const { pid } = child;
			if (pid) own('group', pid);
			let output = '';
			const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-8000));
			child.stdout.on('data', keep);
			child.stderr.on('data', keep);
			child.on('error', reject);
			child.on('close', (code) => {
				if (pid) disown('group', pid);
				if (code === 0) resolve();
				else reject(new Error(`npm ${args.join(' ')} in ${cwd} failed (exit ${code}):\n${output}`));
			});
		});
	} finally {
		clearInterval(ticker);
	}
}

/** Runs `action` while no other process on this machine does; a lock whose owner is gone is taken over. */
async function withLock(
	path: string,
	report: (line: string) => void,
	action: () => Promise<void>,
): Promise<void> {
	await mkdir(cacheFolder(), { recursive: true });
	let said = false;
	for (;;) {
		const lock = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
			if (error.code !== 'EEXIST') throw new Error(`Cannot lock ${path}`, { cause: error });
			return undefined;
		});
		if (lock) {
			await lock.writeFile(String(process.pid));
			await lock.close();
			break;
		}
		if (await isAbandoned(path)) {
			await rm(path, { force: true });
			continue;
		}
		if (!said) report('Another process is installing n8n; waiting for it ...');
		said = true;
		await pause(1000);
	}
	try {
		await action();
	} finally {
		await rm(path, { force: true });
	}
}

/** Its owner is gone, or died before it wrote its name into the lock. */
async function isAbandoned(lock: string): Promise<boolean> {
	try {
		const owner = Number(await readFile(lock, 'utf8'));
		return owner ? !isAlive(owner) : Date.now() - (await stat(lock)).mtimeMs > 10_000;
	} catch {
		return false;
	}
}

export function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

if (require.main === module)
	void installN8n().then((host) => console.log(`n8n ${host.version}: ${host.folder}`));
