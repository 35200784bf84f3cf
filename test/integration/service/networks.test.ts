import { embedded, HOUR } from './harness';

const { service, data, get, create, control } = embedded();

async function upload(filename: string, content_type: string): Promise<string> {
	const body = { filename, content_type, size: 4 };
	const { upload_url, read_url } = await data('POST', '/media/upload-url', { body });
	await fetch(upload_url, { method: 'PUT', headers: { 'content-type': content_type }, body: 'file' });
	return read_url;
}

/** The post an hour later, when it was published. */
async function outcome(id: string) {
	await service().clock.advance(2 * HOUR);
	const { status, error } = await get(`/posts/${id}`);
	return error?.message ?? status;
}

test.each([
	['x', 'a'.repeat(280), 'completed'],
	['x', 'a'.repeat(281), 'The text has 281 of 280 characters.'],
	['x', `${'a'.repeat(257)}https://example.com/${'b'.repeat(99)}`, 'completed'],
	['x', '面'.repeat(141), 'The text has 282 of 280 characters.'],
	['x', '👩‍👩‍👧'.repeat(140), 'completed'],
	['bluesky', '👩‍👩‍👧'.repeat(300), 'completed'],
	['bluesky', 'a'.repeat(301), 'The text has 301 of 300 characters.'],
	['linkedin', 'a'.repeat(3001), 'The text has 3001 of 3000 characters.'],
	['facebook', 'a'.repeat(3001), 'completed'],
	['instagram', 'No picture', 'The post needs an image or a video.'],
	['tiktok', 'No picture', 'The post needs an image or a video.'],
	['youtube', 'No video', 'The post needs a video.'],
])('%s: a post is accepted, and the network takes or refuses it (%#)', async (platform, text, expected) => {
	const { id, status } = await create({ platform, content: { text, media: [] } });
	expect(status).toBe('scheduled');
	expect(await outcome(id)).toBe(expected);
});

test.each([
	['instagram', 'image/png', 'completed'],
	['youtube', 'video/mp4', 'completed'],
	['youtube', 'image/png', 'The post needs a video.'],
])('%s with a file of type %s: %s', async (platform, type, expected) => {
	const media = [await upload('file', type)];
	const { id } = await create({ platform, content: { text: 'With a file', media } });
	expect(await outcome(id)).toBe(expected);
});

test('of several platforms each decides for itself; the post fails if none takes it', async () => {
	const make = async (platforms: string[], content: string) =>
		await data('POST', '/posts', { body: { content, platforms } });
	const one = await make(['linkedin', 'x'], 'a'.repeat(300));
	const none = await make(['bluesky', 'x'], 'a'.repeat(301));
	expect(await outcome(one.id)).toBe('completed');
	expect(await outcome(none.id)).toBe('The text has 301 of 300 characters.');
	expect((await get(`/posts/${one.id}`)).platforms).toEqual([
		expect.objectContaining({ platform: 'linkedin', status: 'completed' }),
		{ platform: 'x', status: 'failed', error: 'The text has 300 of 280 characters.' },
	]);
	expect((await get(`/posts/${none.id}`)).platforms[1].error).toBe('The text has 301 of 280 characters.');
});

test('the switch turns the rules off', async () => {
	await control('settings', { networkRules: false });
	const { id } = await create({ platform: 'instagram' });
	expect(await outcome(id)).toBe('completed');
	await control('settings', { networkRules: true });
});
