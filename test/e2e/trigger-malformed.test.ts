import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Agent } from 'undici';

import { poll } from '../n8n/client';
import { deliver, newEvent, post, signatureHeaders } from '../support/e2e/sender';
import { sharedN8n, useField } from './shared';

/** Rows of the malformed-input table in which Node or n8n has a say; delivery.test.ts has what our own code makes of each. */

const field = useField(sharedN8n);
let trigger: Awaited<ReturnType<typeof field.publish>>;
let executionsBefore: number;
let arrivalsBefore: number;

const executions = async () => (await field.n8n.executions(trigger.id)).length;

beforeAll(async () => void (trigger = await field.publish(field.workflow('Malformed', 'post.published'))));

beforeEach(async () => {
	executionsBefore = await executions();
	arrivalsBefore = field.sink.arrivals.length;
});

/** So many events came of what was sent in this test, no other executions, and a genuine delivery works as ever. */
async function expectEvents(count: number): Promise<void> {
	const { n8n, sink } = field;
	const event = newEvent();
	expect(await deliver(trigger.receiver, event)).toMatchObject({ status: 200 });
	const all = arrivalsBefore + count + 1;
	// Executions that run side by side end in any order.
	await poll(
		`the genuine event ${event.id} and those before it, ${all} in all`,
		() => sink.arrivals,
		(arrivals) => sink.times(event.id) > 0 && arrivals.length >= all,
	);
	// One that is just ending may not be in n8n's list at all.
	await n8n.waitForExecution(trigger.id, { count: executionsBefore + count + 1 });
	expect(await executions()).toBe(executionsBefore + count + 1);
	expect(sink.arrivals).toHaveLength(all);
}

/** Status and answer, on a connection of its own: n8n leaves the rest of a body that it refuses unread. */
async function send(
	body: string | Buffer | undefined,
	headers: Record<string, string>,
	method = 'POST',
): Promise<string> {
	const connection = new Agent();
	const sent = await post(trigger.receiver.url, body, headers, { method, dispatcher: connection });
	await connection.destroy();
	return `${sent.status} ${sent.body}`;
}

const accepted = /^200 "?firstEntryJson/;
const forged = /^401 {"error":"The signature or the timestamp is not valid"}/;
const notJson = /^400 {"error":"The body is not JSON"}/;
const tooDeep = /^400 {"error":"The body is nested too deeply"}/;
/** n8n's own answers, before the node is asked. */
const unparsable = /^422 .*Failed to parse request body/;
const noForm = /^400 .*The submitted form data could not be parsed\./;
const trouble = /^500 .*There was a problem executing the workflow/;

const type = (name: string) => ({ 'content-type': name });
const json = type('application/json');
const octets = type('application/octet-stream');
const packed = (encoding: string, as = json) => ({ ...as, 'content-encoding': encoding });

/** The headers beside time and signature are `json`, and signed is the body, unless said otherwise. */
type Sending = [
	body: string | Buffer,
	answer: RegExp,
	headers?: Record<string, string>,
	signedAs?: string | Buffer,
];

const event = (id?: string) => JSON.stringify(newEvent(id));
const multipart = type('multipart/form-data; boundary=x');
const urlencoded = type('application/x-www-form-urlencoded');
const body = event();
const utf16 = Buffer.from(body, 'utf16le');
const gzip = gzipSync(body);
const corrupt = Buffer.from(gzip).fill(0, 12);
const large = JSON.stringify({ ...newEvent(), text: 'x'.repeat(16 * 1024 * 1024) });
const bomb = gzipSync(Buffer.alloc(200_000_000));
const unpackedByN8n = event();
const deflated = event();
const packedWithBrotli = brotliCompressSync(body);

/** What is sent, and how it is answered. */
const rows: Record<string, Sending[]> = {
	'16: malformed JSON, sent as JSON: n8n refuses it': [['{"id":', unparsable]],
	'18: an empty body': [
		['', notJson],
		['', forged, json, 'another'],
	],
	'19: a byte order mark': [[Buffer.from(`\ufeff${event()}`), accepted]],
	'20: UTF-16: n8n refuses the name, and what it does read is no event': [
		[utf16, unparsable, type('application/json; charset=utf-16')],
		[utf16, notJson, type('application/json; charset=utf-16le')],
	],
	'21: the wrong name of the characters: read as UTF-8 all the same': [
		[event('évt_ß'), accepted, type('application/json; charset=latin1')],
	],
	'23: gzip and deflate: what is unpacked has to be what was signed': [
		[gzipSync(unpackedByN8n), accepted, packed('gzip'), unpackedByN8n],
		[gzip, forged, packed('gzip')],
		[deflateSync(deflated), accepted, packed('deflate'), deflated],
		[deflateSync(body), forged, packed('deflate')],
	],
	// Not read as JSON, they reach the node.
	'24: GZIP and br, which n8n does not unpack': [
		[gzip, unparsable, packed('GZIP'), body],
		[gzip, forged, packed('GZIP', octets), body],
		[packedWithBrotli, unparsable, packed('br'), body],
		[packedWithBrotli, forged, packed('br', octets), body],
		[packedWithBrotli, notJson, packed('br', octets)],
	],
	'25: corrupt gzip': [
		...[corrupt, gzip.subarray(0, 60), body].map((bytes): Sending => [bytes, trouble, packed('gzip'), body]),
		[corrupt, forged, packed('gzip', octets), body],
	],
	'26: over 16 MiB, and 200 MB of zeros in 200 kB of gzip': [
		[large, trouble],
		[gzipSync(large), trouble, packed('gzip'), large],
		[bomb, trouble, packed('gzip')],
		[bomb, forged, packed('gzip', octets)],
	],
	'27: content types that n8n does not parse, or none': [
		...[octets, type('application/vnd.service+json'), type('text/plain'), type('nonsense'), {}].map(
			(headers): Sending => [event(), accepted, headers],
		),
	],
	// What is no form n8n refuses.
	'28: forms, whose bytes n8n uses up': [
		['--x\r\ncontent-disposition: form-data; name="id"\r\n\r\nevt_1\r\n--x--\r\n', forged, multipart],
		[event(), noForm, multipart],
	],
	// Only the bytes count.
	'29: XML and form bodies': [
		['<id>evt_1</id>', notJson, type('application/xml')],
		['id=evt_1&type=post.published', notJson, urlencoded],
		[event(), accepted, urlencoded],
	],
	'33: nested 5,000 and 200,000 deep': [5_000, 200_000].map((depth) => [
		`{"id":"a","type":"post.published","data":${'['.repeat(depth)}${']'.repeat(depth)}}`,
		tooDeep,
	]),
	'35: headers that say something else than the body: only the body counts': [
		[body, accepted, { ...json, 'x-service-event': 'post.failed', 'x-service-event-id': 'another' }],
		[body, /^200 {"status":"duplicate"}/, { ...json, 'x-service-event-id': 'one more' }],
		[
			JSON.stringify({ ...newEvent(), type: 'post.failed' }),
			/^200 {"status":"ignored"}/,
			{ ...json, 'x-service-event': 'post.published' },
		],
	],
	'38: a sender that calls itself a bot': [
		[event(), accepted, { ...json, 'user-agent': 'Mozilla/5.0 (compatible; Examplebot/2.1)' }],
	],
};

test.each(Object.entries(rows))('%s', async (_name, sendings) => {
	for (const [sent, answer, headers = json, signedAs = sent] of sendings)
		expect(await send(sent, { ...signatureHeaders(signedAs, trigger.receiver.secret), ...headers })).toMatch(
			answer,
		);
	await expectEvents(sendings.filter(([, answer]) => answer === accepted).length);
});

test('37: other methods than POST', async () => {
	for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
		const sent = ['GET', 'HEAD'].includes(method) ? undefined : event();
		const headers = { ...json, ...signatureHeaders(sent ?? '', trigger.receiver.secret) };
		expect([method, await send(sent, headers, method)]).toEqual([method, expect.stringMatching(/^404/)]);
	}
	expect(await send(undefined, {}, 'OPTIONS')).toBe('204 ');
	// A method that n8n does not know.
	expect(await send(event(), json, 'PROPFIND')).toMatch(/^500/);
	await expectEvents(0);
});
