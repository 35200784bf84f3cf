import { errorOf, type Execution, poll } from '../n8n/client';
import { DataTable, type Row } from '../n8n/dataTable';
import { example } from '../n8n/examples';
import type { Post, Webhook } from '../service/types';
import { call, type FlowNode, start, type Workflow } from '../support/e2e/flow';
import { answerOnly } from '../support/e2e/writes';
import { asked, posts as postsOf } from '../support/store';
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
		for (const trigger of Array<string>(2).fill('Create the tables'))
			expect(errorOf(await n8n.runWorkflow(workflow, { trigger }))).toBeUndefined();
		calendar = await DataTable.open(n8n, 'Social calendar');
		memory = await DataTable.open(n8n, 'Posts from the calendar');
		for (const id of [workflow, results]) await n8n.activate(id);
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

	/** A request starts it instead of the schedule, which would run beside a test; by hand, the node would remember. */
	function withStart({ nodes, connections, ...more }: Workflow): Workflow {
		const schedule = nodes.find(({ name }: FlowNode) => name === 'Every 5 minutes');
		const request = { ...start(), id: 'start', position: [0, 600] };
		return {
			...more,
			nodes: [
				...nodes.filter((node: FlowNode) => node !== schedule),
				{ ...schedule, disabled: true },
				request,
			],
			connections: { ...connections, Start: connections['Every 5 minutes'] },
		};
	}

	/** A run as the schedule starts it. */
	async function run(): Promise<Execution> {
		const before = await scene.n8n.executions(workflow);
		await call(scene.n8n, workflow);
		return await scene.n8n.waitForExecution(workflow, { count: before.length + 1 });
	}

	/** A run that works sends so many writes. */
	async function sends(count: number): Promise<void> {
		const writes = () =>
			['POST', 'PATCH', 'DELETE'].flatMap((method) => asked(scene.service, method, /\/posts/)).length;
		const before = writes();
		expect(errorOf(await run())).toBeUndefined();
		expect(writes() - before).toBe(count);
	}

	const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
	const row = (text: string, platforms: string, hours: number) => ({ text, platforms, when: inHours(hours) });
	const posts = (): Post[] => postsOf(scene.service);
	/** Sorted: posts of one run are sent at the same time. */
	const states = () =>
		posts()
			.map((post) => `${post.platforms[0]!.platform} ${post.status}: ${post.text}`)
			.sort();
	const seen = async (id: number, status: string): Promise<Row> =>
		await poll(
			`row ${id} to be ${status}`,
			async () => await calendar.row(id),
			(one) => one.status === status,
		);

	test('a row is scheduled, changed, canceled and published as the person edits it', async () => {
		const isDue = (when: string) =>
			posts().every(({ scheduledAt }) => Date.parse(scheduledAt!) === Date.parse(when));

		// A new row is scheduled on each platform, a draft is not.
		const entry = row('Rye bread', 'LinkedIn, x', 24);
		await calendar.insert({ text: 'An idea', platforms: 'x', when: null });
		const id = await calendar.insert(entry);
		await sends(2);
		expect(states()).toEqual(['linkedin scheduled: Rye bread', 'x scheduled: Rye bread']);
		expect(isDue(entry.when)).toBe(true);
		const { status, post_id } = await calendar.row(id);
		expect(status).toBe('scheduled');
		expect(new Set(post_id.split(', '))).toEqual(new Set(posts().map((post) => post.id)));
		await sends(0);

		// A changed row changes its posts.
		const when = inHours(30);
		await calendar.update(id, { text: 'Sold out', when });
		await sends(2);
		expect(states()).toEqual(['linkedin scheduled: Sold out', 'x scheduled: Sold out']);
		expect(isDue(when)).toBe(true);
		await sends(0);

		// A platform that is taken out is canceled there.
		await calendar.update(id, { platforms: 'linkedin' });
		await sends(1);
		expect(states()).toEqual(['linkedin scheduled: Sold out', 'x canceled: Sold out']);
		const post = posts().find((one) => one.status === 'scheduled')!;
		expect(await calendar.row(id)).toMatchObject({ status: 'scheduled', post_id: post.id });

		// The person sees it published, with its address.
		const url = 'https://linkedin.example/rye-bread';
		post.extra.url = url;
		scene.service.lifecycle.publish(post);
		expect(await seen(id, 'published')).toMatchObject({ url, error: '' });
		await calendar.update(id, { text: 'Too late' });
		await sends(0);
	});

	test('a deleted row is canceled, and an emptied time takes a post back', async () => {
		const one = await calendar.insert(row('One', 'x', 1));
		const two = await calendar.insert(row('Two', 'x', 2));
		await sends(2);
		await calendar.removeRow(one);
		await calendar.update(two, { when: null });
		await sends(2);
		expect(states()).toEqual(['x canceled: One', 'x canceled: Two']);
		expect((await calendar.row(two)).status).toBe('canceled');
		await calendar.update(two, { when: inHours(3) });
		await sends(1);
		expect(states()).toEqual(['x canceled: One', 'x canceled: Two', 'x scheduled: Two']);
	});

	test('a failed row says why, and is posted again once it is changed', async () => {
		const typo = await calendar.insert(row('A typo', 'linkedn', 1));
		const fails = await calendar.insert(row('Fails', 'x', 1));
		await sends(1);
		const error = "'linkedn' isn't a platform (did you mean linkedin?). This row was not sent.";
		expect(await calendar.row(typo)).toMatchObject({ status: 'failed', error });
		scene.service.lifecycle.fail(posts()[0]!, 'The picture is too small.');
		expect((await seen(fails, 'failed')).error).toBe('The picture is too small.');
		await sends(0);

		await calendar.update(typo, { platforms: 'linkedin' });
		await calendar.update(fails, { text: 'Works' });
		await sends(2);
		expect(states()).toEqual(['linkedin scheduled: A typo', 'x failed: Fails', 'x scheduled: Works']);
		for (const id of [typo, fails])
			expect(await calendar.row(id)).toMatchObject({ status: 'scheduled', error: '' });
	});

	test("a cell with signs that nobody sees, a row without any text, and one that isn't filled in", async () => {
		await calendar.insert(row('\ufeffRye bread\u200b', '\ufeffLinkedIn,\u00a0x', 1));
		const blank = await calendar.insert(row('\u200b\u00a0', 'x', 1));
		const open = await calendar.insert({ text: null, platforms: null, when: null });
		await sends(2);
		expect(states()).toEqual(['linkedin', 'x'].map((one) => `${one} scheduled: Rye bread\u200b`));
		expect(await calendar.row(blank)).toMatchObject({
			status: 'failed',
			error: "'Text' is empty. This row was not sent.",
		});
		expect((await calendar.row(open)).status).toBeFalsy();
	});

	test('a run that is stopped halfway posts nothing twice, even if the row changes in between', async () => {
		const { n8n, service } = scene;
		const id = await calendar.insert(row('Once only', 'x', 1));
		// The service has the post, n8n never hears of it.
		answerOnly(service, 0);
		const broken = run();
		await poll('the post', () => posts()[0]);
		const [execution] = await n8n.executions(workflow, { status: ['running'] });
		await n8n.stopExecution(execution!.id);
		await broken;
		service.faults.clear();
		expect((await calendar.row(id)).post_id).toBeFalsy();

		await calendar.update(id, { text: 'Once only, corrected' });
		await run();
		expect(states()).toEqual(['x scheduled: Once only']);
		await run();
		expect(states()).toEqual(['x scheduled: Once only, corrected']);
		expect(await calendar.row(id)).toMatchObject({ status: 'scheduled', post_id: posts()[0]!.id });
	});

	test('a row that is refused for now is sent as it is later; one that was not confirmed before its time can be sent again', async () => {
		const id = await calendar.insert(row('Rye', 'x', 1));
		scene.service.faults.add({ kind: 'error', code: 'PUBLIC_API_KEY_EXPIRED', path: '^/posts$' });
		await sends(1);
		const error = expect.stringContaining('The API key has expired');
		expect(await calendar.row(id)).toMatchObject({ status: 'retrying', error });
		await calendar.update(id, { text: 'Rye bread' });
		await sends(1);
		expect(states()).toEqual(['x scheduled: Rye bread']);

		// As if a run had stopped before it heard of the post, and the next one came hours later.
		const [line] = await memory.rows();
		await calendar.update(id, { when: inHours(-1) });
		const { when } = await calendar.row(id);
		await memory.update(line!.id, { status: 'sending', post_id: '', when });
		await sends(0);
		const toCheck = expect.stringMatching(/^An earlier try may have gone out: check in the service/);
		expect(await calendar.row(id)).toMatchObject({ status: 'failed', error: toCheck });
		await sends(0);
		await calendar.update(id, { text: 'Plum jam', when: inHours(2) });
		await sends(1);
		expect(states()).toEqual(['x scheduled: Plum jam', 'x scheduled: Rye bread']);
	});

	test('posts that somebody deleted in the service are canceled, and sent again when their row changes once more', async () => {
		const ids = [await calendar.insert(row('Rye', 'x', 1)), await calendar.insert(row('Jam', 'x', 1))];
		await sends(2);
		scene.service.store.posts.clear();
		await calendar.update(ids[0]!, { text: 'Rye bread' });
		await calendar.removeRow(ids[1]!);
		await sends(2);
		const error = expect.stringContaining("The post doesn't exist");
		expect(await calendar.row(ids[0]!)).toMatchObject({ status: 'canceled', error });
		await sends(0);
		await calendar.update(ids[0]!, { text: 'Rye bread, still warm' });
		await sends(1);
		expect(states()).toEqual(['x scheduled: Rye bread, still warm']);
	});

	test('a post whose event never arrived is looked up once it is due', async () => {
		const id = await calendar.insert(row('Unheard', 'x', 1));
		await sends(1);
		const [line] = await memory.rows();
		// As if an hour had passed while n8n could not be reached.
		Object.assign(posts()[0]!, { status: 'completed' });
		await calendar.update(id, { when: inHours(-1) });
		await memory.update(line!.id, { when: (await calendar.row(id)).when });
		await sends(0);
		expect((await calendar.row(id)).status).toBe('published');
	});

	test('a deleted row takes back a post that waits for approval past its time, and learns of one that was published', async () => {
		const ids = [
			await calendar.insert(row('Waits', 'x', 1)),
			await calendar.insert(row('Published', 'x', 1)),
		];
		await sends(2);
		const post = (text: string) => posts().find((one) => one.text === text)!;
		scene.service.lifecycle.hold(post('Waits'));
		// As if two hours had passed, and the event of the second post never arrived.
		Object.assign(post('Published'), { status: 'completed' });
		for (const line of await memory.rows()) await memory.update(line.id, { when: inHours(-1) });
		for (const id of ids) await calendar.removeRow(id);
		await sends(2);
		expect(states()).toEqual(['x canceled: Waits', 'x completed: Published']);

		await sends(0);
		const recorded = (await memory.rows()).map(({ text, status }) => `${text}: ${status}`);
		expect(recorded.sort()).toEqual(['Published: published', 'Waits: canceled']);
	});
});
