import { agentFlow, createParameters } from '../../../test/support/e2e/flow';
import { modelAccount, startModel } from '../../../test/support/e2e/model';
import { errorOf } from '../../../test/n8n/client';
import { type CompatRow, demand, type Finding, found, type Stage } from '../stage';

/** The node as a tool of n8n's own AI agent; the model is a script. Three calls in two turns, two posts. */
async function asTool({ n8n, service, account }: Stage): Promise<Finding> {
	const model = await startModel();
	try {
		const turns = [['One', 'Two'], ['One']];
		model.follow((_asked, turn) => {
			const calls = turns[turn]?.map((text) => ({ tool: 'Social', args: { text } }));
			return calls ? { calls } : { says: 'Done.' };
		});
		const text = "={{ $fromAI('text', 'What the post says', 'string') }}";
		const workflow = agentFlow({ Social: createParameters({ text }) });
		const id = await n8n.createWorkflow(workflow, { ...account, ...(await modelAccount(n8n, model)) });
		const run = await n8n.runWorkflow(id, { trigger: 'Start' });
		await n8n.deleteWorkflow(id);
		demand(!errorOf(run), `The agent failed: ${errorOf(run)?.message}`);
		const posts = [...service.store.posts.values()].filter((post) => ['One', 'Two'].includes(post.text));
		return found(posts.length, 2, 'posts');
	} finally {
		await model.close();
	}
}

export const tool: CompatRow[] = [{ name: "Tool of n8n's AI agent: two posts in three calls", run: asTool }];
