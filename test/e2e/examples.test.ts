import { binaryOf, errorOf, type Execution, itemsOf, type N8nClient, poll } from '../n8n/client';
import { credentialFor, example } from '../n8n/examples';
import { request } from '../n8n/rest';
import { type Service, startService } from '../service';
import { type Model, startModel } from '../support/e2e/model';
import { sharedN8n } from './shared';

/** Every workflow of `examples/` as it is, but for the credentials, in the real n8n. */
describe('the examples', () => {
	let service: Service;
	let n8n: N8nClient;
	let model: Model;
	let credentials: Record<string, string>;
	const created: string[] = [];

	beforeAll(async () => {
		[service, model] = await Promise.all([startService(), startModel()]);
		n8n = await sharedN8n();
		const data = credentialFor(service, service.keys.full);
		credentials = {
			socialPublishingApi: await n8n.createCredential(
				'Social Publishing account',
				'socialPublishingApi',
				data,
			),
			openAiApi: await n8n.createCredential('OpenAI account', 'openAiApi', {
				apiKey: 'example',
				url: model.url,
			}),
		};
	});

	beforeEach(() => service.reset());

	afterEach(async () => {
		for (const id of created.splice(0)) await n8n.deleteWorkflow(id);
	});

	afterAll(async () => await Promise.all([service.close(), model.close()]));

	async function imported(name: string): Promise<string> {
		const id = await n8n.createWorkflow(await example(name), credentials);
		created.push(id);
		return id;
	}

	async function published(name: string): Promise<string> {
		const id = await imported(name);
		await n8n.activate(id);
		await poll(
			'the subscription',
			() => service.store.webhooks.size,
			(count) => count === 1,
		);
		return id;
	}

	/** The execution that waits for a person. */
	async function question(workflow: string): Promise<Execution> {
		const waiting = async () => (await n8n.executions(workflow, { status: ['waiting'] }))[0];
		return await n8n.execution((await poll('the question', waiting)).id);
	}

	/** Posts that the service has already, some of them seeded in the state asked for. */
	async function seeded(count: number, status: string, platforms: string[], from?: string) {
		const response = await fetch(`${service.url}/_control/seed/posts`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ count, status, platforms, from, text: 'A seeded post' }),
		});
		const { ids } = (await response.json()) as { ids: string[] };
		return ids.map((id) => service.store.posts.get(id)!);
	}

	const scheduled = () => [...service.store.posts.values()].filter(({ status }) => status === 'scheduled');

	test('schedule-from-a-sheet: one post a row and platform; a second run schedules nothing more', async () => {
		const id = await imported('schedule-from-a-sheet');
		const run = await n8n.runWorkflow(id);
		expect(errorOf(run)).toBeUndefined();
		const items = itemsOf(run, 'Schedule each row');
		expect(items).toHaveLength(6);
		const posts = items.map((item) => service.store.posts.get(item.id)!);
		expect(posts.map(({ platforms }) => platforms.map(({ platform }) => platform).join())).toEqual([
			...['linkedin', 'x', 'x'],
			...['facebook', 'linkedin', 'bluesky'],
		]);
		expect(posts[2]?.text).toBe('We are looking for a baker. Come and meet us!');
		for (const { scheduledAt } of scheduled()) expect(Date.parse(scheduledAt!)).toBeGreaterThan(Date.now());

		const again = await n8n.runWorkflow(id);
		expect(itemsOf(again, 'Schedule each row').map((item) => item.id)).toEqual(items.map((item) => item.id));
		expect(scheduled()).toHaveLength(6);
	});

	test('queue-into-slots: the texts go out one after another on each platform; a second run goes on behind', async () => {
		const id = await imported('queue-into-slots');
		const slots = async () => {
			const run = await n8n.runWorkflow(id);
			expect(errorOf(run)).toBeUndefined();
			const items = itemsOf(run, 'Queue each text');
			expect(items.map(({ platform }) => platform)).toEqual(['linkedin', 'x', 'linkedin', 'x']);
			for (const { scheduled_at_local } of items)
				expect(scheduled_at_local).toMatch(/T(09:00|12:30|18:00):00/);
			return items.map(({ scheduled_at }) => Date.parse(scheduled_at));
		};
		const [first, second] = [await slots(), await slots()];
		const queues = [0, 1].map((platform) =>
			[...first!, ...second!].filter((_, index) => index % 2 === platform),
		);
		for (const queue of queues) {
			expect(queue).toEqual([...queue].sort((a, b) => a - b));
			expect(new Set(queue).size).toBe(4);
			expect(queue[0]).toBeGreaterThan(Date.now() - 60_000);
		}
		expect(queues[0]).toEqual(queues[1]);
	});

	test('alert-on-failed-posts: a message with the reason', async () => {
		const id = await published('alert-on-failed-posts');
		const [post] = await seeded(1, 'scheduled', ['linkedin']);
		service.lifecycle.fail(post!, 'The picture is too small.');
		const run = await n8n.waitForExecution(id, { status: 'success' });
		const [message] = itemsOf(run, 'Write the message');
		expect(message).toEqual({
			postId: post!.id,
			reason: 'The picture is too small.',
			message: expect.stringContaining(post!.text),
		});
		expect(message.message).toMatch(/^A post did not go out on linkedin: The picture is too small\./);
	});

	test('morning-check: one message of what is wrong, the worst first; none where all is well', async () => {
		const id = await imported('morning-check');
		const well = await n8n.runWorkflow(id, { trigger: 'Every morning' });
		expect(errorOf(well)).toBeUndefined();
		expect(itemsOf(well, 'Check health').map(({ status }: any) => status)).toEqual(Array(9).fill('ok'));
		expect(itemsOf(well, 'Write the message')).toEqual([]);

		service.store.accounts.get('acc_main_x')!.status = 'disconnected';
		await seeded(2, 'failed', ['linkedin']);
		const run = await n8n.runWorkflow(id, { trigger: 'Every morning' });
		expect(errorOf(run)).toBeUndefined();
		const [{ message }, ...others] = itemsOf(run, 'Write the message');
		expect(others).toEqual([]);
		expect(message.split('\n')).toEqual([
			'Social media this morning:',
			expect.stringMatching(/^🔴 \d posts? failed in the last 7 days: The picture has the wrong proportions/),
			expect.stringMatching(/^🟡 1 account is disconnected\. Reconnect in the service's dashboard: /),
		]);
	});

	test('weekly-report: a page with a chart of the engagements', async () => {
		const from = new Date(Date.now() - 3 * 86_400_000).toISOString();
		await seeded(3, 'completed', ['linkedin'], from);
		await seeded(2, 'completed', ['instagram'], from);
		const id = await imported('weekly-report');
		const run = await n8n.runWorkflow(id, { trigger: 'Every Monday' });
		expect(errorOf(run)).toBeUndefined();
		const [report] = itemsOf(run, 'Draw the chart');
		expect(report.posts).toBe(5);
		expect(report.html.match(/<rect /g)).toHaveLength(2);
		const posts = Object.fromEntries(report.totals.map((one: any) => [one.platform, one.posts]));
		expect(posts).toEqual({ linkedin: 3, instagram: 2 });
		expect(binaryOf(run, 'Make a file')).toMatchObject({ data: { fileName: 'weekly-report.html' } });
	});

	test('cross-post-a-video: one upload, seven posts, each with its text', async () => {
		// With two Instagram accounts the node would ask which one is meant.
		service.store.accounts.get('acc_main_cafe')!.status = 'disconnected';
		const id = await imported('cross-post-a-video');
		await n8n.activate(id);
		const { webhookId } = (await example('cross-post-a-video')).nodes.find(({ webhookId: one }: any) => one);
		const address = `${n8n.webhookUrl}/form/${webhookId}`;
		await poll(
			'the form',
			async () => await request(address),
			({ ok }) => ok,
		);
		const video = Buffer.alloc(200_000, 'video');
		const form = new FormData();
		form.append('field-0', new Blob([video], { type: 'video/mp4' }), 'bread.mp4');
		form.append('field-1', 'How our bread is made');
		form.append('field-2', 'Bread in 30 seconds');
		form.append('field-3', '');
		expect((await request(address, { method: 'POST', body: form })).status).toBe(200);

		const run = await n8n.waitForExecution(id);
		expect(errorOf(run)).toBeUndefined();
		const posts = itemsOf(run, 'Post everywhere');
		expect(posts).toHaveLength(7);
		const stored = posts.map(({ id: post }: any) => service.store.posts.get(post)!);
		const texts = Object.fromEntries(stored.map(({ platforms, text }) => [platforms[0]!.platform, text]));
		expect(texts).toMatchObject({
			instagram: 'How our bread is made',
			x: 'Bread in 30 seconds',
			linkedin: 'How our bread is made',
		});
		const media = [...service.store.media.values()];
		expect(media).toHaveLength(1);
		expect(new Set(stored.flatMap((post) => post.media))).toEqual(new Set([stored[0]!.media[0]]));
	});

	test('answer-comments: what a person approved is sent, what was refused is not', async () => {
		model.follow(({ messages }) => ({ says: `Thank you! You wrote: ${messages.at(-1)!.content}` }));
		const id = await published('answer-comments');

		/** A comment comes in; the agent drafts; a person answers the form. */
		async function comment(text: string, answer: Record<string, string>, count: number) {
			const response = await fetch(`${service.url}/_control/inbox`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ text }),
			});
			const { id: item } = (await response.json()) as { id: string };
			const waiting = await question(id);
			const [asked] = itemsOf(waiting, 'Ask a person');
			expect(asked).toMatchObject({ comment: text, draft: `Thank you! You wrote: ${text}` });
			expect(await (await request(asked.link)).text()).toContain(asked.draft);
			const form = new FormData();
			form.append('field-0', answer.text ?? asked.draft);
			form.append('field-1', answer.decision!);
			expect((await request(asked.link, { method: 'POST', body: form })).status).toBe(200);
			const run = await n8n.waitForExecution(id, { count, status: 'success' });
			return { run, item: service.store.inbox.get(item)! };
		}

		const sent = await comment('Is the bread vegan?', { text: 'Yes, it is.', decision: 'Send' }, 1);
		expect(sent.item.replies.map(({ text }) => text)).toEqual(['Yes, it is.']);
		expect(itemsOf(sent.run, 'Send the answer')).toHaveLength(1);

		const refused = await comment('Buy my course!', { decision: 'Do not send' }, 2);
		expect(refused.item.replies).toEqual([]);
	});

	test('schedule-and-wait: n8n waits until the post is due, then the node until it is published', async () => {
		const workflow = await example('schedule-and-wait');
		const { parameters } = workflow.nodes.find(({ name }: any) => name === 'Schedule the post');
		// Tomorrow is too far away for a test.
		parameters.scheduledAt = '={{ $now.plus({ seconds: 10 }).toISO() }}';
		const id = await n8n.createWorkflow(workflow, credentials);
		created.push(id);
		const run = await n8n.runWorkflow(id);
		expect(errorOf(run)).toBeUndefined();
		expect(itemsOf(run, 'Wait until it is published')[0]).toMatchObject({ status: 'completed' });
		expect(itemsOf(run, 'What follows')[0].message).toMatch(/^Published: Tomorrow at nine/);
	});

	test('preview-then-approve: nothing is sent before a person agrees, then exactly what was shown', async () => {
		const id = await imported('preview-then-approve');
		const before = service.requests.length;
		const writes = () => service.requests.slice(before).filter(({ method }) => method === 'POST');
		const finished = n8n.runWorkflow(id);
		const started = await question(id);
		expect(writes()).toHaveLength(0);
		const shown = itemsOf(started, 'Preview');
		expect(shown).toHaveLength(3);
		const [asked] = itemsOf(started, 'Ask a person');
		const form = new FormData();
		form.append('field-0', 'Send');
		expect((await request(asked.link, { method: 'POST', body: form })).status).toBe(200);
		const run = await finished;
		expect(itemsOf(run, 'Send')).toHaveLength(3);
		const keyed = (list: any[], key: (one: any) => string, body: (one: any) => unknown) =>
			Object.fromEntries(list.map((one) => [key(one), JSON.stringify(body(one))]));
		expect(
			keyed(
				writes(),
				({ headers }) => headers['idempotency-key'],
				({ body }) => body,
			),
		).toEqual(
			keyed(
				shown,
				({ idempotency_key }) => idempotency_key,
				({ request }) => request.body,
			),
		);
	});

	test('plan-a-week: the agent looks at what is planned and schedules posts with the tool', async () => {
		const soon = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
		const plan = [
			{ platforms: 'facebook, x', text: 'Plum jam is back.', scheduledAt: soon(1) },
			{ platforms: 'linkedin', text: 'New opening hours: 7 to 18.', scheduledAt: soon(3) },
		];
		model.follow(({ messages, tools }) => {
			const done = messages.filter(({ role }) => role === 'tool').length;
			const named = (word: RegExp) => tools.find((tool) => word.test(tool.function.name))!.function.name;
			if (done === 0) return { calls: [{ tool: named(/planned/i), args: {} }] };
			if (done === 1) return { calls: plan.map((args) => ({ tool: named(/schedule/i), args })) };
			return { says: 'Two posts are planned.' };
		});
		const before = new Set(service.store.posts.keys());
		const run = await n8n.runWorkflow(await imported('plan-a-week'));
		expect(errorOf(run)).toBeUndefined();
		expect(itemsOf(run, 'Plan the week')).toEqual([{ output: 'Two posts are planned.' }]);
		const made = [...service.store.posts.values()].filter((post) => !before.has(post.id));
		const told = made.map(({ platforms, text, status }) => `${platforms[0]!.platform}, ${status}: ${text}`);
		expect(told.sort()).toEqual([
			'facebook, scheduled: Plum jam is back.',
			'linkedin, scheduled: New opening hours: 7 to 18.',
			'x, scheduled: Plum jam is back.',
		]);
	});
});
