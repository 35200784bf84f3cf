import { ExecuteContext } from 'n8n-core';
import { createEmptyRunExecutionData, Workflow } from 'n8n-workflow';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { credentialsHelper, load, nodeTypes } from '../../support/package';

const given = 'sk_live_0123456789';
const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

/** A server's port, and what it is asked. */
async function serving(location?: string): Promise<{ port: number; asked: IncomingMessage[] }> {
	const asked: IncomingMessage[] = [];
	const server = createServer((request, response) => {
		asked.push(request);
		response.writeHead(location ? 302 : 200, { connection: 'close', ...(location ? { location } : {}) });
		response.end('{}');
	});
	servers.push(server);
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return { port: (server.address() as AddressInfo).port, asked };
}

/** As n8n's HTTP Request node and its newer helper send a request with a credential. */
const helpers = {
	requestWithAuthentication: (uri: string) => ({ uri, followRedirect: true }),
	httpRequestWithAuthentication: (url: string) => ({ url }),
};

test.each(Object.entries(helpers))(
	"a redirect followed by n8n's %s takes the key to no other host",
	async (name, request) => {
		await load();
		const elsewhere = await serving();
		const service = await serving(`http://localhost:${elsewhere.port}/v1/posts`);
		const baseUrl = `http://127.0.0.1:${service.port}`;
		const credential = { baseUrl, apiKey: given, apiPath: '/v1', workspaceId: '' };
		const node: any = {
			...{ id: 'n', name: 'Node', typeVersion: 1, position: [0, 0], parameters: {} },
			type: 'n8n-nodes-social-publishing.socialPublishing',
			credentials: { socialPublishingApi: { id: '1', name: 'c' } },
		};
		const workflow = new Workflow({ id: 'w', active: false, nodeTypes, nodes: [node], connections: {} });
		const data = createEmptyRunExecutionData();
		const more: any = { credentialsHelper: credentialsHelper(() => credential) };
		const source: any = { data: {}, source: null };
		const context: any = new ExecuteContext(workflow, node, more, 'manual', data, 0, [], {}, source, []);
		const options = { method: 'GET', ...request(`${baseUrl}/v1/posts`) };
		await context.helpers[name].call(context, 'socialPublishingApi', options);
		expect(service.asked[0]!.headers.authorization).toBe(`Bearer ${given}`);
		expect(elsewhere.asked.map(({ headers }) => headers.authorization)).toEqual([undefined]);
	},
);
