import Fastify from 'fastify';

import type { N8nClient } from '../../n8n/client';

/** A model on loopback that speaks OpenAI's chat interface and follows a script: for agents in tests. */

interface Turn {
	/** Tools to call, by name, at once. */
	calls?: Array<{ tool: string; args: Record<string, unknown> }>;
	says?: string;
}

export interface Asked {
	messages: Array<{ role: string; content: any; tool_call_id?: string }>;
	tools: Array<{ function: { name: string; description: string; parameters: any } }>;
}

/** What the model does next; `turn` counts from 0. */
export type Script = (asked: Asked, turn: number) => Turn;

export type Model = Awaited<ReturnType<typeof startModel>>;

export async function startModel() {
	const asked: Asked[] = [];
	let script: Script = () => ({ says: 'Nothing to do.' });
	const app = Fastify({ forceCloseConnections: true, bodyLimit: 16 * 1024 * 1024 });
	app.post<{ Body: Asked & { stream?: boolean } }>('/v1/chat/completions', async ({ body }, reply) => {
		const question = { messages: body.messages, tools: body.tools ?? [] };
		asked.push(question);
		const message = messageOf(script(question, asked.length - 1), asked.length);
		const choice = { index: 0, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' };
		const base = { id: `chat-${asked.length}`, created: 0, model: 'scripted' };
		if (body.stream) {
			const tool_calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
			const delta = { ...message, tool_calls };
			const chunk = { ...base, object: 'chat.completion.chunk', choices: [{ ...choice, delta }] };
			reply.type('text/event-stream');
			return `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`;
		}
		const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
		return { ...base, object: 'chat.completion', choices: [{ ...choice, message }], usage };
	});
	return {
		url: `${await app.listen({ host: '127.0.0.1', port: 0 })}/v1`,
		asked,
		follow(next: Script) {
			script = next;
			asked.length = 0;
		},
		close: async () => await app.close(),
	};
}

export const modelAccount = async (n8n: N8nClient, { url }: Model) => ({
	openAiApi: await n8n.createCredential('Scripted model', 'openAiApi', { apiKey: 'example', url }),
});

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
