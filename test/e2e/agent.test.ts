import { isPlainObject, mapValues } from 'lodash';
import { errorOf, itemsOf, poll } from '../n8n/client';
import { example, publishTrigger } from '../n8n/examples';
import { agentFlow, byId } from '../support/e2e/flow';
import { type Mail, type Mailbox, startMailbox } from '../support/e2e/mailbox';
import { type Asked, type Model, modelAccount, type Script, startModel } from '../support/e2e/model';
import { bytes, startFiles } from '../support/fileServer';
import { operations } from '../support/operations';
import { addPost, addWebhook, DAY, posts } from '../support/store';
import { useScene } from './shared';

/** n8n's own AI Agent with the node as its tool; the model is a script on loopback, all else is real. */
describe('the node as a tool of an AI agent', () => {
	const scene = useScene();
	let model: Model;
	let accounts: Record<string, string>;

	beforeAll(async () => {
		model = await startModel();
		accounts = { ...scene.credentials, ...(await modelAccount(scene.n8n, model)) };
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

	const createPost = {
		resource: 'post',
		operation: 'create',
		platforms: fromAi('platforms', 'Platforms, separated by commas'),
		text: fromAi('text', 'What the post says'),
		when: 'at',
		scheduledAt: fromAi('scheduledAt', 'When to publish, ISO 8601'),
	};

	test('schedules a post, on a platform that it calls by its old name; the same again is the same posts', async () => {
		const post = {
			platforms: 'twitter, Facebook',
			text: 'From an agent',
			scheduledAt: new Date(Date.now() + 3_600_000).toISOString(),
		};
		const turns = [[post, { ...post, text: 'Another' }], [post]];
		const answer = await converse({ Social: createPost }, (_asked, turn) => {
			const calls = turns[turn]?.map((args) => ({ tool: 'Social', args }));
			return calls ? { calls } : { says: 'Scheduled.' };
		});
		expect(answer).toBe('Scheduled.');
		const { name, description, parameters } = model.asked[0]!.tools[0]!.function;
		expect([name, description]).toEqual(['Social', 'Publish or schedule post in Social Publishing']);
		expect(Object.keys(parameters.properties)).toEqual(['text', 'platforms', 'scheduledAt']);
		const made = posts(scene.service).map(({ platforms: [{ platform }], text }) => `${platform}: ${text}`);
		expect(made.sort()).toEqual([
			'facebook: Another',
			'facebook: From an agent',
			'x: Another',
			'x: From an agent',
		]);
		const told = toldBy(model.asked[2]!);
		expect(told).toHaveLength(3);
		expect(told[2]).toBe(told[0]);
		for (const { id, status, scheduledAt, text } of posts(scene.service)) {
			expect([status, Date.parse(scheduledAt)]).toEqual(['scheduled', Date.parse(post.scheduledAt)]);
			expect(told[text === post.text ? 0 : 1]).toContain(id);
		}
	});

	test('every operation can be called by an agent, each field filled in by the model', async () => {
		const { service } = scene;
		const { store } = service;
		const files = await startFiles();
		const mediaUrls = files.on('/photo.png', bytes(Buffer.from('a small picture')));
		for (const id of ['post_1', 'post_2', 'post_3']) addPost(service, { id });
		addPost(service, { id: 'post_done', status: 'completed' });
		for (const id of ['wh_1', 'wh_2']) addWebhook(service, id);
		const own = {
			'media:upload': { mediaFrom: 'url', mediaUrls },
			'post:delete': { postId: byId('post_2') },
			'post:cancel': { postId: byId('post_3') },
			'post:getAnalytics': { postId: byId('post_done'), granularity: 'totals' },
			'webhook:delete': { webhookId: byId('wh_2') },
		};
		const calls = Object.entries({ ...operations, ...own }).map(([name, parameters]) => {
			const args: Record<string, unknown> = {};
			/** Texts and numbers are the model's. */
			const fill = (value: any, key: string): unknown => {
				if (isPlainObject(value))
					return 'mode' in value
						? { ...byId(''), ...value, value: fill(value.value, key) }
						: mapValues(value, fill);
				if (!['string', 'number'].includes(typeof value)) return value;
				args[key] = value;
				return fromAi(key, `The ${key}`, typeof value);
			};
			const [resource, operation] = name.split(':');
			const filled = { resource, operation, ...mapValues(parameters, fill) };
			return { tool: name.replace(':', '_'), args, filled };
		});
		const tools = Object.fromEntries(calls.map(({ tool, filled }) => [tool, filled]));
		await converse(tools, (_asked, turn) => (turn === 0 ? { calls } : { says: 'Done.' }));
		await files.close();

		const { description } = model.asked[0]!.tools.find(
			({ function: { name } }) => name === 'post_create',
		)!.function;
		expect(description).toBe('Publish or schedule post in Social Publishing');
		const told = toldBy(model.asked[1]!).map((text, i) => [calls[i]!.tool, text] as const);
		expect(told).toHaveLength(calls.length);
		// Tools get no files: the model is told what to do instead.
		const failed = told.filter(([, text]) => /^\[?\{"error"|^There was an error/.test(text));
		expect(failed).toEqual([['media_uploadDirect', expect.stringMatching(/no binary field/i)]]);
		expect(JSON.stringify(told)).not.toContain(service.keys.full);
		expect(store.posts.get('post_1')!.text).toBe('New');
		expect(store.posts.get('post_3')!.status).toBe('canceled');
		expect(store.posts.get('post_2')?.status ?? 'canceled').toBe('canceled');
		expect([...store.webhooks.keys()]).toEqual(['wh_1', expect.any(String)]);
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

		test('plan-a-week: the agent sees the week; what is declined or not asked is not sent, what is approved is sent once', async () => {
			for (let i = 0; i < 25; i++) addPost(scene.service, { id: `later_${i}`, at: Date.now() + 30 * DAY });
			const waiting = addPost(scene.service, { text: 'Rye bread', at: Date.now() + 2 * DAY });
			scene.service.lifecycle.hold(scene.service.store.posts.get(waiting)!);
			const added = () => posts(scene.service).filter(({ id }) => id !== waiting && !id.startsWith('later_'));
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
			for (const [post, button] of [[jam, 'Decline'] as const, [hours, 'Approve'] as const]) {
				const mail = await mailbox.next();
				expect(mail.subject).toBe(`Schedule this post on ${post.platforms}?`);
				expect(mail.html).toContain(`Platforms: ${post.platforms}\n`);
				expect(mail.html).toMatch(/Time: \w+day, \w+ \d+, \d+:\d+ [AP]M/);
				expect(mail.html).toContain(post.text);
				expect(added()).toEqual([]);
				await decide(id, mail, button);
			}

			const ended = await finished;
			expect(errorOf(ended)).toBeUndefined();
			expect(itemsOf(ended, 'Plan the week')).toEqual([{ output: 'One post is planned.' }]);
			const sent = added();
			expect(sent.map(({ platforms: [{ platform }], text }) => `${platform}: ${text}`).sort()).toEqual([
				'linkedin: New hours: 7 to 18.',
				'x: New hours: 7 to 18.',
			]);
			const [planned, ...told] = toldBy(model.asked.at(-1)!);
			expect(planned!.match(/"id":"[^"]*"/g)).toEqual([`"id":"${waiting}"`]);
			expect(told.slice(0, -1).join()).toMatch(/rejected the tool call/);
			for (const post of sent) expect(told.at(-1)).toContain(post.id);
		});

		const receive = async (item: object): Promise<string> => {
			const response = await fetch(`${scene.service.url}/_control/inbox`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify(item),
			});
			return ((await response.json()) as { id: string }).id;
		};

		/** Saved with comments that came in, and with one that has no text. */
		async function withComments(texts: string[]): Promise<string> {
			const events: object[] = [];
			for (const text of texts) events.push({ json: { data: { item_id: await receive({ text }), text } } });
			events.splice(1, 0, { json: { data: { item_id: 'a picture only' } } });
			const workflow = { ...example('answer-comments'), pinData: { 'When a comment arrives': events } };
			return await scene.save(workflow, accounts);
		}
		const repliesTo = (text: string): string[] =>
			[...scene.service.store.inbox.values()]
				.find((one) => one.text === text)!
				.replies.map((one) => one.text);
		const thankYou: Script = ({ messages }) => ({ says: `Thank you: ${messages.at(-1)!.content}` });

		test('answer-comments: an answer is sent once a person approves it; what the own account writes gets none', async () => {
			model.follow(thankYou);
			const id = await scene.save(await example('answer-comments'), accounts);
			await publishTrigger(scene.n8n, scene.service, id);

			/** A comment comes in, and a person presses a button; the replies. */
			async function comment(text: string, button: 'Approve' | 'Decline', count: number) {
				const item = await receive({ text });
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

			const asked = model.asked.length;
			const { name, username } = scene.service.store.accounts.get('acc_main_instagram')!;
			await receive({ text: 'Thank you all!', author: { name: 'Somebody', username: `@${username}` } });
			await receive({ text: 'Thank you!', author: { name, username: '' } });
			const ended = await scene.n8n.waitForExecution(id, { count: 4, status: 'success' });
			expect(itemsOf(ended, 'Leave out your own')).toEqual([]);
			expect(model.asked).toHaveLength(asked);
		});

		test('answer-comments: where a step fails, the execution stops, and its retry goes on with that comment', async () => {
			const texts = ['Is the bread vegan?', 'Do you open on Sunday?'];
			let isModelDown = true;
			model.follow((asked, turn) => {
				if (isModelDown) throw new Error('The model is down');
				return thankYou(asked, turn);
			});
			const id = await withComments(texts);
			const failed = await scene.n8n.runWorkflow(id);
			expect(errorOf(failed)).toBeDefined();
			expect(texts.map(repliesTo)).toEqual([[], []]);

			isModelDown = false;
			mailbox.setFull(true);
			const unsent = await scene.n8n.retryExecution(failed.id);
			expect(errorOf(unsent)?.message).toContain('452');
			mailbox.setFull(false);

			scene.service.faults.add({ kind: 'error', code: 'PUBLIC_API_KEY_EXPIRED', path: 'reply$' });
			const failedAgain = scene.n8n.retryExecution(unsent.id);
			await decide(id, await mailbox.next(), 'Approve');
			expect(errorOf(await failedAgain)?.message).toContain('The API key has expired');

			// It was approved before, so nobody is asked again.
			const finished = scene.n8n.retryExecution((await failedAgain).id);
			const mail = await mailbox.next();
			expect(mail.html).toContain(`Comment: ${texts[1]}`);
			await decide(id, mail, 'Approve');
			expect((await finished).status).toBe('success');
			expect(texts.map(repliesTo)).toEqual(texts.map((text) => [`Thank you: ${text}`]));
		});
	});
});
