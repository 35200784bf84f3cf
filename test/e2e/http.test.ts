import { errorOf, itemsOf, type N8nClient } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { request } from '../n8n/rest';
import { type Service, startService } from '../service';
import { sharedN8n } from './shared';

/** Ways round the node: the credential in n8n's own HTTP Request node, and what n8n's editor asks for. */
describe('beside the node', () => {
	let service: Service;
	let n8n: N8nClient;
	let id = '';

	beforeAll(async () => {
		service = await startService();
		n8n = await sharedN8n();
	});
	afterAll(async () => {
		if (id) await n8n.deleteWorkflow(id);
		await service.close();
	});

	test("the credential in n8n's HTTP Request node reaches any endpoint, with key and workspace", async () => {
		const credential = await n8n.createCredential('Social Publishing account', 'socialPublishingApi', {
			...credentialFor(service, service.keys.full),
			workspaceId: 'ws_second',
		});
		const ask = (name: string, parameters: Record<string, unknown>) => ({
			id: name,
			name,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			position: [0, 0],
			parameters: {
				authentication: 'predefinedCredentialType',
				nodeCredentialType: 'socialPublishingApi',
				...parameters,
			},
			credentials: { socialPublishingApi: { name: 'Social Publishing account' } },
		});
		const header = (name: string, value: string) => ({
			sendHeaders: true,
			headerParameters: { parameters: [{ name, value }] },
		});
		const requests = [
			ask('Usage', { url: `${service.apiUrl}/usage` }),
			ask('Workspaces', { url: `${service.apiUrl}/workspaces` }),
			ask('Other workspace', {
				url: `${service.apiUrl}/accounts`,
				...header('x-service-workspace-id', 'ws_main'),
			}),
			ask('Write', {
				url: `${service.apiUrl}/posts`,
				method: 'POST',
				...header('Idempotency-Key', 'by-hand-1'),
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '{"platform":"linkedin","content":{"text":"By hand"}}',
			}),
		];
		const start = {
			id: 'Start',
			name: 'Start',
			type: 'n8n-nodes-base.manualTrigger',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		};
		id = await n8n.createWorkflow(
			{
				name: 'By hand',
				nodes: [start, ...requests],
				connections: {
					Start: { main: [requests.map(({ name }) => ({ node: name, type: 'main', index: 0 }))] },
				},
				settings: { executionOrder: 'v1' },
			},
			{ socialPublishingApi: credential },
		);
		const execution = await n8n.runWorkflow(id, { trigger: 'Start' });
		expect(errorOf(execution)).toBeUndefined();

		const asked = (path: string) => service.requests.find((one) => one.path.endsWith(path))!;
		for (const path of ['/usage', '/workspaces', '/accounts', '/posts'])
			expect(asked(path).headers.authorization).toBe(`Bearer ${service.keys.full}`);
		expect(asked('/usage').headers['x-service-workspace-id']).toBe('ws_second');
		expect(asked('/workspaces').headers['x-service-workspace-id']).toBeUndefined();
		expect(asked('/accounts').headers['x-service-workspace-id']).toBe('ws_main');
		expect(itemsOf(execution, 'Usage')[0]).toMatchObject({ success: true });
		expect([...service.store.posts.values()].map(({ text }) => text)).toEqual(['By hand']);
	});

	test('n8n serves the output schemas to its editor, for the node and for its tool', async () => {
		const paths = ['socialPublishing', 'socialPublishingTool'].map(
			(name) => `${name}/1.0.0/post/create.json`,
		);
		for (const path of paths) {
			const address = `${n8n.url}/schemas/n8n-nodes-social-publishing.${path}`;
			const response = await request(address);
			expect(response.status).toBe(200);
			expect(await response.json()).toMatchObject({
				type: 'object',
				properties: { id: { type: 'string' }, idempotency_key: { type: 'string' } },
			});
		}
	});
});
