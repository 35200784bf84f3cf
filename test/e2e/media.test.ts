import { randomBytes } from 'node:crypto';
import { errorOf, itemsOf, type N8nClient } from '../n8n/client';
import { accountOf } from '../n8n/examples';
import { startN8n, type N8n } from '../n8n/instance';
import { createParameters, manual, sideBySide, socialPublishing } from '../support/e2e/flow';
import { bytes, startFiles, type FileServer } from '../support/fileServer';
import { posts } from '../support/store';
import { useScene } from './shared';

/**
 * Files in a real n8n: fetched by its HTTP Request node, uploaded by ours, in the modes in which n8n stores files. In memory:
 * test/integration/SocialPublishing/media/uploads.test.ts.
 */
describe('media in a real n8n', () => {
	const picture = randomBytes(3_000_000);
	const scene = useScene();
	let files: FileServer;
	let address: string;
	let own: N8n | undefined;

	beforeAll(async () => {
		files = await startFiles();
		address = files.on('/summer.png', bytes(picture));
	});
	afterEach(async () => {
		await own?.stop();
		own = undefined;
	});
	afterAll(async () => await files.close());

	const media = (name: string, operation: string, more: Record<string, unknown>) =>
		socialPublishing({ resource: 'media', operation, ...more }, {}, name);

	/** Runs: fetch the picture → all operations that take files, side by side. */
	async function run(n8n: N8nClient) {
		const fetched = {
			name: 'Fetch',
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: { url: address, options: { response: { response: { responseFormat: 'file' } } } },
		};
		const takers = [
			media('Upload', 'upload', { mediaFrom: 'binary', binaryFields: 'data' }),
			media('From address', 'upload', { mediaFrom: 'url', mediaUrls: address }),
			media('Direct', 'uploadDirect', { binaryFields: 'data' }),
			media('Ask', 'createUploadUrl', { fileName: 'a.png', contentType: 'image/png', size: 10 }),
			socialPublishing(
				createParameters({ platforms: ['facebook', 'x'], text: 'With a picture', mediaFrom: 'binary' }),
			),
		];
		const workflow = sideBySide('Media', [manual, fetched], takers);
		const id = await n8n.createWorkflow(workflow, await accountOf(n8n, scene.service));
		const execution = await n8n.runWorkflow(id);
		expect(errorOf(execution)).toBeUndefined();
		await n8n.deleteWorkflow(id);
		return execution;
	}

	test.each([
		['file-system', undefined, /^filesystem-v2:/],
		['database', 'database', /^database:/],
	])('%s mode: what is uploaded is what was fetched, everywhere', async (_name, mode, binaryId) => {
		own = mode ? await startN8n({ env: { N8N_DEFAULT_BINARY_DATA_MODE: mode } }) : undefined;
		const execution = await run(own ?? scene.n8n);

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
		const [one, other] = posts(scene.service);
		expect(one.media).toHaveLength(1);
		expect(other.media).toEqual(one.media);
		expect(scene.service.store.media.size).toBe(5);
	});
});
