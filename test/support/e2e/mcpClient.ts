import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installN8n } from '../../n8n/install';

/** A library that n8n is installed with, as one of its packages finds it. */
export async function requireFromN8n(n8nPackage: string, library: string): Promise<any> {
	const { folder } = await installN8n();
	return createRequire(join(folder, 'node_modules', n8nPackage, 'package.json'))(library);
}

export interface McpClient {
	getServerVersion(): { name: string };
	getInstructions(): string | undefined;
	listTools(): Promise<{
		tools: Array<{
			name: string;
			description: string;
			inputSchema: { properties: Record<string, Record<string, unknown>>; required?: string[] };
		}>;
	}>;
	callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<{
		isError?: boolean;
		content: Array<{ text: string }>;
	}>;
	close(): Promise<void>;
}

/** Connects to an MCP server over Streamable HTTP; rejects where the token is refused. */
export async function connectMcp(url: string, token: string): Promise<McpClient> {
	const load = async (part: string) =>
		await requireFromN8n('@n8n/n8n-nodes-langchain', `@modelcontextprotocol/sdk/client/${part}.js`);
	const client = new (await load('index')).Client({ name: 'assistant', version: '1.0.0' });
	const requestInit = { headers: { authorization: `Bearer ${token}` } };
	const { StreamableHTTPClientTransport } = await load('streamableHttp');
	await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
	return client;
}
