import { randomBytes } from 'node:crypto';
import { bytes, startFiles, type FileServer } from '../support/fileServer';
import { errorOf, itemsOf, type N8nClient } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { startN8n, type N8n } from '../n8n/instance';
import { type Service, startService } from '../service';
import { sharedN8n } from './shared';

/**
 * Files in a real n8n: fetched by its HTTP Request node, uploaded by ours, in the modes in which n8n stores files. In memory:
 * test/integration/SocialPublishing/media/uploads.test.ts.
 */
describe('media in a real n8n', () => {
	const picture = randomBytes(3_000_000);
	let files: FileServer;
	let service: Service;
	let address: string;
	let own: N8n | undefined;

	beforeAll(async () => {
		files = await startFiles();
		address = files.on('/summer.png', bytes(picture));
		service = await startService();
	});
	beforeEach(() => service.reset());
	afterEach(async () => {
		await own?.stop();
		own = undefined;
	});
	afterAll(async () => {
		await service.close();
		await files.close();
	});

	const node = (name: string, type: string, typeVersion: number, parameters: Record<string, unknown>) => ({
		id: name,
		name,
		type,
		typeVersion,
		position: [0, 0],
		parameters,
		...(type.startsWith('n8n-nodes-social') ? { credentials: { socialPublishingApi: { name: 'S' } } } : {}),
	});
	const social = (name: string, parameters: Record<string, unknown>) =>
		node(name, 'n8n-nodes-social-publishing.socialPublishing', 1, parameters);

	/** Runs: fetch the picture → all operations that take files, side by side. */
	async function run(n8n: N8nClient) {
		const credential = await n8n.createCredential(
			'Social Publishing account',
			'socialPublishingApi',
			credentialFor(service, service.keys.full),
		);
		const takers = [
			social('Upload', { resource: 'media', operation: 'upload', mediaFrom: 'binary', binaryFields: 'data' }),
			social('From address', {
				resource: 'media',
				operation: 'upload',
				mediaFrom: 'url',
				mediaUrls: address,
			}),
			social('Direct', { resource: 'media', operation: 'uploadDirect', binaryFields: 'data' }),
			social('Ask', {
				resource: 'media',
				operation: 'createUploadUrl',
				fileName: 'a.png',
				contentType: 'image/png',
				size: 10,
			}),
			social('Post', {
				resource: 'post',
				operation: 'create',
				platforms: ['facebook', 'x'],
				text: 'With a picture',
				when: 'now',
				mediaFrom: 'binary',
			}),
		];
		const id = await n8n.createWorkflow(
			{
				name: 'Media',
				nodes: [
					node('Start', 'n8n-nodes-base.manualTrigger', 1, {}),
					node('Fetch', 'n8n-nodes-base.httpRequest', 4.2, {
						url: address,
						options: { response: { response: { responseFormat: 'file' } } },
					}),
					...takers,
				],
				connections: {
					Start: { main: [[{ node: 'Fetch', type: 'main', index: 0 }]] },
					Fetch: { main: [takers.map(({ name }) => ({ node: name, type: 'main', index: 0 }))] },
				},
				settings: { executionOrder: 'v1' },
			},
			{ socialPublishingApi: credential },
		);
		const execution = await n8n.runWorkflow(id, { trigger: 'Start' });
		expect(errorOf(execution)).toBeUndefined();
		await n8n.deleteWorkflow(id);
		return execution;
	}

	test.each([
		['file-system', undefined, /^filesystem-v2:/],
		['database', 'database', /^database:/],
	])('%s mode: what is uploaded is what was fetched, everywhere', async (_name, mode, binaryId) => {
		own = mode ? await startN8n({ env: { N8N_DEFAULT_BINARY_DATA_MODE: mode } }) : undefined;
		const execution = await run(own ?? (await sharedN8n()));

		const fetched = execution.data.resultData.runData.Fetch[0].data.main[0][0].binary.data;
		expect(fetched.id).toMatch(binaryId);

		const uploaded = ['Upload', 'From address', 'Direct'].map((name) => itemsOf(execution, name)[0]);
		for (const one of uploaded) {
			expect(one).toMatchObject({ filename: 'summer.png', content_type: 'image/png', size: picture.length });
			const stored = Buffer.from(await (await fetch(one.read_url)).arrayBuffer());
			expect(stored.equals(picture)).toBe(true);
		}
		expect(itemsOf(execution, 'Ask')[0]).toMatchObject({
			upload_url: expect.stringContaining('signature='),
			read_url: expect.any(String),
		});
		const posts = [...service.store.posts.values()];
		expect(posts.map(({ media }) => media.length)).toEqual([1, 1]);
		expect(posts[0]!.media).toEqual(posts[1]!.media);
		expect(service.store.media.size).toBe(5);
	});
});
