import type { IDataObject } from 'n8n-workflow';

import { newEvent, through, anewForEachTest, n8n, service, ok } from './fakes';

/** Which events an execution hands on, and with what. */

anewForEachTest();

let executions = 0;
const execute = async (items: IDataObject[], { mode = 'webhook', executionId = `e${++executions}` } = {}) =>
	await through(n8n.execute(items, { mode, executionId }));

describe('an event', () => {
	it.each(['webhook', 'trigger'])(
		'is handed on by one execution (%s), again by the same one',
		async (mode) => {
			const event = newEvent();
			for (const [executionId, expected] of [
				['one', [event]],
				['two', []],
				['one', [event]],
			] as const) {
				expect(await execute([event], { mode, executionId })).toEqual(expected);
				n8n.forget();
			}
		},
	);

	it('passes in a test run without asking', async () => {
		const event = newEvent();
		await execute([event]);
		const before = [...n8n.processed];
		expect(await execute([event], { mode: 'manual' })).toEqual([event]);
		expect(n8n.processed).toEqual(before);
	});

	it.each([false, true])('passes in a retry (another had it: %s), and never after that', async (isKnown) => {
		const event = newEvent();
		await n8n.publish();
		if (isKnown) await execute([event]);
		expect(await execute([event], { mode: 'retry' })).toEqual([event]);
		expect((await n8n.deliver(event)).body).toEqual({ status: 'duplicate' });
		n8n.forget();
		expect(await execute([event], { mode: 'trigger' })).toEqual([]);
	});

	// An execution that catches up was asked for by nobody who waits for an answer.
	it.each([
		['webhook', 10_000],
		['trigger', 10],
	])(
		'whose answer is on its way: mode %s waits for that at most %d ms, then asks n8n',
		async (mode, most) => {
			await n8n.publish();
			let finish!: (status: number) => void;
			n8n.answerWith = async () => await new Promise((resolve) => (finish = resolve));
			const [event, other] = [newEvent(), newEvent()];
			void n8n.deliver(event);
			await jest.advanceTimersByTimeAsync(0);
			const start = Date.now();
			expect(await execute([event], { mode })).toEqual([event]);
			expect(Date.now() - start).toBeLessThanOrEqual(most);
			const before = n8n.processed.length;
			const delivery = n8n.deliver(other);
			await jest.advanceTimersByTimeAsync(0);
			const execution = n8n.execute([other], { mode, executionId: '1' });
			await jest.advanceTimersByTimeAsync(9_000);
			expect(n8n.processed.length > before).toBe(mode === 'trigger');
			finish(200);
			await delivery;
			expect(await through(execution)).toEqual([other]);
			expect(n8n.processed.length).toBeGreaterThan(before);
		},
	);

	it('is handed on rather twice than never where the database does not answer; that is logged', async () => {
		const event = newEvent();
		await execute([event]);
		n8n.addProcessed = async () => await Promise.reject(new Error('the database is away'));
		expect(await execute([event])).toEqual([event]);
		const message = "Trigger: n8n's database could not say whether an event is new";
		expect(n8n.logged).toMatchObject([{ message, meta: { reason: 'the database is away' } }]);
	});

	it.each([
		[{ rememberEvents: 3 }, 12],
		[{ rememberEvents: 3, catchUpFromPosts: true }, 24],
	])('is remembered for as many events as the user says (%j)', async (options, values) => {
		n8n.parameters.options = options;
		for (let i = 0; i < 10; i++) await execute([newEvent()]);
		expect(n8n.processed).toHaveLength(values);
	});

	it('with no ID (of something else) passes; items name the one that they come from', async () => {
		const event = newEvent();
		// The same execution gives it to whoever asks again.
		const items = [{ any: 'thing' }, event, { id: 7 }, event];
		const out = await through(n8n.run(items));
		expect(out).toEqual(items.map((json, item) => ({ json, pairedItem: { item } })));
	});
});

describe('the end of a post', () => {
	const published = { type: 'post.published', data: { post_id: 'p_1' } };

	it('counts once, as the event and as made from the post, where posts are looked at', async () => {
		n8n.parameters.options = { catchUpFromPosts: true };
		await n8n.publish();
		await n8n.deliver(newEvent(published));
		expect(await execute([{ ...published, id: 'post.published:p_1' }], { mode: 'trigger' })).toEqual([]);
		const later = newEvent({ ...published, type: 'post.failed' });
		const madeOfLater = { ...later, id: 'post.failed:p_1' };
		expect(await execute([madeOfLater], { mode: 'trigger' })).toEqual([madeOfLater]);
		expect(await execute([later])).toEqual([]);
		// Without copies, each event of a post is an event.
		expect(await execute([newEvent({ ...published, type: 'post.created' })])).toHaveLength(1);
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

	it('of an approval; of a whole batch, which is about no post alone, nothing is fetched', async () => {
		const batch = { batch_id: 'b', status: 'approved', post_ids: ['p 0'] };
		const type = 'approval.item_approved';
		const event = newEvent({ type, data: { ...batch, item_id: 'i', post_id: 'p 0' } });
		expect(await execute([event])).toStrictEqual([{ ...event, post: service.posts[0] }]);
		const whole = newEvent({ type: 'approval.batch_approved', data: batch });
		expect(await execute([whole])).toStrictEqual([{ ...whole, post: null }]);
	});

	it('that an event has itself stays where none can be fetched', async () => {
		const post = { id: 'p_gone', title: 'Mine' };
		const gone = { code: 'PUBLIC_API_POST_NOT_FOUND' };
		expect(await execute([about('p_gone', { post })])).toMatchObject([{ post, post_error: gone }]);
		expect(await execute([about('p 0', { post })])).toMatchObject([{ post: service.posts[0] }]);
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
		const out = await execute(events);
		expect(out).toStrictEqual(events.map((event, i) => ({ ...event, post: service.posts[i] })));
		expect(most).toBe(5);
		expect(service.sent[0]).toMatchObject({ method: 'GET', path: '/posts/p%200', workspace: 'ws_1' });
	});

	it('not where it is switched off, and not of copies', async () => {
		service.fault = () => () => ok({ id: '7', status: 'completed' });
		const event = about('7');
		expect(await execute([event])).toMatchObject([{ post: { id: '7' } }]);
		await execute([event]);
		for (const includePost of [false, 'false']) {
			n8n.parameters.includePost = includePost;
			expect((await execute([about('p 1')]))[0]).not.toHaveProperty('post');
		}
		expect(service.asked()).toEqual(['GET /posts/7']);
	});

	it('in the workspace of the event, or else of the node, or else of the credential', async () => {
		n8n.parameters.options = { workspaceId: 'ws_node' };
		await execute([about('p 1'), about('p 2', { workspace_id: null })]);
		n8n.parameters.options = {};
		await execute([about('p 3', { workspace_id: 7 })]);
		expect(service.sent.map(({ workspace }) => workspace)).toEqual(['ws_1', 'ws_node', undefined]);
	});

	it.each(['..', '%2e%2e', ' '])('of an event about the post %j: none is asked for', async (post_id) => {
		const post_error = { code: 'NODE_ID', message: expect.stringContaining("'Post'") };
		expect(await execute([about(post_id)])).toMatchObject([{ post: null, post_error }]);
		expect(service.sent).toEqual([]);
	});

	it.each([[undefined], [null], [{ post_id: '' }], [{ post_id: {} }]])(
		'of an event about %j: none',
		async (data) => {
			const event = newEvent({ data });
			expect(await execute([event])).toEqual([{ ...event, post: null }]);
			expect(service.sent).toEqual([]);
		},
	);

	const minutes = async (work: Promise<unknown>) => {
		const start = Date.now();
		await work;
		return (Date.now() - start) / 60_000;
	};

	it('for each of many events, also where they are more than the reads of a minute: of one execution', async () => {
		service.posts = Array.from({ length: 300 }, (_, i) => ({ id: `p_${i}`, status: 'completed' }));
		service.limit(60);
		expect(await minutes(execute(service.posts.map(({ id }) => about(id))))).toBeLessThanOrEqual(6);
		expect(n8n.behind.map(({ post }) => post)).toEqual(service.posts);
		// At most the five that were under way are refused in each minute.
		expect(service.sent.length).toBeLessThanOrEqual(300 + 5 * 5);
	});

	it('and of many executions', async () => {
		service.limit(60);
		const all = Promise.all(Array.from({ length: 100 }, async () => await n8n.execute([about('p 0')])));
		expect(await minutes(through(all))).toBeLessThanOrEqual(1.25);
		expect(n8n.behind.filter(({ post }) => post)).toHaveLength(100);
	});

	it('for at most a quarter of an hour in all', async () => {
		service.fail('a rate limit');
		const events = Array.from({ length: 100 }, () => about('p 0'));
		const took = await minutes(execute(events));
		expect(took).toBeGreaterThan(14);
		expect(took).toBeLessThanOrEqual(15.1);
		expect(n8n.behind).toMatchObject(events.map((event) => ({ ...event, post_error: { status: 429 } })));
	});

	it('that cannot be fetched: the event all the same, and why', async () => {
		const why = async (post_id: string) => {
			const event = about(post_id);
			const [item] = await execute([event]);
			expect(item).toMatchObject({ ...event, post: null });
			return item!.post_error;
		};
		const gone = { code: 'PUBLIC_API_POST_NOT_FOUND', status: 404, message: expect.any(String) };
		expect(await why('p_gone')).toMatchObject(gone);
		service.fail('a rate limit');
		const start = Date.now();
		expect(await why('p 1')).toMatchObject({ status: 429 });
		const seconds = (Date.now() - start) / 1000;
		expect(seconds).toBeGreaterThan(60);
		expect(seconds).toBeLessThanOrEqual(75);
		const message = 'the encryption key is another one';
		n8n.credentialFailure = new Error(message);
		expect(await why('p 1')).toMatchObject({ code: 'NODE_UNEXPECTED', message });
	});
});
