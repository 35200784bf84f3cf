import type { PostFormat } from '../../../../nodes/api/contract';
import { Failure } from '../../../../nodes/api/errors';
import { announceDuration } from '../../../../nodes/SocialPublishing/engine/announce';
import type { Row } from '../../../../nodes/SocialPublishing/engine/checkRows';
import type { Operation } from '../../../../nodes/SocialPublishing/engine/operation';

const rows = (count: number): Row[] => Array.from({ length: count }, (_, index) => ({ index, params: {} }));
const failed: Row = { index: 0, params: {}, failure: new Failure({ code: 'NO', message: 'no', hint: '' }) };

/** What is said once the limit of 20 requests a minute is known, and of how many requests the time was estimated. */
async function announced(
	given: Row[],
	operation: Partial<Operation> = {},
	more: { ms?: number; replayedCount?: number; tookMs?: number } = {},
) {
	const { ms, replayedCount } = { ms: 120_000, replayedCount: 0, ...more };
	const hints: unknown[] = [];
	const logged: string[] = [];
	const estimated: unknown[] = [];
	let whenKnown = (): void => undefined;
	const limiter = {
		whenKnown: (_kind: string, tell: () => void) => (whenKnown = tell),
		estimate: (...of: unknown[]) => (estimated.push(of), ms),
		limitOf: () => 20,
		now: () => 100_000,
	};
	const address = { postFormat: 'quickStart' satisfies PostFormat };
	const run = {
		client: Promise.resolve({ limiter, address }),
		replayedCount,
		now: 100_000 - (more.tookMs ?? 0),
		context: {
			getNode: () => ({ name: 'Posts' }),
			logger: { info: (message: string) => logged.push(message) },
			addExecutionHints: (hint: unknown) => hints.push(hint),
		},
	};
	const explain = await announceDuration(run as never, { method: 'POST', ...operation } as Operation, given);
	whenKnown();
	expect(hints).toEqual([]);
	explain();
	return { hints, logged, estimated };
}

test('in the log beforehand, at the node afterwards; the request that told the limit is done', async () => {
	const message = '50 requests took 77 seconds because your plan allows 20 a minute.';
	expect(await announced(rows(50), {}, { tookMs: 77_400 })).toEqual({
		hints: [{ message, type: 'info', location: 'outputPane' }],
		logged: ['Posts: 50 requests, 20 a minute allowed: about 2 minutes'],
		estimated: [['write', 49]],
	});
});

test('a GET counts as a read; failed rows and what an earlier try has sent do not count', async () => {
	const given = [...rows(30), failed, { index: 31 }];
	const { estimated } = await announced(given, { method: 'GET' }, { replayedCount: 10 });
	expect(estimated).toEqual([['read', 19]]);
});

test('an operation says how many requests a row takes; one where its list is wrong', async () => {
	const countRequests = jest.fn((params: { count?: number }) => {
		if (!params.count) throw new Error('wrong list');
		return params.count;
	});
	const given: Row[] = [3, 0, 4].map((count, index) => ({ index, params: { count } }));
	expect((await announced(given, { countRequests: countRequests as never })).estimated).toEqual([
		['write', 7],
	]);
	expect(countRequests).toHaveBeenCalledWith({ count: 3 }, 'quickStart');
});

test.each([
	[undefined, undefined],
	[9_999, undefined],
	[10_000, '10 seconds'],
	[119_499, '119 seconds'],
	[120_000, '2 minutes'],
	[150_000, '3 minutes'],
])('%j ms: %j', async (ms, words) => {
	const { logged, hints } = await announced(rows(2), {}, { ms });
	expect(logged).toEqual(words ? [`Posts: 2 requests, 20 a minute allowed: about ${words}`] : []);
	expect(hints).toHaveLength(words ? 1 : 0);
});

test('nothing where there is no client: the rows report that', async () => {
	const run = { client: Promise.reject(new Error('no credential')) };
	const explain = await announceDuration(run as never, {} as Operation, rows(1));
	expect(explain()).toBeUndefined();
});
