import countBy from 'lodash/countBy';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packPackage } from '../../test/n8n/package';
import { row, sized, told, type Row } from '../figures';

/** What the package weighs: its tarball, and how long its nodes take to load in a fresh process. */

export const name = 'The package: size and load time';

const exec = promisify(execFile);
const root = resolve(__dirname, '../..');

export async function run(scale: number): Promise<Row[]> {
	const tarball = await packPackage();
	const folder = await mkdtemp(join(tmpdir(), 'social-load-'));
	try {
		await exec('tar', ['-xzf', tarball, '-C', folder]);
		const unpacked = join(folder, 'package');
		// As in n8n: what it brings along is found by way of its own node_modules.
		await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
		const kilobytes = (await stat(tarball)).size / 1000;
		const times: Array<[wall: number, processor: number]> = [];
		for (let i = 0; i < sized(15, scale, 3); i++) times.push(await load(unpacked));
		const wall = Math.min(...times.map(([ms]) => ms));
		const processor = Math.min(...times.map(([, ms]) => ms));
		return [
			row('tarball', `${kilobytes.toFixed(1)} kB`, 'under 150 kB', kilobytes < 150),
			told('files in it', await filesOf(unpacked)),
			// The work is the same each time: what is longer than the shortest is other load on the machine.
			row(`loading both nodes, shortest of ${times.length}`, `${wall.toFixed(1)} ms`, '50 ms', wall <= 50),
			told('processor time of that', `${processor.toFixed(1)} ms`),
		];
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** "77 (56 js, 18 json, …)" */
async function filesOf(folder: string): Promise<string> {
	const all = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = all.filter((one) => one.isFile()).map((one) => one.name);
	const kinds = Object.entries(countBy(files, (file) => extname(file).slice(1) || file));
	return `${files.length} (${kinds.map(([kind, count]) => `${count} ${kind}`).join(', ')})`;
}

/** Milliseconds on top of n8n-workflow and zod, which n8n has loaded anyway. */
async function load(folder: string): Promise<[wall: number, processor: number]> {
	const script = `
		const { nodes, credentials } = require('./package.json').n8n;
		for (const known of ['n8n-workflow', 'zod']) require(known);
		const started = performance.now();
		const before = process.cpuUsage();
		for (const path of [...nodes, ...credentials]) {
			const [Class] = Object.values(require('./' + path));
			new Class();
		}
		console.log(JSON.stringify([performance.now() - started, process.cpuUsage(before).user / 1000 + process.cpuUsage(before).system / 1000]));`;
	const { stdout } = await exec(process.execPath, ['-e', script], { cwd: folder });
	return JSON.parse(stdout);
}
