import { DateTime } from 'luxon';
import { binaryOf, errorOf, type Execution, itemsOf, poll, request } from '../n8n/client';
import { example, publishTrigger } from '../n8n/examples';
import { addPost, DAY, posts as postsOf } from '../support/store';
import { useScene } from './shared';

/** The other workflows of `examples/` as they are, but for the credentials, in the real n8n: at night. */
describe('the other examples', () => {
	const scene = useScene();
	const imported = async (name: string): Promise<string> => await scene.save(example(name));

	/** Runs a workflow that ends well. */
	async function run(id: string, trigger?: string): Promise<Execution> {
		const execution = await scene.n8n.runWorkflow(id, { trigger });
		expect(errorOf(execution)).toBeUndefined();
		return execution;
	}

	async function published(name: string): Promise<string> {
		const id = await imported(name);
		await publishTrigger(scene.n8n, scene.service, id);
		return id;
	}

	/** The execution that waits for a person. */
	async function question(workflow: string): Promise<Execution> {
		const waiting = async () => (await scene.n8n.executions(workflow, { status: ['waiting'] }))[0];
		return await scene.n8n.execution((await poll('the question', waiting)).id);
	}

	/** Fills in a form and sends it; what n8n answers, which shows a page a moment before it takes what was filled in. */
	async function answer(address: string, fields: Array<string | File>): Promise<string> {
		const form = new FormData();
		fields.forEach((value, i) => form.append(`field-${i}`, value));
		// While it isn't ready, n8n answers without reading a file, which may break the connection.
		const send = async () => await request(address, { method: 'POST', body: form }).catch(() => undefined);
		const response = await poll('the form', send, ({ status }) => status !== 404);
		expect(response.status).toBe(200);
		return await response.text();
	}

	const scheduled = () => postsOf(scene.service).filter(({ status }) => status === 'scheduled');

	test('queue-into-slots: the texts go out one after another on each platform; a second run goes on behind', async () => {
		const id = await imported('queue-into-slots');
		const items = [await run(id), await run(id)].flatMap((one) => itemsOf(one, 'Queue each text'));
		const [linkedin, x] = ['linkedin', 'x'].map((platform) =>
			items.filter((item) => item.platform === platform).map((item) => item.scheduled_at_local as string),
		);
		for (const local of linkedin!) expect(local).toMatch(/ (09:00|12:30|18:00)$/);
		expect(linkedin).toEqual([...new Set(linkedin)].sort());
		expect(linkedin).toHaveLength(4);
		expect(x).toEqual(linkedin);
		expect(Date.parse(linkedin![0]!)).toBeGreaterThan(Date.now() - 60_000);
	});

	test('alert-on-failed-posts: a message with the reason', async () => {
		const id = await published('alert-on-failed-posts');
		const postId = addPost(scene.service, { text: 'A post of today' });
		scene.service.lifecycle.fail(scene.service.store.posts.get(postId)!, 'The picture is too small.');
		const ended = await scene.n8n.waitForExecution(id, { status: 'success' });
		expect(itemsOf(ended, 'Write the message')[0]).toEqual({
			postId,
			reason: 'The picture is too small.',
			message: expect.stringMatching(
				/^A post wasn't published on linkedin: The picture is too small\.\nText: A post of today$/,
			),
		});
	});

	test('morning-check: one message of what is wrong, the worst first; none where all is well; one where nothing can be checked', async () => {
		const id = await imported('morning-check');
		const well = await run(id, 'Every morning');
		expect(itemsOf(well, 'Check health').map(({ status }) => status)).toEqual(Array(4).fill('ok'));
		expect(itemsOf(well, 'Write the message')).toEqual([]);

		scene.service.store.accounts.get('acc_main_x')!.status = 'disconnected';
		for (const [id, text] of Object.entries({ one: 'Rye bread', another: 'Plum jam' }))
			addPost(scene.service, { id, text, status: 'failed' });
		const [{ message }, ...others] = itemsOf(await run(id, 'Every morning'), 'Write the message');
		expect(others).toEqual([]);
		expect(message).toMatch(/^Social media this morning:\n🔴 [^]*Plum jam[^]*Rye bread[^]*\n🟡 /);

		scene.service.faults.add({ kind: 'error', code: 'PUBLIC_API_KEY_EXPIRED', times: 0 });
		expect(itemsOf(await run(id, 'Every morning'), 'Write the message')).toEqual([
			{
				message: expect.stringMatching(
					/^Social media this morning:\n🔴 Nothing could be checked\. .*expired/,
				),
			},
		]);
	});

	test('weekly-report: a page with a chart of the engagements', async () => {
		const platforms = ['linkedin', 'linkedin', 'linkedin', 'instagram', 'instagram'] as const;
		const done = { status: 'completed', at: Date.now() - 3 * DAY } as const;
		for (const [i, platform] of platforms.entries())
			addPost(scene.service, { id: `post_${i}`, platforms: [platform], ...done });
		const execution = await run(await imported('weekly-report'), 'Every Monday');
		const [report] = itemsOf(execution, 'Draw the chart');
		expect(report.posts).toBe(5);
		expect(report.html.match(/<rect /g)).toHaveLength(2);
		expect(report.totals.map((one: any) => `${one.posts} ${one.platform}`).sort()).toEqual([
			'2 instagram',
			'3 linkedin',
		]);
		expect(binaryOf(execution, 'Make a file')).toMatchObject({ data: { fileName: 'weekly-report.html' } });
	});

	describe('cross-post-a-video', () => {
		/** Fills in both pages of the form; the last page and what was posted. */
		async function submit(textForX: string, isChosen = (label: string) => label !== '', type = 'video/mp4') {
			const id = await imported('cross-post-a-video');
			await scene.n8n.activate(id);
			const { nodes } = example('cross-post-a-video');
			const address = `${scene.n8n.webhookUrl}/form/${nodes.find((one: any) => one.webhookId).webhookId}`;
			/** n8n leaves a request for a page open while the execution runs, so its status comes first. */
			const page = async (path: string, has: string) => {
				const status = new URL(path);
				status.pathname += '/n8n-execution-status';
				const isWaiting = async () => (await (await request(status.href)).text()) === 'form-waiting';
				return await poll(
					`the page with "${has}"`,
					async () => ((await isWaiting()) ? await (await request(path)).text() : ''),
					(html) => html.includes(has),
				);
			};
			const video = new File([Buffer.alloc(200_000, 'video')], 'bread.mp4', { type });
			const next = await answer(address, [video, 'How our bread is made', textForX, '']);
			const { formWaitingUrl } = JSON.parse(next);
			const accounts = await page(formWaitingUrl, 'Where should it go?');
			const labels = [...accounts.matchAll(/<label [^>]*>([^<]*: [^<]*)<\/label>/g)].map(([, label]) =>
				label!.trim(),
			);
			await answer(formWaitingUrl, [JSON.stringify(labels.filter(isChosen))]);
			const result = await page(formWaitingUrl, 'scheduled');
			return { labels, result, posts: itemsOf(await question(id), 'Post everywhere') };
		}

		test('one upload, a post on each account that is chosen, with its text, an hour later', async () => {
			const { labels, result, posts } = await submit('Bread in 30 seconds', (label) => !/Café/.test(label));
			expect(labels).toHaveLength(8);
			expect(labels).toContain('Instagram: Lakeside Café, lakesidecafe');
			expect(posts).toHaveLength(7);
			const stored = posts.map(({ id: post }) => scene.service.store.posts.get(post)!);
			for (const { scheduledAt, text, platforms } of stored) {
				expect(Math.abs(Date.parse(scheduledAt!) - Date.now() - 60 * 60_000)).toBeLessThan(10 * 60_000);
				expect(text).toBe(platforms[0]!.platform === 'x' ? 'Bread in 30 seconds' : 'How our bread is made');
			}
			expect(scene.service.store.media.size).toBe(1);
			expect(new Set(stored.flatMap(({ media }) => media)).size).toBe(1);
			expect(result).toContain('7 posts are scheduled');
			expect(result).toMatch(/linkedin[^\n]*: scheduled for \d{4}-/);
		});

		test('a file that is no video: the last page says so, and nothing was posted', async () => {
			const { result, posts } = await submit('Bread', (label) => /^X/.test(label), 'text/html');
			expect(posts).toMatchObject([{ error: { code: 'NODE_SOURCE_IS_PAGE' } }]);
			expect(result).toContain("'Video' is a web page, not an image or a video");
			expect(scene.service.store.posts.size).toBe(0);
		});

		test('what went out and what did not stands on the last page', async () => {
			const { result, posts } = await submit('Refused [[422]]', (label) => /^(X|LinkedIn)/.test(label));
			expect(posts).toHaveLength(2);
			expect(result).toContain('1 post is scheduled, 1 failed');
			expect(result).toMatch(/linkedin[^\n]*: scheduled for [^]*x: /);
		});
	});

	test('calendar-page: a week and four more by account; gaps and posts close together are marked, and what keeps it from being read', async () => {
		await scene.n8n.activate(await imported('calendar-page'));
		const noon = DateTime.now().startOf('week').plus({ weeks: 1, hours: 12 }).toMillis();
		addPost(scene.service, { id: 'rye', text: '<b>Rye</b> & jam', at: noon });
		addPost(scene.service, { id: 'plum', text: 'Plum', at: noon + 1_800_000 });
		// Published at once: it has no other time than that.
		const at = DateTime.now().startOf('week').toMillis();
		delete scene.service.store.posts.get(addPost(scene.service, { id: 'jam', status: 'completed', at }))!
			.scheduledAt;
		const read = async () => await request(`${scene.n8n.webhookUrl}/webhook/social-calendar-change-me`);
		const page = await (await poll('the page', read, ({ ok }) => ok)).text();
		expect(page).toContain('&#60;b&#62;Rye&#60;/b&#62; &#38; jam');
		expect(page.match(/another post within an hour/g)).toHaveLength(2);
		expect(page).toContain('nothing planned');
		expect(page).toContain('<b>00:00</b> Hello <i>published</i>');
		expect(page.match(/<tr/g)).toHaveLength(7 + 28 + 2);

		scene.service.faults.add({ kind: 'error', code: 'PUBLIC_API_KEY_EXPIRED' });
		const empty = await (await read()).text();
		expect(empty).toMatch(/<p>The posts can&#39;t be read\. The API key has expired/);
		expect(empty).not.toMatch(/No posts|Posts: 0/);
	});

	test('preview-then-approve: nothing is sent before a person agrees, then what was shown', async () => {
		const writes = () => scene.service.requests.filter(({ method }) => method === 'POST');
		const id = await imported('preview-then-approve');
		const finished = scene.n8n.runWorkflow(id);
		const started = await question(id);
		expect(writes()).toEqual([]);
		const shown = itemsOf(started, 'Preview').map(({ platform, text }) => `${platform}: ${text}`);
		expect(shown).toEqual([
			'linkedin: Rye bread, still warm.',
			'x: Rye bread, still warm.',
			'facebook: Plum jam is back.',
		]);
		const [asked] = itemsOf(started, 'Ask a person');
		expect(asked.preview).toMatch(/^linkedin · [^\n]+ \d+:\d+\nRye bread, still warm\.\n\nx · /);
		expect(await (await request(asked.link)).text()).toContain('<h3>linkedin · ');
		await answer(asked.link, ['', 'Send']);
		const sent = itemsOf(await finished, 'Send').map(({ platform, text }) => `${platform}: ${text}`);
		expect(sent).toEqual(shown);
		expect(scheduled()).toHaveLength(3);
	});
});
