import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installN8n } from '../../n8n/install';

/** An MCP client: the protocol's own library, which n8n is installed with. */

export interface McpTool {
	name: string;
	description: string;
	inputSchema: { type: string; properties: Record<string, Record<string, unknown>>; required?: string[] };
}

export interface McpResult {
	isError?: boolean;
	content: Array<{ type: string; text: string }>;
}

export interface McpClient {
	connect(transport: unknown): Promise<void>;
	getServerVersion(): { name: string };
	getInstructions(): string | undefined;
	listTools(): Promise<{ tools: McpTool[] }>;
	callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<McpResult>;
	close(): Promise<void>;
}

/** Connects to an MCP server over Streamable HTTP; rejects where the token is refused. */
export async function connectMcp(url: string, token: string): Promise<McpClient> {
	const { folder } = await installN8n();
	const load = createRequire(join(folder, 'node_modules/@n8n/n8n-nodes-langchain/package.json'));
	const { Client } = load('@modelcontextprotocol/sdk/client/index.js');
	const { StreamableHTTPClientTransport } = load('@modelcontextprotocol/sdk/client/streamableHttp.js');
	const client: McpClient = new Client({ name: 'assistant', version: '1.0.0' });
	const headers = { authorization: `Bearer ${token}` };
	await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
	return client;
}
