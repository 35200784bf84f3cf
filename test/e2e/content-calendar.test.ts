import { randomUUID } from 'node:crypto';
import { errorOf, type Execution, type N8nClient, poll } from '../n8n/client';
import { DataTable, type Row } from '../n8n/dataTable';
import { credentialFor, example } from '../n8n/examples';
import { type Service, startService } from '../service';
import type { Post } from '../service/types';
import { call, start } from '../support/e2e/flow';
import { step } from '../support/e2e/step';
import { sharedN8n } from './shared';

/** The examples 'content-calendar' and 'content-calendar-results': a person edits a data table of n8n, and sees the rows published. */
describe('a calendar in a data table', () => {
	let service: Service;
	let n8n: N8nClient;
	let calendar: DataTable;
	let memory: DataTable;
	const workflows: Record<string, string> = {};

	beforeAll(async () => {
		service = await startService();
		n8n = await sharedN8n();
		const data = credentialFor(service, service.keys.full);
		const socialPublishingApi = await n8n.createCredential('Calendar', 'socialPublishingApi', data);
		for (const name of ['content-calendar', 'content-calendar-results'])
			workflows[name] = await n8n.createWorkflow(withStart(await example(name)), { socialPublishingApi });
		// The second time finds them.
		for (let time = 0; time < 2; time++)
			expect(
				errorOf(await n8n.runWorkflow(workflows['content-calendar']!, { trigger: 'Create the tables' })),
			).toBeUndefined();
		calendar = await DataTable.open(n8n, 'Social calendar');
		memory = await DataTable.open(n8n, 'Posts from the calendar');
		for (const id of Object.values(workflows)) await n8n.activate(id);
		await poll(
			'the subscription',
			() => service.store.webhooks.size,
			(count) => count === 1,
		);
	});

	afterEach(async () => {
		for (const { id } of await calendar.rows()) await calendar.removeRow(id);
		for (const { id } of await memory.rows()) await memory.removeRow(id);
		for (const post of posts()) service.store.removePost(post);
	});

	afterAll(async () => {
		for (const id of Object.values(workflows)) await n8n.deleteWorkflow(id);
		for (const table of [calendar, memory]) await table.remove();
		await service.close();
	});

	const path = randomUUID();

	/** Nobody waits five minutes: a request starts it, too. By hand would be another thing, which the node remembers. */
	function withStart(workflow: Record<string, any>): Record<string, any> {
		const { nodes, connections } = workflow;
		const { more, ...node } = start(path);
		if (!connections['Every 5 minutes']) return workflow;
		return {
			...workflow,
			nodes: [...nodes, { ...node, ...more, id: path, position: [0, 600] }],
			connections: { ...connections, Start: connections['Every 5 minutes'] },
		};
	}

	/** A run as the schedule starts it. */
	async function run(): Promise<Execution> {
		const id = workflows['content-calendar']!;
		const before = await n8n.executions(id);
		await call(n8n, path);
		return await n8n.waitForExecution(id, { count: before.length + 1 });
	}

	/** A run that works; how many writes the service got. */
	async function keep(): Promise<number> {
		const writes = () => service.requests.filter(({ method }) => method !== 'GET').length;
		const before = writes();
		expect(errorOf(await run())).toBeUndefined();
		return writes() - before;
	}

	const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
	const posts = () => [...service.store.posts.values()];
	const stateOf = ({ platforms, status, text }: Post) => `${platforms[0]!.platform} ${status}: ${text}`;
	/** Sorted: posts of one run are sent at the same time. */
	const states = () => posts().map(stateOf).sort();
	const saying = (text: string) => posts().filter((post) => post.text === text);
	const seen = async (id: number, status: string): Promise<Row> =>
		await poll(
			`row ${id} to be ${status}`,
			async () => await calendar.row(id),
			(row) => row.status === status,
		);

	test('a row is scheduled, changed, canceled and published as the person edits it', async () => {
		let id = 0;
		await step('a new row is scheduled on each platform, a draft is not', async () => {
			const when = inHours(24);
			await calendar.insert({ text: 'An idea', platforms: 'x', when: null });
			id = await calendar.insert({ text: 'Rye bread, still warm.', platforms: 'LinkedIn, x', when });
			expect(await keep()).toBe(2);
			expect(states()).toEqual([
				'linkedin scheduled: Rye bread, still warm.',
				'x scheduled: Rye bread, still warm.',
			]);
			for (const { scheduledAt } of posts()) expect(Date.parse(scheduledAt!)).toBe(Date.parse(when));
			const row = await calendar.row(id);
			expect(row.status).toBe('scheduled');
			expect(row.post_id.split(', ').sort()).toEqual(
				posts()
					.map((post) => post.id)
					.sort(),
			);
			expect(await keep()).toBe(0);
		});
		await step('a changed row changes its posts', async () => {
			const when = inHours(30);
			await calendar.update(id, { text: 'Rye bread, sold out.', when });
			expect(await keep()).toBe(2);
			expect(states()).toEqual([
				'linkedin scheduled: Rye bread, sold out.',
				'x scheduled: Rye bread, sold out.',
			]);
			for (const { scheduledAt } of posts()) expect(Date.parse(scheduledAt!)).toBe(Date.parse(when));
			expect(await keep()).toBe(0);
		});
		await step('a platform that is taken out is canceled there', async () => {
			await calendar.update(id, { platforms: 'linkedin' });
			expect(await keep()).toBe(1);
			expect(states()).toEqual([
				'linkedin scheduled: Rye bread, sold out.',
				'x canceled: Rye bread, sold out.',
			]);
			const kept = posts().find(({ status }) => status === 'scheduled');
			expect(await calendar.row(id)).toMatchObject({ status: 'scheduled', post_id: kept!.id });
		});
		await step('the person sees it published, with its address', async () => {
			const post = posts().find(({ status }) => status === 'scheduled')!;
			post.extra.url = 'https://linkedin.example/rye-bread';
			service.lifecycle.publish(post, 'published for the test');
			expect(await seen(id, 'published')).toMatchObject({
				url: 'https://linkedin.example/rye-bread',
				error: '',
			});
			await calendar.update(id, { text: 'Too late' });
			expect(await keep()).toBe(0);
		});
		await step('a deleted row is canceled, and an emptied time takes a post back', async () => {
			const one = await calendar.insert({ text: 'One', platforms: 'x', when: inHours(1) });
			const two = await calendar.insert({ text: 'Two', platforms: 'x', when: inHours(2) });
			await keep();
			await calendar.removeRow(one);
			await calendar.update(two, { when: null });
			expect(await keep()).toBe(2);
			expect([...saying('One'), ...saying('Two')].map(stateOf)).toEqual([
				'x canceled: One',
				'x canceled: Two',
			]);
			expect((await calendar.row(two)).status).toBe('canceled');
			await calendar.update(two, { when: inHours(3) });
			expect(await keep()).toBe(1);
			expect(saying('Two').map(stateOf)).toEqual(['x canceled: Two', 'x scheduled: Two']);
		});
	});

	test('a failed row says why, and is posted again once it is changed', async () => {
		const typo = await calendar.insert({ text: 'A typo', platforms: 'linkedn', when: inHours(1) });
		const fails = await calendar.insert({ text: 'Fails', platforms: 'x', when: inHours(1) });
		expect(await keep()).toBe(1);
		expect(await calendar.row(typo)).toMatchObject({
			status: 'failed',
			error: "'linkedn' isn't a platform. Did you mean linkedin?",
		});
		service.lifecycle.fail(posts()[0]!, 'The picture is too small.');
		expect((await seen(fails, 'failed')).error).toBe('The picture is too small.');
		expect(await keep()).toBe(0);

		await calendar.update(typo, { platforms: 'linkedin' });
		await calendar.update(fails, { text: 'Works' });
		expect(await keep()).toBe(2);
		expect(states()).toEqual(['linkedin scheduled: A typo', 'x failed: Fails', 'x scheduled: Works']);
		for (const id of [typo, fails])
			expect(await calendar.row(id)).toMatchObject({ status: 'scheduled', error: '' });
	});

	test('a run that is stopped halfway posts nothing twice, even if the row changes in between', async () => {
		const id = await calendar.insert({ text: 'Once only', platforms: 'x', when: inHours(1) });
		// The service has the post, n8n never hears of it.
		const fault = service.faults.add({ kind: 'hang', act: true, method: 'POST', path: '^/posts$', times: 0 });
		const broken = run();
		await poll('the post', () => posts()[0]);
		const [execution] = await n8n.executions(workflows['content-calendar']!, { status: ['running'] });
		await n8n.stopExecution(execution!.id);
		await broken;
		service.faults.clear(fault);
		expect((await calendar.row(id)).post_id).toBeFalsy();

		await calendar.update(id, { text: 'Once only, corrected' });
		await keep();
		expect(states()).toEqual(['x scheduled: Once only']);
		await keep();
		expect(states()).toEqual(['x scheduled: Once only, corrected']);
		expect(await calendar.row(id)).toMatchObject({ status: 'scheduled', post_id: posts()[0]!.id });
	});

	test('a post whose event never arrived is looked up once it is due', async () => {
		const id = await calendar.insert({ text: 'Unheard', platforms: 'x', when: inHours(1) });
		await keep();
		const [post] = posts();
		const [line] = await memory.rows();
		// As if an hour had passed while n8n could not be reached.
		Object.assign(post!, { status: 'completed' });
		await calendar.update(id, { when: inHours(-1) });
		await memory.update(line!.id, { when: (await calendar.row(id)).when });
		expect(await keep()).toBe(0);
		expect((await calendar.row(id)).status).toBe('published');
	});
});
