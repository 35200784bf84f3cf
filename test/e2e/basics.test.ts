import { errorOf, itemsOf, request } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { freePort } from '../n8n/process';
import {
	asking,
	byId,
	createParameters,
	flow,
	manual,
	onError,
	runFlow,
	sideBySide,
	socialPublishing,
	start,
} from '../support/e2e/flow';
import { uploadEverywhere } from '../support/e2e/media';
import { addPost, posts } from '../support/store';
import { useScene } from './shared';

/** What n8n itself does with the package's credential, its schemas, and its files. */
describe('n8n', () => {
	const scene = useScene();

	test('tests the credential: the right key, a wrong one, an expired one and a wrong address', async () => {
		const { n8n, service } = scene;
		const verdict = async (url: string, key: string) =>
			await n8n.testCredential('socialPublishingApi', credentialFor({ url }, key));
		const { full, expired } = service.keys;
		expect(await verdict(service.url, full)).toMatchObject({ status: 'OK' });
		const wrong: Array<[url: string, key: string, says: RegExp]> = [
			[service.url, 'not-a-key', /recognize this API key/],
			[service.url, expired, /expired/i],
			[`http://127.0.0.1:${await freePort()}`, full, /address|base url/i],
			// Somebody is there, but not the service.
			[n8n.url, full, /address|base url/i],
		];
		for (const [url, key, says] of wrong)
			expect(await verdict(url, key)).toMatchObject({
				status: 'Error',
				message: expect.stringMatching(says),
			});
	});

	test('reaches any endpoint by its HTTP Request node with the credential: key and workspace', async () => {
		const { n8n, service } = scene;
		const data = { ...credentialFor(service, service.keys.full), workspaceId: 'ws_second' };
		const account = await n8n.createCredential('Social Publishing account', 'socialPublishingApi', data);
		const ask = (path: string, more: object = {}) => asking(path, service.apiUrl + path, more);
		const post = {
			...{ method: 'POST', sendHeaders: true, specifyHeaders: 'json', sendBody: true, specifyBody: 'json' },
			jsonHeaders: '{"Idempotency-Key":"by-hand-1","x-service-workspace-id":"ws_main"}',
			jsonBody: '{"platform":"linkedin","content":{"text":"By hand"}}',
		};
		const requests = [ask('/usage'), ask('/workspaces'), ask('/posts', post)];
		const id = await scene.save(sideBySide('By hand', [manual], requests), { socialPublishingApi: account });
		const execution = await n8n.runWorkflow(id);
		expect(errorOf(execution)).toBeUndefined();
		const workspaces = { '/usage': 'ws_second', '/workspaces': undefined, '/posts': 'ws_main' };
		for (const [path, workspace] of Object.entries(workspaces)) {
			const { headers } = service.requests.find((one) => one.path.endsWith(path))!;
			expect(headers.authorization).toBe(`Bearer ${service.keys.full}`);
			expect(headers['x-service-workspace-id']).toBe(workspace);
		}
		expect(itemsOf(execution, '/usage')[0]).toMatchObject({ success: true });
		expect(posts(service).map(({ text }) => text)).toEqual(['By hand']);
	});

	// n8n stores an execution whose message has the word `canceled` as canceled: green, and without an error workflow.
	test('stores what failed as failed, and runs the error workflow, also where a post is canceled', async () => {
		const { n8n, service } = scene;
		const alarm = await scene.save(flow('On error', [onError]), {});
		await n8n.activate(alarm);
		const postId = byId(addPost(service, { status: 'canceled' }));
		const failing: Array<[parameters: Record<string, unknown>, says: RegExp]> = [
			[{ resource: 'post', operation: 'cancel', postId }, /^It's too late to change or cancel this post/],
			[{ resource: 'post', operation: 'waitForStatus', postId }, /^The post was called off/],
			[createParameters({ platforms: "={{ ['canceled'] }}", text: 'Hi' }), /'cancelled'/],
		];
		for (const [i, [parameters, says]] of failing.entries()) {
			const nodes = [start(), socialPublishing(parameters)];
			const failed = await runFlow(
				n8n,
				await scene.save(flow(`Fails ${i}`, nodes, {}, { errorWorkflow: alarm })),
			);
			expect([failed.status, errorOf(failed).message]).toEqual(['error', expect.stringMatching(says)]);
			const told = await n8n.waitForExecution(alarm, { count: i + 1 });
			expect(itemsOf(told, 'Error')[0].execution).toMatchObject({
				id: failed.id,
				error: { message: errorOf(failed).message },
			});
		}
	});

	test.each(['socialPublishing', 'socialPublishingTool'])(
		'serves the output schemas of %s to its editor',
		async (node) => {
			const path = `n8n-nodes-social-publishing.${node}/1.0.0/post/create.json`;
			const response = await request(`${scene.n8n.url}/schemas/${path}`);
			expect(response.status).toBe(200);
			const properties = { id: { type: 'string' }, idempotency_key: { type: 'string' } };
			expect(await response.json()).toMatchObject({ type: 'object', properties });
		},
	);

	// In database mode: queue-mode.test.ts. In memory: test/integration/SocialPublishing/media/uploads.test.ts.
	test('keeps files in its file system: what is uploaded is what was fetched, everywhere', async () => {
		expect(await uploadEverywhere(scene.n8n, scene.service)).toMatch(/^filesystem-v2:/);
	});
});
