import { resources } from '../../nodes/SocialPublishing/resources';
import { errorOf, itemsOf, poll } from '../n8n/client';
import { example, publishTrigger } from '../n8n/examples';
import { agentFlow, byId } from '../support/e2e/flow';
import { type Mail, type Mailbox, startMailbox } from '../support/e2e/mailbox';
import { type Asked, type Model, modelAccount, type Script, startModel } from '../support/e2e/model';
import { bytes, startFiles } from '../support/fileServer';
import { addPost, addWebhook, DAY, posts } from '../support/store';
import { useScene } from './shared';

/** n8n's own AI Agent with the node as its tool; the model is a script on loopback, all else is real. */
describe('the node as a tool of an AI agent', () => {
	const scene = useScene();
	let model: Model;
	let accounts: Record<string, string>;

	beforeAll(async () => {
		model = await startModel();
		accounts = { ...scene.account, ...(await modelAccount(scene.n8n, model)) };
	});
	afterAll(async () => await model?.close());

	/** Runs an agent with the node as its tools, by name. */
	async function converse(tools: Record<string, Record<string, unknown>>, script: Script) {
		model.follow(script);
		const id = await scene.save(agentFlow(tools), accounts);
		const run = await scene.n8n.runWorkflow(id);
		expect(errorOf(run)).toBeUndefined();
		return itemsOf(run, 'Agent')[0]?.output as string;
	}

	/** What the tool answered the model, call by call. */
	const toldBy = ({ messages }: Asked): string[] =>
		messages
			.filter(({ role }) => role === 'tool')
			.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
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
		const args = { platforms: 'twitter, Facebook', text: 'From an agent', scheduledAt: at };
		const answer = await converse({ Social: createPost }, (_asked, turn) =>
			turn === 0 ? { calls: [{ tool: 'Social', args }] } : { says: 'Scheduled.' },
		);
		expect(answer).toBe('Scheduled.');
		const { name, description, parameters } = model.asked[0]!.tools[0]!.function;
		expect(name).toBe('Social');
		expect(description).toBe('Publish or schedule post in Social Publishing');
		expect(Object.keys(parameters.properties)).toEqual(['platforms', 'text', 'scheduledAt']);
		const made = posts(scene.service);
		expect(made).toHaveLength(2);
		// They are sent at the same time and may arrive in any order; told is the order that the model gave.
		const [told] = toldBy(model.asked[1]!);
		const places = ['x', 'facebook'].map((platform) => {
			const { id, text, status, scheduledAt } = made.find((post) => post.platforms[0].platform === platform)!;
			expect([text, status, Date.parse(scheduledAt)]).toEqual([args.text, 'scheduled', Date.parse(at)]);
			return told!.indexOf(id);
		});
		expect(places[0]).toBeGreaterThan(-1);
		expect(places[1]).toBeGreaterThan(places[0]!);
	});

	test('several calls of one execution have keys of their own; the same post asked for twice is one post', async () => {
		const at = inAnHour();
		const call = (text: string) => ({ platforms: 'linkedin', text, scheduledAt: at });
		const turns = [['One', 'Two'], ['One']];
		await converse({ Social: createPost }, (_asked, turn) => {
			const calls = turns[turn]?.map((text) => ({ tool: 'Social', args: call(text) }));
			return calls ? { calls } : { says: 'Done.' };
		});
		const texts = posts(scene.service).map(({ text }) => text);
		expect(texts.sort()).toEqual(['One', 'Two']);
		const told = toldBy(model.asked[2]!);
		expect(told).toHaveLength(3);
		expect(told[2]).toContain(posts(scene.service).find(({ text }) => text === 'One')!.id);
	});

	test('every operation can be called by an agent, each field filled in by the model', async () => {
		const { service } = scene;
		const { store } = service;
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
			'analytics.getUnified': { timeframe: 'custom', from, to, output: 'table' },
			'analytics.getBestTimes': { days: 30 },
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
					if (key === 'address') return ['options', { address: filled }];
					return [key, locators.has(key) ? byId(filled) : filled];
				});
				return [name.replace('.', '_'), { resource, operation, ...Object.fromEntries(fields) }];
			}),
		);
		const inOrder = Object.entries(calls).map(([name, args]) => ({ tool: name.replace('.', '_'), args }));
		await converse(tools, (_asked, turn) => (turn === 0 ? { calls: inOrder } : { says: 'Done.' }));
		await file.close();

		const told = Object.fromEntries(toldBy(model.asked[1]!).map((text, i) => [inOrder[i]!.tool, text]));
		expect(Object.keys(told)).toHaveLength(operations.length);
		const { media_uploadDirect: refused, ...answers } = told;
		expect(refused).toMatch(/no binary field/i);
		const failed = Object.entries(answers).filter(([, text]) =>
			/^\[?\{"error"|^There was an error/.test(text),
		);
		expect(failed).toEqual([]);
		expect(JSON.stringify(told)).not.toContain(service.keys.full);
		expect(store.posts.get('p_update')!.text).toBe('New text');
		expect(store.posts.get('p_cancel')!.status).toBe('canceled');
		expect(store.posts.get('p_delete')?.status ?? 'canceled').toBe('canceled');
		expect([...store.webhooks.values()].map(({ description }) => description).sort()).toEqual([
			'By agent',
			'Newsroom',
		]);
		expect(answers.media_upload).toContain('read_url');
	});

	describe("n8n's own review of tool calls: a person sees what would go out before it does", () => {
		let mailbox: Mailbox;
		beforeAll(async () => {
			mailbox = await startMailbox();
			Object.assign(accounts, await mailbox.account(scene.n8n));
		});
		afterAll(() => mailbox.close());

		/** A call of a tool behind a review. */
		const call = (tools: Asked['tools'], name: RegExp, args: Record<string, unknown>) => ({
			tool: tools.find((tool) => name.test(tool.function.name))!.function.name,
			args: { toolParameters: args, hitlParameters: {} },
		});
		const answered = ({ messages }: Asked) => messages.filter(({ role }) => role === 'tool').length;

		/** n8n sends the e-mail a moment before the execution waits for its answer. */
		async function decide(workflow: string, mail: Mail, button: 'Approve' | 'Decline') {
			const waiting = async () => await scene.n8n.executions(workflow, { status: ['waiting'] });
			await poll('the question', waiting, ({ length }) => length === 1);
			expect(await mail.press(button)).toContain('Got it, thanks');
		}

		test('plan-a-week: what is declined or not asked is not sent, what is approved is sent once', async () => {
			const soon = (days: number) => new Date(Date.now() + days * DAY).toISOString();
			const jam = { platforms: 'facebook, x', text: 'Plum jam is back.', scheduledAt: soon(1) };
			const hours = { platforms: 'linkedin, x', text: 'New hours: 7 to 18.', scheduledAt: soon(3) };
			// n8n asks about the first of several calls at once, and takes the others as declined.
			const plan = [[jam, hours], [hours]];
			model.follow((asked) => {
				if (answered(asked) === 0) return { calls: [{ tool: 'See_what_is_planned', args: {} }] };
				const next = plan.shift();
				return next
					? { calls: next.map((args) => call(asked.tools, /schedule/i, args)) }
					: { says: 'One post is planned.' };
			});
			const id = await scene.save(await example('plan-a-week'), accounts);
			const finished = scene.n8n.runWorkflow(id);
			for (const { post, button } of [
				{ post: jam, button: 'Decline' },
				{ post: hours, button: 'Approve' },
			] as const) {
				const mail = await mailbox.next();
				expect(mail.subject).toBe(`Schedule this post on ${post.platforms}?`);
				expect(mail.html).toContain(`Platforms: ${post.platforms}\n`);
				expect(mail.html).toMatch(/Time: \w+day, \w+ \d+, \d+:\d+ [AP]M/);
				expect(mail.html).toContain(post.text);
				expect(posts(scene.service)).toEqual([]);
				await decide(id, mail, button);
			}

			const ended = await finished;
			expect(errorOf(ended)).toBeUndefined();
			expect(itemsOf(ended, 'Plan the week')).toEqual([{ output: 'One post is planned.' }]);
			const sent = posts(scene.service);
			expect(sent.map(({ platforms: [{ platform }], text }) => `${platform}: ${text}`).sort()).toEqual([
				'linkedin: New hours: 7 to 18.',
				'x: New hours: 7 to 18.',
			]);
			const told = toldBy(model.asked.at(-1)!).slice(1);
			expect(told.slice(0, -1).join()).toMatch(/rejected the tool call/);
			for (const post of sent) expect(told.at(-1)).toContain(post.id);
		});

		test('answer-comments: an answer is sent once a person approves it', async () => {
			model.follow((asked) =>
				asked.messages.at(-1)!.role === 'user'
					? {
							calls: [call(asked.tools, /answer/i, { text: `Thank you: ${asked.messages.at(-1)!.content}` })],
						}
					: { says: 'Done.' },
			);
			const id = await scene.save(await example('answer-comments'), accounts);
			await publishTrigger(scene.n8n, scene.service, id);

			/** A comment comes in, and a person presses a button; the replies. */
			async function comment(text: string, button: 'Approve' | 'Decline', count: number) {
				const response = await fetch(`${scene.service.url}/_control/inbox`, {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ text }),
				});
				const { id: item } = (await response.json()) as { id: string };
				const replies = () => scene.service.store.inbox.get(item)!.replies.map((one) => one.text);
				const mail = await mailbox.next();
				expect(mail.html).toContain(`Comment: ${text}\n\nAnswer: Thank you: ${text}`);
				expect(replies()).toEqual([]);
				await decide(id, mail, button);
				await scene.n8n.waitForExecution(id, { count, status: 'success' });
				return replies();
			}

			expect(await comment('Is the bread vegan?', 'Approve', 1)).toEqual(['Thank you: Is the bread vegan?']);
			expect(await comment('Buy my course!', 'Decline', 2)).toEqual([]);
		});
	});
});
