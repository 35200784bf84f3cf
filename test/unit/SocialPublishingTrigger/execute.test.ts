import type { IDataObject } from 'n8n-workflow';

import { newEvent, through, anewForEachTest, n8n, service, ok } from './fakes';

/** Which events an execution hands on, and with what. */

anewForEachTest();

let executions = 0;
const execute = async (items: IDataObject[], { mode = 'webhook', executionId = `e${++executions}` } = {}) =>
	await through(n8n.execute(items, { mode, executionId }));

describe('an event', () => {
	it.each(['webhook', 'trigger'])(
		'is handed on by one execution (%s), and again by the same one, in whatever process',
		async (mode) => {
			const event = newEvent();
			expect(await execute([event], { mode, executionId: 'one' })).toEqual([event]);
			n8n.forget();
			expect(await execute([event], { mode, executionId: 'two' })).toEqual([]);
			n8n.forget();
			expect(await execute([event], { mode, executionId: 'one' })).toEqual([event]);
		},
	);

	it.each(['manual', 'retry'])('passes in mode %s without asking', async (mode) => {
		const event = newEvent();
		await execute([event]);
		const before = [...n8n.processed];
		expect(await execute([event], { mode })).toEqual([event]);
		expect(n8n.processed).toEqual(before);
	});

	it('is a copy to the webhook of a process that has caught it up', async () => {
		await n8n.publish();
		const event = newEvent();
		await execute([event], { mode: 'trigger' });
		expect((await n8n.deliver(event)).body).toEqual({ status: 'duplicate' });
	});

	describe('that this process is accepting', () => {
		let finish: (status: number) => void;
		/** A delivery whose answer is on its way while n8n runs the execution. */
		const deliver = async () => {
			n8n.answerWith = async () => await new Promise((resolve) => (finish = resolve));
			const event = newEvent();
			const delivery = n8n.deliver(event);
			await jest.advanceTimersByTimeAsync(0);
			return { event, delivery };
		};
		beforeEach(async () => await n8n.publish());

		it('waits for the answer: n8n is asked after that', async () => {
			const { event, delivery } = await deliver();
			const execution = n8n.execute([event], { executionId: '1' });
			await jest.advanceTimersByTimeAsync(9_000);
			expect(n8n.processed).toEqual([]);
			finish(200);
			await delivery;
			expect(await through(execution)).toEqual([event]);
			expect(n8n.processed).not.toEqual([]);
		});

		// An execution that catches up was asked for by nobody who waits for an answer.
		it.each([
			['webhook', 10_000],
			['trigger', 10],
		])('is not waited for any longer by an execution of mode %s than %d ms', async (mode, most) => {
			const { event } = await deliver();
			const start = Date.now();
			expect(await execute([event], { mode })).toEqual([event]);
			expect(Date.now() - start).toBeLessThanOrEqual(most);
		});
	});

	it('is handed on rather twice than never where the database does not answer; that is logged', async () => {
		const event = newEvent();
		await execute([event]);
		n8n.addProcessed = async () => await Promise.reject(new Error('the database is away'));
		expect(await execute([event])).toEqual([event]);
		const message = "Trigger: n8n's database could not say whether an event is new";
		expect(n8n.logged).toMatchObject([{ message, meta: { reason: 'the database is away' } }]);
	});

	it('is remembered for as many events as the user says', async () => {
		n8n.parameters.options = { rememberEvents: 3 };
		for (let i = 0; i < 10; i++) await execute([newEvent()]);
		expect(n8n.processed).toHaveLength(12);
		n8n.parameters.options = { rememberEvents: 3, catchUpFromPosts: true };
		for (let i = 0; i < 10; i++) await execute([newEvent()]);
		expect(n8n.processed).toHaveLength(24);
	});

	it('with no ID (of something else) passes; items name the one that they come from', async () => {
		const event = newEvent();
		const copies = [{ any: 'thing' }, event, { id: 7 }, event];
		const out = await through(n8n.run(copies));
		expect(out).toEqual([
			{ json: { any: 'thing' }, pairedItem: { item: 0 } },
			{ json: event, pairedItem: { item: 1 } },
			{ json: { id: 7 }, pairedItem: { item: 2 } },
			// The same execution gives it to whoever asks again.
			{ json: event, pairedItem: { item: 3 } },
		]);
	});
});

describe('the end of a post', () => {
	const published = { type: 'post.published', data: { post_id: 'p_1' } };

	it('counts once, as the event and as made from the post, where posts are looked at', async () => {
		n8n.parameters.options = { catchUpFromPosts: true };
		await n8n.publish();
		const event = newEvent(published);
		const made = { ...published, id: 'post.published:p_1' };
		await n8n.deliver(event);
		expect(await execute([made], { mode: 'trigger' })).toEqual([]);
		const later = newEvent({ ...published, type: 'post.failed' });
		const madeOfLater = { ...later, id: 'post.failed:p_1' };
		expect(await execute([madeOfLater], { mode: 'trigger' })).toEqual([madeOfLater]);
		expect(await execute([later])).toEqual([]);
		// Without copies, each event of a post is an event.
		expect(await execute([newEvent({ type: 'post.created', data: { post_id: 'p_1' } })])).toHaveLength(1);
		expect(n8n.behind).toHaveLength(3);
	});

	it('is an event like any other where they are not', async () => {
		for (let i = 0; i < 2; i++) expect(await execute([newEvent(published)])).toHaveLength(1);
		expect(n8n.processed.join()).not.toContain('post.published:p_1');
	});
});

describe('with the post', () => {
	beforeEach(() => {
		delete n8n.parameters.includePost;
		service.posts = Array.from({ length: 12 }, (_, i) => ({ id: `p ${i}`, status: 'completed' }));
	});

	const about = (post_id: unknown, more: IDataObject = {}) =>
		newEvent({ data: { post_id } as IDataObject, ...more });

	it('its platform, text and link stand at the top level, unless the event has fields of these names', async () => {
		const url = 'https://x.com/1';
		service.posts = [{ id: 'p 0', platforms: ['x', 'linkedin'], content: { text: 'Hi' }, permalink: url }];
		const [item] = await execute([about('p 0', { text: 'of the event' })]);
		expect(item).toMatchObject({ platform: 'x, linkedin', text: 'of the event', link: url });
	});

	it('beside the event, by default, in the order of events, five at the same time', async () => {
		let atOnce = 0;
		let most = 0;
		service.before = async () => {
			most = Math.max(most, ++atOnce);
			await new Promise((resolve) => setTimeout(resolve, 10));
			atOnce--;
		};
		const events = service.posts.map(({ id }) => about(id));
		expect(await execute(events)).toEqual(events.map((event, i) => ({ ...event, post: service.posts[i] })));
		expect(most).toBe(5);
		expect(service.sent[0]).toMatchObject({ method: 'GET', path: '/posts/p%200', workspace: 'ws_1' });
	});

	it('where IDs are numbers, too', async () => {
		service.fault = () => () => ok({ id: 7, status: 'completed' });
		expect(await execute([newEvent({ data: { post_id: 7 } })])).toMatchObject([{ post: { id: 7 } }]);
		expect(service.asked()).toEqual(['GET /posts/7']);
	});

	it('not where it is switched off, and not of copies', async () => {
		const event = about('p 1');
		await execute([event]);
		await execute([event]);
		expect(service.sent).toHaveLength(1);
		for (const includePost of [false, 'false']) {
			n8n.parameters.includePost = includePost;
			expect((await execute([about('p 1')]))[0]).not.toHaveProperty('post');
		}
		expect(service.sent).toHaveLength(1);
	});

	it('in the workspace of the event, or else of the node, or else of the credential', async () => {
		n8n.parameters.options = { workspaceId: 'ws_node' };
		await execute([about('p 1'), about('p 2', { workspace_id: null })]);
		n8n.parameters.options = {};
		await execute([about('p 3', { workspace_id: 7 })]);
		expect(service.sent.map(({ workspace }) => workspace)).toEqual(['ws_1', 'ws_node', undefined]);
	});

	it('that is another one than the event is about is not passed on', async () => {
		service.fault = () => () => ok({ id: 'p 2', status: 'completed' });
		expect(await execute([about('p 1')])).toMatchObject([
			{ post: null, post_error: { code: 'NODE_OTHER_POST', message: expect.stringContaining('p 2') } },
		]);
	});

	it.each(['..', '%2e%2e', ' '])(
		'of an event about the post %j: none, and nothing else is asked for',
		async (post_id) => {
			const [one] = await execute([about(post_id)]);
			expect(one).toMatchObject({
				post: null,
				post_error: { code: 'NODE_ID', message: expect.stringContaining("'Post'") },
			});
			expect(service.sent).toEqual([]);
		},
	);

	it.each([[undefined], [null], [{}], [{ post_id: '' }], [{ post_id: {} }]])(
		'of an event about %j: none',
		async (data) => {
			expect(await execute([newEvent({ data })])).toMatchObject([{ post: null }]);
			expect(n8n.behind[0]).not.toHaveProperty('post_error');
			expect(service.sent).toEqual([]);
		},
	);

	it('that cannot be fetched: the event all the same, and why', async () => {
		const [gone] = await execute([about('p_gone')]);
		expect(gone).toMatchObject({
			type: 'post.published',
			post: null,
			post_error: { code: 'PUBLIC_API_POST_NOT_FOUND', status: 404, message: expect.any(String) },
		});
		service.fail('a rate limit');
		const start = Date.now();
		expect(await execute([about('p 1')])).toMatchObject([{ post: null, post_error: { status: 429 } }]);
		const seconds = (Date.now() - start) / 1000;
		expect(seconds).toBeGreaterThan(5);
		expect(seconds).toBeLessThanOrEqual(11);
		n8n.credentialFailure = new Error('the encryption key is another one');
		expect(await execute([about('p 1')])).toMatchObject([
			{ post: null, post_error: { code: 'NODE_UNEXPECTED', message: 'the encryption key is another one' } },
		]);
	});
});
