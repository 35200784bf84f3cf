import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { randomBytes } from 'node:crypto';
import { type Service, startService } from '../service';
import { Binaries, inMemory, itemWith } from './binaries';
import { runNode, type RunOptions } from './engine';
import { startFiles, type FileServer } from './fileServer';

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
		});
	});
});
