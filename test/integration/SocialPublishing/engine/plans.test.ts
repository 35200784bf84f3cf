import type { IDataObject } from 'n8n-workflow';

import { runTool, type RunOptions } from '../../../support/engine';
import { contextOf, createPost, credentialOf, item, posts, run, useService } from '../../../support/service';

const service = useService({ speed: 0 });

const create = async (more: IDataObject, rows: IDataObject[] = [{}], options: Partial<RunOptions> = {}) =>
	await run(service(), createPost(more), { items: rows.map(item), ...options });
const refuse = (skip = 0) =>
	service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip });
const byRow = { text: '={{ $json.text }}', options: { concurrency: 1 } };

describe('all rows are checked before the first request', () => {
	const rows = [{ text: 'One' }, { text: '' }, { text: 'Three' }];

	test('what is wrong with one of them', async () => {
		const { error } = await create(byRow, rows);
		expect(error.message).toBe("Row 2 of 3: 'Text' is empty. Nothing was sent.");
		// n8n would add "[item 1]" to the message.
		expect(error.context.itemIndex).toBeUndefined();
		expect(service().requests).toHaveLength(0);
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
