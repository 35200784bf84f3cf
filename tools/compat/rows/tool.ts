import { startModel } from '../../../test/support/e2e/model';
import { errorOf } from '../../../test/n8n/client';
import { type CompatRow, demand, type Finding, found, type Stage } from '../stage';

/** The node as a tool of n8n's own AI agent; the model is a script. */

const node = (name: string, type: string, typeVersion: number, more: Record<string, unknown>) => ({
	id: name,
	name,
	type,
	typeVersion,
	position: [0, 0],
	...more,
});
const to = (name: string, type: string) => ({ [type]: [[{ node: name, type, index: 0 }]] });

/** Three calls in two turns, two posts: the same call twice is one post. */
async function asTool({ n8n, service, credential }: Stage): Promise<Finding> {
	const model = await startModel();
	try {
		model.follow(({ tools }, turn) => {
			const call = (text: string) => ({ tool: tools[0]!.function.name, args: { text } });
			if (turn === 0) return { calls: [call('One'), call('Two')] };
			return turn === 1 ? { calls: [call('One')] } : { says: 'Done.' };
		});
		const ids = {
			socialPublishingApi: credential,
			openAiApi: await n8n.createCredential('Scripted model', 'openAiApi', {
				apiKey: 'example',
				url: model.url,
			}),
		};
		const parameters = {
			descriptionType: 'auto',
			resource: 'post',
			operation: 'create',
			platforms: ['x'],
			when: 'now',
			text: "={{ $fromAI('text', 'What the post says', 'string') }}",
			options: {},
		};
		const id = await n8n.createWorkflow(
			{
				name: 'Agent',
				nodes: [
					node('Start', 'n8n-nodes-base.manualTrigger', 1, { parameters: {} }),
					node('Agent', '@n8n/n8n-nodes-langchain.agent', 3, {
						parameters: { promptType: 'define', text: 'Do what the script says.', options: {} },
					}),
					node('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
						parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
						credentials: { openAiApi: { name: 'Scripted model' } },
					}),
					node('Social', 'n8n-nodes-social-publishing.socialPublishingTool', 1.1, {
						parameters,
						credentials: { socialPublishingApi: { name: 'Account' } },
					}),
				],
				connections: {
					Start: to('Agent', 'main'),
					Model: to('Agent', 'ai_languageModel'),
					Social: to('Agent', 'ai_tool'),
				},
				settings: { executionOrder: 'v1' },
			},
			ids,
		);
		const run = await n8n.runWorkflow(id, { trigger: 'Start' });
		await n8n.deleteWorkflow(id);
		demand(!errorOf(run), `The agent failed: ${errorOf(run)?.message}`);
		const posts = [...service.store.posts.values()].filter(({ text }) => text === 'One' || text === 'Two');
		return found(posts.length, 2, 'posts');
	} finally {
		await model.close();
	}
}

export const tool: CompatRow[] = [{ name: "Tool of n8n's AI agent: two posts in three calls", run: asTool }];
