import { deflateSync, gzipSync } from 'node:zlib';
import { setTimeout as pause } from 'node:timers/promises';

import countBy from 'lodash/countBy';

import type { N8n } from '../../test/n8n/instance';
import { generator } from '../../test/service/faults';
import type { Field } from '../../test/support/e2e/field';
import { inParallel, newEvent, post, type Receiver, signatureHeaders } from '../../test/support/e2e/sender';
import { nothing, ours } from '../../test/support/e2e/workflows';
import { timestampAt } from '../../test/support/signing';

/** Forged and mutated deliveries against a real n8n. */
interface Flood {
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

type Forgery = [body: string | Buffer, headers: Record<string, string>];

/** Deliveries that are not genuine, of each kind that HTTP can carry. */
function forgeries({ secret }: Receiver, random: () => number): Forgery[] {
	const body = JSON.stringify(newEvent());
	const altered = body.replace('completed', 'forged');
	const now = Date.now();
	const good = signatureHeaders(body, secret, now);
	const signature = good['x-service-signature'];
	const digit = 7 + Math.floor(random() * 64);
	const flipped = `${signature.slice(0, digit)}${signature[digit] === '0' ? 1 : 0}${signature.slice(digit + 1)}`;
	const nested = `{"id":"a","type":"post.published","data":${'['.repeat(5000)}${']'.repeat(5000)}}`;
	const padded = JSON.stringify({ ...newEvent(), pad: 'x'.repeat(200_000) });
	const form = '--x\r\ncontent-disposition: form-data; name="id"\r\n\r\nevt_1\r\n--x--\r\n';
	return [
		[body, {}],
		[body, { 'x-service-signature': signature }],
		...[flipped, '', signature.toUpperCase(), 'a'.repeat(4000)].map((other): Forgery => [
			body,
			{ ...good, 'x-service-signature': other },
		]),
		...['guess', ''].map((other): Forgery => [body, signatureHeaders(body, other, now)]),
		[body, { ...good, 'x-service-timestamp': timestampAt(now + 1000) }],
		// Far ahead: a loaded n8n takes seconds until it looks at its clock.
		...[-301_000, 3_600_000].map((off): Forgery => [body, signatureHeaders(body, secret, now + off)]),
		...[altered, `${body} `, '{"id":', '', nested, padded].map((other): Forgery => [other, good]),
		...['text/plain', 'application/octet-stream'].map((type): Forgery => [
			altered,
			{ ...good, 'content-type': type },
		]),
		['id=evt_1&type=post.published', { ...good, 'content-type': 'application/x-www-form-urlencoded' }],
		[form, { ...good, 'content-type': 'multipart/form-data; boundary=x' }],
		[gzipSync(altered), { ...good, 'content-encoding': 'gzip' }],
		[deflateSync(Buffer.alloc(1_000_000)), { ...good, 'content-encoding': 'deflate' }],
	];
}

/** How long the memory may settle before it is read, in s. */
const REST = 20;

export async function flood(field: Field, n8n: N8n, count: number): Promise<Flood> {
	const { id, receiver } = await field.publish(ours([nothing], { name: 'Flooded' }));
	const random = generator(4);
	const passed: string[] = [];
	const send = async () => {
		const all = forgeries(receiver, random);
		const kind = Math.floor(random() * all.length);
		const [body, headers] = all[kind]!;
		const json = { 'content-type': 'application/json' };
		const { status, body: said } = await post(receiver.url, body, { ...json, ...headers });
		if (status >= 200 && status < 300) passed.push(`${kind}: ${said}`);
		return status;
	};
	// Warm, so that what n8n loads the first time does not count as growth.
	await inParallel(
		Array.from({ length: Math.ceil(count / 10) }, () => send),
		10,
	);
	const before = await lowest(n8n, REST / 4);
	const started = Date.now();
	const statuses = await inParallel(
		Array.from({ length: count }, () => send),
		10,
	);
	const seconds = (Date.now() - started) / 1000;
	const grown = (await lowest(n8n, REST)) - before;
	const executions = (await field.n8n.executions(id)).length;
	return {
		sent: count,
		statuses: countBy(statuses),
		passed,
		executions,
		grown: grown / 1024 / 1024,
		seconds,
	};
}

/** The memory in bytes, at its lowest of so many seconds: garbage comes and goes. */
async function lowest(n8n: N8n, seconds: number): Promise<number> {
	let found = Infinity;
	for (let second = 0; second < seconds; second++) {
		found = Math.min(found, await n8n.memory());
		await pause(1000);
	}
	return found;
}
