import { readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';

import { DEFAULT_REMEMBERED } from '../../nodes/SocialPublishingTrigger/settings';
import { poll } from '../../test/n8n/client';
import { type N8n, startN8n } from '../../test/n8n/instance';
import type { N8nProcess } from '../../test/n8n/process';
import { withPostgres } from '../../test/n8n/queue';
import { startService } from '../../test/service';
import { Field } from '../../test/support/e2e/field';
import { deliver, inParallel, newEvent, percentile, type Receiver } from '../../test/support/e2e/sender';
import { nothing, ours } from '../../test/support/e2e/workflows';
import { none, sized, told, type Row } from '../figures';

/** Queue mode with a growing number of workers: events a second, what one costs and where, memory. For docs/scale.md. */
export const name = 'Workers: queue mode';

const PROCESSORS = 2;
const MOST_WORKERS = 3;
const CONCURRENCY = 10;

export async function run(scale: number): Promise<Row[]> {
	const count = sized(300, scale, 30);
	const service = await startService();
	try {
		const n8n = await startN8n({
			mode: 'queue',
			webhooks: PROCESSORS,
			workers: MOST_WORKERS,
			concurrency: CONCURRENCY,
		});
		try {
			const field = await Field.set(n8n, service);
			const { id, receiver } = await field.publish(ours([nothing]));
			const events = async (title: string, size = count) => await measure(n8n, id, receiver, title, size);
			const rows: Row[] = [];
			await events('warm-up', 30);
			rows.push(...(await events(`list nearly empty, ${MOST_WORKERS} workers`)));
			await fillList(n8n, id);
			for (let workers = MOST_WORKERS; workers >= 1; workers--) {
				rows.push(
					...(await events(
						`list of ${DEFAULT_REMEMBERED} events, ${workers} worker${workers > 1 ? 's' : ''}`,
					)),
				);
				await n8n.workers[workers - 1]!.stop();
			}
			await n8n.workers[0]!.start();
			rows.push(...(await memory(n8n)));
			await field.clear();
			return rows;
		} finally {
			await n8n.stop();
		}
	} finally {
		await service.close();
	}
}

/** Sends `count` new events, as many at once as the answers allow, until the last one has run. */
async function measure(
	n8n: N8n,
	workflow: string,
	receiver: Receiver,
	title: string,
	count: number,
): Promise<Row[]> {
	const kinds = { 'webhook processors': n8n.webhooks, workers: n8n.workers, main: [n8n.main] };
	const cpu = async () =>
		await Promise.all(
			Object.values(kinds).map(async (each) => (await Promise.all(each.map(cpuOf))).reduce(sum, 0)),
		);
	const before = { finished: await finished(n8n, workflow), cpu: await cpu() };
	const started = performance.now();
	const answers = await inParallel(
		Array.from({ length: count }, () => async () => await deliver(receiver, newEvent())),
		CONCURRENCY,
	);
	const answered = (performance.now() - started) / 1000;
	const refused = answers.filter(({ status }) => status !== 200).length;
	await poll('the executions', async () =>
		(await finished(n8n, workflow)) >= before.finished + count ? true : undefined,
	);
	const ran = (performance.now() - started) / 1000;
	const spent = (await cpu()).map((value, i) => ((value - before.cpu[i]!) / count) * 1000);
	const inTrigger = await triggerTimes(n8n, workflow);
	return [
		none(`${title}: refused`, refused),
		told(
			`${title}: answered / run to the end, a second`,
			`${(count / answered).toFixed(1)} / ${(count / ran).toFixed(1)}`,
		),
		told(
			`${title}: time in the trigger node, median / p99`,
			`${percentile(inTrigger, 0.5)} / ${percentile(inTrigger, 0.99)} ms`,
		),
		told(
			`${title}: CPU time of an event, ${Object.keys(kinds).join(' / ')}`,
			`${spent.map((ms) => ms.toFixed(0)).join(' / ')} ms`,
		),
	];
}

const sum = (a: number, b: number) => a + b;

/** Seconds of CPU that a process has used; the kernel counts in hundredths. */
async function cpuOf({ pid }: N8nProcess): Promise<number> {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	return stat === '' ? 0 : (Number(fields[11]) + Number(fields[12])) / 100;
}

async function finished(n8n: N8n, workflow: string): Promise<number> {
	const [{ count }] = await inDatabase(n8n, (query) =>
		query(
			`SELECT count(*)::int AS count FROM execution_entity WHERE "workflowId" = $1 AND status = 'success'`,
			[workflow],
		),
	);
	return count;
}

/** How long the trigger node took in the last executions, in ms: what its list in the database costs, waits included. */
async function triggerTimes(n8n: N8n, workflow: string): Promise<number[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow, status: ['success'] }));
	const { results } = await n8n.rest('GET', `/executions?limit=50&filter=${filter}`);
	const times: number[] = [];
	for (const { id } of results) {
		const { data } = await n8n.execution(id);
		times.push(data.resultData.runData.Trigger[0].executionTime);
	}
	return times;
}

/** The trigger's list as it is after `DEFAULT_REMEMBERED` other events: two values each, which n8n stores as hashes. */
async function fillList(n8n: N8n, workflow: string): Promise<void> {
	await inDatabase(n8n, async (query) => {
		const [{ value: text }] = await query('SELECT value::text FROM processed_data WHERE "workflowId" = $1', [
			workflow,
		]);
		const value = JSON.parse(text);
		const others = Array.from({ length: DEFAULT_REMEMBERED * 2 - value.data.length }, () =>
			randomBytes(16).toString('base64'),
		);
		const filled = JSON.stringify({ ...value, data: [...others, ...value.data] });
		await query('UPDATE processed_data SET value = $1 WHERE "workflowId" = $2', [filled, workflow]);
	});
}

type Query = (sql: string, values?: unknown[]) => Promise<any[]>;

const inDatabase = async <T>(n8n: N8n, use: (query: Query) => Promise<T>): Promise<T> =>
	await withPostgres(n8n.host, use, n8n.database);

async function memory(n8n: N8n): Promise<Row[]> {
	const of = { main: n8n.main, 'a webhook processor': n8n.webhooks[0]!, 'a worker': n8n.workers[0]! };
	return await Promise.all(
		Object.entries(of).map(async ([title, one]) =>
			told(
				`memory of ${title}, task runner included`,
				`${Math.round((await n8n.memory([one])) / 1024 / 1024)} MiB`,
			),
		),
	);
}
