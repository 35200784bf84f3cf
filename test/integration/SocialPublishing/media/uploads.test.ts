import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, truncate, writeFile } from 'node:fs/promises';
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
import { stopTime, throughTime } from '../../../support/virtualTime';

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

		test('several fields of several items: one item a file, in order, each with its item', async () => {
			const names = ['a.png', 'b.mp4', 'c.jpg'];
			const [a, b, c] = [png(10), png(20), png(30)] as [Buffer, Buffer, Buffer];
			const { items, error } = await upload({ binaryFields: 'first, second' }, [
				itemWith({
					first: await binaries.file(names[0]!, 'image/png', a),
					second: await binaries.file(names[1]!, 'video/mp4', b),
				}),
				itemWith({
					second: await binaries.file(names[0]!, 'image/png', a),
					first: await binaries.file(names[2]!, 'application/octet-stream', c),
				}),
			]);
			expect(error).toBeUndefined();
			expect(items.map(({ json }) => [json.filename, json.source, json.content_type])).toEqual([
				['a.png', 'first', 'image/png'],
				['b.mp4', 'second', 'video/mp4'],
				['c.jpg', 'first', 'image/jpeg'],
				['a.png', 'second', 'image/png'],
			]);
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 0, 1, 1].map((item) => ({ item })));
			expect(new Set(items.map(({ json }) => json.idempotency_key)).size).toBe(4);
		});

		test('no such field: names it and those that are there; nothing is sent', async () => {
			const { error } = await upload({ binaryFields: 'image' }, [await pngItem()]);
			expect(error.message).toContain("'image'");
			expect(error.description).toContain('It has: data');
			expect(service.requests).toEqual([]);
		});

		test('an item without any file', async () => {
			const { error } = await upload({}, [{ json: {} }]);
			expect(error.description).toMatch(/no binary field at all/);
		});

		test('an empty file, and one of unknown length', async () => {
			const empty = await upload({}, [await pngItem(Buffer.alloc(0))]);
			expect(factsOf(empty.error).code).toBe('NODE_FILE_EMPTY');
			const item = await pngItem();
			await writeFile(`${binaries.pathOf(item.binary!.data!)}.metadata`, '{"mimeType":"image/png"}');
			delete item.binary!.data!.bytes;
			const unknown = await upload({}, [item]);
			expect(factsOf(unknown.error).code).toBe('NODE_SIZE_UNKNOWN');
			expect(service.requests).toEqual([]);
		});

		test('a file that vanished from storage', async () => {
			const item = await pngItem();
			await rm(binaries.pathOf(item.binary!.data!));
			const { error } = await upload({}, [item]);
			expect(factsOf(error)).toMatchObject({ code: 'NODE_FILE_GONE', retryable: false, file: 'data' });
			expect(puts()).toEqual([]);
		});

		test('a file that is shorter than n8n says is not passed off as whole', async () => {
			const item = await pngItem(png(5000));
			await truncate(binaries.pathOf(item.binary!.data!), 4000);
			const { error } = await upload({}, [item]);
			expect(factsOf(error)).toMatchObject({ code: 'NODE_LENGTH_DIFFERS' });
			expect(error.message).toContain('only 4000 of 5000 bytes');
			expect(stored().every(({ uploaded }) => !uploaded)).toBe(true);
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

		test('name and type from the headers, or from the address', async () => {
			const named = files.on(
				'/download',
				bytes(png(), 'image/webp; charset=binary', {
					headers: { 'content-disposition': 'attachment; filename="summer.webp"' },
				}),
			);
			const plain = files.on('/a%20b.mov', bytes(png(), 'application/octet-stream'));
			const { json } = await upload({ mediaFrom: 'url', mediaUrls: `${named}, ${plain}` });
			expect(json.map(({ filename, content_type }) => [filename, content_type])).toEqual([
				['summer.webp', 'image/webp'],
				['a b.mov', 'video/quicktime'],
			]);
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

		test('missing, a page, empty, not an address: told apart, nothing is sent, the query stays out', async () => {
			const page = files.on('/share', bytes(Buffer.from('<html></html>'), 'text/html; charset=utf-8'));
			const empty = files.on('/empty.png', bytes(Buffer.alloc(0)));
			const cases = [
				[`${files.url}/none.png?token=hidden`, 'NODE_SOURCE_NOT_FOUND'],
				[`${page}?token=hidden`, 'NODE_SOURCE_IS_PAGE'],
				[empty, 'NODE_FILE_EMPTY'],
				['photo.png?token=hidden', 'NODE_MEDIA_URL'],
				['ftp://example.com/photo.png', 'NODE_MEDIA_URL'],
				['http://127.0.0.1:1/photo.png?token=hidden', 'NODE_TRANSFER_BROKE'],
			];
			for (const [mediaUrls, code] of cases) {
				const { error } = await upload({ mediaFrom: 'url', mediaUrls, options: { maxRetryWait: 0 } });
				expect(factsOf(error).code).toBe(code);
				const node = { ...error.node, parameters: 'as given' };
				expect(JSON.stringify({ ...error, node, stack: error.stack })).not.toContain('hidden');
			}
			expect(service.requests).toEqual([]);
		});

		test('a source that breaks off is asked again, and gives a clear failure when it goes on doing so', async () => {
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
			broken = 100;
			const { error } = await upload({ mediaFrom: 'url', mediaUrls: address });
			expect(factsOf(error)).toMatchObject({ code: 'NODE_SOURCE_BROKE', retryable: true, file: address });
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

		test('500 once is tried again; 500 for ever fails, retryable', async () => {
			service.faults.add({ path: '^/upload/', kind: 'status', status: 500 });
			expect((await upload({}, [await pngItem()])).error).toBeUndefined();
			service.faults.add({ path: '^/upload/', kind: 'status', status: 500, times: 0 });
			const { error } = await upload({}, [await pngItem()]);
			expect(factsOf(error)).toMatchObject({ code: 'NODE_UPLOAD_REFUSED', status: 500, retryable: true });
		});

		test.each([
			[413, 'NODE_UPLOAD_TOO_LARGE', false, /smaller/],
			[503, 'NODE_UPLOAD_REFUSED', true, /in a few minutes/],
		] as const)('%s: %s, retryable: %s, and what to do', async (status, code, retryable, hint) => {
			service.faults.add({ path: '^/upload/', kind: 'status', status, times: 0 });
			const node = { onError: 'continueRegularOutput' } as const;
			const { json } = await upload({ options: { maxRetryWait: 0 } }, [await pngItem()], { node });
			expect(json).toHaveLength(1);
			expect(Object.keys(json[0]!)).toEqual(['error']);
			const error = json[0]!.error as any;
			expect(error).toMatchObject({ code, status, retryable, file: 'data' });
			expect(error.message).toContain("'photo.png'");
			expect(error.hint).toMatch(hint);
			expect(puts()).toHaveLength(1);

			// With time to wait: tried again exactly where it may help.
			const item = await pngItem();
			stopTime();
			const again = await throughTime(upload({}, [item])).finally(() => jest.useRealTimers());
			expect(factsOf(again.error)).toMatchObject({ code, status });
			expect(puts()).toHaveLength(retryable ? 4 : 2);
		});

		test('403: a fresh address is asked for once', async () => {
			service.faults.add({ path: '^/upload/', kind: 'status', status: 403 });
			const { json, error } = await upload({}, [await pngItem()]);
			expect(error).toBeUndefined();
			const asked = service.requests.filter(({ path }) => path.endsWith('/media/upload-url'));
			expect(asked).toHaveLength(2);
			expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
			expect(stored().filter(({ uploaded }) => uploaded)).toHaveLength(1);
			expect((await bytesAt(json[0]!.read_url)).length).toBe(2000);
		});

		test('403 again: a clear failure, after two attempts', async () => {
			service.faults.add({ path: '^/upload/', kind: 'status', status: 403, times: 0 });
			const { error } = await upload({}, [await pngItem()]);
			expect(factsOf(error)).toMatchObject({ code: 'NODE_UPLOAD_FORBIDDEN', status: 403, retryable: false });
			expect(error.description).toContain('fresh address');
			expect(puts()).toHaveLength(2);
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
		const transfers = (signal?: AbortSignal, idle = 400) =>
			new Transfers(
				async (options: any) => await (Container.get(OutboundHttp as any) as any).requests().request(options),
				new RateLimiter(),
				signal,
				idle,
			);
		const fileOf = (size: number, open: () => Promise<any>) => ({
			name: 'film.mp4',
			contentType: 'video/mp4',
			size,
			open,
		});
		const large = 64 * 2 ** 20;
		const largeFile = async () => {
			const binary = await binaries.sparse('film.mp4', 'video/mp4', large);
			return fileOf(large, async () => createReadStream(binaries.pathOf(binary)));
		};
		const codeOf = async (promise: Promise<unknown>) =>
			await promise.then(
				() => 'none',
				(error) => [error.details.code, error.message],
			);

		test('a store that takes nothing more', async () => {
			const url = files.on('/hang', (request) => request.pause());
			const [code, message] = await codeOf(transfers().put(await largeFile(), `${url}?signature=x`, 0));
			expect(code).toBe('NODE_TRANSFER_STALLED');
			expect(message).toMatch(/store took no more/);
			expect(message).not.toContain('signature');
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
				const two = transfers(stop.signal, 600_000);
				const work = async () => {
					const { stream } = await two.open(url, 0);
					await two.put(
						fileOf(5000, async () => stream),
						store,
						0,
					);
				};
				expect((await codeOf(work()))[0]).toBe('NODE_STOPPED');
				// Without being let go the connection would stay until the source gives up.
				await closed;
			},
		);
	});

	describe('as the service may word its answer', () => {
		test.each([
			['uploadUrl', 'readUrl'],
			['signed_url', 'read_url'],
			['url', 'read_url'],
		])('%s and %s', async (uploadName, readName) => {
			let taken = 0;
			const target = files.on('/store', (request, response) => {
				request.on('data', (chunk: Buffer) => (taken += chunk.length)).on('end', () => response.end());
			});
			files.on('/api/public/v1/media/upload-url', (request, response) => {
				const data = {
					[uploadName]: `${target}?signature=x`,
					[readName]: 'https://cdn.example.com/1',
					more: 1,
				};
				request.resume();
				response.setHeader('content-type', 'application/json');
				response.end(JSON.stringify({ success: true, data, request_id: 'req_1' }));
			});
			const { json, error } = await upload({}, [await pngItem()], {
				credential: { baseUrl: files.url, apiKey: 'k' },
			});
			expect(error).toBeUndefined();
			expect(taken).toBe(2000);
			expect(json[0]).toMatchObject({ read_url: 'https://cdn.example.com/1', more: 1, size: 2000 });
			expect(json[0]).not.toHaveProperty(uploadName);
		});

		test('without an address to read from: a failure, nothing is uploaded', async () => {
			files.on('/api/public/v1/media/upload-url', (request, response) => {
				request.resume();
				response.setHeader('content-type', 'application/json');
				response.end(JSON.stringify({ success: true, data: { upload_url: `${files.url}/x?signature=x` } }));
			});
			const { error } = await upload({}, [await pngItem()], {
				credential: { baseUrl: files.url, apiKey: 'k' },
			});
			expect(factsOf(error).code).toBe('NODE_UPLOAD_URL_MISSING');
			expect(JSON.stringify(error)).not.toContain('signature=');
			expect(files.requests).toHaveLength(1);
		});
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

	test('some files of an item failed: with Continue On Fail each has its say, without it the failure names both', async () => {
		const item = await pngItem();
		const parameters = { binaryFields: 'data,missing' };
		const goesOn = await upload(parameters, [item], { node: { onError: 'continueRegularOutput' } });
		expect(goesOn.json[0]).toMatchObject({ filename: 'photo.png' });
		expect(goesOn.json[1]).toEqual({ error: expect.objectContaining({ code: 'NODE_BINARY_FIELD_MISSING' }) });
		const { error } = await upload(parameters, [item]);
		expect(error.message).toBe("The item has no binary field 'missing'");
		expect(error.message).toContain("'missing'");
	});

	test('a retry of the execution uploads only what is missing', async () => {
		const items = [await pngItem(), await pngItem(png(3000), 'two.png')];
		service.faults.add({ path: '^/upload/', kind: 'status', status: 400, skip: 1 });
		const first = await upload({ options: { concurrency: 1 } }, items);
		expect(first.error).toBeDefined();
		expect(stored().filter(({ uploaded }) => uploaded)).toHaveLength(1);
		const retry = await upload({ options: { concurrency: 1 } }, items, {
			contextData: contextOf(first.run),
			executionId: '2',
			mode: 'retry',
		});
		expect(retry.error).toBeUndefined();
		expect(retry.json.map(({ size }) => size)).toEqual([2000, 3000]);
		expect(stored().map(({ uploads }) => uploads)).toEqual([1, 1]);
	});

	test("the user's own key goes along unchanged with one file; several get a part each", async () => {
		const options = { idempotencyKeyMode: 'custom', idempotencyKey: 'order-1' };
		const one = await upload({ options }, [await pngItem()]);
		expect(one.json[0]!.idempotency_key).toBe('order-1');
		const two = await upload({ options, binaryFields: 'a,b' }, [
			itemWith({ a: inMemory('a.png', 'image/png', png()), b: inMemory('b.png', 'image/png', png()) }),
		]);
		const keys = two.json.map(({ idempotency_key }) => String(idempotency_key));
		expect(keys.every((key) => key.startsWith('order-1:media-'))).toBe(true);
		expect(new Set(keys).size).toBe(2);
	});

	describe('in posts', () => {
		test('one upload for all platforms, reused', async () => {
			const { json, error } = await createPost({ mediaFrom: 'binary' }, [await pngItem()]);
			expect(error).toBeUndefined();
			expect(json).toHaveLength(3);
			expect(stored()).toHaveLength(1);
			expect(stored()[0]).toMatchObject({ uploaded: true, uploads: 1 });
			expect(posts().map(({ media }) => media)).toEqual(Array(3).fill([stored()[0]!.readUrl]));
		});

		test('in the quick-start form: one request, with the media', async () => {
			const { json, error } = await createPost({ mediaFrom: 'binary' }, [await pngItem()], {
				credential: { ...credential(), postFormat: 'quickStart' },
			});
			expect(error).toBeUndefined();
			expect(json).toHaveLength(1);
			expect(posts().map(({ media }) => media)).toEqual([[stored()[0]!.readUrl]]);
		});

		test('from an address, with no text at all', async () => {
			const address = files.on('/only.png', bytes(png()));
			const { error } = await createPost({ mediaFrom: 'url', mediaUrls: address, text: '' });
			expect(error).toBeUndefined();
			expect(posts()).toHaveLength(3);
			expect(files.requests).toHaveLength(1);
		});

		test('read_urls of earlier uploads are used as they are', async () => {
			const { json } = await upload({}, [await pngItem()]);
			service.requests.length = 0;
			const { error } = await createPost({ mediaFrom: 'readUrls', mediaUrls: String(json[0]!.read_url) });
			expect(error).toBeUndefined();
			expect(service.requests.map(({ path }) => path.replace(/^.*v1/, ''))).toEqual([
				'/accounts',
				...Array(3).fill('/posts'),
			]);
			expect(posts()[0]!.media).toEqual([json[0]!.read_url]);
		});

		test('no post without all of its media', async () => {
			service.faults.add({ path: '^/upload/', kind: 'status', status: 400, skip: 1, times: 0 });
			const item = itemWith({
				a: inMemory('a.png', 'image/png', png()),
				b: inMemory('b.png', 'image/png', png()),
			});
			const { error } = await createPost({ mediaFrom: 'binary', binaryFields: 'a,b' }, [item]);
			expect(error.description).toContain('Nothing was posted');
			expect(posts()).toEqual([]);
			service.faults.clear();
			const missing = await createPost({ mediaFrom: 'binary', binaryFields: 'a,c' }, [item]);
			expect(factsOf(missing.error)).toMatchObject({ code: 'NODE_BINARY_FIELD_MISSING' });
			expect(posts()).toEqual([]);
		});

		test('additional fields of the post do not go into its uploads', async () => {
			const options = { additionalFields: '{"campaign":"spring"}' };
			await createPost({ mediaFrom: 'binary', options }, [await pngItem()]);
			const bodies = service.requests
				.filter(({ method }) => method === 'POST')
				.map(({ body }) => body as any);
			expect(bodies.map(({ campaign }) => campaign)).toEqual([undefined, 'spring', 'spring', 'spring']);
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

		test('several fields: an item each, in order', async () => {
			const item = itemWith({
				a: inMemory('a.png', 'image/png', png(5)),
				b: inMemory('b.png', 'image/png', png(6)),
			});
			const { json } = await direct({ binaryFields: 'b,a' }, [item]);
			expect(json.map(({ filename }) => filename)).toEqual(['b.png', 'a.png']);
		});

		test('an answer that is lost: sent again with the same key, stored once', async () => {
			service.faults.add({ path: '^/media$', kind: 'dropAfter' });
			const { json, error } = await direct({}, [await pngItem()]);
			expect(error).toBeUndefined();
			expect(stored()).toHaveLength(1);
			expect(json[0]!.read_url).toBe(stored()[0]!.readUrl);
		});

		test('mode Same Content: the bytes decide', async () => {
			const options = { idempotencyKeyMode: 'content' };
			const content = png();
			const keyOf = async (bytesOf: Buffer, executionId: string) =>
				(await direct({ options }, [await pngItem(bytesOf)], { executionId })).json[0]!.idempotency_key;
			const first = await keyOf(content, '1');
			expect(await keyOf(content, '2')).toBe(first);
			expect(await keyOf(png(), '3')).not.toBe(first);
			expect(stored()).toHaveLength(2);
		});

		test('a large file is pointed to Upload before it is read', async () => {
			const data = await binaries.sparse('film.mp4', 'video/mp4', 60 * 2 ** 20);
			const { error } = await direct({}, [itemWith({ data })]);
			expect(factsOf(error).code).toBe('NODE_FILE_TOO_LARGE');
			expect(error.description).toContain("'Upload'");
			expect(service.requests).toEqual([]);
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
