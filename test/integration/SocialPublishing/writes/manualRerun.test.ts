import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Binaries, inMemory, itemWith } from '../../../support/binaries';
import type { RunOptions, RunResult } from '../../../support/engine';
import {
	asked,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	type Service,
	startService,
} from '../../../support/service';

/** *Execute step* pressed again after a failed try: each press is an execution of its own, which n8n tells nothing of the last. */

describe('pressed again after a failed run', () => {
	let service: Service;
	let presses = 0;
	beforeEach(async () => {
		service = await startService({ speed: 0 });
	});
	afterEach(async () => await service.close());

	const rows = ['One', 'Two', 'Three'].map((text) => ({ text }));
	const press = async (
		more: IDataObject = {},
		{ input = rows, ...options }: { input?: IDataObject[] } & Partial<RunOptions> = {},
	): Promise<RunResult> =>
		await run(service, createPost({ when: 'now', text: '={{ $json.text }}', ...more }), {
			items: input.map(item),
			mode: 'manual',
			executionId: `press-${++presses}`,
			...options,
		});
	const oneAtATime = { options: { concurrency: 1 } };
	/** The third write is refused. */
	const refuse = (times = 1, skip = 2) =>
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip, times });
	const texts = () => posts(service).map(({ text }) => text);
	const told = ({ hints }: RunResult) =>
		hints.map(({ message }) => message).filter((one) => /not sent again/.test(one));

	test('only what is missing is sent, and the node says so, however often it fails; the run after that sends anew', async () => {
		refuse(2);
		const first = await press(oneAtATime);
		expect(first.error.message).toMatch(/^Row 3 of 3 failed: .+ 2 posts were already sent/);
		expect(first.error.description).toMatch(/click 'Execute step' again or retry/);
		await press(oneAtATime);
		expect(texts()).toEqual(['One', 'Two']);
		const third = await press(oneAtATime);
		expect(third.error).toBeUndefined();
		expect(texts()).toEqual(['One', 'Two', 'Three']);
		expect(third.json.map(({ id }) => id)).toEqual(posts(service).map(({ id }) => id));
		expect(told(third)).toEqual([
			expect.stringMatching(
				/^2 requests were not sent again because the previous, failed run had already sent them \(X, scheduled for \d{4}-\d\d-\d\d \d\d:\d\d; X, .*\)\. The next run sends everything again\.$/,
			),
		]);
		const anew = await press(oneAtATime);
		expect([posts(service).length, told(anew)]).toEqual([6, []]);
	});

	test('what was changed in between is sent, and equal rows are each sent once', async () => {
		const equal = [{ text: 'Same' }, { text: 'Same' }, { text: 'Three' }];
		refuse();
		await press(oneAtATime, { input: equal });
		const changed = [{ text: 'Same' }, { text: 'Changed' }, { text: 'Three' }];
		await press(oneAtATime, { input: changed });
		expect(texts()).toEqual(['Same', 'Same', 'Changed', 'Three']);
	});

	test('a connection that broke: the same request with the same key', async () => {
		service.faults.add({ kind: 'dropAfter', method: 'POST', times: 0 });
		const first = await press({ options: { maxRetryWait: 0 } }, { input: [{ text: 'One' }] });
		expect(first.error).toBeDefined();
		service.faults.clear();
		expect((await press({}, { input: [{ text: 'One' }] })).error).toBeUndefined();
		expect(posts(service)).toHaveLength(1);
		const keys = asked(service, 'POST').map(({ headers }) => headers['idempotency-key']);
		expect([keys.length > 1, new Set(keys).size]).toEqual([true, 1]);
	});

	test('a time that counts from now, and files', async () => {
		const items = rows.map(() =>
			itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('0123456789')) }),
		);
		const parameters = {
			...oneAtATime,
			when: 'delay',
			delayAmount: 1,
			mediaFrom: 'binary',
			text: '={{ $itemIndex }}',
		};
		const failing = {
			kind: 'error' as const,
			code: 'PUBLIC_API_SCOPE_FORBIDDEN' as const,
			method: 'POST',
			skip: 1,
		};
		service.faults.add({ ...failing, path: '/posts' } as never);
		const first = await press(parameters, { items });
		expect(first.error.message).toMatch(/^Row 2 of 3 failed/);
		const now = jest
			.spyOn(Date, 'now')
			.mockImplementation(() => performance.timeOrigin + performance.now() + 60_000);
		const again = await press(parameters, { items }).finally(() => now.mockRestore());
		expect(again.error).toBeUndefined();
		expect(texts()).toEqual(['0', '1', '2']);
	});

	test('with Continue On Fail, and after a check that let nothing out', async () => {
		refuse(1, 1);
		const goOn = { node: { onError: 'continueRegularOutput' as const } };
		await press(oneAtATime, goOn);
		expect(texts()).toEqual(['One', 'Three']);
		const wrong = await press(oneAtATime, { input: [...rows, { text: '' }] });
		expect(wrong.error.message).toMatch(
			/^Row 4 of 4: 'Text' is empty\. Nothing more was sent; an earlier try sent 2/,
		);
		await press(oneAtATime, goOn);
		expect(texts()).toEqual(['One', 'Three', 'Two']);
	});

	test('a preview shows it and changes nothing of it', async () => {
		refuse();
		await press(oneAtATime);
		const { json } = await press({ options: { previewOnly: true } });
		expect(json.map(({ warnings }) => (warnings as string[])[0])).toEqual([
			"Already sent: it won't be sent again",
			"Already sent: it won't be sent again",
			expect.stringMatching(/^X has a post within five minutes/),
		]);
		await press(oneAtATime);
		expect(texts()).toEqual(['One', 'Two', 'Three']);
	});

	test('a time that moved: the same text is not posted again, and the hint says for when it is scheduled', async () => {
		const inAnHour = { ...oneAtATime, when: 'at', scheduledAt: "={{ $now.plus(1, 'hour') }}" };
		refuse();
		await press(inAnHour);
		await new Promise((done) => setTimeout(done, 20));
		const again = await press(inAnHour);
		expect(texts()).toEqual(['One', 'Two', 'Three']);
		expect(told(again)[0]).toMatch(/\(X, scheduled for .*; X, scheduled for .*\)/);
	});

	test('a webhook, and an upload whose file has a new place in the store: the same key', async () => {
		const twice = async (
			parameters: IDataObject,
			fail: object,
			items: () => Promise<INodeExecutionData[]>,
		) => {
			service.faults.add({
				kind: 'error',
				code: 'PUBLIC_API_SCOPE_FORBIDDEN',
				method: 'POST',
				...fail,
			} as never);
			for (const executionId of ['first', 'second'])
				await run(service, parameters, {
					items: await items(),
					mode: 'manual',
					executionId: `${executionId}-${++presses}`,
				});
		};
		const webhook = {
			resource: 'webhook',
			operation: 'create',
			url: '={{ $json.url }}',
			events: ['post.failed'],
		};
		const urls = ['a', 'b'].map((name) => item({ url: `https://example.com/${name}` }));
		await twice({ ...webhook, ...oneAtATime }, { skip: 1 }, async () => urls);
		expect(service.store.webhooks.size).toBe(2);

		const binaries = new Binaries();
		await binaries.use();
		const files = async () =>
			await Promise.all(
				['one', 'two'].map(async (name) =>
					itemWith({ data: await binaries.file(`${name}.png`, 'image/png', Buffer.from(name)) }, { name }),
				),
			);
		const withFile = createPost({
			text: '={{ $json.name }}',
			mediaFrom: 'binary',
			binaryFields: 'data',
			...oneAtATime,
		});
		await twice(withFile, { path: '^/posts$', skip: 1 }, files);
		const keys = asked(service, 'POST', /upload-url/).map(({ headers }) => headers['idempotency-key']);
		expect([texts(), keys.length, new Set(keys).size]).toEqual([['one', 'two'], 4, 2]);
		await binaries.use('default');
		await binaries.remove();
	});

	test('another API key in the credential: everything is sent, since the first account is another one', async () => {
		refuse();
		await press(oneAtATime);
		const credential = { ...credentialOf(service), apiKey: service.keys.highest };
		await press(oneAtATime, { credential });
		expect(texts()).toEqual(['One', 'Two', 'One', 'Two', 'Three']);
	});

	test('a post whose publication failed for good is sent anew', async () => {
		await service.close();
		service = await startService();
		const waiting = { options: { waitForPublication: true, waitTimeout: 20 } };
		for (const sent of [1, 2]) {
			const { error } = await press(waiting, { input: [{ text: '[[fail]]' }] });
			expect(error.message).toMatch(/publishing it failed/);
			expect(posts(service)).toHaveLength(sent);
		}
	});

	test('a row that is only previewed changes nothing of what is remembered', async () => {
		const preview = { options: { concurrency: 1, previewOnly: '={{ $json.text === "One" }}' } };
		refuse(1, 1);
		await press(preview);
		expect(texts()).toEqual(['Two']);
		await press(preview);
		expect(texts()).toEqual(['Two', 'Three']);
	});
});
