import { errorOf, type Execution, poll } from '../n8n/client';
import { DataTable, type Row } from '../n8n/dataTable';
import { example } from '../n8n/examples';
import type { Post, Webhook } from '../service/types';
import { call, type FlowNode, start, type Workflow } from '../support/e2e/flow';
import { step } from '../support/e2e/step';
import { posts as postsOf } from '../support/store';
import { useScene } from './shared';

/** The examples 'content-calendar' and 'content-calendar-results': a person edits a data table of n8n, and sees the rows published. */
describe('a calendar in a data table', () => {
	const scene = useScene();
	let workflow: string;
	let calendar: DataTable;
	let memory: DataTable;
	let subscription: Webhook;

	beforeAll(async () => {
		const { n8n, save, service } = scene;
		workflow = await save(withStart(await example('content-calendar')));
		const results = await save(await example('content-calendar-results'));
		// The second time finds them.
		for (let time = 0; time < 2; time++)
			expect(
				errorOf(await scene.n8n.runWorkflow(workflow, { trigger: 'Create the tables' })),
			).toBeUndefined();
		calendar = await DataTable.open(n8n, 'Social calendar');
		memory = await DataTable.open(n8n, 'Posts from the calendar');
		for (const id of [workflow, results]) await scene.n8n.activate(id);
		subscription = await poll('the subscription', () => [...service.store.webhooks.values()][0]);
	});

	// It is made once, and gone with what the service forgets before each test.
	beforeEach(() => void scene.service.store.webhooks.set(subscription.id, subscription));

	afterEach(async () => {
		for (const table of [calendar, memory])
			for (const { id } of await table.rows()) await table.removeRow(id);
	});

	afterAll(async () => {
		for (const table of [calendar, memory]) await table.remove();
	});

	/**
	 * Nobody waits five minutes: a request starts it instead. By hand would be another thing, which the node remembers.
	 * The schedule is off: it goes by the clock and would run beside a run of the test.
	 */
	const withStart = ({ nodes, connections, ...more }: Workflow): Workflow => ({
		...more,
		nodes: [
			...nodes.map((node: FlowNode) =>
				node.name === 'Every 5 minutes' ? { ...node, disabled: true } : node,
			),
			{ ...start(), id: 'start', position: [0, 600] },
		],
		connections: { ...connections, Start: connections['Every 5 minutes'] },
	});

	/** A run as the schedule starts it. */
	async function run(): Promise<Execution> {
		const before = await scene.n8n.executions(workflow);
		await call(scene.n8n, workflow);
		return await scene.n8n.waitForExecution(workflow, { count: before.length + 1 });
	}

	/** A run that works; how many writes the service got */
	async function keep(): Promise<number> {
		const writes = () =>
			scene.service.requests.filter(({ method, path }) => method !== 'GET' && !path.includes('/webhooks'))
				.length;
		const before = writes();
		expect(errorOf(await run())).toBeUndefined();
		return writes() - before;
	}

	const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
	const posts = (): Post[] => postsOf(scene.service);
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
			expect(new Set(row.post_id.split(', '))).toEqual(new Set(posts().map((post) => post.id)));
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
			scene.service.lifecycle.publish(post);
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
			error: "'linkedn' isn't a platform. This row was not sent.",
		});
		scene.service.lifecycle.fail(posts()[0]!, 'The picture is too small.');
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
		const fault = scene.service.faults.add({
			kind: 'hang',
			act: true,
			method: 'POST',
			path: '^/posts$',
			times: 0,
		});
		const broken = run();
		await poll('the post', () => posts()[0]);
		const [execution] = await scene.n8n.executions(workflow, { status: ['running'] });
		await scene.n8n.stopExecution(execution!.id);
		await broken;
		scene.service.faults.clear(fault);
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
