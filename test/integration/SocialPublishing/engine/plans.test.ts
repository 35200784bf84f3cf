import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { runTool, type RunOptions } from '../../../support/engine';
import {
	addPost,
	asked,
	contextOf,
	continuesOnFail,
	createPost,
	credentialOf,
	posts,
	runOperation,
	usePosting,
} from '../../../support/service';

const { service, create, refuse } = usePosting({ speed: 0 });
const byRow = { text: '={{ $json.text }}', options: { concurrency: 1 } };
const errorIn = (json: IDataObject | undefined) => json!.error as IDataObject;
const expectNothingSent = () => expect(asked(service(), 'POST')).toEqual([]);

describe('all rows are planned before the first write', () => {
	const rows = [{ text: 'One' }, { text: '' }, { text: 'Three' }];

	test.each([{}, { postTo: 'accounts', accounts: ['acc_main_x', 'acc_main_linkedin'] }])(
		'what is wrong with one of them: %j',
		async (more) => {
			const { error } = await create({ ...byRow, ...more }, rows);
			expect(error.message).toBe("Row 2 of 3: 'Text' is empty. Nothing was sent.");
			// n8n would add "[item 1]" to the message.
			expect(error.context.itemIndex).toBeUndefined();
			expectNothingSent();
		},
	);

	test('with Continue On Fail the others are sent, and the failed item has the first ten of them', async () => {
		const many = [...rows, ...Array.from({ length: 12 }, (_, index) => ({ text: `More ${index}` }))];
		const { json } = await create(byRow, many, continuesOnFail);
		expect(json.filter(({ error }) => error)).toHaveLength(1);
		expect(errorIn(json[1]).message).toBe("'Text' is empty. This row was not sent.");
		const sent = errorIn(json[1]).posts as { count: number; first: IDataObject[] };
		expect([sent.count, sent.first.length]).toEqual([14, 10]);
		expect(sent.first[0]).toMatchObject({ platform: 'x', status: 'scheduled', id: expect.any(String) });
	});

	test.each<[string, Partial<RunOptions>]>([
		['in a later round of a loop', { runIndex: 1 }],
		['in a retry', { mode: 'retry', executionId: '2' }],
	])('%s, too', async (_when, options) => {
		refuse({ skip: 1 });
		const first = await create(byRow, [{ text: 'One' }, { text: 'Two' }]);
		const again = await create(byRow, [{ text: 'One' }, { text: 'Two' }, { text: '' }], {
			contextData: contextOf(first),
			...options,
		});
		const sent = options.runIndex
			? 'Nothing was sent.'
			: 'Nothing more was sent; 1 post was already sent (X, scheduled for ';
		expect(again.error.message).toContain(`Row 3 of 3: 'Text' is empty. ${sent}`);
		expect(again.error.context.data.posts?.count).toBe(options.runIndex ? undefined : 1);
		expect(posts(service())).toHaveLength(1);
	});

	test('an expression that fails in Batch Size fails its row, with Continue On Fail, too', async () => {
		const failing = {
			text: 'Hi',
			options: { concurrency: '={{ $json.size ?? $("Nowhere").first().json.size }}' },
		};
		const given = [{ size: 2 }, {}];
		const { error } = await create(failing, given);
		expect(error.message).toMatch(/^Row 2 of 2: .+ Nothing was sent\.$/);
		expectNothingSent();
		const { json, error: none } = await create(failing, given, continuesOnFail);
		expect(none).toBeUndefined();
		expect(errorIn(json[1]).message).toMatch(/This row was not sent\.$/);
		expect(posts(service())).toHaveLength(1);
	});
});

describe('Preview Only with Continue On Fail', () => {
	test('previews of other rows are no posts that were sent', async () => {
		const { json } = await create(
			{ ...byRow, options: { previewOnly: true } },
			[{ text: 'One' }, {}],
			continuesOnFail,
		);
		expect(json[0]).toMatchObject({ preview: true, text: 'One' });
		expect(errorIn(json[1])).toEqual(expect.not.objectContaining({ posts: expect.anything() }));
		expect(errorIn(json[1]).message).toBe("'Text' is empty. This row was not sent.");
		expectNothingSent();
	});

	test.each([{}, continuesOnFail])(
		'Media: Upload, the second file is empty: no file was sent (%j)',
		async (node) => {
			const file = (data: string): INodeExecutionData => ({
				json: {},
				binary: { data: { data, mimeType: 'image/png', fileName: 'a.png' } },
			});
			const options = { previewOnly: true };
			const more = { items: [file('iVBORw0KGgo='), file('')], ...node };
			const { json, error } = await runOperation(service(), 'media:upload', { options }, more);
			const message = String(error ? error.message : errorIn(json[1]).message);
			expect(message).not.toMatch(/already sent/);
			expect((error ? error.context.data : errorIn(json[1])).posts).toBeUndefined();
			expect(error === undefined).toBe('node' in node);
			expectNothingSent();
		},
	);
});

describe('a list that can not be read is asked for once a run', () => {
	const twenty = Array.from({ length: 20 }, (_, index) => ({ text: `Post ${index}` }));
	const failing = { kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'GET', times: 0 } as const;
	const slots = { ...byRow, when: 'nextSlot', slotTimes: '09:00' };

	test('/accounts: 20 posts go out all the same', async () => {
		service().faults.add({ ...failing, path: '^/accounts' });
		const { error } = await create(byRow, twenty);
		expect(error).toBeUndefined();
		expect(asked(service(), 'GET', /\/accounts/)).toHaveLength(1);
		expect(posts(service())).toHaveLength(20);
	});

	test.each([
		['/accounts', { ...byRow, postTo: 'accounts', accounts: ['acc_main_x'] }, /accounts/],
		['/posts, for slots', slots, /posts/],
	])('%s: no post goes out', async (_list, parameters, path) => {
		service().faults.add({ ...failing, path: path.source });
		const { error } = await create(parameters, twenty);
		expect(error.message).toMatch(/^20 of 20 rows can't be sent: .+ Nothing was sent\.$/);
		expect(asked(service(), 'GET', path)).toHaveLength(1);
		expectNothingSent();
	});

	test('one that hangs is waited for once', async () => {
		service().faults.add({ kind: 'hang', path: '^/accounts', times: 0, ms: 100 });
		const waits = { ...byRow, options: { maxRetryWait: 0 } };
		const { error } = await create(waits, twenty);
		expect(error).toBeUndefined();
		expect(asked(service(), 'GET', /\/accounts/).length).toBeLessThan(5);
		expect(posts(service())).toHaveLength(20);
	});
});

test('fields that are hidden are not validated: an empty Delay Amount while When is Publish Now', async () => {
	const hidden = { delayAmount: '={{ $json.none }}', delayUnit: 'weeks', scheduledAt: 'never' };
	expect((await create({ ...hidden, when: 'now' })).json).toHaveLength(1);
	expect((await create({ ...hidden, when: 'delay' })).error.message).toContain('is not a number');
});

describe('Post: Update', () => {
	const update = async (parameters: IDataObject) =>
		await runOperation(service(), 'post:update', { postId: addPost(service()), ...parameters });

	test.each(['{}', {}])(
		'without a field, Additional Fields at %j: nothing is sent',
		async (additionalFields) => {
			const { error } = await update({ options: { additionalFields } });
			expect(error.message).toBe("'Update Fields' is empty. Nothing was sent.");
			expect(asked(service(), 'PATCH')).toEqual([]);
			expect((await update({ options: { additionalFields: '{"text":"New"}' } })).error).toBeUndefined();
		},
	);

	test('a time a minute ago is sent as one in the future', async () => {
		const minuteAgo = new Date(Date.now() - 60_000).toISOString();
		const { error } = await update({ updateFields: { scheduledAt: minuteAgo } });
		expect(error).toBeUndefined();
		const [{ body, receivedAt }] = asked(service(), 'PATCH');
		expect(Date.parse(body.scheduled_at)).toBeGreaterThan(receivedAt);
	});
});

test('Max Posts per Execution: all calls of a tool count together; not a repeated one, a preview, or one that the service rejected', async () => {
	const call = (text: string, runIndex: number, options: IDataObject = {}) => ({
		parameters: createPost({ text, options: { mostPosts: 2, ...options } }),
		runIndex,
	});
	refuse();
	const results = await runTool({
		credential: credentialOf(service()),
		calls: [
			call('One', 0),
			call('Preview', 1, { previewOnly: true }),
			call('One, corrected', 2),
			call('Two', 3),
			call('Two', 4),
			call('Three', 5),
		],
	});
	expect(results.map((one) => Array.isArray(one))).toEqual([false, true, true, true, true, false]);
	expect(results[5].message).toMatch(
		/^This execution may send 2 posts: 2 were sent already, 1 post more is asked for/,
	);
	expect(posts(service()).map(({ text }) => text)).toEqual(['One, corrected', 'Two']);
});

test('Max Posts per Execution holds for calls that an agent makes at the same time', async () => {
	const contextData = {};
	const call = async (text: string, runIndex: number) =>
		await runTool({
			...{ credential: credentialOf(service()), contextData },
			calls: [{ parameters: createPost({ text, options: { mostPosts: 2 } }), runIndex }],
		});
	const results = (await Promise.all(['One', 'Two', 'Three'].map(call))).flat();
	expect(results.map((one) => Array.isArray(one))).toEqual([true, true, false]);
	expect((await call('Four', 3))[0].message).toMatch(/^This execution may send 2 posts: 2 were sent already/);
	expect(posts(service())).toHaveLength(2);
});

test('a limit of posts that an expression leaves out is refused, and no limit that is silently gone', async () => {
	const { error } = await create({ options: { mostPosts: '={{ $json.missing }}' } });
	expect(error.message).toBe("'Max Posts per Execution' is not a number. Nothing was sent.");
	expectNothingSent();
});
