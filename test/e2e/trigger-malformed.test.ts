import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Agent } from 'undici';

import { type N8nClient, poll } from '../n8n/client';
import { startService, type Service } from '../service';
import { Field } from '../support/e2e/field';
import { deliver, newEvent, post, type Receiver, signatureHeaders } from '../support/e2e/sender';
import { Sink } from '../support/e2e/sink';
import { ours, tell } from '../support/e2e/workflows';
import { sharedN8n } from './shared';

/**
 * The rows of the malformed-input table in which Node or n8n has a say, over HTTP to a real n8n. What our own code
 * makes of each row is in test/unit/SocialPublishingTrigger/delivery.test.ts, under the same numbers.
 */

let service: Service;
let n8n: N8nClient;
let field: Field;
let sink: Sink;
let workflow: string;
let receiver: Receiver;
let executionsBefore: number;
let arrivalsBefore: number;

beforeAll(async () => {
	service = await startService();
	n8n = await sharedN8n();
	field = await Field.set(n8n, service);
	sink = await Sink.start();
	({ id: workflow, receiver } = await field.publish(ours([tell(sink.url)], { name: 'Malformed' })));
});

afterAll(async () => {
	await field.clear();
	await sink.stop();
	await service.close();
});

const executions = async () => (await n8n.executions(workflow)).length;

beforeEach(async () => {
	executionsBefore = await executions();
	arrivalsBefore = sink.arrivals.length;
});

/** So many events came of what was sent in this test, no other executions, and a genuine delivery works as ever. */
async function expectEvents(count: number): Promise<void> {
	const event = newEvent();
	expect(await deliver(receiver, event)).toMatchObject({ status: 200 });
	const all = arrivalsBefore + count + 1;
	// Executions that run side by side end in any order.
	await poll(
		`the genuine event ${event.id} and those before it, ${all} in all`,
		() => sink.arrivals,
		(arrivals) => arrivals.some(({ id }) => id === event.id) && arrivals.length >= all,
	);
	// One that is just ending may not be in n8n's list at all.
	await n8n.waitForExecution(workflow, { count: executionsBefore + count + 1 });
	expect(await executions()).toBe(executionsBefore + count + 1);
	expect(sink.arrivals).toHaveLength(all);
}

/**
 * Status and answer; the answer as text where it is not JSON. On a connection of its own: n8n leaves the rest of a body
 * that it refuses unread, and whatever follows on that connection waits until Node closes it.
 */
async function send(
	body: string | Buffer | undefined,
	headers: Record<string, string>,
	method = 'POST',
): Promise<{ status: number; answer: any }> {
	const connection = new Agent();
	const { status, body: text } = await post(receiver.url, body, headers, method, connection);
	await connection.destroy();
	try {
		return { status, answer: JSON.parse(text) };
	} catch {
		return { status, answer: text };
	}
}

const accepted = { status: 200, answer: 'firstEntryJson' };
const duplicate = { status: 200, answer: { status: 'duplicate' } };
const ignored = { status: 200, answer: { status: 'ignored' } };
const forged = { status: 401, answer: { error: 'The signature or the timestamp is not valid' } };
const notJson = { status: 400, answer: { error: 'The body is not JSON' } };
const tooDeep = { status: 400, answer: { error: 'The body is nested too deeply' } };
/** n8n's own answers, before the node is asked. */
const unparsable = { status: 422, answer: { message: 'Failed to parse request body' } };
const noForm = { status: 400, answer: { message: 'The submitted form data could not be parsed.' } };
const trouble = { status: 500, answer: { message: 'There was a problem executing the workflow' } };

interface Sending {
	body: string | Buffer;
	/** Beside time and signature. */
	headers: Record<string, string>;
	/** What the signature is made of. */
	signedAs: string | Buffer;
	answer: { status: number; answer: unknown };
}

const json = { 'content-type': 'application/json' };
const octets = { 'content-type': 'application/octet-stream' };
const type = (name: string) => ({ 'content-type': name });
const encoded = (encoding: string) => ({ ...json, 'content-encoding': encoding });

const event = (id?: string) => JSON.stringify(newEvent(id));
/** Signed as it is sent, unless `signedAs` says something else. */
const sent = (
	body: string | Buffer,
	answer: Sending['answer'],
	headers: Sending['headers'] = json,
	signedAs = body,
): Sending => ({ body, headers, signedAs, answer });

const gzipAndDeflate = [
	['gzip', gzipSync],
	['deflate', deflateSync],
] as const;
const unknownToN8n = [
	['GZIP', gzipSync],
	['br', brotliCompressSync],
] as const;
const multipart = type('multipart/form-data; boundary=x');
const urlencoded = type('application/x-www-form-urlencoded');

/** What is sent, and how it is answered. */
const rows: Record<string, () => Sending[]> = {
	'16: malformed JSON, sent as JSON: n8n refuses it': () => [sent('{"id":', unparsable)],
	'18: an empty body': () => [sent('', notJson), sent('', forged, json, 'another')],
	'19: a byte order mark': () => [sent(Buffer.from(`\ufeff${event()}`), accepted)],
	'20: UTF-16: n8n refuses the name, and what it does read is no event': () => {
		const body = Buffer.from(event(), 'utf16le');
		return [
			sent(body, unparsable, type('application/json; charset=utf-16')),
			sent(event(), unparsable, type('application/json; charset=utf-16')),
			sent(body, notJson, type('application/json; charset=utf-16le')),
		];
	},
	'21: the wrong name of the characters: read as UTF-8 all the same': () => [
		sent(event('évt_ß'), accepted, type('application/json; charset=latin1')),
	],
	'23: gzip and deflate: what is unpacked has to be what was signed': () =>
		gzipAndDeflate.flatMap(([encoding, pack]) => {
			const body = event();
			return [
				sent(pack(body), accepted, encoded(encoding), body),
				sent(pack(event()), forged, encoded(encoding)),
			];
		}),
	'24: GZIP and br, which n8n does not unpack': () =>
		unknownToN8n.flatMap(([encoding, pack]) => {
			const body = event();
			const packed = pack(body);
			// Not read as JSON, it reaches the node.
			const unread = { ...octets, 'content-encoding': encoding };
			return [
				sent(packed, unparsable, encoded(encoding), body),
				sent(packed, unparsable, encoded(encoding)),
				sent(packed, forged, unread, body),
				sent(packed, notJson, unread),
			];
		}),
	'25: corrupt gzip': () => {
		const body = event();
		const packed = gzipSync(body);
		const corrupt = Buffer.from(packed).fill(0, 12);
		return [
			...[corrupt, packed.subarray(0, 60), Buffer.from(body)].map((bytes) =>
				sent(bytes, trouble, encoded('gzip'), body),
			),
			sent(corrupt, forged, { ...octets, 'content-encoding': 'gzip' }, body),
		];
	},
	'26: over 16 MiB, and 200 MB of zeros in 200 kB of gzip': () => {
		const large = JSON.stringify({ ...newEvent(), text: 'x'.repeat(16 * 1024 * 1024) });
		const bomb = gzipSync(Buffer.alloc(200_000_000));
		return [
			sent(large, trouble),
			sent(gzipSync(large), trouble, encoded('gzip'), large),
			sent(bomb, trouble, encoded('gzip')),
			sent(bomb, forged, { ...octets, 'content-encoding': 'gzip' }),
		];
	},
	'27: content types that n8n does not parse, or none': () => [
		...['application/octet-stream', 'application/vnd.service+json', 'text/plain', 'nonsense'].map((name) =>
			sent(event(), accepted, type(name)),
		),
		sent(event(), accepted, {}),
	],
	'28: forms, whose bytes n8n uses up': () => [
		sent('--x\r\ncontent-disposition: form-data; name="id"\r\n\r\nevt_1\r\n--x--\r\n', forged, multipart),
		// What is no form: n8n refuses it.
		sent(event(), noForm, multipart),
	],
	'29: XML and form bodies': () => [
		sent('<id>evt_1</id>', notJson, type('application/xml')),
		sent('id=evt_1&type=post.published', notJson, urlencoded),
		// Only the bytes count.
		sent(event(), accepted, urlencoded),
	],
	'33: nested 5,000 and 200,000 deep': () =>
		[5_000, 200_000].flatMap((depth) => {
			const body = `{"id":"a","type":"post.published","data":${'['.repeat(depth)}${']'.repeat(depth)}}`;
			return [sent(body, tooDeep), sent(body, forged, json, 'another')];
		}),
	'35: headers that say something else than the body: only the body counts': () => {
		const body = event();
		const other = (id: string) => ({
			...json,
			'x-service-event': 'post.failed',
			'x-service-event-id': id,
		});
		return [
			sent(body, accepted, other('another')),
			sent(body, duplicate, other('one more')),
			sent(JSON.stringify({ ...newEvent(), type: 'post.failed' }), ignored, {
				...json,
				'x-service-event': 'post.published',
			}),
		];
	},
	'38: a sender that calls itself a bot': () => [
		sent(event(), accepted, {
			...json,
			'user-agent': 'Mozilla/5.0 (compatible; Examplebot/2.1)',
		}),
	],
};

for (const [name, sendings] of Object.entries(rows))
	test(name, async () => {
		const all = sendings();
		for (const { body, headers, signedAs, answer } of all) {
			const found = await send(body, { ...signatureHeaders(signedAs, receiver.secret), ...headers });
			expect(found).toMatchObject(answer);
		}
		await expectEvents(all.filter(({ answer }) => answer === accepted).length);
	});

test('37: other methods than POST', async () => {
	for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
		const body = ['GET', 'HEAD'].includes(method) ? undefined : event();
		const headers = { ...json, ...signatureHeaders(body ?? '', receiver.secret) };
		const { status } = await send(body, headers, method);
		expect([method, status]).toEqual([method, 404]);
	}
	expect(await send(undefined, {}, 'OPTIONS')).toEqual({ status: 204, answer: '' });
	// Methods that n8n does not know.
	expect((await send(event(), json, 'PROPFIND')).status).toBe(500);
	await expectEvents(0);
});
