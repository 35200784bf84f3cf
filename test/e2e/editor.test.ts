import { join, resolve } from 'node:path';
import { type Editor, openEditor } from '../n8n/browser';
import type { N8nClient } from '../n8n/client';
import { credentialFor, examples } from '../n8n/examples';
import { requiring } from '../n8n/requires';
import { type Service, startService } from '../service';
import { sharedN8n } from './shared';

/** The nodes on n8n's canvas, and the README's picture of them (rewritten only with UPDATE_PICTURES=1). */
describe('the example workflows in the editor', () => {
	const root = resolve(__dirname, '../..');
	let service: Service;
	let n8n: N8nClient;
	let editor: Editor;

	beforeAll(async () => {
		service = await startService();
		n8n = await sharedN8n();
	});

	afterAll(async () => {
		await editor?.close();
		await service.close();
	});

	requiring('browser')(
		'every node has its name and icon, is known to n8n and misses no setting',
		async () => {
			editor = await openEditor(n8n, { scale: 2 });
			const data = credentialFor(service, service.keys.full);
			const credential = await n8n.createCredential('Social Publishing account', 'socialPublishingApi', data);
			const openAiApi = await n8n.createCredential('OpenAI account', 'openAiApi', { apiKey: 'example' });
			for (const [file, workflow] of await examples()) {
				const id = await n8n.createWorkflow(workflow, { socialPublishingApi: credential, openAiApi });
				await editor.openWorkflow(id);
				const nodes = await editor.nodes();
				const expected = workflow.nodes.filter(({ type }: any) => !type.endsWith('.stickyNote'));
				expect(nodes.map(({ name }) => name).sort()).toEqual(expected.map(({ name }: any) => name).sort());
				for (const node of nodes)
					expect(node).toMatchObject({ hasIcon: true, unknown: false, hasIssues: false });
				await editor.screenshotCanvas(join(root, 'test-results', `workflow-${file}.png`));
				if (file === 'schedule-a-post' && process.env.UPDATE_PICTURES === '1') {
					await editor.screenshotCanvas(join(root, 'docs/images/workflow.png'));
				}
				await n8n.deleteWorkflow(id);
			}
		},
		// A dozen workflows, drawn one after the other.
		300_000,
	);
});
