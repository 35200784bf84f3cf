import { randomUUID } from 'node:crypto';

import {
	call,
	createParameters,
	flow,
	socialPublishing,
	splitItems,
	start,
} from '../../../test/support/e2e/flow';
import { type Execution, type N8nClient, poll } from '../../../test/n8n/client';
import { credentialFor } from '../../../test/n8n/examples';
import { type Service, startService } from '../../../test/service';
import { row, told, type Row } from '../../figures';

/** Many posts through a real n8n while the service fails one request in five, with stops and retries. */

/** How often the execution is stopped and retried on its way. */
const STOPS = 3;
const PATIENCE = 1_800_000;

/** One request in five fails, in six ways; the same ones in every run. */
function unsettle(service: Service): void {
	const rate = 0.2 / 6;
	const one = { method: 'POST', path: '^/posts$', rate, times: 0 };
	service.faults.add({ ...one, seed: 11, kind: 'error', code: 'PUBLIC_API_POST_CREATE_FAILED' });
	service.faults.add({ ...one, seed: 12, kind: 'errorAfter', code: 'PUBLIC_API_POST_CREATE_FAILED' });
	service.faults.add({ ...one, seed: 13, kind: 'dropBefore' });
	service.faults.add({ ...one, seed: 14, kind: 'dropAfter' });
	service.faults.add({ ...one, seed: 15, kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '1' });
	service.faults.add({ ...one, seed: 16, kind: 'delay', ms: 300 });
}

interface Counted {
	/** Posts at the service. */
	posts: number;
	/** Items of which there is no post, more than one post, or a post with another text. */
	missing: number;
	doubled: number;
	wrong: number;
	requests: number;
}

function count(service: Service, wanted: string[]): Counted {
	const found = new Map<string, number>();
	let wrong = 0;
	for (const { text } of service.store.posts.values()) {
		const [, word] = /^(Word \d+\.)( \d+)?$/.exec(text) ?? [];
		if (word === undefined || !wanted.includes(word)) wrong++;
		else found.set(word, (found.get(word) ?? 0) + 1);
	}
	return {
		posts: service.store.posts.size,
		missing: wanted.filter((word) => !found.has(word)).length,
		doubled: [...found.values()].filter((times) => times > 1).length,
		wrong,
		requests: service.requests.filter(({ method }) => method === 'POST').length,
	};
}

const items = (size: number) => Array.from({ length: size }, (_, i) => ({ text: `Word ${i}.` }));

/** Runs the workflow, stops it `STOPS` times on the way and retries it each time. */
async function stopAndRetry(n8n: N8nClient, service: Service, id: string, path: string, size: number) {
	await n8n.activate(id);
	await call(n8n, path, { items: items(size) });
	let current = await poll('the execution', 60_000, async () => (await n8n.executions(id))[0]?.id);
	let stops = 0;
	for (let stop = 1; stop <= STOPS; stop++) {
		const enough = (size * stop) / (STOPS + 1);
		const ended = await poll('posts to stop at', PATIENCE, async () => {
			if (service.store.posts.size >= enough) return false;
			return (await finished(n8n, current)) || undefined;
		});
		if (!ended) {
			stops++;
			await n8n.stopExecution(current).catch(() => undefined);
			await n8n.waitForFinish(current, PATIENCE);
		}
		current = await retry(n8n, current);
	}
	return { last: await n8n.waitForFinish(current, PATIENCE), stops };
}

const finished = async (n8n: N8nClient, id: string): Promise<boolean> =>
	!['new', 'running', 'waiting', 'unknown'].includes(
		(await n8n.executions()).find((one) => one.id === id)?.status ?? 'new',
	);

/** Starts a retry; its execution's ID, without waiting for its end. */
async function retry(n8n: N8nClient, id: string): Promise<string> {
	// n8n answers when the retry has ended.
	void n8n.rest('POST', `/executions/${id}/retry`, { loadWorkflow: false }).catch(() => undefined);
	return await poll(`the retry of execution ${id}`, 60_000, async () => {
		return (await n8n.executions()).find((one) => one.retryOf === id)?.id;
	});
}

/** Our node; `text` is its Text parameter. */
async function ours(n8n: N8nClient, size: number, text: string, what: string): Promise<Row[]> {
	const service = await startService();
	try {
		unsettle(service);
		const path = randomUUID();
		const parameters = createParameters({ text, options: { concurrency: 20, maxRetryWait: 900 } });
		const post = socialPublishing(parameters, { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 });
		const id = await n8n.createWorkflow(flow(`Soak: ${what}`, [start(path), splitItems, post]), {
			socialPublishingApi: await n8n.createCredential('Soak', 'socialPublishingApi', {
				...credentialFor(service, service.keys.full),
			}),
		});
		const { last, stops } = await stopAndRetry(n8n, service, id, path, size);
		await n8n.deactivate(id);
		const wanted = items(size).map((one) => one.text);
		const counted = count(service, wanted);
		return [
			row(
				`${what}: posts of ${size}, after ${stops} stops`,
				counted.posts,
				String(size),
				counted.posts === size,
			),
			row(
				`${what}: missing, doubled, with a wrong text`,
				shown(counted),
				'0, 0, 0',
				shown(counted) === '0, 0, 0',
			),
			told(`${what}: requests; end of the last run`, `${counted.requests}; ${endOf(last)}`),
		];
	} finally {
		await service.close();
	}
}

const shown = ({ missing, doubled, wrong }: Counted): string => `${missing}, ${doubled}, ${wrong}`;

/** How the node's last run ended. (The execution's own state stays "error" in a retry of a stopped one.) */
function endOf({ status, data }: Execution): string {
	const last = data.resultData.runData.Post?.at(-1);
	if (!last) return status;
	return last.error ? (last.error.context?.data?.code ?? 'error') : `${last.data.main[0].length} items`;
}

/** n8n's HTTP Request node with a random key an item, in the same place. */
async function httpRequest(n8n: N8nClient, size: number): Promise<Row[]> {
	const service = await startService();
	try {
		unsettle(service);
		const path = randomUUID();
		const node = {
			name: 'Post',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				method: 'POST',
				url: `${service.apiUrl}/posts`,
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'socialPublishingApi',
				sendHeaders: true,
				headerParameters: {
					parameters: [{ name: 'Idempotency-Key', value: '={{ Math.random().toString(36).slice(2) }}' }],
				},
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ JSON.stringify({ platform: "x", content: { text: $json.text } }) }}',
				options: { batching: { batch: { batchSize: 20, batchInterval: 1 } } },
			},
			more: {
				credentials: { socialPublishingApi: { id: null, name: 'Soak' } },
				retryOnFail: true,
				maxTries: 3,
				waitBetweenTries: 100,
			},
		};
		const id = await n8n.createWorkflow(flow('Soak: HTTP Request', [start(path), splitItems, node]), {
			socialPublishingApi: await n8n.createCredential('Soak', 'socialPublishingApi', {
				...credentialFor(service, service.keys.full),
			}),
		});
		const { last } = await stopAndRetry(n8n, service, id, path, size);
		await n8n.deactivate(id);
		const counted = count(
			service,
			items(size).map((one) => one.text),
		);
		return [
			told(`HTTP Request node, a random key an item: posts of ${size}`, `${counted.posts} (${last.status})`),
			told('HTTP Request node: missing, doubled, with a wrong text', shown(counted)),
		];
	} finally {
		await service.close();
	}
}

/** A run on the lowest plan that nobody helps: default options, no retry. */
export async function lowestPlan(n8n: N8nClient, size: number): Promise<Row[]> {
	const service = await startService();
	try {
		const path = randomUUID();
		const post = socialPublishing(createParameters({ text: '={{ $json.text }}' }));
		const id = await n8n.createWorkflow(flow('Soak: lowest plan', [start(path), splitItems, post]), {
			socialPublishingApi: await n8n.createCredential('Soak', 'socialPublishingApi', {
				...credentialFor(service, service.keys.lowest),
			}),
		});
		await n8n.activate(id);
		await call(n8n, path, { items: items(size) });
		const execution = await poll('the execution', 60_000, async () => (await n8n.executions(id))[0]?.id);
		const last = await n8n.waitForFinish(execution, PATIENCE);
		await n8n.deactivate(id);
		const wanted = items(size).map((one) => one.text);
		const counted = count(service, wanted);
		const asked = service.requests.filter(({ method }) => method === 'POST');
		const refused = asked.filter(({ status }) => status === 429).length;
		const seconds = Math.round((asked.at(-1)!.receivedAt - asked[0]!.receivedAt) / 1000);
		const task = last.data.resultData.runData.Post?.at(-1) as
			{ hints?: Array<{ message: string }> } | undefined;
		const [said] = (task?.hints ?? []).filter(({ message }) => /requests at/.test(message));
		const what = `lowest plan, default options, ${size} posts`;
		return [
			row(`${what}: how it ended`, endOf(last), `${size} items`, endOf(last) === `${size} items`),
			row(
				`${what}: missing, doubled, with a wrong text`,
				shown(counted),
				'0, 0, 0',
				shown(counted) === '0, 0, 0',
			),
			told(`${what}: took`, `${seconds} s, ${refused} × 429`),
			told(`${what}: said at its beginning`, said?.message ?? 'nothing'),
		];
	} finally {
		await service.close();
	}
}

/** All of it, with `size` posts each. */
export async function writes(n8n: N8nClient, size: number): Promise<Row[]> {
	return [
		...(await ours(n8n, size, '={{ $json.text }}', 'the same text in every try')),
		...(await ours(n8n, size, '={{ $json.text }} {{ $now.toMillis() }}', '$now in the text')),
		...(await httpRequest(n8n, size)),
	];
}
