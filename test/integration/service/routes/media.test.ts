import { randomBytes } from 'node:crypto';

import { embedded, HOUR } from '../harness';

const { service, call, data } = embedded();
const bytes = randomBytes(50_000);
const read = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());
const body = { filename: 'a.png', content_type: 'image/png', size: bytes.length };
const invalid = { status: 400, code: 'PUBLIC_API_BODY_INVALID' };

describe('POST /media/upload-url', () => {
	const signed = async () => await data('POST', '/media/upload-url', { body });
	const png = { 'content-type': 'image/png' };
	const put = async (url: string, more: object = {}) =>
		(await fetch(url, { method: 'PUT', headers: png, body: new Uint8Array(bytes), ...more })).status;

	// That it takes what was declared: test/integration/SocialPublishing/media/uploads.test.ts.
	test('a signed address that takes nothing but what was declared, for an hour', async () => {
		const { upload_url: url, read_url } = await signed();
		expect(await put(url, { body: new Uint8Array(9) })).toBe(400);
		expect(await put(url, { headers: { 'content-type': 'image/jpeg' } })).toBe(400);
		for (const name of ['authorization', 'idempotency-key', 'x-service-workspace-id'])
			expect(await put(url, { headers: { ...png, [name]: 'anything' } })).toBe(400);
		expect(await put(url, { body: new Blob([bytes]).stream(), duplex: 'half' })).toBe(411);
		const others = [url.replace(/signature=\w{4}/, 'signature=0000'), url.replace(/signature=\w+/, '')];
		for (const other of [...others, url.replace('med_', 'med_0')]) expect(await put(other)).toBe(403);
		await service().clock.advance(HOUR);
		expect(await put(url)).toBe(403);
		expect((await fetch(read_url)).status).toBe(404);
	});

	test.each<object>([
		...[{ filename: 'a/b.png' }, { filename: undefined }, { content_type: 'text/plain' }, { size: 0 }],
	])('refuses %j', async (more) =>
		expect(await call('POST', '/media/upload-url', { body: { ...body, ...more } })).toMatchObject(invalid),
	);
});

describe('POST /media', () => {
	const form = (...types: string[]) => {
		const made = new FormData();
		made.append('note', 'text');
		for (const type of types) made.append('file', new Blob([bytes], { type }), 'clip.mp4');
		return made;
	};

	test('keeps the bytes, once for each key', async () => {
		const send = async (...types: string[]) =>
			await call('POST', '/media', { body: form(...types), idempotencyKey: 'upload:1' });
		const { data: made } = await send('video/mp4');
		expect(made).toMatchObject({ filename: 'clip.mp4', content_type: 'video/mp4', size: bytes.length });
		expect((await read(made.read_url)).equals(bytes)).toBe(true);
		expect((await send('video/mp4')).data.id).toBe(made.id);
		expect((await send('image/png')).code).toBe('PUBLIC_API_IDEMPOTENCY_CONFLICT');
	});

	test.each<[string, () => unknown]>([
		['no image or video', () => form('text/plain')],
		['two files', () => form('image/png', 'image/png')],
		['no file', () => form()],
		['JSON', () => body],
	])('refuses %s', async (_what, sent) =>
		expect(await call('POST', '/media', { body: sent() })).toMatchObject(invalid),
	);
});
