import type { IDataObject } from 'n8n-workflow';

import { runTool, type RunOptions } from '../../../support/engine';
import {
	asked,
	contextOf,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	useService,
} from '../../../support/service';

const service = useService({ speed: 0 });

const create = async (more: IDataObject, rows: IDataObject[] = [{}], options: Partial<RunOptions> = {}) =>
	await run(service(), createPost(more), { items: rows.map(item), ...options });
const refuse = (skip = 0) =>
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip });
const byRow = { text: '={{ $json.text }}', options: { concurrency: 1 } };

describe('all rows are checked before the first request', () => {
	const rows = [{ text: 'One' }, { text: '' }, { text: 'Three' }];

	test.each<[string, IDataObject, RegExp]>([
		['a text', byRow, /^Row 2 of 3: 'Text' is empty\. Nothing was sent\.$/],
		[
			'a time',
			{ scheduledAt: '={{ $json.text ? "2126-01-01T10:00" : "soon" }}' },
			/^Row 2 of 3: 'Scheduled At'/,
		],
		[
			'a platform',
			{ platforms: '={{ $json.text ? "x" : "instagramm" }}' },
			/^Row 2 of 3: 'instagramm' isn't a platform\. Did you mean instagram\? Nothing was sent\.$/,
		],
		[
			'a file',
			{ mediaFrom: 'binary', binaryFields: 'data' },
			/^3 of 3 rows can't be sent: The item has no binary field 'data'\. Nothing was sent\.$/,
		],
		[
			'a key',
			{ options: { idempotencyKeyMode: 'custom', idempotencyKey: '={{ $json.text }}' } },
			/^Row 2 of 3: 'My Own ID' is empty/,
		],
	])('%s', async (_what, parameters, message) => {
		const { error } = await create(parameters, rows);
		expect(error.message).toMatch(message);
		expect(service().requests).toHaveLength(0);
	});

	test('what is wrong with each row, up to ten', async () => {
		const bad = [{ text: 'Fine' }, ...Array(12).fill({ text: '' }), { text: 'Late' }];
		const { error } = await create(
			{ ...byRow, scheduledAt: '={{ $json.text === "Late" ? "2020-01-01" : "2126-01-01" }}' },
			bad,
		);
		expect(error.message).toBe("13 of 14 rows can't be sent. Nothing was sent.");
		expect(error.description).toMatch(/^Row 2: 'Text' is empty\. Row 3: .* Row 11: .* And 3 more rows\./);
		// n8n would add "[item 1]" to the message.
		expect(error.context.itemIndex).toBeUndefined();
		expect(error.context.data.failures).toHaveLength(10);
	});

	test('then what one read of the accounts tells', async () => {
		const one = await create(
			{ ...byRow, platforms: '={{ $json.text ? "x" : "instagram" }}', text: 'Hello' },
			rows,
		);
		expect(one.error.message).toMatch(
			/^Row 2 of 3: 2 Instagram accounts are connected: .* Nothing was sent\.$/,
		);
		service().store.accounts.delete(
			[...service().store.accounts.values()].find((a: any) => a.platform === 'x')!.id,
		);
		const other = await create({ ...byRow, platforms: ['linkedin', 'x'] }, [{ text: 'One' }]);
		expect(other.error.message).toBe('X is not connected to this workspace. Nothing was sent.');
		expect(posts(service())).toHaveLength(0);
		expect(asked(service(), 'GET', /accounts/)).toHaveLength(2);
	});

	test('with Continue On Fail the others are sent, and the failed item has the first ten of them', async () => {
		const many = [...rows, ...Array.from({ length: 12 }, (_, index) => ({ text: `More ${index}` }))];
		const { json } = await create(byRow, many, { node: { onError: 'continueRegularOutput' } });
		expect(json.filter(({ error }) => error)).toHaveLength(1);
		expect((json[1]!.error as IDataObject).message).toBe("'Text' is empty");
		const sent = (json[1]!.error as IDataObject).posts as { count: number; first: IDataObject[] };
		expect([sent.count, sent.first.length]).toEqual([14, 10]);
		expect(sent.first[0]).toMatchObject({ platform: 'x', status: 'scheduled', id: expect.any(String) });
	});

	test.each<[string, Partial<RunOptions>]>([
		['in a later round of a loop', { runIndex: 1 }],
		['in a retry', { mode: 'retry', executionId: '2' }],
	])('%s, too', async (_when, options) => {
		refuse(1);
		const first = await create(byRow, [{ text: 'One' }, { text: 'Two' }]);
		const again = await create(byRow, [{ text: 'One' }, { text: 'Two' }, { text: '' }], {
			contextData: contextOf(first),
			...options,
		});
		const sent = options.runIndex
			? 'Nothing was sent.'
			: 'Nothing more was sent; an earlier try sent 1 (X, scheduled for ';
		expect(again.error.message).toContain(`Row 3 of 3: 'Text' is empty. ${sent}`);
		expect(again.error.context.data.posts?.count).toBe(options.runIndex ? undefined : 1);
		expect(posts(service())).toHaveLength(1);
	});

	test('on a press after a failed run', async () => {
		const press = async (rowsNow: IDataObject[], executionId: string) =>
			await create(byRow, rowsNow, { mode: 'manual', executionId });
		refuse(1);
		await press([{ text: 'One' }, { text: 'Two' }], 'press-1');
		const again = await press([{ text: 'One' }, { text: 'Two' }, { text: '' }], 'press-2');
		expect(again.error.message).toMatch(
			/^Row 3 of 3: 'Text' is empty\. Nothing more was sent; an earlier try sent 1/,
		);
		expect(posts(service())).toHaveLength(1);
		await press([{ text: 'One' }, { text: 'Two' }], 'press-3');
		expect(posts(service()).map(({ text }) => text)).toEqual(['One', 'Two']);
	});

	test('in an Update: a time that has passed in one row', async () => {
		const made = await create({ scheduledAt: '2126-01-01T10:00' }, [{}, {}]);
		const items = made.json.map(({ id }, index) => ({
			id,
			at: ['2126-02-01T10:00', '2020-02-01T10:00'][index],
		}));
		const { error } = await run(
			service(),
			{
				resource: 'post',
				operation: 'update',
				postId: '={{ $json.id }}',
				updateFields: { scheduledAt: '={{ $json.at }}' },
			},
			{ items: items.map(item) },
		);
		expect(error.message).toMatch(/^Row 2 of 2: 'Scheduled At' is in the past.* Nothing was sent\.$/);
		expect(asked(service(), 'PATCH')).toHaveLength(0);
	});

	test('in a retry, a row that was sent may lie in the past by now; one that was not may not', async () => {
		const parameters = createPost({ scheduledAt: '={{ $vars.at }}', options: { concurrency: 1 } });
		refuse(1);
		const items = [item({ n: 1 }), item({ n: 2 })];
		const first = await run(service(), parameters, { items, variables: { at: '2126-07-01T10:00' } });
		expect(first.error.message).toMatch(
			/^Row 2 of 2 failed: .*1 post was already sent \(X, scheduled for 2126-07-01 10:00\)$/,
		);
		const retry = await run(service(), parameters, {
			items,
			contextData: contextOf(first),
			variables: { at: '2020-07-01T10:00' },
		});
		expect(retry.error.message).toMatch(/^Row 2 of 2: 'Scheduled At' is in the past/);
		expect(posts(service())).toHaveLength(1);
	});
});

describe('Max Posts per Execution', () => {
	test('more than that in one run: nothing is sent', async () => {
		const { error } = await create({ options: { mostPosts: 2 } }, [{}, {}, {}]);
		expect(error.message).toMatch(
			/This execution may send 2 posts: 0 were sent already, 3 posts more are asked for\. Nothing was sent\.$/,
		);
		expect(service().requests).toHaveLength(0);
		expect((await create({ options: { mostPosts: 3 } }, [{}, {}, {}])).error).toBeUndefined();
	});

	test('all calls of a tool count together; not a repeated one, a preview, or one that the service rejected', async () => {
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
});
