import { agentFlow, createParameters } from '../../../test/support/e2e/flow';
import { modelAccount, startModel } from '../../../test/support/e2e/model';
import { errorOf } from '../../../test/n8n/client';
import { demand, demandCount, type Scene } from '../stage';

/** The node as a tool of n8n's own AI agent; the model is a script. Three calls in two turns, two posts. */
export const tool: Scene = {
	"Tool of n8n's AI agent: two posts in three calls": async (stage) => {
		const { n8n, service, credentials } = stage;
		const model = await startModel();
		const turns = [['One', 'Two'], ['One']];
		model.follow((_asked, turn) => {
			const calls = turns[turn]?.map((text) => ({ tool: 'Social', args: { text } }));
			return calls ? { calls } : { says: 'Done.' };
		});
		const text = "={{ $fromAI('text', 'What the post says', 'string') }}";
		const workflow = agentFlow({ Social: createParameters({ text }) });
		const id = await stage.create(workflow, { ...credentials, ...(await modelAccount(n8n, model)) });
		const run = await n8n.runWorkflow(id, { trigger: 'Start' });
		await model.close();
		demand(!errorOf(run), `The agent failed: ${errorOf(run)?.message}`);
		const posts = [...service.store.posts.values()].filter((post) => ['One', 'Two'].includes(post.text));
		demandCount(posts.length, 2, 'posts');
	},
};
