import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import { byId, call, createParameters, flow, socialPublishing, start } from '../../test/support/e2e/flow';
import { none, row, told, type Row } from '../figures';
import { bytes, startFiles } from '../../test/support/fileServer';
import { poll } from '../../test/n8n/client';
import { accountOf } from '../../test/n8n/examples';
import { type N8n, type N8nOptions, startN8n } from '../../test/n8n/instance';
import { type Service, startService } from '../../test/service';
import { addPost } from '../../test/support/store';

/**
 * How long our node goes on after an execution was stopped. n8n shows it as canceled at once; that the node itself has
 * ended is only in n8n's log, which names the node once its `execute` has come to an end.
 */

interface Case {
	what: string;
	/** Makes the service slow or refusing; gives the node's parameters. */
	begin: (service: Service, file: string) => Record<string, unknown>;
	/** Whether the node is where it is to be stopped. */
	there: (service: Service) => boolean;
}

const list = { resource: 'workspace', operation: 'getAll', returnAll: true, options: {} };
const hangs = ({ requests }: Service): boolean => requests.some(({ fault }) => fault === 'hang');
const looked = ({ requests }: Service): boolean =>
	requests.some(({ method, path, status }) => method === 'GET' && path.includes('/posts/') && status === 200);

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
		what: 'waitForPublication',
		begin: () => createParameters({ text: 'Hello', options: { waitForPublication: true, waitTimeout: 600 } }),
		there: looked,
	},
	{
		what: 'waitForStatus',
		begin: (service) => ({
			...{ resource: 'post', operation: 'waitForStatus', waitFor: 'completed', waitTimeout: 600 },
			postId: byId(addPost(service, { at: service.clock.now() + 60_000 })),
		}),
		there: looked,
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
const LIMIT = 1000;

/** Stops an execution in each place, `rounds` times; the longest times. */
export async function stops(rounds: number, what: string, options: N8nOptions = {}): Promise<Row[]> {
	const n8n = await startN8n({
		...options,
		env: { ...options.env, N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console' },
	});
	const files = await startFiles();
	try {
		const file = files.on('/film.mp4', bytes(Buffer.alloc(50 * 2 ** 20), 'video/mp4'));
		const rows: Row[] = [];
		for (const one of cases) {
			const found: Stopped[] = [];
			for (let round = 0; round < rounds; round++) found.push(await stopIn(n8n, n8n.url, one, file));
			const longest = Math.max(...found.map(({ ms }) => ms));
			const more = found.reduce((sum, { requests }) => sum + requests, 0);
			rows.push(
				row(
					`${what}, stop during ${one.what}: the node ended after, longest of ${rounds}`,
					`${Math.round(longest)} ms`,
					'under 1 s',
					longest < LIMIT,
				),
				none(`${what}, stop during ${one.what}: requests after it`, more),
			);
		}
		if (n8n.webhooks.length > 0) {
			// n8n 2.41 tells the worker only where the main process started the execution.
			const { ms, ended } = await stopIn(n8n, n8n.webhookUrl, cases[0]!, file, 5000);
			const outcome = ended ? `the node ended after ${Math.round(ms)} ms` : 'n8n leaves the node at work';
			rows.push(told(`${what}, stop of what a webhook processor started`, outcome));
		}
		return rows;
	} finally {
		await files.close();
		await n8n.stop();
	}
}

interface Stopped {
	/** From the request to stop to the node's end. */
	ms: number;
	ended: boolean;
	/** What the service was asked afterwards. */
	requests: number;
}

/** @param origin the process that takes the request which starts the execution */
async function stopIn(
	n8n: N8n,
	origin: string,
	{ what, begin, there }: Case,
	file: string,
	patience = 60_000,
): Promise<Stopped> {
	// Its clock stands still: nothing is published.
	const service = await startService({ speed: 0 });
	try {
		const node = `Node ${randomUUID()}`;
		const workflow = flow(what, [start(), socialPublishing(begin(service, file), {}, node)]);
		const id = await n8n.createWorkflow(workflow, await accountOf(n8n, service));
		await n8n.activate(id);
		await call(n8n, id, {}, origin);
		await poll(`the node in ${what}`, async () => there(service) || undefined);
		await pause(ALONE);
		const [execution] = await n8n.executions(id);
		const hasEnded = () => n8n.log().includes(`Running node "${node}" finished`);
		if (hasEnded()) throw new Error(`The node did not wait: ${what}`);
		const requests = service.requests.length;
		const started = performance.now();
		const answered = n8n.stopExecution(execution!.id);
		const passed = () => performance.now() - started;
		while (!hasEnded() && passed() < patience) await pause(5);
		const [ms, ended] = [passed(), hasEnded()];
		await answered;
		const { status } = await n8n.waitForFinish(execution!.id);
		if (status !== 'canceled') throw new Error(`The execution ended as ${status}`);
		await pause(ALONE);
		const found = { ms, ended, requests: service.requests.length - requests };
		await n8n.deleteWorkflow(id);
		return found;
	} finally {
		await service.close();
	}
}
