import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cacheFolder, run } from './install';

/** The built package as users get it: packed by npm, unpacked where n8n keeps its community nodes. */

const root = resolve(__dirname, '../..');
const packageName = 'n8n-nodes-social-publishing';

/** The tarball of the present build; packed once per content. `dist` must be built. */
export async function packPackage(): Promise<string> {
	if (!existsSync(join(root, 'dist', 'nodes')))
		throw new Error('The package is not built: run `npm run build` first.');
	const folder = join(cacheFolder(), 'packages');
	const tarball = join(folder, `${packageName}-${await buildHash()}.tgz`);
	if (existsSync(tarball)) return tarball;
	await mkdir(folder, { recursive: true });
	const draft = await mkdtemp(join(folder, 'draft-'));
	try {
		const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', '--pack-destination', draft];
		await run('npm', args, { cwd: root, maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' });
		const packed = (await readdir(draft)).find((name) => name.endsWith('.tgz'));
		if (!packed) throw new Error('npm pack wrote no tarball');
		await rename(join(draft, packed), tarball);
	} finally {
		await rm(draft, { recursive: true, force: true });
	}
	return tarball;
}

/** Unpacks the package into a user folder of n8n; the nodes then have their real type names. */
export async function unpackPackage(tarball: string, userFolder: string): Promise<void> {
	const target = placeIn(userFolder);
	await rm(target, { recursive: true, force: true });
	await mkdir(target, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
}

const placeIn = (userFolder: string) => join(userFolder, '.n8n', 'nodes', 'node_modules', packageName);

/** The clock of the trigger's checks runs ten times as fast in this user folder: a minute between two is six seconds. */
export async function speedUpChecks(userFolder: string): Promise<void> {
	const path = join(placeIn(userFolder), 'dist/nodes/SocialPublishingTrigger/monitor.js');
	const code = await readFile(path, 'utf8');
	await writeFile(path, code.replaceAll('performance.now()', '(10 * performance.now())'));
}

async function buildHash(): Promise<string> {
	const hash = createHash('sha256').update(await readFile(join(root, 'package.json')));
	const files = await readdir(join(root, 'dist'), { recursive: true, withFileTypes: true });
	const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
	for (const path of paths.sort()) hash.update(path.slice(root.length)).update(await readFile(path));
	return hash.digest('hex').slice(0, 12);
}
