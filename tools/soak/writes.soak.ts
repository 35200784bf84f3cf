import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { poll } from '../../test/n8n/client';
import { accountOf } from '../../test/n8n/examples';
import { type N8n, type N8nOptions, startN8n } from '../../test/n8n/instance';
import { type Service, startService } from '../../test/service';
import { call, createParameters, flow, socialPublishing, start } from '../../test/support/e2e/flow';
import {
	count,
	type Counted,
	endOf,
	MOVING,
	PATIENCE,
	postNode,
	postThroughFaults,
	sender,
	words,
} from '../../test/support/e2e/writes';
import { bytes, startFiles } from '../../test/support/fileServer';
import { type Measure, none, row, sized, told, type Row } from '../figures';

async function withN8n(work: (n8n: N8n) => Promise<Row[]>, options?: N8nOptions): Promise<Row[]> {
	const n8n = await startN8n(options);
	try {
		return await work(n8n);
	} finally {
		await n8n.stop();
	}
}

const onceEach = (what: string, { missing, doubled, wrong }: Counted): Row => {
	const found = `${missing}, ${doubled}, ${wrong}`;
	return row(`${what}: missing, doubled, with a wrong text`, found, '0, 0, 0', found === '0, 0, 0');
};

/** 1,000 posts, one request in five failing, stopped and retried; docs/idempotency.md says what it shows. */
export const posts: Measure = async (scale) =>
	await withN8n(async (n8n) => {
		const size = sized(1000, scale, 20);
		const rows: Row[] = [];
		for (const text of ['={{ $json.text }}', MOVING]) {
			const posted = await postThroughFaults(n8n, size, postNode(text));
			rows.push(
				onceEach(`${size} posts of ${text}, ${posted.stops} stops`, posted),
				told('… requests; end of the last run', `${posted.requests}; ${endOf(posted.last)}`),
			);
		}
		return rows;
	});

/** 60 posts on the lowest plan, 20 writes a minute, with default options. With `scale` the minute is shorter. */
export const lowestPlan: Measure = async (scale) =>
	await withN8n(async (n8n) => {
		const size = 60;
		const service = await startService({ rateWindowMs: Math.max(1000, 60_000 * scale) });
		const id = await n8n.createWorkflow(sender(), await accountOf(n8n, service, service.keys.lowest));
		await n8n.activate(id);
		await call(n8n, id, { items: words(size) });
		const execution = await poll('the execution', async () => (await n8n.executions(id))[0]?.id);
		const last = await n8n.waitForFinish(execution, PATIENCE);
		await n8n.deactivate(id);
		const asked = service.requests.filter(({ method }) => method === 'POST');
		const refused = asked.filter(({ status }) => status === 429).length;
		const seconds = Math.round((asked.at(-1)!.receivedAt - asked[0]!.receivedAt) / 1000);
		await service.close();
		return [
			row('how it ended', endOf(last), `${size} items`, endOf(last) === `${size} items`),
			onceEach(`${size} posts`, count(service, size)),
			told('took', `${seconds} s, ${refused} × 429`),
		];
	});

/** How long a node goes on after its execution was stopped. */
export const stops: Measure = async (scale) => await stopEverywhere(sized(5, scale, 1));

export const stopsInQueueMode: Measure = async (scale) =>
	await stopEverywhere(sized(5, scale, 1), { mode: 'queue', webhooks: 1 });

interface Case {
	what: string;
	/** Makes the service slow or refusing; gives the node's parameters. */
	begin: (service: Service, file: string) => Record<string, unknown>;
	/** Whether the node is where it is to be stopped. */
	there: (service: Service) => boolean;
}

const list = { resource: 'workspace', operation: 'getAll', returnAll: true, options: {} };
const hangs = ({ requests }: Service): boolean => requests.some(({ fault }) => fault === 'hang');

const cases: Case[] = [
	{
		what: 'a wait for the rate limit',
		begin: ({ faults }) => {
			faults.add({ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '50', times: 0 });
			return list;
		},
		there: ({ requests }) => requests.some(({ status }) => status === 429),
	},
	{
		what: 'Wait for Publication',
		begin: () => createParameters({ text: 'Hello', options: { waitForPublication: true, waitTimeout: 600 } }),
		there: ({ requests }) =>
			requests.some(({ method, path }) => method === 'GET' && path.includes('/posts/')),
	},
	{
		what: 'a request without an answer',
		begin: ({ faults }) => {
			faults.add({ kind: 'hang', times: 0 });
			return list;
		},
		there: hangs,
	},
	{
		what: 'an upload that hangs',
		begin: ({ faults }, file) => {
			faults.add({ kind: 'hang', path: '^/upload/', times: 0 });
			return { resource: 'media', operation: 'upload', mediaFrom: 'url', mediaUrls: file, options: {} };
		},
		there: hangs,
	},
];

/** How long the node is left alone before and after, in ms: it does wait, and it does nothing more. */
const ALONE = 2000;

/** Stops an execution in each place, `rounds` times; the longest times. */
async function stopEverywhere(rounds: number, options: N8nOptions = {}): Promise<Row[]> {
	const env = { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console' };
	const files = await startFiles();
	const file = files.on('/film.mp4', bytes(Buffer.alloc(50 * 2 ** 20), 'video/mp4'));
	const rows = await withN8n(
		async (n8n) => {
			const found: Row[] = [];
			for (const one of cases) {
				const times: number[] = [];
				let more = 0;
				for (let round = 0; round < rounds; round++) {
					const { ms, requests } = await stopIn(n8n, one, file);
					times.push(ms);
					more += requests;
				}
				const longest = Math.round(Math.max(...times));
				found.push(
					row(`${one.what}: the node ended after`, `${longest} ms`, 'under 1 s', longest < 1000),
					none(`${one.what}: requests after it`, more),
				);
			}
			return found;
		},
		{ ...options, env },
	);
	await files.close();
	return rows;
}

/**
 * How long the node goes on after the request to stop, and what the service was asked afterwards. n8n shows the execution
 * as canceled at once; that the node has ended is only in its log, which names it then.
 */
async function stopIn(n8n: N8n, { what, begin, there }: Case, file: string) {
	// Its clock stands still: nothing is published.
	const service = await startService({ speed: 0 });
	const node = `Node ${randomUUID()}`;
	const workflow = flow(what, [start(), socialPublishing(begin(service, file), {}, node)]);
	const id = await n8n.createWorkflow(workflow, await accountOf(n8n, service));
	await n8n.activate(id);
	await call(n8n, id, {}, n8n.url);
	await poll(`the node in ${what}`, () => there(service) || undefined);
	await pause(ALONE);
	const [execution] = await n8n.executions(id);
	const hasEnded = () => n8n.log().includes(`Running node "${node}" finished`);
	if (hasEnded()) throw new Error(`The node did not wait: ${what}`);
	const before = service.requests.length;
	const started = performance.now();
	const answered = n8n.stopExecution(execution!.id);
	const passed = () => performance.now() - started;
	while (!hasEnded() && passed() < 60_000) await pause(5);
	const ms = passed();
	await answered;
	const { status } = await n8n.waitForFinish(execution!.id);
	if (status !== 'canceled') throw new Error(`The execution ended as ${status}`);
	await pause(ALONE);
	await n8n.deleteWorkflow(id);
	await service.close();
	return { ms, requests: service.requests.length - before };
}
