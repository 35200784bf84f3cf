import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { disown, own } from './owned';
import { lockedRelease, nameOf, type Release } from './releases';

/**
 * Installs the real n8ns that the demo, the end-to-end tests, the benchmark and `npm run compat` run in: each once, into
 * a cache folder outside the checkout named after what is installed, so that a fresh clone does not pay again.
 */

const run = promisify(execFile);
const hostFolder = join(__dirname, 'host');
/** The Node that runs every n8n from 1.123 on; an older machine gets it from npm (the package `node`). */
const wantedNodeMajor = 24;
/** What installs and runs the n8ns of `releases`: the second one of n8n's own repository. */
const tools = { node: '24.21.0', pnpm: '10.34.9' };

export interface N8nHost {
	/** Where n8n is installed. */
	folder: string;
	/** The Node binary that runs it. */
	node: string;
	/** Package n8n itself: its `bin`, its `dist`, and what its dependencies are resolved from. */
	n8nFolder: string;
	/** n8n's command line script. */
	n8n: string;
	version: string;
}

/** Where everything is kept between runs; `SOCIAL_PUBLISHING_N8N_CACHE` moves it. */
export function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	return process.env.SOCIAL_PUBLISHING_N8N_CACHE || join(base, 'n8n-nodes-social-publishing');
}

type Report = (line: string) => void;

/**
 * The release asked for; installs it first where it is missing. Two callers at once: the second waits for the first.
 */
export async function installN8n(
	report: Report = console.log,
	release: Release = lockedRelease,
): Promise<N8nHost> {
	if (release.folder) return await hostAt(release.folder, release.folder, process.execPath);
	const folder = join(cacheFolder(), await folderOf(release));
	await once(folder, report, async (draft) => {
		report(`Installing n8n ${nameOf(release)} into the cache (once, some minutes, about 2.5 GB):`);
		report(`  ${folder}`);
		if (release.locked) await installLocked(draft, report);
		else if (release.layout === 'npm') await installFlat(draft, release, report);
		else await installUnhoisted(draft, release, report);
	});
	const n8nFolder = release.layout === 'pnpm' ? folder : join(folder, 'node_modules/n8n');
	return await hostAt(
		folder,
		n8nFolder,
		await nodeOf(release.locked ? folder : await installTools(report), report),
	);
}

async function hostAt(folder: string, n8nFolder: string, node: string): Promise<N8nHost> {
	const { version } = JSON.parse(await readFile(join(n8nFolder, 'package.json'), 'utf8'));
	return { folder, node, n8nFolder, n8n: join(n8nFolder, 'bin/n8n'), version };
}

/** Another lock file, another release or another override is another installation. */
async function folderOf(release: Release): Promise<string> {
	const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex').slice(0, 12);
	if (release.locked) return `n8n-${hash(await readFile(join(hostFolder, 'package-lock.json')))}`;
	return `n8n-${release.version}-${release.layout}-${hash(JSON.stringify(release))}`;
}

/** Written last: a folder without it was not finished. */
const stampOf = (folder: string) => join(folder, '.complete');

/** Fills `folder` by `install` unless that was done before: beside its place, moved there when it is complete. */
async function once(
	folder: string,
	report: Report,
	install: (draft: string) => Promise<void>,
): Promise<void> {
	if (existsSync(stampOf(folder))) return;
	await withLock(`${folder}.lock`, report, async () => {
		if (existsSync(stampOf(folder))) return;
		const started = Date.now();
		const draft = `${folder}.draft-${process.pid}`;
		own('folder', draft);
		for (const leftover of [folder, draft]) await rm(leftover, { recursive: true, force: true });
		await mkdir(draft, { recursive: true });
		await install(draft);
		await writeFile(stampOf(draft), new Date().toISOString());
		await rename(draft, folder);
		disown('folder', draft);
		report(`Installed (${Math.round((Date.now() - started) / 1000)} s).`);
	});
}

async function nodeOf(folder: string, report: Report): Promise<string> {
	if (Number(process.versions.node.split('.')[0]) >= wantedNodeMajor) return process.execPath;
	const node = join(folder, 'node_modules/node/bin/node');
	if (existsSync(node)) return node;
	await withLock(`${folder}.lock`, report, async () => {
		if (existsSync(node)) return;
		const args = ['rebuild', 'node', '--ignore-scripts=false'];
		await command('npm', args, { cwd: folder, label: `Fetching Node ${wantedNodeMajor}`, report });
	});
	return node;
}

async function installTools(report: Report): Promise<string> {
	const folder = join(cacheFolder(), `tools-${tools.node}-${tools.pnpm}`);
	await once(folder, report, async (draft) => {
		await writeJson(join(draft, 'package.json'), { private: true, dependencies: tools });
		const args = ['install', '--ignore-scripts', ...quiet];
		await command('npm', args, { cwd: draft, label: 'Fetching Node and pnpm', report });
	});
	return folder;
}

const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
const writeJson = async (path: string, value: unknown) =>
	await writeFile(path, JSON.stringify(value, null, 2));

async function installLocked(draft: string, report: Report): Promise<void> {
	for (const name of ['package.json', 'package-lock.json'])
		await copyFile(join(hostFolder, name), join(draft, name));
	const folders = foldersOf(JSON.parse(await readFile(join(draft, 'package-lock.json'), 'utf8')));
	await npmInstall(draft, report, () => {
		const done = folders.filter((folder) => existsSync(join(draft, folder, 'package.json'))).length;
		return `${inThousands(done)} of ${inThousands(folders.length)} packages`;
	});
}

interface LockFile {
	packages: Record<string, { os?: string[]; cpu?: string[] }>;
}

/** The folders that a lock file fills on this machine: not those of packages for another system. */
export function foldersOf({ packages }: LockFile, { platform, arch } = process): string[] {
	const fits = (wanted: string[] = [], mine: string) =>
		wanted.some((one) => one.startsWith('!'))
			? !wanted.includes(`!${mine}`)
			: wanted.length === 0 || wanted.includes(mine);
	return Object.entries(packages)
		.filter(([folder, { os, cpu }]) => folder !== '' && fits(os, platform) && fits(cpu, arch))
		.map(([folder]) => folder);
}

const inThousands = (count: number) => count.toLocaleString('en-US');

async function installFlat(
	draft: string,
	{ version, overrides, peers }: Release,
	report: Report,
): Promise<void> {
	const manifest = { private: true, dependencies: { n8n: version, ...peers }, overrides };
	await writeJson(join(draft, 'package.json'), manifest);
	await npmInstall(draft, report);
}

/** @param progress how much is there, in words */
async function npmInstall(cwd: string, report: Report, progress?: () => string): Promise<void> {
	// Not `npm ci`: it refuses the lock file for other platforms' packages. `npm install` keeps the locked versions.
	// No install scripts: some of n8n's optional native parts do not build; sqlite3 is the one that is needed.
	const args = ['install', '--legacy-peer-deps', '--ignore-scripts', ...quiet];
	await command('npm', args, { cwd, label: 'Fetching n8n', report, progress });
	await command('npm', ['rebuild', 'sqlite3', '--ignore-scripts=false'], {
		cwd,
		label: 'Building its database driver, the last step (a minute or two)',
		report,
	});
}

/** n8n as the root project, and nothing in its `node_modules` but what it names itself. */
async function installUnhoisted(
	draft: string,
	{ version, overrides, hoisted = [] }: Release,
	report: Report,
): Promise<void> {
	const { stdout } = await run('npm', ['pack', `n8n@${version}`, '--silent'], { cwd: draft });
	await run('tar', ['-xzf', stdout.trim(), '--strip-components=1'], { cwd: draft });
	await rm(join(draft, stdout.trim()));
	// pnpm would look up what n8n is developed with, too.
	const manifest = JSON.parse(await readFile(join(draft, 'package.json'), 'utf8'));
	delete manifest.devDependencies;
	await writeJson(join(draft, 'package.json'), manifest);
	const settings = {
		packages: ['.'],
		overrides,
		publicHoistPattern: hoisted,
		onlyBuiltDependencies: ['sqlite3'],
	};
	// YAML is a superset of JSON.
	await writeJson(join(draft, 'pnpm-workspace.yaml'), settings);

	const folder = await installTools(report);
	const pnpm = async (args: string[], label: string) =>
		await command(process.execPath, [join(folder, 'node_modules/pnpm/bin/pnpm.cjs'), ...args], {
			cwd: draft,
			label,
			report,
			env: { CI: 'true' },
		});
	await pnpm(
		[
			'install',
			'--prod',
			'--no-optional',
			'--ignore-scripts',
			`--store-dir=${join(cacheFolder(), 'pnpm-store')}`,
		],
		'Fetching n8n',
	);
	await pnpm(['rebuild', 'sqlite3'], 'Building its database driver');
}

interface CommandOptions {
	cwd: string;
	label: string;
	report: Report;
	env?: Record<string, string>;
	progress?: () => string;
}

/** Runs npm or pnpm and reports its progress every 10 s. */
async function command(
	program: string,
	args: string[],
	{ cwd, label, report, env, progress }: CommandOptions,
): Promise<void> {
	const started = Date.now();
	const state = () => [progress?.(), `${Math.round((Date.now() - started) / 1000)} s`].filter(Boolean);
	report(`  ${label} ...`);
	const ticker = setInterval(() => report(`  ${label}: ${state().join(', ')}`), 10_000);
	try {
		await new Promise<void>((resolve, reject) => {
			const child = spawn(program, args, {
				cwd,
				env: { ...process.env, ...env },
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
				else reject(new Error(`${program} ${args.join(' ')} in ${cwd} failed (exit ${code}):\n${output}`));
			});
		});
	} finally {
		clearInterval(ticker);
	}
}

/** Runs `action` while no other process on this machine does; a lock whose owner is gone is taken over. */
async function withLock(path: string, report: Report, action: () => Promise<void>): Promise<void> {
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
