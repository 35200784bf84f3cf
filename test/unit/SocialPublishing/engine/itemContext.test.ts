import type { Client } from '../../../../nodes/api/client';
import { createItemContext } from '../../../../nodes/SocialPublishing/engine/itemContext';
import type { CommonOptions } from '../../../../nodes/SocialPublishing/engine/operation';
import type { RunContext } from '../../../../nodes/SocialPublishing/engine/runContext';

/** How writes go out: `writes/write.test.ts`. */

function itemOf(options: CommonOptions = {}, { cannotMatchOriginal = false, isByHand = false } = {}) {
	const sent: Array<[request: any, budget: unknown]> = [];
	const client = {
		address: { apiUrl: 'https://a', postFormat: 'quickStart', workspaceId: 'ws_own' },
		limiter: {},
		send: async (request: object, budget: unknown) => {
			sent.push([request, budget]);
			return { data: { items: [{ id: 'a' }] }, headers: {} };
		},
	} as unknown as Client;
	const run = {
		zone: 'Europe/Berlin',
		...{ now: 7, isByHand },
		warnings: new Set<string>(),
		postWarnings: new Map<string, number>(),
		scope: Promise.resolve({ cannotMatchOriginal }),
		notes: new Set<string>(),
		poller: Promise.resolve({
			until: async ({ get, ...asked }: any) => ({ asked, seen: await get(9) }),
		}),
		filesWith: () => ({}),
		once: async (name: string, workspaceId: string, make: () => Promise<unknown>) => [
			name,
			workspaceId,
			await make(),
		],
		sentPosts: async (workspaceId: string) => [{ workspaceId }],
		sentBefore: ({ index }: { index: number }, ...at: string[]) => [index, ...at],
	};
	const item = createItemContext(run as unknown as RunContext, client, 3, options);
	return { item, run, sent };
}

test('what an item knows', () => {
	const { item } = itemOf({ previewOnly: true });
	expect(item).toMatchObject({ index: 3, postFormat: 'quickStart', apiUrl: 'https://a', previewOnly: true });
	expect([item.zone, item.now, itemOf().item.previewOnly]).toEqual(['Europe/Berlin', 7, false]);
	expect(item.sentBefore('/posts', 'x')).toEqual([3, '/posts', 'x']);
});

test("a read goes to the node's workspace unless the request names another one, and waits as long as the user wants", async () => {
	const { item, sent } = itemOf({ workspaceId: 'ws_node', maxRetryWait: 5 });
	expect((await item.get({ path: '/usage' })).data).toEqual({ items: [{ id: 'a' }] });
	await item.get({ path: '/usage', workspaceId: null });
	expect(sent).toEqual([
		[{ method: 'GET', path: '/usage', workspaceId: 'ws_node' }, 5_000],
		[{ method: 'GET', path: '/usage', workspaceId: null }, 5_000],
	]);
	const { item: usual, sent: asUsual } = itemOf();
	await usual.get({ path: '/usage' });
	expect(asUsual[0]![1]).toBe(60_000);
});

test('what it makes once, and what was sent, are those of the run and its workspace', async () => {
	const { item } = itemOf({ workspaceId: 'ws_node' });
	expect(await item.once('queue', async () => 7)).toEqual(['queue', 'ws_node', 7]);
	expect(await item.sentPosts()).toEqual([{ workspaceId: 'ws_node' }]);
	expect(await itemOf().item.sentPosts()).toEqual([{ workspaceId: 'ws_own' }]);
});

test('of a list come the records', async () => {
	const { item, sent } = itemOf({ workspaceId: 'ws_node' });
	expect(await item.list({ path: '/posts', qs: { limit: 1 }, listNames: ['items'] })).toEqual([{ id: 'a' }]);
	const request = { method: 'GET', path: '/posts', qs: { limit: 1 }, workspaceId: 'ws_node' };
	expect(sent[0]![0]).toEqual({ ...request, expects: { list: ['items'] } });
});

test('what is said of posts is counted, anything else is said once', () => {
	const { item, run } = itemOf();
	for (const message of ['late', 'long', 'late']) item.warn(message);
	for (const message of ['sent', 'sent']) item.inform(message);
	expect([...run.notes]).toEqual(['sent']);
	expect([...run.postWarnings]).toEqual([
		['late', 2],
		['long', 1],
	]);
});

test.each<[CommonOptions, boolean]>([
	[{}, true],
	[{ idempotencyKeyMode: 'content' }, false],
])('a retry that cannot know what was sent says so: with %j %j', async (options, says) => {
	const { item, run } = itemOf(options, { cannotMatchOriginal: true });
	await item.write({ path: '/posts' }).catch(() => undefined);
	expect([...run.warnings].some((one) => one.includes('before version 2.14'))).toBe(says);
});

test('a post that is waited for is asked for by its ID, until the time that the poller says', async () => {
	const { item, sent } = itemOf({ workspaceId: 'ws_node' });
	const options = { waitFor: 'completed', timeout: 7, known: { id: 'p/1' }, scheduledAt: 'later' } as const;
	expect(await item.waitFor('p/1', options)).toEqual({
		asked: { id: 'p/1', ...options },
		seen: { items: [{ id: 'a' }] },
	});
	const request = { method: 'GET', path: '/posts/p%2F1', workspaceId: 'ws_node', expects: 'record' };
	expect(sent).toEqual([[request, { withinMs: 9 }]]);
	await expect(item.waitFor('..', options)).rejects.toThrow(/^'Post'/);
});

test.each<[CommonOptions, boolean, object]>([
	[{}, false, { keyMode: 'execution', byContent: false, workspaceId: 'ws_own', maxWait: 60_000 }],
	[{ workspaceId: 'ws_2', maxRetryWait: 1 }, true, { byContent: true, workspaceId: 'ws_2', maxWait: 1000 }],
	[{ idempotencyKeyMode: 'content' }, false, { keyMode: 'content', byContent: true }],
])('files of an item with %j, by hand %j', async (more, isByHand, expected) => {
	const { item } = itemOf(more, { isByHand });
	const { options } = item.uploads as any;
	expect(options).toMatchObject({ index: 3, ...expected });
	item.write = async ({ path }) => ({ response: { path } });
	expect(await options.write({ path: '/media' })).toEqual({ path: '/media' });
});
