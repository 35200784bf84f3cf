import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model on loopback that speaks OpenAI's chat interface and follows a script: for agents in tests. */

export interface Turn {
	/** Tools to call, by name, at once. */
	calls?: Array<{ tool: string; args: Record<string, unknown> }>;
	/** The final answer. */
	says?: string;
}

export interface Asked {
	messages: Array<{ role: string; content: any; tool_call_id?: string }>;
	tools: Array<{ function: { name: string; description: string; parameters: any } }>;
}

/** What the model does next; `turn` counts from 0. */
export type Script = (asked: Asked, turn: number) => Turn;

export interface Model {
	/** For the credential of n8n's OpenAI nodes. */
	url: string;
	asked: Asked[];
	/** Starts a new conversation. */
	follow(script: Script): void;
	close(): Promise<void>;
}

export async function startModel(): Promise<Model> {
	const asked: Asked[] = [];
	let script: Script = () => ({ says: 'Nothing to do.' });
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk as Buffer);
		if (!request.url?.endsWith('/chat/completions')) {
			response.writeHead(404).end('{}');
			return;
		}
		const body = JSON.parse(Buffer.concat(chunks).toString());
		const question = { messages: body.messages, tools: body.tools ?? [] };
		asked.push(question);
		const message = messageOf(script(question, asked.length - 1), asked.length);
		const choice = { index: 0, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' };
		const base = { id: `chat-${asked.length}`, created: 0, model: 'scripted' };
		if (body.stream) {
			response.writeHead(200, { 'content-type': 'text/event-stream' });
			const delta = {
				...message,
				tool_calls: message.tool_calls?.map((call, index) => ({ index, ...call })),
			};
			const chunk = { ...base, object: 'chat.completion.chunk', choices: [{ ...choice, delta }] };
			response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
			return;
		}
		const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
		response.writeHead(200, { 'content-type': 'application/json' });
		response.end(
			JSON.stringify({ ...base, object: 'chat.completion', choices: [{ ...choice, message }], usage }),
		);
	});
	await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		asked,
		follow(next) {
			script = next;
			asked.length = 0;
		},
		async close() {
			server.closeAllConnections();
			await new Promise((done) => server.close(done));
		},
	};
}

function messageOf({ calls, says }: Turn, turn: number) {
	if (!calls) return { role: 'assistant', content: says ?? '' };
	return {
		role: 'assistant',
		content: null,
		tool_calls: calls.map(({ tool, args }, i) => ({
			id: `call_${turn}_${i}`,
			type: 'function',
			function: { name: tool, arguments: JSON.stringify(args) },
		})),
	};
}
