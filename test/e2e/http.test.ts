import { errorOf, itemsOf } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { request } from '../n8n/rest';
import { manual, sideBySide } from '../support/e2e/flow';
import { posts } from '../support/store';
import { useScene } from './shared';

/** Ways round the node: the credential in n8n's own HTTP Request node, and what n8n's editor asks for. */
describe('beside the node', () => {
	const scene = useScene();

	test("the credential in n8n's HTTP Request node reaches any endpoint, with key and workspace", async () => {
		const { n8n, service } = scene;
		const data = { ...credentialFor(service, service.keys.full), workspaceId: 'ws_second' };
		const account = await n8n.createCredential('Social Publishing account', 'socialPublishingApi', data);
		const ask = (path: string, parameters: Record<string, unknown> = {}) => ({
			name: path,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			parameters: {
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'socialPublishingApi',
				url: `${service.apiUrl}${path}`,
				...parameters,
			},
			credentials: { socialPublishingApi: { name: 'Social Publishing account' } },
		});
		const header = (name: string, value: string) => ({
			sendHeaders: true,
			headerParameters: { parameters: [{ name, value }] },
		});
		const requests = [
			ask('/usage'),
			ask('/workspaces'),
			ask('/accounts', header('x-service-workspace-id', 'ws_main')),
			ask('/posts', {
				method: 'POST',
				...header('Idempotency-Key', 'by-hand-1'),
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '{"platform":"linkedin","content":{"text":"By hand"}}',
			}),
		];
		const id = await scene.save(sideBySide('By hand', [manual], requests), { socialPublishingApi: account });
		const execution = await n8n.runWorkflow(id);
		expect(errorOf(execution)).toBeUndefined();

		const workspaces = { '/usage': 'ws_second', '/workspaces': undefined, '/accounts': 'ws_main' };
		for (const [path, workspace] of Object.entries({ ...workspaces, '/posts': 'ws_second' })) {
			const { headers } = service.requests.find((one) => one.path.endsWith(path))!;
			expect(headers.authorization).toBe(`Bearer ${service.keys.full}`);
			expect(headers['x-service-workspace-id']).toBe(workspace);
		}
		expect(itemsOf(execution, '/usage')[0]).toMatchObject({ success: true });
		expect(posts(service).map(({ text }) => text)).toEqual(['By hand']);
	});

	test('n8n serves the output schemas to its editor, for the node and for its tool', async () => {
		for (const name of ['socialPublishing', 'socialPublishingTool']) {
			const path = `n8n-nodes-social-publishing.${name}/1.0.0/post/create.json`;
			const response = await request(`${scene.n8n.url}/schemas/${path}`);
			expect(response.status).toBe(200);
			expect(await response.json()).toMatchObject({
				type: 'object',
				properties: { id: { type: 'string' }, idempotency_key: { type: 'string' } },
			});
		}
	});
});
