import { Item } from '../../../../nodes/SocialPublishing/engine/item';
import type { CommonOptions } from '../../../../nodes/SocialPublishing/engine/options';
import type { PlannedFile } from '../../../../nodes/SocialPublishing/media/files';
import { fakeRun, type GivenRun } from './fakeRun';

/** How writes go out: `writes/write.test.ts`. */

function itemOf(options: CommonOptions = {}, given: GivenRun = {}) {
	const { run, ...fake } = fakeRun({ data: { items: [{ id: 'a' }] }, ...given });
	return { ...fake, run, item: new Item(run, 0, options) };
}

test('what an item knows', () => {
	expect(itemOf({ preview: 'rows' }).item).toMatchObject({
		...{ index: 0, postFormat: 'quickStart', apiUrl: 'https://a', isPreview: true, keyMode: 'execution' },
		...{ zone: 'Europe/Berlin', now: 7, maxWaitMs: 60_000, workspaceId: 'ws_own', continueOnFail: false },
		ownKey: undefined,
	});
	const options = {
		workspaceId: 'ws_2',
		maxRetryWait: 0,
		avoidDuplicates: { by: { mode: 'custom', id: '' } },
	} as const;
	const own = { ...options, avoidDuplicates: { by: { mode: 'custom', id: 'row-1' } } } as const;
	expect(itemOf(own, { continueOnFail: true }).item).toMatchObject({
		...{ isPreview: false, keyMode: 'custom', ownKey: 'row-1', maxWaitMs: 0, workspaceId: 'ws_2' },
		continueOnFail: true,
	});
	expect(() => itemOf(options)).toThrow("'My Own ID' is empty");
	// Before any row is sent.
	expect(() => itemOf({ workspaceId: 'my ws' })).toThrow("'Workspace' is not an ID: my ws");
});

test("a read goes to the node's workspace unless the request names another one, and waits as long as the user wants", async () => {
	const { item, asked } = itemOf({ workspaceId: 'ws_node', maxRetryWait: 5 });
	expect((await item.get({ path: '/usage' })).data).toEqual({ items: [{ id: 'a' }] });
	await item.get({ path: '/usage', workspaceId: null });
	expect(asked).toEqual([
		[{ method: 'GET', path: '/usage', workspaceId: 'ws_node' }, 5_000],
		[{ method: 'GET', path: '/usage', workspaceId: null }, 5_000],
	]);
	await item.list({ path: '/posts', qs: { limit: 1 }, expects: 'list' });
	expect(asked[2]).toEqual([
		{ method: 'GET', path: '/posts', qs: { limit: 1 }, expects: 'list', workspaceId: 'ws_node' },
		5_000,
	]);
});

test('what is asked for once a run, by name and workspace; a failure is remembered', async () => {
	const { run, item } = itemOf();
	const ask = jest.fn(async () => [{ id: '1' }]);
	await Promise.all([item.once('accounts', ask), new Item(run, 1, {}).once('accounts', ask)]);
	expect(ask).toHaveBeenCalledTimes(1);
	await new Item(run, 0, { workspaceId: 'ws_2' }).once('accounts', ask);
	await item.once('webhooks', ask);
	expect(ask).toHaveBeenCalledTimes(3);
	const away = jest.fn(async () => await Promise.reject(new Error('away')));
	for (const one of [item, item]) await expect(one.once('x', away)).rejects.toThrow('away');
	expect(away).toHaveBeenCalledTimes(1);
});

test('what only makes the output easier to read is asked for and read once, for 5 s, and may be missing', async () => {
	const { item, asked, run } = itemOf({ workspaceId: 'ws_node', maxRetryWait: 300 });
	const accounts = { path: '/accounts', listNames: ['items'] };
	const read = jest.fn((listed: object) => ({ listed }));
	const [first, second] = [await item.listAside(accounts, read), await item.listAside(accounts, read)];
	expect(first!.listed).toMatchObject({ records: { items: [{ id: 'a' }] } });
	expect([second === first, read.mock.calls.length]).toEqual([true, 1]);
	expect(asked).toEqual([[{ method: 'GET', ...accounts, workspaceId: 'ws_node' }, { withinMs: 5_000 }]]);
	run.client.list = async () => await Promise.reject(new Error('away'));
	for (const one of [item, item])
		expect(await one.listAside({ ...accounts, path: '/inbox' }, read)).toBeUndefined();
});

test('what is said of posts goes with its row', () => {
	const { item, hinted } = itemOf({ workspaceId: 'ws_node' });
	item.hint('late');
	item.hint('sent', 'info');
	expect(hinted).toEqual([
		['late', 'warning', 0],
		['sent', 'info', undefined],
	]);
});

test('an ID that an expression left is said of the row', () => {
	const { hinted } = itemOf({ avoidDuplicates: { by: { mode: 'custom', id: '#N/A' } } });
	expect(hinted).toEqual([["'My Own ID' is '#N/A': check the expression", 'warning', 0]]);
});

const [address, field] = [true, false].map((isUrl) => ({
	...{ source: isUrl ? 'https://a.example/1' : 'data', isBinary: !isUrl, position: 0, count: 1 },
})) as [PlannedFile, PlannedFile];

/** An item with a picture. */
function withPicture(options: CommonOptions, writer?: object, { run } = fakeRun(), picture = 'picture') {
	const binary = { data: { data: btoa(picture), mimeType: 'image/png' } };
	Object.assign(run, { writer });
	Object.assign(run.n8n, { helpers: {}, getInputData: () => [{ json: {}, binary }] });
	return new Item(run, 0, options).uploads;
}

test.each<[CommonOptions, object | undefined, [boolean, boolean]]>([
	[{}, undefined, [false, false]],
	[{}, { isByContent: false }, [false, false]],
	[{}, { isByContent: true }, [true, true]],
	[{ avoidDuplicates: { by: { mode: 'content', id: '' } } }, undefined, [true, true]],
	[{ avoidDuplicates: { by: { mode: 'custom', id: 'k' } } }, undefined, [true, true]],
])(
	'of an item with %j and writes that are %j, files at an address and in it count by their bytes: %j',
	async (options, writer, expected) => {
		const uploads = withPicture(options, writer);
		const identities = [await uploads.identity(address), await uploads.identity(field, true)];
		expect(identities.map((one) => !/^(url|memory):/.test(one ?? ''))).toEqual(expected);
	},
);

test('a page shows the pictures of an item', async () => {
	const { bytes } = await withPicture({ preview: 'page' }).shown(field);
	expect(bytes?.toString()).toBe('picture');
});

test('a page has room for 3 MiB of pictures of all items together', async () => {
	const fake = fakeRun();
	const large = 'a'.repeat(2 ** 20);
	const kept: unknown[] = [];
	for (const picture of [large, large, large, 'b']) {
		const uploads = withPicture({ preview: 'page' }, undefined, fake, picture);
		kept.push((await uploads.shown(field)).bytes?.length);
	}
	expect(kept).toEqual([2 ** 20, 2 ** 20, 2 ** 20, undefined]);
});
