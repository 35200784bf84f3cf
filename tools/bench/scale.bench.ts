import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runNode } from '../../test/support/engine';
import { poll } from '../../test/n8n/client';
import { accountOf, credentialFor, example } from '../../test/n8n/examples';
import { type N8n, startN8n } from '../../test/n8n/instance';
import { type Service, startService } from '../../test/service';
import { createParameters } from '../../test/support/e2e/flow';
import { sized, told, type Row } from '../figures';

/** The figures of docs/scale.md: what the nodes cost in requests, memory and rows of n8n's database. */

export const name = 'Scale: requests, memory, database';

const exec = promisify(execFile);

export async function run(scale: number): Promise<Row[]> {
	const service = await startService();
	try {
		return [...(await requests(service)), ...(await inN8n(service, sized(200, scale, 20)))];
	} finally {
		await service.close();
	}
}

/** Requests to the service of one run of the node. */
async function requests(service: Service): Promise<Row[]> {
	const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
	const post = createParameters({ text: 'Bread', when: 'at', scheduledAt });
	const ten = Array.from({ length: 10 }, (_, i) => ({ json: { i } }));
	const jobs: Array<[string, Record<string, any>, Array<{ json: any }>?]> = [
		['one post, one platform', { ...post, platforms: ['x'] }],
		['one post, three platforms', { ...post, platforms: ['x', 'tiktok', 'linkedin'] }],
		['ten items, one platform each', { ...post, platforms: ['x'], text: '={{ $json.i }}' }, ten],
		[
			'ten items to two accounts',
			{ ...post, postTo: 'accounts', accounts: ['acc_main_x', 'acc_main_linkedin'] },
			ten,
		],
		['get one post', { resource: 'post', operation: 'get' }],
	];
	const rows: Row[] = [];
	for (const [what, parameters, items] of jobs) {
		if (parameters.operation === 'get') parameters.postId = [...service.store.posts.keys()][0];
		const before = service.requests.length;
		const { error } = await runNode({
			parameters,
			items,
			executionId: what,
			credential: credentialFor(service, service.keys.full) as any,
		});
		if (error) throw error;
		const sent = service.requests.slice(before);
		const reads = sent.filter(({ method }) => method === 'GET').length;
		rows.push(told(`requests: ${what}, writes / reads`, `${sent.length - reads} / ${reads}`));
	}
	return rows;
}

/** Memory and rows in a real n8n (SQLite, one process) for a run of posts and for events of the trigger. */
async function inN8n(service: Service, count: number): Promise<Row[]> {
	const n8n = await startN8n();
	try {
		const account = await accountOf(n8n, service);
		const react = await n8n.createWorkflow(await example('react-to-published'), account);
		await n8n.activate(react);
		await poll('the subscription', async () => (service.store.webhooks.size > 0 ? true : undefined));
		await events(service, n8n, react, 10, 10);
		const before = { memory: await n8n.memory(), rows: await rowsOf(n8n) };
		await events(service, n8n, react, count, count + 10);
		const after = { memory: await n8n.memory(), rows: await rowsOf(n8n) };
		const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;
		return [
			told('memory of n8n with the package, idle', megabytes(before.memory)),
			told(`… after ${count} events`, megabytes(after.memory)),
			...Object.entries(after.rows).map(([table, rows]) =>
				told(`rows in ${table} for ${count} events`, rows - (before.rows[table] ?? 0)),
			),
		];
	} finally {
		await n8n.stop();
	}
}

/** Five at a time, as they come in practice: more at once measures how n8n copes with a rush. */
async function events(
	service: Service,
	n8n: N8n,
	workflow: string,
	count: number,
	total: number,
): Promise<void> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow, status: ['success'] }));
	for (let sent = 0; sent < count; sent += 5) {
		await fetch(`${service.url}/_control/events`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ type: 'post.published', count: Math.min(5, count - sent) }),
		});
		await poll('the executions', async () => {
			const { count: done } = await n8n.rest('GET', `/executions?limit=1&filter=${filter}`);
			return done >= total - count + Math.min(count, sent + 5) ? true : undefined;
		});
	}
}

/** By n8n's own database driver, in its own Node. */
async function rowsOf(n8n: N8n): Promise<Record<string, number>> {
	const script = `
		const { Database } = require(${JSON.stringify(join(n8n.host.folder, 'node_modules/sqlite3'))});
		const database = new Database(${JSON.stringify(join(n8n.userFolder, '.n8n/database.sqlite'))});
		const tables = ['execution_entity', 'execution_data', 'processed_data'];
		let left = tables.length;
		const rows = {};
		for (const table of tables)
			database.get('select count(*) as count from ' + table, (error, row) => {
				rows[table] = row ? row.count : 0;
				if (--left === 0) console.log(JSON.stringify(rows));
			});`;
	const { stdout } = await exec(n8n.host.node, ['-e', script]);
	return JSON.parse(stdout);
}
