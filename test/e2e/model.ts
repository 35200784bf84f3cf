import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A model that says what a test has it say: OpenAI's chat completions, on this machine. */

export interface Message {
	role: 'system' | 'user' | 'assistant' | 'tool';
	content: string | null;
	tool_calls?: Array<{ function: { name: string; arguments: string } }>;
}

/** What the model is shown: the talk so far and the names of its tools. */
export interface Turn {
	messages: Message[];
	tools: string[];
}

/** Its turn: text, or calls of tools with their arguments. */
export type Answer = string | Array<{ tool: string; args: Record<string, unknown> }>;

export interface Model {
	/** What an `openAiApi` credential in n8n holds. */
	credential: Record<string, unknown>;
	/** Every turn so far. */
	turns: Turn[];
	/** From now on it answers so. */
	answers(how: (turn: Turn) => Answer): void;
	close(): Promise<void>;
}

export async function startModel(): Promise<Model> {
	let answer: (turn: Turn) => Answer = () => 'Nothing to say.';
	const turns: Turn[] = [];
	let calls = 0;
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			response.setHeader('content-type', 'application/json');
			if (!request.url?.endsWith('/chat/completions')) return response.end(JSON.stringify({ data: [] }));
			const { messages, tools = [] } = JSON.parse(Buffer.concat(chunks).toString());
			const turn: Turn = { messages, tools: tools.map((tool: any) => tool.function.name) };
			turns.push(turn);
			const said = answer(turn);
			const message =
				typeof said === 'string'
					? { role: 'assistant', content: said }
					: {
							role: 'assistant',
							content: null,
							tool_calls: said.map(({ tool, args }) => ({
								id: `call_${++calls}`,
								type: 'function',
								function: { name: tool, arguments: JSON.stringify(args) },
							})),
						};
			return response.end(
				JSON.stringify({
					id: `chat_${turns.length}`,
					object: 'chat.completion',
					created: 1,
					model: 'scripted',
					choices: [{ index: 0, message, finish_reason: typeof said === 'string' ? 'stop' : 'tool_calls' }],
					usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
				}),
			);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		credential: { apiKey: 'example', url: `http://127.0.0.1:${port}/v1` },
		turns,
		answers: (how) => void (answer = how),
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
