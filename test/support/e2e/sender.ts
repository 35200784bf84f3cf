import { randomUUID } from 'node:crypto';
import { Agent, type Dispatcher, request } from 'undici';
import { STEP_TIMEOUT_MS } from '../../n8n/client';

import { limitConcurrency } from '../../../nodes/api/concurrency';
import type { Service } from '../../service';
import { signed, timestampAt } from '../signing';

const agent = new Agent({
	connections: 128,
	headersTimeout: STEP_TIMEOUT_MS,
	bodyTimeout: STEP_TIMEOUT_MS,
	// n8n closes a connection after 5 s without a request: used again for 1 s only, however late a busy machine hears of it.
	keepAliveTimeoutThreshold: 4_000,
});

export interface Sent {
	status: number;
	body: string;
}

/** One POST as it is; status 0 where no answer came. */
export async function post(
	url: string,
	body: string | Buffer | undefined,
	headers: Record<string, string>,
	{ method = 'POST', dispatcher = agent }: { method?: string; dispatcher?: Dispatcher } = {},
): Promise<Sent> {
	try {
		const options = { method: method as 'POST', headers, body, dispatcher };
		const answer = await request(url, options);
		return { status: answer.statusCode, body: await answer.body.text() };
	} catch {
		return { status: 0, body: '' };
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

/** An event of the service itself, which delivers it; its ID. */
export function emit({ deliveries }: Service, type = 'post.published'): string {
	const resource = `post_${randomUUID()}`;
	const data = { post_id: resource, status: 'completed' };
	return deliveries.emit({ type, workspaceId: 'ws_main', brandId: 'brand_1', resource, data }).id;
}

/** Time and signature of these bytes, as the service sends them. */
export function signatureHeaders(body: string | Buffer, secret: string) {
	const { timestamp, signature } = signed(body, timestampAt(Date.now()), secret);
	return { 'x-service-timestamp': timestamp, 'x-service-signature': signature };
}

/** Sends an event to a receiver as the service does, `origin` in place of the receiver's own. */
export async function deliver(
	{ url, secret }: Receiver,
	event: { id: string },
	origin?: string,
): Promise<Sent> {
	const body = JSON.stringify(event);
	const target = origin ? url.replace(/^https?:\/\/[^/]+/, origin) : url;
	return await post(target, body, {
		'content-type': 'application/json',
		'x-service-event': 'post.published',
		'x-service-event-id': event.id,
		...signatureHeaders(body, secret),
	});
}

export async function inParallel<T>(tasks: Array<() => Promise<T>>, width: number): Promise<T[]> {
	const limit = limitConcurrency(width);
	return await Promise.all(tasks.map(async (task) => await limit(task)));
}
