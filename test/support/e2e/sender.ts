import { createHmac, randomUUID } from 'node:crypto';
import { Agent, type Dispatcher, request } from 'undici';

import { STEP_TIMEOUT_MS } from '../../n8n/limits';

const agent = new Agent({
	connections: 128,
	headersTimeout: STEP_TIMEOUT_MS,
	bodyTimeout: STEP_TIMEOUT_MS,
	// n8n closes a connection after 5 s without a request: used again for 1 s only, however late a busy machine hears of it.
	keepAliveTimeoutThreshold: 4_000,
});

export interface Sent {
	status: number;
	ms: number;
	body: string;
}

/** One POST as it is; status 0 where no answer came. */
export async function post(
	url: string,
	body: string | Buffer | undefined,
	headers: Record<string, string | string[]>,
	method = 'POST',
	dispatcher: Dispatcher = agent,
): Promise<Sent> {
	const started = performance.now();
	try {
		const answer = await request(url, {
			method: method as 'POST',
			headers,
			...(body === undefined ? {} : { body }),
			dispatcher,
		});
		const text = await answer.body.text();
		return { status: answer.statusCode, ms: performance.now() - started, body: text };
	} catch {
		return { status: 0, ms: performance.now() - started, body: '' };
	}
}

export interface Receiver {
	url: string;
	secret: string;
}

export const newEvent = (id: string = `evt_${randomUUID()}`) => ({
	id,
	type: 'post.published',
	occurred_at: new Date().toISOString(),
	workspace_id: 'ws_main',
	brand_id: 'brand_1',
	data: { post_id: `post_${id}`, status: 'completed' },
});

const hmac = (secret: string, text: string) =>
	`sha256=${createHmac('sha256', secret).update(text).digest('hex')}`;

/** A delivery as the service sends it, `origin` in place of the receiver's own. */
export async function deliver(
	{ url, secret }: Receiver,
	event: { id: string },
	origin?: string,
): Promise<Sent> {
	const body = JSON.stringify(event);
	const timestamp = new Date().toISOString();
	const target = origin ? url.replace(/^https?:\/\/[^/]+/, origin) : url;
	return await post(target, body, {
		'content-type': 'application/json',
		'x-service-event': 'post.published',
		'x-service-event-id': event.id,
		'x-service-timestamp': timestamp,
		'x-service-signature': hmac(secret, `${timestamp}.${body}`),
	});
}

/** A delivery as GitHub sends it. */
export async function deliverGithub(
	{ url, secret }: Receiver,
	event: { id: string },
	origin?: string,
): Promise<Sent> {
	const body = JSON.stringify(event);
	const target = origin ? url.replace(/^https?:\/\/[^/]+/, origin) : url;
	return await post(target, body, {
		'content-type': 'application/json',
		'x-github-event': 'push',
		'x-github-delivery': event.id,
		'x-hub-signature-256': hmac(secret, body),
	});
}

/** Runs the tasks, so many at the same time. */
export async function inParallel<T>(tasks: Array<() => Promise<T>>, width: number): Promise<T[]> {
	const results: T[] = [];
	let next = 0;
	const worker = async () => {
		for (let i = next++; i < tasks.length; i = next++) results[i] = await tasks[i]!();
	};
	await Promise.all(Array.from({ length: Math.min(width, tasks.length) }, worker));
	return results;
}

export function percentile(values: number[], share: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}
