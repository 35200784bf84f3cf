import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { Binaries, inMemory, itemWith } from '../../../support/binaries';
import { runTool } from '../../../support/engine';
import { bytes, startFiles, type FileServer } from '../../../support/fileServer';
import { nightly } from '../../../support/property';
import {
	asked,
	createPost,
	credentialOf,
	item,
	posts,
	retryOf,
	run,
	runOperation,
	useService,
} from '../../../support/service';

/**
 * How files get to the service with n8n's own store and HTTP: out of binary data or from addresses, streamed to signed
 * URLs. Each operation, in each mode in which n8n keeps files: test/e2e/basics.test.ts.
 */

const binaries = new Binaries();
const service = useService();
let files: FileServer;
beforeAll(async () => {
	await binaries.use('filesystem');
	files = await startFiles();
});
beforeEach(() => void (files.requests.length = 0));
afterAll(async () => {
	await files.close();
	await binaries.remove();
});

const upload = async (parameters: IDataObject, items?: INodeExecutionData[]) =>
	await runOperation(service(), 'media:upload', parameters, { items });
const png = (bytes = 2000): Buffer => randomBytes(bytes);
const bytesAt = async (readUrl: unknown) => Buffer.from(await (await fetch(String(readUrl))).arrayBuffer());
const puts = () => asked(service(), 'PUT');
const factsOf = (error: any): any => error?.context?.data;
const pngItem = async (content = png()) =>
	itemWith({ data: await binaries.file('photo.png', 'image/png', content) });

test.each([
	['media:upload', { filename: 'photo.png', content_type: 'image/png', size: 2000, album: 'jam' }],
	['media:uploadDirect', { album: 'jam' }],
])(
	'%s: a preview has the key under which the file goes out, and the fields that go with it',
	async (name, body) => {
		const items = [await pngItem()];
		for (const mode of [
			{ avoidDuplicates: { by: { mode: 'content' } } },
			{ avoidDuplicates: { by: { mode: 'custom', id: 'row-1' } } },
		]) {
			const options = { ...mode, apiFields: { field: [{ name: 'album', value: 'jam' }] } };
			const parameters = { mediaFrom: 'binary', binaryFields: 'data' };
			const preview = await runOperation(
				service(),
				name,
				{ ...parameters, options: { ...options, preview: 'rows' } },
				{ items },
			);
			expect(asked(service(), 'POST')).toEqual([]);
			const { json } = await runOperation(service(), name, { ...parameters, options }, { items });
			expect(preview.json).toEqual([
				{
					...{ preview: true, filename: 'photo.png', content_type: 'image/png', size: 2000 },
					...{ workspace_id: 'ws_main', idempotency_key: json[0]!.idempotency_key },
					request: { method: 'POST', path: name === 'media:upload' ? '/media/upload-url' : '/media', body },
				},
			]);
			service().reset();
		}
	},
);

describe('from addresses', () => {
	test.each([
		['with a length: streamed as it comes', 'filesystem', true],
		["without a length: through n8n's storage first", 'filesystem', false],
		["without a length: through n8n's memory first", 'default', false],
	] as const)('%s; neither side sees the key', async (_how, mode, length) => {
		await binaries.use(mode);
		const content = png(300_000);
		const address = files.on('/photo.png', bytes(content, 'image/png', { length }));
		const { json, error } = await upload({ mediaFrom: 'url', mediaUrls: `${address}?token=hidden` });
		await binaries.use('filesystem');
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ filename: 'photo.png', size: content.length, source: address });
		expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
		expect(puts()[0]!.headers['content-length']).toBe(String(content.length));
		expect(files.requests).toHaveLength(1);
		for (const { headers } of [...files.requests, ...puts()])
			for (const name of ['authorization', 'x-service-workspace-id', 'idempotency-key'])
				expect(headers).not.toHaveProperty(name);
	});

	test('a redirect of the source is followed', async () => {
		const target = files.on('/moved.png', bytes(png()));
		const address = files.on('/old.png', (_request, response) => {
			response.writeHead(302, { location: target }).end();
		});
		const { json, error } = await upload({ mediaFrom: 'url', mediaUrls: address });
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ size: 2000 });
	});
});

test.each([
	['gzip', gzipSync(png())],
	['deflate', deflateSync(png())],
	['br', brotliCompressSync(png())],
	['identity', png()],
])('a store that compresses although it is asked not to, %s: uploaded whole', async (encoding, body) => {
	const headers = { 'content-type': 'image/png', 'content-length': body.length };
	const mediaUrls = files.on(`/${encoding}.png`, (_request, response) =>
		response.writeHead(200, { ...headers, 'content-encoding': encoding }).end(body),
	);
	const { json, error } = await upload({ mediaFrom: 'url', mediaUrls });
	expect(error).toBeUndefined();
	expect(json).toMatchObject([{ size: 2000 }]);
});

describe("in n8n's newest execution logic, which has an item's files in its JSON", () => {
	const settings = { binaryMode: 'combined' };
	const inJson = async (name: string): Promise<INodeExecutionData[]> => [
		{ json: { _files: { [name]: await binaries.file('photo.png', 'image/png', png()) }, note: 'n' } },
	];

	test.each([
		['media:upload', 'data', 'data'],
		['media:upload', 'photo.2', 'photo.2'],
		['media:upload', 'data', '_files.data'],
		['media:uploadDirect', 'data', 'data'],
	])('%s finds the file %s by the name %s', async (name, field, binaryFields) => {
		const items = await inJson(field);
		const { json, error } = await runOperation(service(), name, { binaryFields }, { items, settings });
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ filename: 'photo.png', size: 2000 }]);
	});

	test('a file in memory is found beside the JSON, where n8n leaves it', async () => {
		const items = [itemWith({ data: inMemory('photo.png', 'image/png', png()) })];
		const { json, error } = await runOperation(service(), 'media:upload', {}, { items, settings });
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ filename: 'photo.png', size: 2000 }]);
	});

	test('a name that is wrong is answered with those that there are', async () => {
		const more = { items: await inJson('picture'), settings };
		const { error } = await runOperation(service(), 'media:upload', {}, more);
		expect(error.message).toMatch(/^The item has no binary field 'data'/);
		expect(error.description).toMatch(/^It has: picture\./);
		const separate = await runOperation(service(), 'media:upload', {}, { items: more.items });
		expect(separate.error.description).toMatch(/^It has no binary fields\./);
	});
});

test.each(['media:upload', 'media:uploadDirect'])(
	'%s takes a file that code has put into memory as a data URL for what is in it',
	async (name) => {
		const content = png();
		const data = inMemory('photo.png', 'image/png', content);
		data.data = `data:image/png;base64,${data.data}`;
		const { json, error } = await runOperation(service(), name, {}, { items: [itemWith({ data })] });
		expect(error).toBeUndefined();
		expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
	},
);

describe('the store', () => {
	test('a redirect is not followed: the bytes go only where the service said', async () => {
		const trap = files.on('/trap', bytes(Buffer.from('ok')));
		const headers = { location: trap };
		service().faults.add({ path: '^/upload/', kind: 'status', status: 307, headers, times: 0 });
		const { error } = await upload({}, [await pngItem()]);
		expect(factsOf(error)).toMatchObject({ code: 'NODE_UPLOAD_REFUSED', status: 307 });
		expect(files.requests).toEqual([]);
	});

	test('signed URLs stay out of output, failures and what n8n keeps of the execution', async () => {
		const fine = await upload({}, [await pngItem()]);
		expect(fine.json[0]!.upload_url).toBeUndefined();
		expect(JSON.stringify(fine.run)).not.toMatch(/signature=|expires=/);
		for (const [index, kind] of (['dropBefore', 'status', 'empty'] as const).entries()) {
			service().faults.clear();
			service().faults.add({ path: '^/upload/', kind, status: 400, times: 0 });
			const { run, error } = await upload({ options: { maxRetryWait: 0 } }, [
				await pngItem(png(1000 + index)),
			]);
			if (kind !== 'empty') expect(error).toBeDefined();
			expect(JSON.stringify(run)).not.toMatch(/signature=|expires=/);
			expect(JSON.stringify(error ?? {})).not.toMatch(/signature=|expires=/);
			expect(JSON.stringify(run)).not.toContain(service().keys.full);
		}
	});
});

describe.each(['content', 'custom'])('a second run after the upload URL has expired, in mode %s', (mode) => {
	const options = { avoidDuplicates: { by: { mode: mode, id: 'own' } } };
	const expire = (times: number) =>
		service().faults.add({ method: 'PUT', path: '^/upload/', kind: 'status', status: 403, times });
	const twice = async (operation: string, parameters: IDataObject) => {
		const items = [await pngItem()];
		const run = async () =>
			await runOperation(service(), operation, { ...parameters, mediaFrom: 'binary', options }, { items });
		const first = await run();
		expire(0);
		return { first, second: await run() };
	};
	const post = { platforms: ['x'], text: 'Plum jam', when: 'now' };

	test('of a post with a file gives back the post', async () => {
		const { first, second } = await twice('post:create', post);
		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(second.json[0]!.id).toBe(first.json[0]!.id);
		expect(posts(service())).toHaveLength(1);
	});

	test('of an upload gives back its address', async () => {
		const { first, second } = await twice('media:upload', {});
		expect([second.error, second.json[0]!.read_url]).toEqual([undefined, first.json[0]!.read_url]);
	});

	test('where each further one has expired, too: three were asked for, and the error has the last key', async () => {
		expire(0);
		const { second } = await twice('media:upload', {});
		const keys = asked(service(), 'POST').map(({ headers }) => headers['idempotency-key']);
		expect(new Set(keys).size).toBe(3);
		expect(second.error.message).toMatch(/Each upload URL that the service gave had expired$/);
		expect(factsOf(second.error).failures[0].idempotency_key).toBe(keys.at(-1));
	});

	test('that the file never reached uploads it anew, and the one after it gives back the post', async () => {
		expire(1);
		const { first, second } = await twice('post:create', post);
		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(second.json[0]!.id).toBe(first.json[0]!.id);
		expect([...service().store.media.values()].map(({ uploaded }) => uploaded)).toEqual([false, true]);
	});
});

test('each upload URL that the service gave had expired: a retry asks for further ones', async () => {
	const items = [await pngItem()];
	service().faults.add({ method: 'PUT', path: '^/upload/', kind: 'status', status: 403, times: 4 });
	const first = await runOperation(service(), 'media:upload', {}, { items });
	expect(first.error.message).toMatch(/Each upload URL that the service gave had expired/);
	const retry = await runOperation(service(), 'media:upload', {}, { items, ...retryOf(first) });
	expect(retry.error).toBeUndefined();
	expect(await bytesAt(retry.json[0]!.read_url)).toHaveLength(2000);
});

test.each([
	['execution', 409, 1],
	['execution', 400, 1],
	['content', 412, 2],
	['custom', 409, 2],
])('in mode %s, a store that answers %d to a file that it has stops no post', async (mode, status, runs) => {
	const items = [await pngItem()];
	const options = { avoidDuplicates: { by: { mode: mode, id: 'own' } } };
	// Its answer to the first bytes is lost.
	service().faults.add({ method: 'PUT', path: '^/upload/', kind: 'dropAfter' });
	service().faults.add({ method: 'PUT', path: '^/upload/', kind: 'status', status, times: 0 });
	for (let n = 0; n < runs; n++) {
		const { error } = await run(service(), createPost({ mediaFrom: 'binary', options }), { items });
		expect(error).toBeUndefined();
	}
	expect(posts(service())).toHaveLength(1);
});

describe.each(['execution', 'custom'])(
	'a link that has expired by the time of a retry, in mode %s',
	(mode) => {
		const options = { avoidDuplicates: { by: { mode: mode, id: 'own' } } };
		const expire = () =>
			files.on('/photo.png', (_request, response) => void response.writeHead(410).end('gone'));
		const create = async (more: object = {}) =>
			await run(
				service(),
				createPost({
					...{ platforms: ['x', 'linkedin'], mediaFrom: 'url' },
					...{ mediaUrls: `${files.url}/photo.png?expires=1`, options },
				}),
				more,
			);
		const refuse = (path: string) =>
			service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', path });
		beforeEach(() => void files.on('/photo.png', bytes(png())));

		test('what is missing goes out with the file that was uploaded', async () => {
			refuse('^/posts');
			const first = await create();
			expect(first.error).toBeDefined();
			expire();
			const { error } = await create(retryOf(first));
			expect(error).toBeUndefined();
			const [media, ...others] = [...service().store.media.values()];
			expect(others).toEqual([]);
			expect(posts(service()).map((post) => post.media)).toEqual(Array(2).fill([media!.readUrl]));
		});

		test("what wasn't uploaded isn't sent", async () => {
			service().faults.add({ kind: 'status', status: 415, method: 'PUT', path: '^/upload/' });
			const first = await create();
			expire();
			const { error } = await create(retryOf(first));
			expect(factsOf(error)).toMatchObject({ code: 'NODE_SOURCE_REFUSED' });
			expect(posts(service())).toEqual([]);
		});
	},
);

describe('a signed link that is another one at each read', () => {
	let content: Buffer;
	let signed: (sig: number) => string;
	beforeEach(() => {
		content = png();
		const address = files.on('/photo.png', bytes(content));
		signed = (sig) => `${address}?sig=${sig}`;
	});
	const post = (mediaUrls: string, options: IDataObject = {}, text = 'Plum jam') =>
		createPost({ text, mediaFrom: 'url', mediaUrls, options });
	const call = async (execution: number, options: IDataObject = {}) =>
		await run(service(), post(signed(execution), options), {
			...{ executionId: String(execution), callersToken: 'caller', resumeToken: `own-${execution}` },
		});

	test('of a sub-workflow: a preview has the key under which the post goes out', async () => {
		const preview = await call(1, { preview: 'rows' });
		const { json } = await call(2);
		expect(json[0]!.idempotency_key).toBe(preview.json[0]!.idempotency_key);
	});

	test('of a sub-workflow whose caller is retried: the post is given back', async () => {
		const [first, second] = [await call(1), await call(2)];
		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(second.json[0]!.id).toBe(first.json[0]!.id);
		expect(posts(service())).toHaveLength(1);
	});

	test('of an AI tool: the post is given back and counts once, and the file is read once', async () => {
		const calls = [1, 2].map((sig) => ({
			parameters: post(signed(sig), { maxPosts: 1 }),
			runIndex: sig - 1,
		}));
		const results = await runTool({ credential: credentialOf(service()), calls });
		expect(results.map((result) => result[0]?.id ?? result)).toEqual(Array(2).fill(posts(service())[0]!.id));
		expect(posts(service())).toHaveLength(1);
		expect(files.requests).toHaveLength(1);
	});

	test("of an AI tool that can't be read: the error says so", async () => {
		files.on('/photo.png', (_request, response) => void response.writeHead(404).end());
		const calls = [0, 1].map((runIndex) => ({ parameters: post(signed(1)), runIndex }));
		const messages = (await runTool({ credential: credentialOf(service()), calls })).map(
			({ message }) => message as string,
		);
		expect(messages).toEqual([
			expect.stringContaining(`answered with HTTP 404 for ${files.url}/photo.png. Nothing was sent`),
			messages[0],
		]);
	});

	test.each(['content', 'custom'])('of a later run in mode %s: the post is given back', async (mode) => {
		const options = { avoidDuplicates: { by: { mode: mode, id: 'row-1' } } };
		const [first, second] = [
			await run(service(), post(signed(1), options)),
			await run(service(), post(signed(2), options)),
		];
		expect([first.error, second.error]).toEqual([undefined, undefined]);
		expect(second.json[0]!.id).toBe(first.json[0]!.id);
		expect(service().store.media.size).toBe(1);
	});

	test.each(['content', 'custom'])('of an upload, in mode %s: its address is given back', async (mode) => {
		const options = { avoidDuplicates: { by: { mode: mode, id: 'row-1' } } };
		const parameters = (sig: number) => ({ mediaFrom: 'url', mediaUrls: signed(sig), options });
		const [first, second] = [await upload(parameters(1)), await upload(parameters(2))];
		expect(second.json[0]!.read_url).toBe(first.json[0]!.read_url);
	});

	test('with an ID of the user, two files of one name, type and size are two', async () => {
		const other = png();
		const mediaUrls = `${signed(1)}, ${files.on('/other/photo.png', bytes(other))}`;
		const options = { avoidDuplicates: { by: { mode: 'custom', id: 'row-1' } } };
		const { error } = await run(service(), post(mediaUrls, options));
		expect(error).toBeUndefined();
		const urls = [...service().store.media.values()].map(({ readUrl }) => readUrl);
		const found = await Promise.all(urls.map(bytesAt));
		expect(found.map((one) => [content, other].findIndex((all) => all.equals(one))).sort()).toEqual([0, 1]);
	});
});

describe('another file of the same name, type and size', () => {
	const both = [png(), png()];
	const own = { avoidDuplicates: { by: { mode: 'custom', id: 'row-1' } } };
	const post = (at: 0 | 1, options: IDataObject = {}, more: IDataObject = {}) => {
		const mediaUrls = files.on(`/${at}/photo.png`, bytes(both[at]!));
		return createPost({ mediaFrom: 'url', mediaUrls, options: { maxRetryWait: 0, ...options }, ...more });
	};
	const refuse = () =>
		service().faults.add({
			...{ kind: 'error', code: 'PUBLIC_API_BODY_INVALID', method: 'POST', path: '^/posts$' },
		});
	/** Which of both a read URL gives. */
	const fileAt = async (readUrl: unknown) => {
		const found = await bytesAt(readUrl);
		return both.findIndex((one) => one.equals(found));
	};

	test.each<[string, IDataObject, object]>([
		['by an execution of its own', {}, {}],
		['of a sub-workflow', {}, { callersToken: 'caller', resumeToken: 'own' }],
		['by hand', {}, { mode: 'manual' }],
		['in Same Text and Time', { avoidDuplicates: { by: { mode: 'content' } } }, {}],
		['in My Own ID', own, {}],
	])('%s: a retry after the address was corrected publishes the right one', async (_what, options, more) => {
		refuse();
		const items = [item({ row: 1 })];
		const first = await run(service(), post(0, options), { ...more, items });
		const second = await run(service(), post(1, options), { ...more, ...retryOf(first), items });
		expect([first.error === undefined, second.error]).toEqual([false, undefined]);
		const all = posts(service());
		expect(await Promise.all(all.map(async ({ media }) => await fileAt(media![0])))).toEqual([1]);
	});

	test('in My Own ID: a later run with a file at another address fails, and the scheduled post keeps its file', async () => {
		const later = { scheduledAt: '2126-01-01T10:00' };
		await run(service(), post(0, own, later));
		const { error } = await run(service(), post(1, own, later));
		expect(factsOf(error)?.code).toBe('PUBLIC_API_IDEMPOTENCY_CONFLICT');
		expect(error.description).toMatch(/another text, time or file/);
		const [scheduled, ...others] = posts(service());
		expect([await fileAt(scheduled!.media![0]), others]).toEqual([0, []]);
	});

	test("in My Own ID, a store that takes a file once: the first isn't posted for it", async () => {
		refuse();
		await run(service(), post(0, own));
		service().faults.clear();
		service().faults.add({ method: 'PUT', path: '^/upload/', kind: 'status', status: 409, times: 0 });
		expect(factsOf((await run(service(), post(1, own))).error)?.code).toBe('NODE_UPLOAD_REFUSED');
		expect(posts(service())).toEqual([]);
	});
});

/** Takes eight seconds: at night. */
if (nightly)
	test('200 MB go through without being held in memory', async () => {
		const { stdout } = await promisify(execFile)(
			process.execPath,
			[
				require.resolve('tsx/cli'),
				join(__dirname, '../../../support/transfer.ts'),
				service().url,
				service().keys.full,
				String(200 * 2 ** 20),
			],
			{ maxBuffer: 2 ** 20 },
		);
		const { growth } = JSON.parse(stdout) as { growth: number };
		expect(growth).toBeGreaterThanOrEqual(0);
		expect(growth).toBeLessThan(100 * 2 ** 20);
		const stored = [...service().store.media.values()].find(({ size }) => size === 200 * 2 ** 20);
		expect(stored).toMatchObject({ uploaded: true });
	});
