import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Agent } from 'undici';

import { type N8nClient, poll } from '../n8n/client';
import { startService, type Service } from '../service';
import { Field } from '../support/e2e/field';
import { deliver, newEvent, post, type Receiver } from '../support/e2e/sender';
import { Sink } from '../support/e2e/sink';
import { ours, tell } from '../support/e2e/workflows';
import { signed as sign, timestampAt } from '../support/signing';
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

const event = () => JSON.stringify(newEvent());

/** Time and signature of these bytes, as the service makes them. */
function signed(body: string | Buffer) {
	const { timestamp, signature } = sign(body, timestampAt(Date.now()), receiver.secret);
	return { 'x-service-timestamp': timestamp, 'x-service-signature': signature };
}

/**
 * Status and answer; the answer as text where it is not JSON. On a connection of its own: n8n leaves the rest of a body
 * that it refuses unread, and whatever follows on that connection waits until Node closes it.
 */
async function send(
	body: string | Buffer | undefined,
	headers: Record<string, string | string[]>,
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

/** Signed as it is sent. */
const sendSigned = async (
	body: string | Buffer,
	headers: Record<string, string> = { 'content-type': 'application/json' },
) => await send(body, { ...headers, ...signed(body) });

const accepted = { status: 200, answer: 'firstEntryJson' };
const forged = { status: 401, answer: { error: 'The signature or the timestamp is not valid' } };
const notJson = { status: 400, answer: { error: 'The body is not JSON' } };
/** n8n's own answers, before the node is asked. */
const unparsable = { status: 422, answer: { message: 'Failed to parse request body' } };
const trouble = { status: 500, answer: { message: 'There was a problem executing the workflow' } };

const json = { 'content-type': 'application/json' };
const octets = { 'content-type': 'application/octet-stream' };
const encoded = (encoding: string) => ({ ...json, 'content-encoding': encoding });

test('3: signature or time twice', async () => {
	const body = event();
	const once = signed(body);
	for (const name of ['x-service-signature', 'x-service-timestamp'] as const) {
		expect(await send(body, { ...json, ...once, [name]: [once[name], once[name]] })).toEqual(forged);
	}
	await expectEvents(0);
});

test('14: an exact replay', async () => {
	const body = event();
	const headers = { ...json, ...signed(body) };
	expect(await send(body, headers)).toEqual(accepted);
	expect(await send(body, headers)).toEqual({ status: 200, answer: { status: 'duplicate' } });
	await expectEvents(1);
});

test('16: malformed JSON, sent as JSON: n8n refuses it', async () => {
	expect(await sendSigned('{"id":')).toMatchObject(unparsable);
	await expectEvents(0);
});

test('17: malformed JSON of another content type', async () => {
	expect(await sendSigned('{"id":', octets)).toEqual(notJson);
	await expectEvents(0);
});

test('18: an empty body', async () => {
	expect(await sendSigned('')).toEqual(notJson);
	expect(await send('', json)).toEqual(forged);
	await expectEvents(0);
});

test('19: a byte order mark', async () => {
	expect(await sendSigned(Buffer.from(`\ufeff${event()}`))).toEqual(accepted);
	await expectEvents(1);
});

test('20: UTF-16: n8n refuses the name, and what it does read is no event', async () => {
	const body = Buffer.from(event(), 'utf16le');
	const charset = (name: string) => ({ 'content-type': `application/json; charset=${name}` });
	expect(await sendSigned(body, charset('utf-16'))).toMatchObject(unparsable);
	expect(await sendSigned(event(), charset('utf-16'))).toMatchObject(unparsable);
	expect(await sendSigned(body, charset('utf-16le'))).toEqual(notJson);
	await expectEvents(0);
});

test('21: the wrong name of the characters: read as UTF-8 all the same', async () => {
	const { id } = newEvent('évt_ß');
	const body = JSON.stringify(newEvent(id));
	expect(await sendSigned(body, { 'content-type': 'application/json; charset=latin1' })).toEqual(accepted);
	await expectEvents(1);
	expect(sink.byEvent().has(id)).toBe(true);
});

test('22: invalid UTF-8', async () => {
	const body = Buffer.from('{"type":"post.published","id":"\xff"}', 'latin1');
	expect(await sendSigned(body)).toEqual(notJson);
	expect(await send(body, { ...json, ...signed('another') })).toEqual(forged);
	await expectEvents(0);
});

test('23: gzip and deflate: what is unpacked has to be what was signed', async () => {
	for (const [encoding, pack] of [
		['gzip', gzipSync],
		['deflate', deflateSync],
	] as const) {
		const body = event();
		expect(await send(pack(body), { ...encoded(encoding), ...signed(body) })).toEqual(accepted);
		const packed = pack(event());
		expect(await send(packed, { ...encoded(encoding), ...signed(packed) })).toEqual(forged);
	}
	await expectEvents(2);
});

test('24: GZIP and br, which n8n does not unpack', async () => {
	for (const [encoding, pack] of [
		['GZIP', gzipSync],
		['br', brotliCompressSync],
	] as const) {
		const body = event();
		const packed = pack(body);
		expect(await send(packed, { ...encoded(encoding), ...signed(body) })).toMatchObject(unparsable);
		expect(await send(packed, { ...encoded(encoding), ...signed(packed) })).toMatchObject(unparsable);
		// Not read as JSON, it reaches the node.
		const unread = { ...octets, 'content-encoding': encoding };
		expect(await send(packed, { ...unread, ...signed(body) })).toEqual(forged);
		expect(await send(packed, { ...unread, ...signed(packed) })).toEqual(notJson);
	}
	await expectEvents(0);
});

test('25: corrupt gzip', async () => {
	const body = event();
	const packed = gzipSync(body);
	const corrupt = Buffer.from(packed).fill(0, 12);
	for (const bytes of [corrupt, packed.subarray(0, 60), Buffer.from(body)]) {
		expect(await send(bytes, { ...encoded('gzip'), ...signed(body) })).toMatchObject(trouble);
	}
	expect(await send(corrupt, { ...octets, 'content-encoding': 'gzip', ...signed(body) })).toEqual(forged);
	await expectEvents(0);
});

test('26: over 16 MiB, and 200 MB of zeros in 200 kB of gzip', async () => {
	const large = JSON.stringify({ ...newEvent(), text: 'x'.repeat(16 * 1024 * 1024) });
	expect(await sendSigned(large)).toMatchObject(trouble);
	expect(await send(gzipSync(large), { ...encoded('gzip'), ...signed(large) })).toMatchObject(trouble);
	const bomb = gzipSync(Buffer.alloc(200_000_000));
	expect(await sendSigned(bomb, encoded('gzip'))).toMatchObject(trouble);
	expect(await sendSigned(bomb, { ...octets, 'content-encoding': 'gzip' })).toEqual(forged);
	await expectEvents(0);
});

test('27: content types that n8n does not parse, or none', async () => {
	const types = ['application/octet-stream', 'application/vnd.service+json', 'text/plain', 'nonsense'];
	for (const type of types) expect(await sendSigned(event(), { 'content-type': type })).toEqual(accepted);
	expect(await sendSigned(event(), {})).toEqual(accepted);
	await expectEvents(types.length + 1);
});

test('28: forms, whose bytes n8n uses up', async () => {
	const form = '--x\r\ncontent-disposition: form-data; name="id"\r\n\r\nevt_1\r\n--x--\r\n';
	expect(await sendSigned(form, { 'content-type': 'multipart/form-data; boundary=x' })).toEqual(forged);
	// What is no form: n8n refuses it.
	expect(await sendSigned(event(), { 'content-type': 'multipart/form-data; boundary=x' })).toMatchObject({
		status: 400,
		answer: { message: 'The submitted form data could not be parsed.' },
	});
	await expectEvents(0);
});

test('29: XML and form bodies', async () => {
	expect(await sendSigned('<id>evt_1</id>', { 'content-type': 'application/xml' })).toEqual(notJson);
	const form = { 'content-type': 'application/x-www-form-urlencoded' };
	expect(await sendSigned('id=evt_1&type=post.published', form)).toEqual(notJson);
	// Only the bytes count.
	expect(await sendSigned(event(), form)).toEqual(accepted);
	await expectEvents(1);
});

test('33: nested 5,000 and 200,000 deep', async () => {
	for (const depth of [5_000, 200_000]) {
		const body = `{"id":"a","type":"post.published","data":${'['.repeat(depth)}${']'.repeat(depth)}}`;
		expect(await sendSigned(body)).toEqual({
			status: 400,
			answer: { error: 'The body is nested too deeply' },
		});
		expect(await send(body, { ...json, ...signed('another') })).toEqual(forged);
	}
	await expectEvents(0);
});

test('35: headers that say something else than the body: only the body counts', async () => {
	const { id } = newEvent();
	const body = JSON.stringify(newEvent(id));
	const other = (name: string) => ({ 'x-service-event': 'post.failed', 'x-service-event-id': name });
	expect(await sendSigned(body, { ...json, ...other('another') })).toEqual(accepted);
	expect(await sendSigned(body, { ...json, ...other('one more') })).toMatchObject({
		answer: { status: 'duplicate' },
	});
	const ignored = JSON.stringify({ ...newEvent(), type: 'post.failed' });
	expect(await sendSigned(ignored, { ...json, 'x-service-event': 'post.published' })).toMatchObject({
		answer: { status: 'ignored' },
	});
	await expectEvents(1);
	expect(sink.byEvent().get(id)).toHaveLength(1);
});

test('37: other methods than POST', async () => {
	for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
		const body = ['GET', 'HEAD'].includes(method) ? undefined : event();
		const { status } = await send(body, { ...json, ...signed(body ?? '') }, method);
		expect([method, status]).toEqual([method, 404]);
	}
	expect(await send(undefined, {}, 'OPTIONS')).toEqual({ status: 204, answer: '' });
	// Methods that n8n does not know.
	expect((await send(event(), json, 'PROPFIND')).status).toBe(500);
	await expectEvents(0);
});

test('38: a sender that calls itself a bot', async () => {
	const robot = { 'user-agent': 'Mozilla/5.0 (compatible; Examplebot/2.1)' };
	expect(await sendSigned(event(), { ...json, ...robot })).toEqual(accepted);
	await expectEvents(1);
});
