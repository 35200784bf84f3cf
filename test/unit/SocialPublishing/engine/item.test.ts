import { Item } from '../../../../nodes/SocialPublishing/engine/item';
import type { CommonOptions } from '../../../../nodes/SocialPublishing/engine/options';
import { fakeRun, type GivenRun } from './fakeRun';

/** How writes go out: `writes/write.test.ts`. */

function itemOf(options: CommonOptions = {}, given: GivenRun = {}) {
	const { run, ...fake } = fakeRun({ data: { items: [{ id: 'a' }] }, ...given });
	return { ...fake, run, item: new Item(run, 3, options) };
}

test('what an item knows', () => {
	const { item } = itemOf({ previewOnly: true });
	expect(item).toMatchObject({
		...{ index: 3, postFormat: 'quickStart', apiUrl: 'https://a', previewOnly: true, keyMode: 'execution' },
		...{ zone: 'Europe/Berlin', now: 7, maxWaitMs: 60_000, workspaceId: 'ws_own', continueOnFail: false },
	});
	const other = itemOf({ workspaceId: 'ws_2', maxRetryWait: 0, idempotencyKeyMode: 'custom' }).item;
	expect(other).toMatchObject({ previewOnly: false, keyMode: 'custom', maxWaitMs: 0, workspaceId: 'ws_2' });
});

test("a read goes to the node's workspace unless the request names another one, and waits as long as the user wants", async () => {
	const { item, asked } = itemOf({ workspaceId: 'ws_node', maxRetryWait: 5 });
	expect((await item.get({ path: '/usage' })).data).toEqual({ items: [{ id: 'a' }] });
	await item.get({ path: '/usage', workspaceId: null });
	expect(asked).toEqual([
		[{ method: 'GET', path: '/usage', workspaceId: 'ws_node' }, 5_000],
		[{ method: 'GET', path: '/usage', workspaceId: null }, 5_000],
	]);
	expect(await item.list({ path: '/posts', qs: { limit: 1 }, listNames: ['items'] })).toEqual([{ id: 'a' }]);
	expect(asked[2]![0]).toMatchObject({ qs: { limit: 1 }, expects: { list: ['items'] } });
	expect(await item.once('queue', async () => 7)).toEqual(['queue', 'ws_node', 7]);
});

test('what was sent before: in all rounds, in its workspace', () => {
	const sent = [{ workspaceId: 'ws_own' }, { workspaceId: 'ws_2' }];
	expect(itemOf({}, { sent }).item.sentBefore).toEqual([sent[0]]);
	expect(itemOf({}, { sent }).item.sentForItem('/posts')).toEqual(sent);
	expect(itemOf({}, { sent }).item.known({ path: '/posts' })).toBe(sent[0]);
});

test('what is said of posts goes with its row', () => {
	const { item, noted } = itemOf();
	item.warn('late');
	item.inform('sent');
	expect(noted).toEqual([
		['warnOfPost', 'late', 3],
		['inform', 'sent'],
	]);
});

test.each([
	['fixed', true],
	['expression', false],
	['inside', false],
	['missing', true],
])('whether a parameter is fixed: %s %s', (name, isFixed) => {
	const parameters = { fixed: ['x'], expression: '={{ $json.x }}', inside: { x: ['={{ 1 }}'] } };
	expect(itemOf({}, { parameters }).item.isFixed(name)).toBe(isFixed);
});

test.each<[CommonOptions, boolean]>([
	[{}, true],
	[{ idempotencyKeyMode: 'content' }, false],
])('a retry that cannot know what was sent says so: with %j %j', async (options, says) => {
	const { item, noted } = itemOf(options, { writer: { cannotMatchOriginal: true } });
	await item.write({ path: '/posts' });
	expect(noted).toEqual(says ? [['warn', expect.stringContaining('before version 2.14')]] : []);
});

test('an operation that reads has nothing to write with', async () => {
	const { run } = fakeRun();
	const item = new Item({ ...run, writer: undefined } as never, 0, {});
	await expect(item.write({ path: '/posts' })).rejects.toThrow(/that reads/);
});

test('a post that is waited for is asked for by its ID, until the time that the poller says', async () => {
	const { item, asked } = itemOf({ workspaceId: 'ws_node' });
	const options = { waitFor: 'completed', timeoutMs: 7 } as const;
	expect(await item.waitFor('p/1', options)).toEqual(['p/1', options, { items: [{ id: 'a' }] }]);
	const request = { method: 'GET', path: '/posts/p%2F1', workspaceId: 'ws_node', expects: 'record' };
	expect(asked).toEqual([[request, { withinMs: 9 }]]);
	await expect(item.waitFor('..', options)).rejects.toThrow(/^'Post'/);
});

test.each<[CommonOptions, boolean, boolean]>([
	[{}, false, false],
	[{}, true, true],
	[{ idempotencyKeyMode: 'content' }, false, true],
])('files of an item with %j, by hand %j, count by their bytes: %j', async (options, isByHand, byContent) => {
	const { uploads } = itemOf(options, { writer: { isByHand } }).item;
	const [file] = [{ source: 'https://a.example/1', isBinary: false, position: 0, count: 1 }];
	expect((await uploads.identity(file!)) === undefined).toBe(byContent);
});
