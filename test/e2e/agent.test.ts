import { resources } from '../../nodes/SocialPublishing/resources';
import { bytes, startFiles } from '../support/fileServer';
import { addPost, addWebhook, DAY } from '../support/service';
import { errorOf, itemsOf, type N8nClient } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { type Service, startService } from '../service';
import { startModel, type Asked, type Model, type Script } from '../support/e2e/model';
import { sharedN8n } from './shared';

/** n8n's own AI Agent with the node as its tool; the model is a script on loopback, all else is real. */
describe('the node as a tool of an AI agent', () => {
	let service: Service;
	let model: Model;
	let n8n: N8nClient;
	let credentials: Record<string, string>;
	const made: string[] = [];

	beforeAll(async () => {
		model = await startModel();
		n8n = await sharedN8n();
		service = await startService();
		credentials = {
			socialPublishingApi: await n8n.createCredential(
				'Social Publishing account',
				'socialPublishingApi',
				credentialFor(service, service.keys.full),
			),
			openAiApi: await n8n.createCredential('Scripted model', 'openAiApi', {
				apiKey: 'example',
				url: model.url,
			}),
		};
	});
	beforeEach(() => service.reset());
	afterAll(async () => {
		for (const id of made) await n8n.deleteWorkflow(id);
		await service?.close();
		await model?.close();
	});

	/** Runs an agent whose only tool is the node with these parameters. */
	const converse = async (parameters: Record<string, unknown>, script: Script) =>
		await converseWith({ Social: parameters }, script);

	/** Runs an agent with the node as several tools, by name. */
	async function converseWith(tools: Record<string, Record<string, unknown>>, script: Script) {
		model.follow(script);
		const names = Object.keys(tools);
		const at = (name: string, type: string, typeVersion: number, more: Record<string, unknown>) => ({
			id: name,
			name,
			type,
			typeVersion,
			position: [0, 0],
			...more,
		});
		const to = (node: string, type: string) => ({ [type]: [[{ node, type, index: 0 }]] });
		const id = await n8n.createWorkflow(
			{
				name: 'Agent',
				nodes: [
					at('Start', 'n8n-nodes-base.manualTrigger', 1, { parameters: {} }),
					at('Agent', '@n8n/n8n-nodes-langchain.agent', 3.1, {
						parameters: { promptType: 'define', text: 'Do what the script says.', options: {} },
					}),
					at('Model', '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
						parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
						credentials: { openAiApi: { name: 'Scripted model' } },
					}),
					...names.map((name) =>
						at(name, 'n8n-nodes-social-publishing.socialPublishingTool', 1, {
							parameters: { descriptionType: 'auto', ...tools[name] },
							credentials: { socialPublishingApi: { name: 'Social Publishing account' } },
						}),
					),
				],
				connections: {
					Start: to('Agent', 'main'),
					Model: to('Agent', 'ai_languageModel'),
					...Object.fromEntries(names.map((name) => [name, to('Agent', 'ai_tool')])),
				},
				settings: { executionOrder: 'v1' },
			},
			credentials,
		);
		made.push(id);
		const run = await n8n.runWorkflow(id, { trigger: 'Start' });
		expect(errorOf(run)).toBeUndefined();
		return itemsOf(run, 'Agent')[0]?.output as string;
	}

	/** What the tool answered the model, call by call. */
	const toldBy = ({ messages }: Asked): string[] =>
		messages
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
	const posts = () => [...service.store.posts.values()];
	const fromAi = (key: string, description: string, type = 'string') =>
		`={{ $fromAI('${key}', '${description}', '${type}') }}`;
	const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
	const createPost = {
		resource: 'post',
		operation: 'create',
		platforms: fromAi('platforms', 'Platforms, separated by commas'),
		text: fromAi('text', 'What the post says'),
		scheduledAt: fromAi('scheduledAt', 'When to publish, ISO 8601'),
	};

	test('schedules a post, on a platform that it calls by its old name', async () => {
		// With two Instagram accounts the node would ask which one is meant.
		service.store.accounts.get('acc_main_cafe')!.status = 'disconnected';
		const at = inAnHour();
		const answer = await converse(createPost, ({ tools }, turn) =>
			turn === 0
				? {
						calls: [
							{
								tool: tools[0]!.function.name,
								args: { platforms: 'twitter, Facebook', text: 'From an agent', scheduledAt: at },
							},
						],
					}
				: { says: 'Scheduled.' },
		);
		expect(answer).toBe('Scheduled.');
		const { name, description, parameters } = model.asked[0]!.tools[0]!.function;
		expect(name).toBe('Social');
		expect(description).toBe('Publish or schedule post in Social Publishing');
		expect(Object.keys(parameters.properties)).toEqual(['platforms', 'text', 'scheduledAt']);
		expect(
			posts().map(({ text, status, platforms, scheduledAt }) => [
				text,
				status,
				platforms[0]!.platform,
				Date.parse(scheduledAt!),
			]),
		).toEqual([
			['From an agent', 'scheduled', 'x', Date.parse(at)],
			['From an agent', 'scheduled', 'facebook', Date.parse(at)],
		]);
		for (const { id } of posts()) expect(toldBy(model.asked[1]!)[0]).toContain(id);
	});

	test('several calls of one execution have keys of their own; the same wish twice is one post', async () => {
		const at = inAnHour();
		const call = (text: string) => ({ platforms: 'linkedin', text, scheduledAt: at });
		await converse(createPost, ({ tools }, turn) => {
			const tool = tools[0]!.function.name;
			if (turn === 0) return { calls: ['One', 'Two'].map((text) => ({ tool, args: call(text) })) };
			if (turn === 1) return { calls: [{ tool, args: call('One') }] };
			return { says: 'Done.' };
		});
		expect(
			posts()
				.map(({ text }) => text)
				.sort(),
		).toEqual(['One', 'Two']);
		const told = toldBy(model.asked[2]!);
		expect(told).toHaveLength(3);
		expect(told[2]).toContain(posts().find(({ text }) => text === 'One')!.id);
	});

	test('an account by its @handle; an unknown one comes back to the model with the closest', async () => {
		const parameters = {
			...createPost,
			postTo: 'accounts',
			accounts: fromAi('accounts', 'Accounts by name or @handle, separated by commas'),
		};
		const cafe = service.store.accounts.get('acc_main_cafe')!;
		const brand = service.store.accounts.get('acc_main_linkedin')!;
		await converse(parameters, ({ tools }, turn) => {
			const tool = tools[0]!.function.name;
			const args = { platforms: '', text: 'To one account', scheduledAt: inAnHour() };
			if (turn === 0) return { calls: [{ tool, args: { ...args, accounts: '@nobody_at_all' } }] };
			if (turn === 1) return { calls: [{ tool, args: { ...args, accounts: `@${brand.username}` } }] };
			if (turn === 2) return { calls: [{ tool, args: { ...args, accounts: `@${cafe.username}` } }] };
			return { says: 'Done.' };
		});
		const [unknown, ambiguous] = toldBy(model.asked[2]!);
		expect(unknown).toMatch(
			/@nobody_at_all.*The closest are: .*\(acc_main_\w+\), .*\(acc_main_\w+\), .*\(acc_main_\w+\)/,
		);
		expect(ambiguous).toMatch(/7 are called.*Use one of these IDs: .*\(acc_main_\w+\)/);
		expect(posts().map(({ accountId }) => accountId)).toEqual(['acc_main_cafe']);
	});

	test('a large list can be cut with limit', async () => {
		const parameters = {
			resource: 'analytics',
			operation: 'getInsights',
			limit: fromAi('limit', 'How many insights', 'number'),
		};
		await converse(parameters, ({ tools }, turn) =>
			turn === 0 ? { calls: [{ tool: tools[0]!.function.name, args: { limit: 2 } }] } : { says: 'Done.' },
		);
		const told = toldBy(model.asked[1]!)[0]!;
		expect(told.match(/insight_type/g)).toHaveLength(2);
	});

	test('every operation can be called by an agent, each field filled in by the model', async () => {
		const file = await startFiles();
		const address = file.on('/photo.png', bytes(Buffer.from('a small picture')));
		for (const id of ['p_get', 'p_update', 'p_delete', 'p_cancel']) addPost(service, { id });
		for (const id of ['p_done', 'p_figures']) addPost(service, { id, status: 'completed' });
		for (const id of ['wh_old', 'wh_kept']) addWebhook(service, id);
		const from = new Date(Date.now() - 5 * DAY).toISOString();
		const to = new Date().toISOString();
		const calls: Record<string, Record<string, unknown>> = {
			'account.getAll': { limit: 3 },
			'analytics.getOverview': { query: '{}' },
			'analytics.getSummary': { timeframe: 'last_7_days', output: 'perPlatform' },
			'analytics.getUnified': { from, to, output: 'table' },
			'analytics.getInsights': { limit: 1 },
			'approval.getAll': { limit: 3 },
			'inbox.getAll': { limit: 2 },
			'inbox.reply': { inboxItemId: 'inb_seed_1', text: 'Thank you!' },
			'media.createUploadUrl': { fileName: 'a.png', contentType: 'image/png', size: 10 },
			'media.upload': { mediaFrom: 'url', mediaUrls: address },
			'post.create': { platforms: 'x', text: 'All of them', scheduledAt: inAnHour() },
			'post.get': { postId: 'p_get' },
			'post.getAll': { limit: 2 },
			'post.update': { postId: 'p_update', text: 'New text' },
			'post.delete': { postId: 'p_delete' },
			'post.cancel': { postId: 'p_cancel' },
			'post.getAnalytics': { postId: 'p_figures', granularity: 'totals' },
			'post.waitForStatus': { postId: 'p_done', waitFor: 'completed', waitTimeout: 5 },
			'socialConnection.getAll': { limit: 2 },
			'usage.get': {},
			'webhook.create': {
				url: 'https://example.com/hook',
				events: 'post.published',
				description: 'By agent',
			},
			'webhook.getAll': { limit: 2 },
			'webhook.check': { address: `${service.url}/hook` },
			'webhook.delete': { webhookId: 'wh_old' },
			'webhook.getDeliveries': { webhookId: 'wh_kept', limit: 2 },
			'workspace.checkHealth': { days: 3 },
			'workspace.getAll': { limit: 2 },
			// Tools get no files: the model is told what to do instead.
			'media.uploadDirect': { binaryFields: 'data' },
		};
		const operations = resources.flatMap((one) => one.operations.map(({ value }) => `${one.value}.${value}`));
		expect(Object.keys(calls).sort()).toEqual(operations.sort());
		const locators = new Set(['postId', 'inboxItemId', 'webhookId']);
		const tools = Object.fromEntries(
			Object.entries(calls).map(([name, args]) => {
				const [resource, operation] = name.split('.');
				const fields = Object.entries(args).map(([key, value]) => {
					const filled = fromAi(key, `The ${key}`, key === 'query' ? 'json' : typeof value);
					if (name === 'post.update' && key === 'text') return ['updateFields', { text: filled }];
					return [key, locators.has(key) ? { __rl: true, mode: 'id', value: filled } : filled];
				});
				return [name.replace('.', '_'), { resource, operation, ...Object.fromEntries(fields) }];
			}),
		);
		const inOrder = Object.entries(calls).map(([name, args]) => ({ tool: name.replace('.', '_'), args }));
		await converseWith(tools, (_asked, turn) => (turn === 0 ? { calls: inOrder } : { says: 'Done.' }));
		await file.close();

		const described = model.asked[0]!.tools.map((tool) => tool.function.description);
		expect(described).toHaveLength(operations.length);
		expect(new Set(described).size).toBe(operations.length);
		const told = Object.fromEntries(toldBy(model.asked[1]!).map((text, i) => [inOrder[i]!.tool, text]));
		expect(Object.keys(told)).toHaveLength(operations.length);
		const { media_uploadDirect: refused, ...answers } = told;
		expect(refused).toMatch(/no binary field/i);
		const failed = Object.entries(answers).filter(([, text]) =>
			/^\[?\{"error"|^There was an error/.test(text),
		);
		expect(failed).toEqual([]);
		expect(service.store.posts.get('p_update')!.text).toBe('New text');
		expect(service.store.posts.get('p_cancel')!.status).toBe('canceled');
		expect(
			service.store.posts.has('p_delete') && service.store.posts.get('p_delete')!.status !== 'canceled',
		).toBe(false);
		expect([...service.store.webhooks.values()].map(({ description }) => description).sort()).toEqual([
			'By agent',
			'Newsroom',
		]);
		expect(answers.media_upload).toContain('read_url');
	});
});
