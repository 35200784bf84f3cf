import { webhooks } from '../../../nodes/SocialPublishing/lookups';
import {
	locator,
	locatorValue,
	lookUp,
	searchIn,
	searchWorkspaces,
	workspaceId,
} from '../../../nodes/shared/locator';
import { editor, type Asked } from '../SocialPublishing/lookups/fakes';

describe('the field of a record', () => {
	const given = {
		...{ label: 'Post', name: 'postId', description: 'The post', searchListMethod: 'searchPosts' },
		exampleId: 'post_1',
	} as const;

	test('has a list with search, or an ID', () =>
		expect(locator(given)).toMatchObject({
			...{ displayName: 'Post', name: 'postId', type: 'resourceLocator', required: true },
			modes: [
				{ name: 'list', typeOptions: { searchListMethod: 'searchPosts', searchable: true } },
				{ name: 'id', placeholder: 'e.g. post_1' },
			],
		}));

	test('is not required as an entry of a collection', () =>
		expect(workspaceId).toMatchObject({ type: 'resourceLocator', required: false }));

	test.each([
		[' post_1 ', 'post_1'],
		[{ mode: 'id', value: ' post_1 ' }, 'post_1'],
		[{ mode: 'list', value: null }, ''],
		[{ mode: 'id' }, '{"mode":"id"}'],
		[42, '42'],
		[null, ''],
	])('holds an ID (%#)', (raw, id) => expect(locatorValue(raw)).toBe(id));
});

test('the workspaces of the key are listed by name or else by ID, whatever workspace the credential names', async () => {
	const list = [{ id: 'ws_1', name: 'Bakery' }, { id: 3 }];
	const { context, asked } = editor(() => ({ workspaces: list }));
	expect((await searchWorkspaces.call(context)).results).toEqual([
		{ name: 'Bakery', value: 'ws_1' },
		{ name: '3', value: '3' },
	]);
	expect(asked).toMatchObject([{ path: '/workspaces', workspace: '' }]);
});

const known = [
	{ id: 'ws_1', name: 'Bakery' },
	{ id: 'ws_2', name: 'Hill Street Books' },
];
/** A service that has these workspaces, and answers with the one that it is asked in. */
const service = ({ path, workspace }: Asked) => {
	if (path === '/workspaces') return { workspaces: known };
	return [{ id: workspace }];
};
test.each<[unknown, string]>([
	[undefined, 'ws_0'],
	[{ mode: 'list', value: '' }, 'ws_0'],
	['ws_2', 'ws_2'],
	[{ mode: 'id', value: 'ws_2' }, 'ws_2'],
])('with %j chosen, the workspace %s is asked', async (chosen, workspace) => {
	const { context, asked } = editor(service, chosen);
	const { records } = await lookUp(context, async (ask) => await ask({ ...webhooks, qs: { a: 1 } }));
	expect(records).toEqual([{ id: workspace }]);
	expect(asked).toEqual([{ path: '/webhooks', qs: { a: 1 }, workspace }]);
});

test('a record without an ID is no option, one without a name is called by its ID', async () => {
	const list = [{ name: 'A' }, { id: null }, { id: '' }, { id: {} }, { id: 7 }, { id: 'wh', url: ' ' }];
	const { context } = editor(() => list);
	expect((await searchIn(webhooks).call(context)).results).toEqual([
		{ name: '7', value: '7' },
		{ name: 'wh', value: 'wh' },
	]);
});

describe('the search of a list', () => {
	const list = [
		{ id: 'wh_1', description: 'Newsroom', url: 'https://a.example' },
		{ id: 'wh_2', description: 'Archive', url: 'https://b.example' },
	];

	test.each([
		[undefined, ['wh_1', 'wh_2']],
		[' ARCH ', ['wh_2']],
		['A.EXAMPLE', ['wh_1']],
		['wh_', ['wh_1', 'wh_2']],
		['example wh_2', ['wh_2']],
		['nobody', []],
	])('%j: by what is shown and by ID, whatever the case', async (filter, ids) => {
		const { context } = editor(() => ({ webhooks: list }));
		const { results } = await searchIn(webhooks).call(context, filter);
		expect(results.map(({ value }) => value)).toEqual(ids);
	});

	test('reads 1,000 records at most, and says that there are more: workflows that run need the rate limit, too', async () => {
		let page = 0;
		const { context, asked } = editor(() => ({
			webhooks: Array.from({ length: 100 }, (_, i) => ({ id: `wh_${page * 100 + i}` })),
			pagination: { hasNext: ++page > 0 },
		}));
		const { results } = await searchIn(webhooks).call(context);
		expect([results.length, asked.length]).toEqual([1_001, 10]);
	});

	test.each([
		[{ status: 429, code: 'PUBLIC_API_RATE_LIMITED' }, /^Wait a minute, then try again\.$/],
		[{ status: 403, code: 'PUBLIC_API_SCOPE_FORBIDDEN' }, /create a key with the scope/],
	])('that fails says what helps in the editor: %j', async (failure, description) => {
		const { context } = editor(() => failure);
		await expect(searchIn(webhooks).call(context)).rejects.toMatchObject({
			description: expect.stringMatching(description),
		});
	});

	test('keeps nobody waiting for more than ten seconds', async () => {
		jest.useFakeTimers();
		const { context } = editor(async () => await new Promise(() => undefined));
		const start = Date.now();
		let end = 0;
		const ended = expect(searchIn(webhooks).call(context))
			.rejects.toMatchObject({ name: 'NodeApiError' })
			.finally(() => (end = Date.now()));
		while (end === 0) await jest.advanceTimersByTimeAsync(1000);
		await ended;
		expect(end - start).toBeLessThanOrEqual(11_000);
		jest.useRealTimers();
	});
});

test('where n8n has not passed on the credential yet, the list says what to do, and nothing is asked', async () => {
	const { context, asked } = editor(() => []);
	const node = { ...context.getNode(), credentials: undefined };
	jest.spyOn(context, 'getNode').mockReturnValue(node);
	await expect(searchWorkspaces.call(context)).rejects.toThrow(/close this panel and open it again/);
	expect(asked).toEqual([]);
});
