import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { IDataObject } from 'n8n-workflow';

import { packPackage } from '../../test/n8n/package';
import { credentialFor } from '../../test/n8n/examples';
import type { N8n } from '../../test/n8n/instance';
import { startService } from '../../test/service';
import { addPost } from '../../test/support/store';
import { runNode } from '../../test/support/engine';
import { createParameters } from '../../test/support/e2e/flow';
import { nothing, ours } from '../../test/support/e2e/workflows';
import { inField, inMiB, type Measure, row, sized, told } from '../figures';
import { sendEvents } from './events';

/** The figures of docs/scale.md: what the nodes cost in requests, memory and rows of n8n's database. */

const exec = promisify(execFile);
const root = resolve(__dirname, '../..');

/** Requests to the service of one run of the node. */
export const requests: Measure = async () => {
	const service = await startService();
	addPost(service, { id: 'post_1' });
	const post = createParameters({ text: '=Bread {{ $json.i }}' });
	const jobs: Array<[what: string, items: number, parameters: object]> = [
		['one post, one platform', 1, post],
		['one post, three platforms', 1, { ...post, platforms: ['x', 'tiktok', 'linkedin'] }],
		['ten items, one platform each', 10, post],
		[
			'ten items to two accounts',
			10,
			{ ...post, postTo: 'accounts', accounts: ['acc_main_x', 'acc_main_linkedin'] },
		],
		['get one post', 1, { resource: 'post', operation: 'get', postId: 'post_1' }],
	];
	const rows = [];
	for (const [what, count, parameters] of jobs) {
		const before = service.requests.length;
		const { error } = await runNode({
			parameters: parameters as IDataObject,
			items: Array.from({ length: count }, (_, i) => ({ json: { i } })),
			executionId: what,
			credential: credentialFor(service, service.keys.full) as IDataObject,
		});
		if (error) throw error;
		const sent = service.requests.slice(before);
		const reads = sent.filter(({ method }) => method === 'GET').length;
		rows.push(told(`${what}, writes / reads`, `${sent.length - reads} / ${reads}`));
	}
	await service.close();
	return rows;
};

/** Memory and rows in a real n8n (SQLite, one process) for events of the trigger. */
export const events: Measure = async (scale) =>
	await inField(async (field, n8n) => {
		const { id, receiver } = await field.publish(ours([nothing]));
		await sendEvents(n8n, id, receiver, 10);
		const before = { memory: await n8n.memory(), rows: await rowsOf(n8n) };
		const count = sized(50, scale, 10);
		await sendEvents(n8n, id, receiver, count);
		const rows = await rowsOf(n8n);
		return [
			told('memory of n8n with the package, idle', inMiB(before.memory)),
			told(`… after ${count} events`, inMiB(await n8n.memory())),
			...Object.keys(rows).map((table) =>
				told(`rows in ${table} for ${count} events`, rows[table]! - before.rows[table]!),
			),
		];
	});

/** In n8n's own Node, which has SQLite. */
async function rowsOf(n8n: N8n): Promise<Record<string, number>> {
	const script = `
		const { DatabaseSync } = require('node:sqlite');
		const database = new DatabaseSync(${JSON.stringify(join(n8n.userFolder, '.n8n/database.sqlite'))});
		const count = (table) => [table, database.prepare('select count(*) as count from ' + table).get().count];
		const tables = ['execution_entity', 'execution_data', 'processed_data'];
		console.log(JSON.stringify(Object.fromEntries(tables.map(count))));`;
	const { stdout } = await exec(n8n.host.node, ['-e', script]);
	return JSON.parse(stdout);
}

/** CPU time that the packed nodes take to load in a fresh process, on top of n8n-workflow and zod, which n8n has loaded anyway. */
export const load: Measure = async (scale) => {
	const folder = await mkdtemp(join(tmpdir(), 'social-load-'));
	await exec('tar', ['-xzf', await packPackage(), '-C', folder]);
	// As in n8n: what it brings along is found by way of its own node_modules.
	await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
	const script = `
		const { nodes, credentials } = require('./package.json').n8n;
		for (const known of ['n8n-workflow', 'zod']) require(known);
		const before = process.cpuUsage();
		for (const path of [...nodes, ...credentials]) new (Object.values(require('./' + path))[0])();
		const { user, system } = process.cpuUsage(before);
		console.log((user + system) / 1000);`;
	const times: number[] = [];
	for (let i = 0; i < sized(15, scale, 3); i++) {
		const { stdout } = await exec(process.execPath, ['-e', script], { cwd: join(folder, 'package') });
		times.push(Number(stdout));
	}
	await rm(folder, { recursive: true });
	// The work is the same each time: what is longer than the shortest is other load on the machine.
	return [told(`shortest of ${times.length}`, `${Math.min(...times).toFixed(1)} ms`)];
};

/** 1 GiB from n8n's file-system binary mode to a signed URL, in a process of its own. */
export const upload: Measure = async (scale) => {
	const service = await startService();
	const size = sized(2 ** 30, scale, 2 ** 24);
	const script = join(root, 'test/support/transfer.ts');
	const args = [require.resolve('tsx/cli'), script, service.url, service.keys.full, String(size)];
	const { stdout } = await exec(process.execPath, args);
	await service.close();
	const { growth } = JSON.parse(stdout) as { growth: number };
	const isFlat = growth < 64 * 2 ** 20;
	return [row(`upload of ${inMiB(size)}: memory grows by`, inMiB(growth), 'less than 64 MiB', isFlat)];
};
