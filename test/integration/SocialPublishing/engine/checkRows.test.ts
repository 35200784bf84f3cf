import type { IDataObject } from 'n8n-workflow';

import { runTool } from '../../../support/engine';
import {
	contextOf,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	type Service,
	startService,
} from '../../../support/writes';

let service: Service;
beforeAll(async () => {
	service = await startService({ speed: 0 });
});
beforeEach(() => void service.reset());
afterAll(async () => await service.close());

const create = async (more: IDataObject, rows: IDataObject[] = [{}], node: IDataObject = {}) =>
	await run(service, createPost(more), { items: rows.map(item), node });

describe('all rows are checked before the first request', () => {
	const rows = [{ text: 'One' }, { text: '' }, { text: 'Three' }];
	const byRow = { text: '={{ $json.text }}' };

	test('one bad row sends none, and says which it is', async () => {
		const { error } = await create(byRow, rows);
		expect(error.message).toBe("Row 2 of 3: 'Text' is empty");
		expect(error.context.itemIndex).toBe(1);
		expect(service.requests).toHaveLength(0);
	});

	test.each<[string, IDataObject, RegExp]>([
		[
			'a time',
			{ scheduledAt: '={{ $json.text ? "2126-01-01T10:00" : "soon" }}' },
			/^Row 2 of 3: 'Scheduled At'/,
		],
		[
			'a platform',
			{ platforms: '={{ $json.text ? "x" : "instagramm" }}' },
			/^Row 2 of 3: 'instagramm' is no platform. Did you mean instagram\?$/,
		],
		[
			'a file',
			{ mediaFrom: 'binary', binaryFields: 'data' },
			/^Row 1 of 3: The item has no binary field 'data'/,
		],
		['a web address', { mediaFrom: 'url', mediaUrls: 'no address' }, /not a web address/],
		[
			'a key',
			{ options: { idempotencyKeyMode: 'custom', idempotencyKey: '={{ $json.text }}' } },
			/^Row 2 of 3: 'My Own ID' is empty/,
		],
	])('%s', async (_what, parameters, message) => {
		const { error } = await create(parameters, rows);
		expect(error.message).toMatch(message);
		expect(service.requests).toHaveLength(0);
	});

	test('with Continue On Fail the others are sent', async () => {
		const { json } = await create(byRow, rows, { onError: 'continueRegularOutput' });
		expect(json.map(({ error }: any) => error?.message ?? 'sent')).toEqual([
			'sent',
			"'Text' is empty",
			'sent',
		]);
		expect((json[1]!.error as IDataObject).posts).toEqual([
			expect.objectContaining({ item: 0, platform: 'x' }),
			expect.objectContaining({ item: 2, platform: 'x' }),
		]);
	});

	test('in a retry, a row that was sent may lie in the past by now', async () => {
		const rowsAt = (at: string) => [item({ n: 1 }), item({ n: 2 })].map(({ json }) => item({ ...json, at }));
		const parameters = createPost({ scheduledAt: '={{ $vars.at }}', options: { concurrency: 1 } });
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', skip: 1 });
		const items = rowsAt('');
		const first = await run(service, parameters, { items, variables: { at: '2126-07-01T10:00' } });
		expect(first.error.message).toMatch(
			/^Row 2 of 2 failed: .*1 post was already sent \(X scheduled for 10:00\)$/,
		);
		const contextData = contextOf(first);
		const retry = await run(service, parameters, {
			items,
			contextData,
			variables: { at: '2020-07-01T10:00' },
		});
		// The first is told again; the second was never sent.
		expect(retry.error.message).toMatch(/^Row 2 of 2 failed: 'Scheduled At' is in the past/);
		expect(posts(service)).toHaveLength(1);
	});
});

describe('Most Posts per Execution', () => {
	test('more than that in one run: nothing is sent', async () => {
		const { error } = await create({ options: { mostPosts: 2 } }, [{}, {}, {}]);
		expect(error.message).toMatch(
			/This execution may send 2 posts: 0 were sent already, 3 posts more are asked for/,
		);
		expect(service.requests).toHaveLength(0);
		expect((await create({ options: { mostPosts: 3 } }, [{}, {}, {}])).error).toBeUndefined();
	});

	test('all calls of a tool count together, a repeated one once', async () => {
		const call = (text: string, runIndex: number) => ({
			parameters: createPost({ text, options: { mostPosts: 2 } }),
			runIndex,
		});
		const results = await runTool({
			credential: credentialOf(service),
			calls: [call('One', 0), call('Two', 1), call('Two', 2), call('Three', 3)],
		});
		expect(results.slice(0, 3).every(Array.isArray)).toBe(true);
		expect(results[3].message).toMatch(
			/^This execution may send 2 posts: 2 were sent already, 1 post more is asked for/,
		);
		expect(posts(service)).toHaveLength(2);
	});
});
