import { deflateSync, gzipSync } from 'node:zlib';
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import type { N8n } from '../../n8n/instance';
import { generator } from '../../service/faults';
import type { Field } from './field';
import { inParallel, newEvent, post, type Receiver } from './sender';
import { nothing, ours } from './workflows';

/** Forged and mutated deliveries against a real n8n. */
export interface Flood {
	sent: number;
	/** Answers by status. */
	statuses: Record<string, number>;
	/** What got a 2xx: number of the kind, and the answer. */
	passed: string[];
	executions: number;
	/** Growth of all processes' memory, in MiB. */
	grown: number;
	seconds: number;
}

type Forgery = { kind: number; body: string | Buffer; headers: Record<string, string> };

const sign = (secret: string, timestamp: string, body: string | Buffer): string =>
	`sha256=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;

/** One that is not genuine, of any kind that HTTP can carry. */
export function forge({ secret }: Receiver, random: () => number): Forgery {
	const now = new Date().toISOString();
	const body = JSON.stringify(newEvent());
	const good = { 'x-service-timestamp': now, 'x-service-signature': sign(secret, now, body) };
	const json = { 'content-type': 'application/json' };
	const digit = Math.floor(random() * 64) + 7;
	const flipped = good['x-service-signature'].split('');
	flipped[digit] = flipped[digit] === '0' ? '1' : '0';
	const at = (ms: number) => {
		const timestamp = new Date(Date.now() + ms).toISOString();
		return { 'x-service-timestamp': timestamp, 'x-service-signature': sign(secret, timestamp, body) };
	};
	const kinds: Array<() => Omit<Forgery, 'kind'>> = [
		() => ({ body, headers: json }),
		() => ({ body, headers: { ...json, ...good, 'x-service-signature': flipped.join('') } }),
		() => ({ body, headers: { ...json, ...good, 'x-service-signature': '' } }),
		() => ({ body, headers: { ...json, 'x-service-signature': good['x-service-signature'] } }),
		() => ({ body, headers: { ...json, ...good, 'x-service-signature': sign('guess', now, body) } }),
		() => ({ body, headers: { ...json, ...good, 'x-service-signature': sign('', now, body) } }),
		() => ({ body: body.replace('completed', 'forged'), headers: { ...json, ...good } }),
		() => ({ body: `${body} `, headers: { ...json, ...good } }),
		() => ({ body, headers: { ...json, ...at(-301_000) } }),
		// Far ahead: a loaded n8n takes seconds until it looks at its clock.
		() => ({ body, headers: { ...json, ...at(3_600_000) } }),
		() => ({
			body,
			headers: { ...json, ...good, 'x-service-timestamp': new Date(Date.now() + 1000).toISOString() },
		}),
		() => ({
			body,
			headers: { ...json, ...good, 'x-service-signature': good['x-service-signature'].toUpperCase() },
		}),
		() => ({ body, headers: { ...json, ...good, 'x-service-signature': 'a'.repeat(4000) } }),
		() => ({ body: '{"id":', headers: { ...json, ...good } }),
		() => ({ body: '', headers: { ...json, ...good } }),
		() => ({ body: body.replace('completed', 'forged'), headers: { 'content-type': 'text/plain', ...good } }),
		() => ({
			body: 'id=evt_1&type=post.published',
			headers: { 'content-type': 'application/x-www-form-urlencoded', ...good },
		}),
		() => ({
			body: Buffer.from(body.replace('completed', 'forged')),
			headers: { 'content-type': 'application/octet-stream', ...good },
		}),
		() => ({
			body: '--x\r\ncontent-disposition: form-data; name="id"\r\n\r\nevt_1\r\n--x--\r\n',
			headers: { 'content-type': 'multipart/form-data; boundary=x', ...good },
		}),
		() => ({
			body: gzipSync(body.replace('completed', 'forged')),
			headers: { ...json, 'content-encoding': 'gzip', ...good },
		}),
		() => ({
			body: deflateSync(Buffer.alloc(1_000_000)),
			headers: { ...json, 'content-encoding': 'deflate', ...good },
		}),
		() => ({
			body: `{"id":"a","type":"post.published","data":${'['.repeat(5000)}${']'.repeat(5000)}}`,
			headers: { ...json, ...good },
		}),
		() => ({
			body: JSON.stringify({ ...newEvent(), pad: 'x'.repeat(200_000) }),
			headers: { ...json, ...good },
		}),
	];
	const kind = Math.floor(random() * kinds.length);
	return { kind, ...kinds[kind]!() };
}

/** @param rest how long the memory may settle before it is read, in s */
export async function flood(
	field: Field,
	n8n: Pick<N8n, 'memory'>,
	count: number,
	rest = 20,
): Promise<Flood> {
	const { id, receiver } = await field.publish(ours([nothing], { name: 'Flooded' }));
	const random = generator(4);
	const passed: string[] = [];
	const send = async () => {
		const { kind, body, headers } = forge(receiver, random);
		const { status, body: said } = await post(receiver.url, body, headers);
		if (status >= 200 && status < 300) passed.push(`${kind}: ${said}`);
		return status;
	};
	// Warm, so that what n8n loads the first time does not count as growth.
	await inParallel(
		Array.from({ length: Math.ceil(count / 10) }, () => send),
		10,
	);
	const before = await lowest(n8n, rest / 4);
	const started = Date.now();
	const statuses = await inParallel(
		Array.from({ length: count }, () => send),
		10,
	);
	const seconds = (Date.now() - started) / 1000;
	const grown = (await lowest(n8n, rest)) - before;
	const executions = (await field.n8n.executions(id)).length;
	return {
		sent: count,
		statuses: statuses.reduce<Record<string, number>>(
			(sum, status) => ({ ...sum, [status]: (sum[status] ?? 0) + 1 }),
			{},
		),
		passed,
		executions,
		grown: grown / 1024 / 1024,
		seconds,
	};
}

/** The memory in bytes, at its lowest of so many seconds: garbage comes and goes. */
async function lowest(n8n: Pick<N8n, 'memory'>, seconds: number): Promise<number> {
	let found = Infinity;
	for (let second = 0; second < seconds; second++) {
		found = Math.min(found, await n8n.memory());
		await pause(1000);
	}
	return found;
}
