import { randomBytes } from 'node:crypto';

import { settingsOf } from '../../nodes/SocialPublishingTrigger/settings';
import type { N8n } from '../../test/n8n/instance';
import { withPostgres } from '../../test/n8n/queue';
import { percentile } from '../../test/support/e2e/sender';
import { nothing, ours } from '../../test/support/e2e/flow';
import { inField, inMiB, type Measure, sized, figure, type Row } from '../figures';
import { sendEvents } from './events';

/** Queue mode with a growing number of workers: events a second, what one costs and where, memory. For docs/development/scale.md. */

const MOST_WORKERS = 3;
/** By default. */
const { rememberEvents } = settingsOf({ getNodeParameter: (_name, fallback) => fallback });

export const queueMode: Measure = async (scale) =>
	await inField(
		async (field, n8n) => {
			const { id, receiver } = await field.publish(ours([nothing]));
			const count = sized(300, scale, 30);
			const rows: Row[] = [];
			/** Sends new events, as many at once as the answers allow, until the last one has run. */
			const measure = async (title: string) => {
				const before = await cpuTimes(n8n);
				const { answered, ran } = await sendEvents(n8n, id, receiver, count);
				const spent = (await cpuTimes(n8n)).map((time, i) => ((time - before[i]!) / count) * 1000);
				const times = await triggerTimes(n8n, id);
				rows.push(
					figure(`${title}: answered a second`, (count / answered).toFixed(1)),
					figure(`${title}: run to the end a second`, (count / ran).toFixed(1)),
					figure(`${title}: time in the trigger node, median`, `${percentile(times, 0.5)} ms`),
					figure(
						`${title}: CPU time of an event, webhook processors / workers / main`,
						`${spent.map((ms) => ms.toFixed(0)).join(' / ')} ms`,
					),
				);
			};
			await sendEvents(n8n, id, receiver, 30);
			await measure(`list nearly empty, ${MOST_WORKERS} workers`);
			await fillList(n8n, id);
			for (let workers = MOST_WORKERS; workers >= 1; workers--) {
				await measure(`list of ${rememberEvents} events, workers: ${workers}`);
				if (workers > 1) await n8n.workers[workers - 1]!.stop();
			}
			const { main, webhooks, workers } = n8n;
			for (const [kind, one] of Object.entries({ main, processor: webhooks[0]!, worker: workers[0]! }))
				rows.push(figure(`memory of a ${kind}, task runner included`, inMiB(await n8n.memory([one]))));
			return rows;
		},
		{ mode: 'queue', workers: MOST_WORKERS },
	);

const cpuTimes = async (n8n: N8n): Promise<number[]> =>
	await Promise.all([n8n.webhooks, n8n.workers, [n8n.main]].map(async (kind) => await n8n.cpuTime(kind)));

/** How long the trigger node took in the last executions, in ms: what its list in the database costs, waits included. */
async function triggerTimes(n8n: N8n, workflow: string): Promise<number[]> {
	const last = (await n8n.executions(workflow, { status: ['success'] })).slice(0, 50);
	const all = last.map(async ({ id }) => (await n8n.execution(id)).data.resultData.runData);
	return (await Promise.all(all)).map((runData) => runData.Trigger[0].executionTime);
}

/** The trigger's list as it is after `rememberEvents` other events: two values each, which n8n stores as hashes. */
async function fillList({ host, database }: N8n, workflow: string): Promise<void> {
	const ofWorkflow = 'WHERE "workflowId" = $1';
	await withPostgres(
		host,
		async (query) => {
			const [{ value: text }] = await query(`SELECT value::text FROM processed_data ${ofWorkflow}`, [
				workflow,
			]);
			const value = JSON.parse(text);
			const others = Array.from({ length: rememberEvents * 2 - value.data.length }, () =>
				randomBytes(16).toString('base64'),
			);
			const filled = JSON.stringify({ ...value, data: [...others, ...value.data] });
			await query(`UPDATE processed_data SET value = $2 ${ofWorkflow}`, [workflow, filled]);
		},
		database,
	);
}
