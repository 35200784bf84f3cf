import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Agent } from 'undici';

import { poll } from '../n8n/client';
import { newEvent, post, signatureHeaders } from '../support/e2e/sender';
import { sharedN8n, useField } from './shared';

/** Malformed deliveries in which Node or n8n has a say; delivery.test.ts has what our own code makes of each. */

const field = useField(sharedN8n);
let trigger: Awaited<ReturnType<typeof field.publish>>;
/** Deliveries that were answered as events. */
let events = 0;

beforeAll(async () => void (trigger = await field.publish(field.workflow('Malformed', 'post.published'))));

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
	'malformed JSON, sent as JSON: n8n refuses it': [['{"id":', unparsable]],
	'a byte order mark': [[Buffer.from(`\ufeff${event()}`), accepted]],
	'UTF-16: n8n refuses the name, and what it does read is no event': [
		[utf16, unparsable, type('application/json; charset=utf-16')],
		[utf16, notJson, type('application/json; charset=utf-16le')],
	],
	'the wrong name of the characters: read as UTF-8 all the same': [
		[event('évt_ß'), accepted, type('application/json; charset=latin1')],
	],
	'gzip and deflate: what is unpacked has to be what was signed': [
		[gzipSync(unpackedByN8n), accepted, packed('gzip'), unpackedByN8n],
		[gzip, forged, packed('gzip')],
		[deflateSync(deflated), accepted, packed('deflate'), deflated],
		[deflateSync(body), forged, packed('deflate')],
	],
	// Not read as JSON, they reach the node.
	'GZIP and br, which n8n does not unpack': [
		[gzip, unparsable, packed('GZIP'), body],
		[gzip, forged, packed('GZIP', octets), body],
		[packedWithBrotli, unparsable, packed('br'), body],
		[packedWithBrotli, forged, packed('br', octets), body],
		[packedWithBrotli, notJson, packed('br', octets)],
	],
	'corrupt gzip': [
		...[corrupt, gzip.subarray(0, 60), body].map((bytes): Sending => [bytes, trouble, packed('gzip'), body]),
		[corrupt, forged, packed('gzip', octets), body],
	],
	'over 16 MiB, and 200 MB of zeros in 200 kB of gzip': [
		[large, trouble],
		[gzipSync(large), trouble, packed('gzip'), large],
		[bomb, trouble, packed('gzip')],
		[bomb, forged, packed('gzip', octets)],
	],
	'content types that n8n does not parse, or none': [
		...[octets, type('application/vnd.service+json'), type('text/plain'), type('nonsense'), {}].map(
			(headers): Sending => [event(), accepted, headers],
		),
	],
	// What is no form n8n refuses.
	'forms, whose bytes n8n uses up': [
		['--x\r\ncontent-disposition: form-data; name="id"\r\n\r\nevt_1\r\n--x--\r\n', forged, multipart],
		[event(), noForm, multipart],
	],
	// Only the bytes count.
	'XML and form bodies': [
		['<id>evt_1</id>', notJson, type('application/xml')],
		['id=evt_1&type=post.published', notJson, urlencoded],
		[event(), accepted, urlencoded],
	],
	'nested 5,000 and 200,000 deep': [5_000, 200_000].map((depth) => [
		`{"id":"a","type":"post.published","data":${'['.repeat(depth)}${']'.repeat(depth)}}`,
		tooDeep,
	]),
};

test.each(Object.entries(rows))('%s', async (_name, sendings) => {
	for (const [sent, answer, headers = json, signedAs = sent] of sendings) {
		const signed = signatureHeaders(signedAs, trigger.receiver.secret);
		expect(await send(sent, { ...signed, ...headers })).toMatch(answer);
		if (answer === accepted) events++;
	}
});

test('other methods than POST', async () => {
	for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
		const sent = ['GET', 'HEAD'].includes(method) ? undefined : event();
		const headers = { ...json, ...signatureHeaders(sent ?? '', trigger.receiver.secret) };
		expect([method, await send(sent, headers, method)]).toEqual([method, expect.stringMatching(/^404/)]);
	}
	expect(await send(undefined, {}, 'OPTIONS')).toBe('204 ');
	// A method that n8n does not know.
	expect(await send(event(), json, 'PROPFIND')).toMatch(/^500/);
});

test('each event that was accepted came of it once, nothing else did, and a genuine delivery works as ever', async () => {
	await field.works(trigger);
	const arrivals = () => field.sink.arrivals;
	await poll('the events', arrivals, ({ length }) => length > events);
	expect(arrivals()).toHaveLength(events + 1);
	const finished = async () => await field.n8n.executions(trigger.id);
	await poll('their executions', finished, ({ length }) => length === events + 1);
});
