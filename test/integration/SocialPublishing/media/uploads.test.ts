import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { RateLimiter } from '../../../../nodes/api/rateLimiter';
import { Transfers } from '../../../../nodes/api/transfers';
import { type Service, startService } from '../../../service';
import { Binaries, inMemory, itemWith } from '../../../support/binaries';
import { runNode, type RunOptions } from '../../../support/engine';
import { bytes, startFiles, type FileServer } from '../../../support/fileServer';

/** How files get to the service: out of n8n's binary data or from addresses, streamed to signed URLs. */
describe('uploads', () => {
	const binaries = new Binaries();
	let service: Service;
	let files: FileServer;

	beforeAll(async () => {
		await binaries.use('filesystem');
		files = await startFiles();
	});
	beforeEach(async () => {
		service = await startService();
		files.requests.length = 0;
	});
	afterEach(async () => await service.close());
	afterAll(async () => {
		await files.close();
		await binaries.remove();
	});

	const credential = (): IDataObject => ({ baseUrl: service.url, apiKey: service.keys.full });
	const upload = async (
		parameters: IDataObject,
		items?: INodeExecutionData[],
		more: Partial<RunOptions> = {},
	) =>
		await runNode({
			parameters: { resource: 'media', operation: 'upload', ...parameters },
			credential: credential(),
			items,
			...more,
		});
	const png = (bytes = 2000): Buffer => randomBytes(bytes);
	const bytesAt = async (readUrl: unknown) => Buffer.from(await (await fetch(String(readUrl))).arrayBuffer());

	const puts = () => service.requests.filter(({ method }) => method === 'PUT');
	const stored = () => [...service.store.media.values()];
	const posts = () => [...service.store.posts.values()];
	const contextOf = (run: any): IDataObject => run.data.executionData.contextData;
	const factsOf = (error: any): any => error?.context?.data;
	const createPost = async (parameters: IDataObject, items?: INodeExecutionData[], more = {}) =>
		await runNode({
			parameters: {
				resource: 'post',
				operation: 'create',
				platforms: ['facebook', 'x', 'linkedin'],
				text: 'Hello',
				when: 'now',
				...parameters,
			},
			credential: credential(),
			items,
			...more,
		});
	const pngItem = async (content = png(), name = 'photo.png') =>
		itemWith({ data: await binaries.file(name, 'image/png', content) });

	describe('from binary fields', () => {
		test.each([
			['file-system', async (content: Buffer) => await binaries.file('photo.png', 'image/png', content)],
			['in-memory', async (content: Buffer) => inMemory('photo.png', 'image/png', content)],
		])('%s mode: the bytes arrive as they are', async (_mode, make) => {
			const content = png();
			const { json, error } = await upload({}, [itemWith({ data: await make(content) })]);
			expect(error).toBeUndefined();
			expect(json).toHaveLength(1);
			expect(json[0]).toMatchObject({
				filename: 'photo.png',
				content_type: 'image/png',
				size: content.length,
				source: 'data',
				idempotency_key: expect.any(String),
				request_id: expect.any(String),
			});
			expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
			expect(puts()[0]!.headers).toMatchObject({
				'content-length': String(content.length),
				'content-type': 'image/png',
			});
		});

		test('a file that vanished from storage', async () => {
			const item = await pngItem();
			await rm(binaries.pathOf(item.binary!.data!));
			const { error } = await upload({}, [item]);
			expect(factsOf(error)).toMatchObject({ code: 'NODE_FILE_GONE', retryable: false, file: 'data' });
			expect(puts()).toEqual([]);
		});
	});

	test('a store of n8n elsewhere (S3 and the like): by its streams and facts alone', async () => {
		const content = png(100_000);
		(Container.get(BinaryDataService as any) as any).setManager('s3', {
			getMetadata: async () => ({ fileName: 'far.png', mimeType: 'image/png', fileSize: content.length }),
			getAsStream: async () => Readable.from([content.subarray(0, 40_000), content.subarray(40_000)]),
		});
		const data = { id: 's3:far', data: 's3', fileName: 'far.png', mimeType: 'image/png' };
		const { json, error } = await upload({}, [itemWith({ data })]);
		expect(error).toBeUndefined();
		expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
		const away = await upload({}, [itemWith({ data: { ...data, id: 'azure:far' } })]);
		expect(factsOf(away.error).code).toBe('NODE_FILE_UNREADABLE');
	});

	describe('from addresses', () => {
		test('with a length: streamed as it comes, and neither side sees the key', async () => {
			const content = png(300_000);
			const address = files.on('/photo.png', bytes(content));
			const { json, error } = await upload({ mediaFrom: 'url', mediaUrls: `${address}?token=hidden` });
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({ filename: 'photo.png', size: content.length, source: address });
			expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
			expect(files.requests).toHaveLength(1);
			for (const { headers } of [...files.requests, ...puts()]) {
				expect(headers.authorization).toBeUndefined();
				expect(headers['x-service-workspace-id']).toBeUndefined();
				expect(headers['idempotency-key']).toBeUndefined();
			}
		});

		test.each(['filesystem', 'default'] as const)(
			"without a length: through n8n's storage first (mode %s)",
			async (mode) => {
				await binaries.use(mode);
				const content = png(200_000);
				const address = files.on('/stream', bytes(content, 'image/png', { length: false }));
				const { json, error } = await upload({ mediaFrom: 'url', mediaUrls: address });
				await binaries.use('filesystem');
				expect(error).toBeUndefined();
				expect(json[0]).toMatchObject({ size: content.length, content_type: 'image/png', source: address });
				expect(puts()[0]!.headers['content-length']).toBe(String(content.length));
				expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
			},
		);

		test('a redirect of the source is followed', async () => {
			const target = files.on('/moved.png', bytes(png()));
			const address = files.on('/old.png', (_request, response) => {
				response.writeHead(302, { location: target }).end();
			});
			const { json, error } = await upload({ mediaFrom: 'url', mediaUrls: address });
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({ size: 2000 });
		});

		test('missing, or nobody there: the query stays out of the failure', async () => {
			for (const [mediaUrls, code] of [
				[`${files.url}/none.png?token=hidden`, 'NODE_SOURCE_NOT_FOUND'],
				['http://127.0.0.1:1/photo.png?token=hidden', 'NODE_TRANSFER_BROKE'],
			]) {
				const { error } = await upload({ mediaFrom: 'url', mediaUrls, options: { maxRetryWait: 0 } });
				expect(factsOf(error).code).toBe(code);
				const node = { ...error.node, parameters: 'as given' };
				expect(JSON.stringify({ ...error, node, stack: error.stack })).not.toContain('hidden');
			}
			expect(service.requests).toEqual([]);
		});

		test('a source that breaks off is asked again', async () => {
			const content = png(500_000);
			let broken = 0;
			const address = files.on('/weak.png', (request, response) => {
				if (broken-- <= 0) return bytes(content)(request, response);
				response.writeHead(200, { 'content-type': 'image/png', 'content-length': content.length });
				response.write(content.subarray(0, 1000), () => response.destroy());
			});
			broken = 1;
			const recovered = await upload({ mediaFrom: 'url', mediaUrls: address });
			expect(recovered.error).toBeUndefined();
			expect((await bytesAt(recovered.json[0]!.read_url)).equals(content)).toBe(true);
		});

		test('a source that packs in spite of `identity`: the bytes as they are meant, with their length', async () => {
			const content = Buffer.concat([png(), Buffer.alloc(100_000)]);
			const headers = { 'content-encoding': 'gzip' };
			const address = files.on('/zipped.png', bytes(gzipSync(content), 'image/png', { headers }));
			const { json, error } = await upload({ mediaFrom: 'url', mediaUrls: address });
			expect(error).toBeUndefined();
			expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
			expect(json[0]).toMatchObject({ size: content.length });
		});
	});

	describe('the store', () => {
		test.each(['dropBefore', 'dropAfter'] as const)('%s: sent again with new bytes', async (kind) => {
			service.faults.add({ path: '^/upload/', kind });
			const content = png(400_000);
			const { json, error } = await upload({}, [await pngItem(content)]);
			expect(error).toBeUndefined();
			expect(puts()).toHaveLength(2);
			expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
		});

		test('500 once is tried again; 400 is not', async () => {
			service.faults.add({ path: '^/upload/', kind: 'status', status: 500 });
			expect((await upload({}, [await pngItem()])).error).toBeUndefined();
			service.faults.add({ path: '^/upload/', kind: 'status', status: 400, times: 0 });
			const { error } = await upload({}, [await pngItem()]);
			expect(factsOf(error)).toMatchObject({
				code: 'NODE_UPLOAD_REFUSED',
				status: 400,
				retryable: false,
				file: 'data',
			});
			expect(puts()).toHaveLength(3);
		});

		test('403: a fresh address is asked for once', async () => {
			service.faults.add({ path: '^/upload/', kind: 'status', status: 403 });
			const { json, error } = await upload({}, [await pngItem()]);
			expect(error).toBeUndefined();
			const asked = service.requests.filter(({ path }) => path.endsWith('/media/upload-url'));
			expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
			expect(stored().filter(({ uploaded }) => uploaded)).toHaveLength(1);
			expect((await bytesAt(json[0]!.read_url)).length).toBe(2000);
		});

		test('a redirect is not followed: the bytes go only where the service said', async () => {
			const trap = files.on('/trap', bytes(Buffer.from('ok')));
			const headers = { location: trap };
			service.faults.add({ path: '^/upload/', kind: 'status', status: 307, headers, times: 0 });
			const { error } = await upload({}, [await pngItem()]);
			expect(factsOf(error)).toMatchObject({ code: 'NODE_UPLOAD_REDIRECT', status: 307 });
			expect(files.requests).toEqual([]);
		});

		test('signed URLs stay out of output, failures and what n8n keeps of the execution', async () => {
			const fine = await upload({}, [await pngItem()]);
			expect(fine.json[0]!.upload_url).toBeUndefined();
			expect(JSON.stringify(fine.run)).not.toMatch(/signature=|expires=/);
			for (const kind of ['dropBefore', 'status', 'html'] as const) {
				service.faults.clear();
				service.faults.add({ path: '^/upload/', kind, status: 400, times: 0 });
				const { run, error } = await upload({ options: { maxRetryWait: 0 } }, [await pngItem()]);
				if (kind !== 'html') expect(error).toBeDefined();
				expect(JSON.stringify(run)).not.toMatch(/signature=|expires=/);
				expect(JSON.stringify(error ?? {})).not.toMatch(/signature=|expires=/);
				expect(JSON.stringify(run)).not.toContain(service.keys.full);
			}
		});
	});

	describe('transfers that hang', () => {
		const transfers = (idle: number, signal?: AbortSignal) =>
			new Transfers(
				async (options: any) => await (Container.get(OutboundHttp as any) as any).requests().request(options),
				new RateLimiter(),
				signal,
				idle,
			);
		const film = { name: 'film.mp4', contentType: 'video/mp4' };

		test('a store that takes nothing more is given up', async () => {
			const url = files.on('/hang', (request) => request.pause());
			const size = 64 * 2 ** 20;
			const binary = await binaries.sparse('film.mp4', 'video/mp4', size);
			const open = async () => createReadStream(binaries.pathOf(binary));
			await expect(transfers(400).put({ ...film, size, open }, url, 0)).rejects.toMatchObject({
				details: { code: 'NODE_TRANSFER_STALLED', message: expect.stringMatching(/store accepted no more/) },
			});
		});

		test.each(['before its headers', 'in the middle'])(
			'a source that hangs %s is let go when the execution is stopped',
			async (when) => {
				const stop = new AbortController();
				let gone: () => void;
				const closed = new Promise<void>((done) => (gone = done));
				const url = files.on('/hanging', (_request, response) => {
					response.on('close', () => gone());
					if (when === 'in the middle') {
						response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': 5000 });
						response.write(Buffer.alloc(1000));
					}
					setTimeout(() => stop.abort(), 100);
				});
				const store = files.on('/store', (request, response) => {
					request.resume().on('end', () => response.end());
				});
				// Longer than the test may take: only the stop can end it.
				const two = transfers(600_000, stop.signal);
				const work = async () => {
					const { stream } = await two.open(url, 0);
					await two.put({ ...film, size: 5000, open: async () => stream }, store, 0);
				};
				await expect(work()).rejects.toMatchObject({ details: { code: 'NODE_STOPPED' } });
				// Without being let go the connection would stay until the source gives up.
				await closed;
			},
		);
	});

	test('several at the same time, but over all items never more than the user allows', async () => {
		let now = 0;
		let most = 0;
		const urls = Array.from({ length: 4 }, (_, i) =>
			files.on(`/many-${i}.png`, (request, response) => {
				most = Math.max(most, ++now);
				setTimeout(() => bytes(png(10 + i))(request, response), 30);
				response.on('close', () => now--);
			}),
		);
		const items = Array.from({ length: 6 }, () => ({ json: {} }));
		const { json, error } = await upload(
			{ mediaFrom: 'url', mediaUrls: urls.join(','), options: { concurrency: 3 } },
			items,
		);
		expect(error).toBeUndefined();
		expect(json.map(({ size }) => size)).toEqual(items.flatMap(() => [10, 11, 12, 13]));
		expect(most).toBeGreaterThan(1);
		expect(most).toBeLessThanOrEqual(3);
	});

	describe('in posts', () => {
		test('one upload for all platforms, reused; additional fields are meant for the post', async () => {
			const options = { additionalFields: '{"campaign":"spring"}' };
			const { json, error } = await createPost({ mediaFrom: 'binary', options }, [await pngItem()]);
			expect(error).toBeUndefined();
			expect(json).toHaveLength(3);
			expect(stored()).toHaveLength(1);
			expect(stored()[0]).toMatchObject({ uploaded: true, uploads: 1 });
			expect(posts().map(({ media }) => media)).toEqual(Array(3).fill([stored()[0]!.readUrl]));
			const written = service.requests.filter(({ method }) => method === 'POST');
			const campaigns = written.map(({ body }) => (body as IDataObject).campaign);
			expect(campaigns).toEqual([undefined, 'spring', 'spring', 'spring']);
		});

		test('a retry of the execution neither uploads nor posts twice', async () => {
			const items = [await pngItem()];
			service.faults.add({ path: '^/posts$', kind: 'status', status: 400, skip: 1, times: 2 });
			const first = await createPost({ mediaFrom: 'binary' }, items);
			expect(first.error).toBeDefined();
			expect(posts()).toHaveLength(1);
			const retry = await createPost({ mediaFrom: 'binary' }, items, {
				contextData: contextOf(first.run),
				executionId: '2',
				mode: 'retry',
			});
			expect(retry.error).toBeUndefined();
			expect(posts()).toHaveLength(3);
			expect(stored().map(({ uploads }) => uploads)).toEqual([1]);
		});

		test('mode Same Content: the same file and text are one post, in whichever execution and from wherever', async () => {
			const content = png();
			const options = { idempotencyKeyMode: 'content' };
			const parameters = { platforms: ['facebook'], options };
			const once = await createPost({ ...parameters, mediaFrom: 'binary' }, [await pngItem(content)]);
			const again = await createPost({ ...parameters, mediaFrom: 'binary' }, [await pngItem(content)], {
				executionId: '2',
			});
			expect([once.error, again.error]).toEqual([undefined, undefined]);
			expect(again.json[0]!.id).toBe(once.json[0]!.id);
			expect(posts()).toHaveLength(1);
			const other = await createPost({ ...parameters, mediaFrom: 'binary' }, [await pngItem(png())]);
			expect(other.error).toBeUndefined();
			expect(posts()).toHaveLength(2);
		});
	});

	describe('in one request', () => {
		const direct = async (parameters: IDataObject, items: INodeExecutionData[], more = {}) =>
			await runNode({
				parameters: { resource: 'media', operation: 'uploadDirect', ...parameters },
				credential: credential(),
				items,
				...more,
			});

		test.each(['filesystem', 'default'] as const)('mode %s: bytes, name and type arrive', async (mode) => {
			const content = png(70_000);
			const item =
				mode === 'filesystem'
					? await pngItem(content, 'größe 1.png')
					: itemWith({ data: inMemory('größe 1.png', 'image/png', content) });
			const { json, error } = await direct({}, [item]);
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({ filename: 'größe 1.png', content_type: 'image/png', size: 70_000 });
			expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
		});

		test('an answer that is lost: sent again with the same key, stored once', async () => {
			service.faults.add({ path: '^/media$', kind: 'dropAfter' });
			const { json, error } = await direct({}, [await pngItem()]);
			expect(error).toBeUndefined();
			expect(stored()).toHaveLength(1);
			expect(json[0]!.read_url).toBe(stored()[0]!.readUrl);
		});
	});

	test('200 MB go through without being held in memory', async () => {
		const { stdout } = await promisify(execFile)(
			process.execPath,
			[
				require.resolve('tsx/cli'),
				join(__dirname, '../../../support/transfer.ts'),
				'node',
				service.url,
				service.keys.full,
				String(200 * 2 ** 20),
			],
			{ maxBuffer: 2 ** 20 },
		);
		const { growth } = JSON.parse(stdout) as { growth: number };
		expect(growth).toBeGreaterThanOrEqual(0);
		expect(growth).toBeLessThan(100 * 2 ** 20);
		expect(stored().find(({ size }) => size === 200 * 2 ** 20)).toMatchObject({ uploaded: true });
	});
});
