import type { IDataObject } from 'n8n-workflow';

import { inMemory, itemWith } from '../../../support/binaries';
import type { RunOptions, RunResult } from '../../../support/engine';
import { asked, createPost, item, posts, run, type Service, startService } from '../../../support/writes';

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
		expect(first.error.description).toMatch(/press 'Execute step' again, or retry/);
		await press(oneAtATime);
		expect(texts()).toEqual(['One', 'Two']);
		const third = await press(oneAtATime);
		expect(third.error).toBeUndefined();
		expect(texts()).toEqual(['One', 'Two', 'Three']);
		expect(third.json.map(({ id }) => id)).toEqual(posts(service).map(({ id }) => id));
		expect(told(third)).toEqual([
			'2 requests were not sent again: the run before, which failed, had sent the same. Now that nothing failed, the next run sends everything anew.',
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
		expect(wrong.error.message).toBe("Row 4 of 4: 'Text' is empty");
		await press(oneAtATime, goOn);
		expect(texts()).toEqual(['One', 'Three', 'Two']);
	});

	test('a preview shows it and changes nothing of it', async () => {
		refuse();
		await press(oneAtATime);
		const { json } = await press({ options: { previewOnly: true } });
		expect(json.map(({ warnings }) => (warnings as string[])[0])).toEqual([
			'It was sent already: it is not sent again',
			'It was sent already: it is not sent again',
			expect.stringMatching(/^X has a post within five minutes/),
		]);
		await press(oneAtATime);
		expect(texts()).toEqual(['One', 'Two', 'Three']);
	});
});
