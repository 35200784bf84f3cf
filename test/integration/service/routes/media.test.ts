import { randomBytes } from 'node:crypto';

import { embedded, HOUR } from '../harness';

const { service, call, data, create } = embedded();
const bytes = randomBytes(50_000);
const read = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
const body = { filename: 'a.png', content_type: 'image/png', size: bytes.length };

describe('POST /media/upload-url', () => {
	const signed = async () => await data('POST', '/media/upload-url', { body });
	const put = async (url: string, sent = bytes, headers = {}) => {
		const options = {
			method: 'PUT',
			headers: { 'content-type': 'image/png', ...headers },
			body: new Uint8Array(sent),
		};
		return (await fetch(url, options)).status;
	};

	test('a signed address that takes what was declared, and gives it back at read_url', async () => {
		const { upload_url, read_url, expires_at } = await signed();
		expect(Math.abs(Date.parse(expires_at) - service().clock.now() - HOUR)).toBeLessThan(60_000);
		expect((await fetch(read_url)).status).toBe(404);
		expect(await put(upload_url)).toBe(200);
		expect((await read(read_url)).equals(bytes)).toBe(true);
		expect((await create({ content: { media: [read_url] } })).content.media).toEqual([read_url]);
	});

	test('and nothing else', async () => {
		const { upload_url, read_url } = await signed();
		const other = upload_url.replace(/signature=\w{4}/, 'signature=0000');
		expect(await put(upload_url, bytes.subarray(1))).toBe(400);
		expect(await put(upload_url, bytes, { 'content-type': 'image/jpeg' })).toBe(400);
		expect(await put(upload_url, bytes, { authorization: 'Bearer key' })).toBe(400);
		for (const address of [
			other,
			upload_url.replace(/signature=\w+/, ''),
			upload_url.replace('med_', 'med_0'),
		])
			expect(await put(address)).toBe(403);
		const stream = new Blob([bytes]).stream();
		const chunked = { method: 'PUT', headers: { 'content-type': 'image/png' }, body: stream, duplex: 'half' };
		expect((await fetch(upload_url, chunked as RequestInit)).status).toBe(411);
		expect((await fetch(read_url)).status).toBe(404);
		await service().clock.advance(HOUR);
		expect(await put(upload_url)).toBe(403);
	});

	test.each<object>([
		...[{ filename: '' }, { filename: 'a/b.png' }, { filename: 'x'.repeat(256) }, { filename: undefined }],
		...[{ content_type: 'text/plain' }, { content_type: 'image' }, { size: 0 }, { size: 1.5 }, { size: '1' }],
	])('refuses %j', async (more) => {
		const answer = await call('POST', '/media/upload-url', { body: { ...body, ...more } });
		expect(answer).toMatchObject({ status: 400, code: 'PUBLIC_API_BODY_INVALID' });
	});
});

describe('POST /media', () => {
	async function send(
		parts: Array<[field: string, content: Blob | string]>,
		key = randomBytes(6).toString('hex'),
	) {
		const form = new FormData();
		for (const [field, content] of parts)
			if (typeof content === 'string') form.append(field, content);
			else form.append(field, content, 'clip.mp4');
		const headers = { authorization: `Bearer ${service().keys.full}`, 'idempotency-key': key };
		const answer = await fetch(`${service().apiUrl}/media`, { method: 'POST', headers, body: form });
		return { status: answer.status, ...((await answer.json()) as { data?: any; error?: { code: string } }) };
	}
	const video = new Blob([bytes], { type: 'video/mp4' });

	test('keeps the bytes, once for each key', async () => {
		const { status, data: made } = await send(
			[
				['note', 'text'],
				['file', video],
			],
			'upload:1',
		);
		expect(status).toBe(201);
		expect(made).toMatchObject({ filename: 'clip.mp4', content_type: 'video/mp4', size: bytes.length });
		expect((await read(made.read_url)).equals(bytes)).toBe(true);
		expect((await send([['file', video]], 'upload:1')).data.id).toBe(made.id);
		const other = new Blob([bytes.subarray(1)], { type: 'video/mp4' });
		expect((await send([['file', other]], 'upload:1')).error?.code).toBe('PUBLIC_API_IDEMPOTENCY_CONFLICT');
		expect((await create({ content: { media: [made.read_url] } })).status).toBe('scheduled');
	});

	test.each<[string, Array<[string, Blob | string]>]>([
		['no image or video', [['file', new Blob(['text'], { type: 'text/plain' })]]],
		['an empty file', [['file', new Blob([], { type: 'image/png' })]]],
		['another field', [['other', video]]],
		[
			'two files',
			[
				['file', video],
				['file', video],
			],
		],
		['no file', [['note', 'text']]],
	])('refuses %s', async (_what, parts) => {
		expect(await send(parts)).toMatchObject({ status: 400, error: { code: 'PUBLIC_API_BODY_INVALID' } });
	});

	test('refuses JSON', async () => {
		expect((await call('POST', '/media', { body })).code).toBe('PUBLIC_API_BODY_INVALID');
	});
});
