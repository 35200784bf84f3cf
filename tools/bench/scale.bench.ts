import { join } from 'node:path';
import type { IDataObject } from 'n8n-workflow';

import { run } from '../../test/n8n/install';
import { credentialFor } from '../../test/n8n/examples';
import type { N8n } from '../../test/n8n/instance';
import { startService } from '../../test/service';
import { addPost } from '../../test/support/store';
import { runNode } from '../../test/support/engine';
import { createParameters, nothing, ours } from '../../test/support/e2e/flow';
import { inField, inMiB, type Measure, sized, figure } from '../figures';
import { sendEvents } from './events';

/** The figures of docs/development/scale.md: what the nodes cost in requests, memory and rows of n8n's database. */

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
		rows.push(figure(`${what}, writes / reads`, `${sent.length - reads} / ${reads}`));
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
			figure('memory of n8n with the package, idle', inMiB(before.memory)),
			figure(`… after ${count} events`, inMiB(await n8n.memory())),
			...Object.keys(rows).map((table) =>
				figure(`rows in ${table} for ${count} events`, rows[table]! - before.rows[table]!),
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
	const { stdout } = await run(n8n.host.node, ['-e', script]);
	return JSON.parse(stdout);
}
