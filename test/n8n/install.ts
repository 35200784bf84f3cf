import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { disown, own } from './owned';
import { lockedRelease, nameOf, type Release } from './releases';

/** Installs each real n8n once, into a cache folder outside the checkout that is named after what is installed. */

export const run = promisify(execFile);
const hostFolder = join(__dirname, 'host');
/** The Node that runs every n8n from 1.123 on; an older machine gets it with the locked n8n (the package `node`). */
const wantedNodeMajor = 24;
/** The second one of n8n's own repository. */
const pnpm = 'pnpm@10.34.9';

export interface N8nHost {
	folder: string;
	/** The Node binary that runs it. */
	node: string;
	/** Package n8n itself: its `bin`, its `dist`, and what its dependencies are resolved from. */
	n8nFolder: string;
	n8n: string;
	version: string;
	/** As the lock file says. */
	locked: boolean;
}

/** Where everything is kept between runs; `SOCIAL_PUBLISHING_N8N_CACHE` moves it. */
export function cacheFolder(): string {
	const base = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
	return process.env.SOCIAL_PUBLISHING_N8N_CACHE || join(base, 'n8n-nodes-social-publishing');
}

export async function installN8n(release: Release = lockedRelease): Promise<N8nHost> {
	const folder = release.folder ?? join(cacheFolder(), await folderOf(release));
	if (!existsSync(folder)) await install(release, folder);
	const n8nFolder = release.layout === 'pnpm' ? folder : join(folder, 'node_modules/n8n');
	const { version } = JSON.parse(await readFile(join(n8nFolder, 'package.json'), 'utf8'));
	const node = await nodeFor(release, folder);
	return {
		folder,
		node,
		n8nFolder,
		n8n: join(n8nFolder, 'bin/n8n'),
		version,
		locked: release.locked === true,
	};
}

async function nodeFor(release: Release, folder: string): Promise<string> {
	if (Number(process.versions.node.split('.')[0]) >= wantedNodeMajor) return process.execPath;
	return release.locked ? join(folder, 'node_modules/node/bin/node') : (await installN8n()).node;
}

/** Another lock file, another release or another override is another installation. */
async function folderOf(release: Release): Promise<string> {
	const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex').slice(0, 12);
	if (release.locked) return `n8n-${hash(await readFile(join(hostFolder, 'package-lock.json')))}`;
	return `n8n-${release.version}-${release.layout}-${hash(JSON.stringify(release))}`;
}

async function install(release: Release, folder: string): Promise<void> {
	console.log(`Installing n8n ${nameOf(release)} into the cache (once, some minutes, about 2.5 GB):`);
	console.log(`  ${folder}`);
	await filled(folder, async (draft) => {
		if (release.locked) await installLocked(draft);
		else if (release.layout === 'npm') await installFlat(draft, release);
		else await installUnhoisted(draft, release);
	});
}

/** Fills a folder beside its place and moves it there when it is complete; where another process was faster, its folder stays. */
export async function filled(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
	const draft = `${folder}.draft-${process.pid}`;
	own('folder', draft);
	await mkdir(draft, { recursive: true });
	await fill(draft);
	await rename(draft, folder).catch(async (error: Error) => {
		if (!existsSync(folder)) throw error;
		await rm(draft, { recursive: true });
	});
	disown('folder', draft);
}

const writeJson = async (path: string, value: unknown) =>
	await writeFile(path, JSON.stringify(value, null, 2));

async function installLocked(draft: string): Promise<void> {
	for (const name of ['package.json', 'package-lock.json'])
		await copyFile(join(hostFolder, name), join(draft, name));
	await npmInstall(draft);
	await command(draft, 'Fetching its Node', 'npm', 'rebuild', 'node', '--ignore-scripts=false');
}

async function installFlat(draft: string, { version, overrides, peers }: Release): Promise<void> {
	const manifest = { private: true, dependencies: { n8n: version, ...peers }, overrides };
	await writeJson(join(draft, 'package.json'), manifest);
	await npmInstall(draft);
}

async function npmInstall(draft: string): Promise<void> {
	// Not `npm ci`: it refuses the lock file for other platforms' packages. `npm install` keeps the locked versions.
	// No install scripts: some of n8n's optional native parts do not build; sqlite3 is the one that is needed.
	const args = ['install', '--legacy-peer-deps', '--ignore-scripts'];
	await command(draft, 'Fetching n8n', 'npm', ...args, '--no-audit', '--no-fund', '--loglevel=error');
	await command(draft, 'Building its database driver', 'npm', 'rebuild', 'sqlite3', '--ignore-scripts=false');
}

/** n8n as the root project, and nothing in its `node_modules` but what it names itself. */
async function installUnhoisted(draft: string, { version, overrides, hoisted = [] }: Release): Promise<void> {
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

	const store = `--store-dir=${join(cacheFolder(), 'pnpm-store')}`;
	const args = ['install', '--prod', '--no-optional', '--ignore-scripts', store];
	await command(draft, 'Fetching n8n', 'npx', '--yes', pnpm, ...args);
	await command(draft, 'Building its database driver', 'npx', '--yes', pnpm, 'rebuild', 'sqlite3');
}

/** Runs npm or pnpm in a folder; says every 10 s that it is still at it. */
async function command(cwd: string, label: string, program: string, ...args: string[]): Promise<void> {
	const started = Date.now();
	const tell = () => console.log(`  ${label}: ${Math.round((Date.now() - started) / 1000)} s`);
	console.log(`  ${label} ...`);
	const ticker = setInterval(tell, 10_000);
	try {
		await run(program, args, { cwd, maxBuffer: 2 ** 26 });
	} finally {
		clearInterval(ticker);
	}
}
