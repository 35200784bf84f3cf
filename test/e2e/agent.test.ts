import { errorOf, itemsOf, type N8nClient } from '../n8n/client';
import { credentialFor } from '../n8n/examples';
import { type Service, startService } from '../service';
import { startModel, type Asked, type Model, type Script } from './model';
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
	async function converse(parameters: Record<string, unknown>, script: Script) {
		model.follow(script);
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
					at('Social', 'n8n-nodes-social-publishing.socialPublishingTool', 1, {
						parameters: { descriptionType: 'auto', ...parameters },
						credentials: { socialPublishingApi: { name: 'Social Publishing account' } },
					}),
				],
				connections: {
					Start: to('Agent', 'main'),
					Model: to('Agent', 'ai_languageModel'),
					Social: to('Agent', 'ai_tool'),
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
		const at = inAnHour();
		const answer = await converse(createPost, ({ tools }, turn) =>
			turn === 0
				? {
						calls: [
							{
								tool: tools[0]!.function.name,
								args: { platforms: 'twitter, Instagram', text: 'From an agent', scheduledAt: at },
							},
						],
					}
				: { says: 'Scheduled.' },
		);
		expect(answer).toBe('Scheduled.');
		const { name, description, parameters } = model.asked[0]!.tools[0]!.function;
		expect(name).toBe('Social');
		expect(description).toBe('Create post in Social Publishing');
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
			['From an agent', 'scheduled', 'instagram', Date.parse(at)],
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
		expect(ambiguous).toMatch(/7 are called.*Give the ID of the one you mean: .*\(acc_main_\w+\)/);
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
});
