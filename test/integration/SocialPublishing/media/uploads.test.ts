import { OutboundHttp } from '@n8n/backend-network';
import { Container } from '@n8n/di';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
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
import { Binaries, itemWith } from '../../../support/binaries';
import type { RunOptions } from '../../../support/engine';
import { bytes, startFiles, type FileServer } from '../../../support/fileServer';
import { asked, contextOf, createPost, posts, run, runOperation, useService } from '../../../support/service';

/**
 * How files get to the service: out of n8n's binary data or from addresses, streamed to signed URLs. In each mode in which
 * n8n keeps files, for each operation: test/e2e/media.test.ts.
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

const upload = async (
	parameters: IDataObject,
	items?: INodeExecutionData[],
	more: Partial<RunOptions> = {},
) => await runOperation(service(), 'media:upload', parameters, { items, ...more });
const png = (bytes = 2000): Buffer => randomBytes(bytes);
const bytesAt = async (readUrl: unknown) => Buffer.from(await (await fetch(String(readUrl))).arrayBuffer());
const puts = () => asked(service(), 'PUT');
const stored = () => [...service().store.media.values()];
const factsOf = (error: any): any => error?.context?.data;
const pngItem = async (content = png(), name = 'photo.png') =>
	itemWith({ data: await binaries.file(name, 'image/png', content) });

test('a file that vanished from storage', async () => {
	const item = await pngItem();
	await rm(binaries.pathOf(item.binary!.data!));
	const { error } = await upload({}, [item]);
	expect(factsOf(error)).toMatchObject({ code: 'NODE_FILE_GONE', retryable: false, file: 'data' });
	expect(puts()).toEqual([]);
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
		service().faults.add({ path: '^/upload/', kind });
		const content = png(400_000);
		const { json, error } = await upload({}, [await pngItem(content)]);
		expect(error).toBeUndefined();
		expect(puts()).toHaveLength(2);
		expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
	});

	test('a redirect is not followed: the bytes go only where the service said', async () => {
		const trap = files.on('/trap', bytes(Buffer.from('ok')));
		const headers = { location: trap };
		service().faults.add({ path: '^/upload/', kind: 'status', status: 307, headers, times: 0 });
		const { error } = await upload({}, [await pngItem()]);
		expect(factsOf(error)).toMatchObject({ code: 'NODE_UPLOAD_REDIRECT', status: 307 });
		expect(files.requests).toEqual([]);
	});

	test('signed URLs stay out of output, failures and what n8n keeps of the execution', async () => {
		const fine = await upload({}, [await pngItem()]);
		expect(fine.json[0]!.upload_url).toBeUndefined();
		expect(JSON.stringify(fine.run)).not.toMatch(/signature=|expires=/);
		for (const kind of ['dropBefore', 'status', 'html'] as const) {
			service().faults.clear();
			service().faults.add({ path: '^/upload/', kind, status: 400, times: 0 });
			const { run, error } = await upload({ options: { maxRetryWait: 0 } }, [await pngItem()]);
			if (kind !== 'html') expect(error).toBeDefined();
			expect(JSON.stringify(run)).not.toMatch(/signature=|expires=/);
			expect(JSON.stringify(error ?? {})).not.toMatch(/signature=|expires=/);
			expect(JSON.stringify(run)).not.toContain(service().keys.full);
		}
	});
});

test('a store that takes nothing more is given up', async () => {
	const send = async (options: any) =>
		await (Container.get(OutboundHttp as any) as any).requests().request(options);
	const transfers = new Transfers(send, new RateLimiter(), undefined, 400);
	const url = files.on('/hang', (request) => request.pause());
	const size = 64 * 2 ** 20;
	const binary = await binaries.sparse('film.mp4', 'video/mp4', size);
	const open = async () => createReadStream(binaries.pathOf(binary));
	const film = { name: 'film.mp4', contentType: 'video/mp4', size, open };
	await expect(transfers.put(film, url, 0)).rejects.toMatchObject({
		details: { code: 'NODE_TRANSFER_STALLED', message: expect.stringMatching(/store accepted no more/) },
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

describe('in posts', () => {
	const create = async (parameters: IDataObject, items: INodeExecutionData[], more = {}) => {
		const platforms = ['facebook', 'x', 'linkedin'];
		const all = createPost({ platforms, mediaFrom: 'binary', ...parameters });
		return await run(service(), all, { items, ...more });
	};

	test('a retry of the execution neither uploads nor posts twice', async () => {
		const items = [await pngItem()];
		service().faults.add({ path: '^/posts$', kind: 'status', status: 400, skip: 1, times: 2 });
		const first = await create({}, items);
		expect(first.error).toBeDefined();
		expect(posts(service())).toHaveLength(1);
		const retry = await create({}, items, {
			contextData: contextOf(first),
			executionId: '2',
			mode: 'retry',
		});
		expect(retry.error).toBeUndefined();
		expect(posts(service())).toHaveLength(3);
		expect(stored().map(({ uploads }) => uploads)).toEqual([1]);
	});

	test('mode Same Content: the same file and text are one post, in whichever execution and from wherever', async () => {
		const content = png();
		const options = { idempotencyKeyMode: 'content' };
		const parameters = { platforms: ['facebook'], options };
		const once = await create(parameters, [await pngItem(content)]);
		const again = await create(parameters, [await pngItem(content)], {
			executionId: '2',
		});
		expect([once.error, again.error]).toEqual([undefined, undefined]);
		expect(again.json[0]!.id).toBe(once.json[0]!.id);
		expect(posts(service())).toHaveLength(1);
		const other = await create(parameters, [await pngItem(png())]);
		expect(other.error).toBeUndefined();
		expect(posts(service())).toHaveLength(2);
	});
});

test('in one request, of which the answer is lost: sent again with the same key, stored once', async () => {
	service().faults.add({ path: '^/media$', kind: 'dropAfter' });
	const content = png(70_000);
	const items = [await pngItem(content, 'größe 1.png')];
	const { json, error } = await runOperation(service(), 'media:uploadDirect', {}, { items });
	expect(error).toBeUndefined();
	expect(stored()).toHaveLength(1);
	expect(json[0]).toMatchObject({ filename: 'größe 1.png', read_url: stored()[0]!.readUrl });
	expect((await bytesAt(json[0]!.read_url)).equals(content)).toBe(true);
});

test('200 MB go through without being held in memory', async () => {
	const { stdout } = await promisify(execFile)(
		process.execPath,
		[
			require.resolve('tsx/cli'),
			join(__dirname, '../../../support/transfer.ts'),
			'node',
			service().url,
			service().keys.full,
			String(200 * 2 ** 20),
		],
		{ maxBuffer: 2 ** 20 },
	);
	const { growth } = JSON.parse(stdout) as { growth: number };
	expect(growth).toBeGreaterThanOrEqual(0);
	expect(growth).toBeLessThan(100 * 2 ** 20);
	expect(stored().find(({ size }) => size === 200 * 2 ** 20)).toMatchObject({ uploaded: true });
});
