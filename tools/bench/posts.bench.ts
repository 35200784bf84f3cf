import type { IDataObject } from 'n8n-workflow';

import { runNode } from '../../test/support/engine';
import { createParameters, flow, type FlowNode, socialPublishing, to } from '../../test/support/e2e/flow';
import { type Service, startService } from '../../test/service';
import { row, sized, told, type Row } from '../figures';
import { httpRequest, inOwnN8n, items } from './ownN8n';

/** How posts go out: beside what people would use instead, and five at a time beside one after another. */
export const name = 'posts';

export const run = async (scale: number): Promise<Row[]> => [
	...(await besideOthers(scale)),
	...(await atOnce(scale)),
];

/** The highest plan (spec, "Rate limits": 90 writes a minute), its minute shortened. */
const WINDOW_MS = 4_000;
/** What keeps to that with a reserve: 15 posts a second. */
const BATCH = { batchSize: 15, batchInterval: 1_000 };
const WAIT_S = 0.05;
/** n8n's own Retry On Fail, at its defaults. */
const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1_000 };

type Way = (service: Service, count: number) => Record<string, unknown>;

const inARow =
	(nodeOf: (service: Service) => FlowNode): Way =>
	(service, count) =>
		flow('In a row', [...items(count), nodeOf(service)]);

/** One post, then a wait, until no item is left. */
const loop =
	(key: string): Way =>
	(service, count) =>
		flow(
			'Loop',
			[
				...items(count),
				{
					name: 'Loop',
					type: 'n8n-nodes-base.splitInBatches',
					typeVersion: 3,
					parameters: { batchSize: 1, options: {} },
				},
				httpRequest(service, key, { batchSize: 1, batchInterval: 0 }, RETRY),
				{
					name: 'Wait',
					type: 'n8n-nodes-base.wait',
					typeVersion: 1.1,
					parameters: { resume: 'timeInterval', amount: WAIT_S, unit: 'seconds' },
					webhookId: 'bench-wait',
				},
			],
			{
				Loop: { main: [[], ...to('Post').main!] },
				Wait: to('Loop'),
			},
		);

/** An idempotency key that a retry has again, and one that is made anew for each request. */
const keys = {
	row: '={{ $execution.id }}-{{ $json.text.replaceAll(" ", "-") }}',
	time: '={{ $now.toMillis() }}-{{ $itemIndex }}',
};

const ways: Record<string, Way> = {
	'this node': inARow(() => socialPublishing(createParameters())),
	'HTTP Request in batches, the row as key': inARow((service) =>
		httpRequest(service, keys.row, BATCH, RETRY),
	),
	'HTTP Request in batches, the time as key': inARow((service) =>
		httpRequest(service, keys.time, BATCH, RETRY),
	),
	'Loop with a Wait, the row as key': loop(keys.row),
	'Loop with a Wait, the time as key': loop(keys.time),
};

/** 1,000 posts, the answer to every fifth request lost after the service has acted. */
async function besideOthers(scale: number): Promise<Row[]> {
	const count = sized(1_000, scale, 50);
	const rows: Row[] = [];
	for (const [way, workflowOf] of Object.entries(ways)) {
		const service = await startService({ speed: 0, rateWindowMs: WINDOW_MS });
		const loseAnswers = (): void => {
			service.store.posts.clear();
			const lost = { kind: 'dropAfter', rate: 0.2, seed: 1, times: 0 } as const;
			service.faults.add({ ...lost, method: 'POST', path: '^/posts$' });
		};
		const { execution, bytes } = await inOwnN8n(service, (posts) => workflowOf(service, posts), count, {
			apiKey: service.keys.highest,
			beforeRun: loseAnswers,
		});
		const texts = [...service.store.posts.values()].map(({ text }) => text);
		await service.close();
		const sent = new Set(texts).size;
		const repeated = new Set(texts.filter((text, i) => texts.indexOf(text) !== i)).size;
		const seconds = (Date.parse(execution.stoppedAt!) - Date.parse(execution.startedAt!)) / 1000;
		const value = [
			`${seconds.toFixed(0)} s`,
			`${(bytes / 1024 / 1024).toFixed(0)} MiB`,
			`${sent} sent`,
			`${repeated} more than once`,
			`${count - sent} lost`,
			`ends with ${execution.status}`,
		].join(', ');
		const what = `${count} posts, every fifth answer lost: ${way}`;
		const isExact = sent === count && repeated === 0 && execution.status === 'success';
		rows.push(way === 'this node' ? row(what, value, 'each once, with success', isExact) : told(what, value));
		console.log(`${way}: ${value}`);
	}
	return rows;
}

const LATENCY = 100;

/** 100 posts at a service that takes 100 ms for each answer: five at a time (the default), and one after another. */
async function atOnce(scale: number): Promise<Row[]> {
	const count = sized(100, scale, 20);
	const service = await startService({ latencyMs: LATENCY });
	const create = async (posts: number, concurrency?: number) => {
		const started = performance.now();
		const { json, error } = await runNode({
			parameters: createParameters({
				options: concurrency === undefined ? {} : { concurrency },
			}) as IDataObject,
			credential: { baseUrl: service.url, apiKey: service.keys.full },
			items: Array.from({ length: posts }, (_, i) => ({ json: { text: `Post ${i}` } })),
			executionId: `bench-${posts}-${concurrency}`,
		});
		if (error) throw new Error('The posts were not created', { cause: error });
		const texts = json.map(({ id }) => service.store.posts.get(String(id))!.text);
		return { seconds: (performance.now() - started) / 1000, texts };
	};
	try {
		// What is loaded once counts for neither.
		await create(5);
		const together = await create(count);
		const single = await create(count, 1);
		const ratio = single.seconds / together.seconds;
		const ordered =
			together.texts.length === count && together.texts.every((text, i) => text === `Post ${i}`);
		return [
			row(
				`${count} posts, answers take ${LATENCY} ms: default by one after another`,
				`${ratio.toFixed(1)} (${together.seconds.toFixed(1)} s / ${single.seconds.toFixed(1)} s)`,
				'≥ 4',
				ratio >= 4,
			),
			row(`${count} posts: output in the order of the input`, ordered ? 'yes' : 'no', 'yes', ordered),
		];
	} finally {
		await service.close();
	}
}
