import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/errors';
import { RunContext } from '../../../../nodes/SocialPublishing/engine/runContext';

interface Given {
	concurrency?: unknown;
	items?: INodeExecutionData[];
	memory?: IDataObject;
	mode?: string;
	type?: string;
	isToolExecution?: boolean;
	executionId?: string;
	client?: Promise<unknown>;
	node?: string;
	workflow?: string;
	credential?: string;
	apiUrl?: string;
}

let nodes = 0;
let node: string;
beforeEach(() => (node = `node-${nodes++}`));

/** A run of the node, and what it says at the node. */
function runOf({
	items = [],
	memory = {},
	mode = 'trigger',
	type = 'socialPublishing',
	...given
}: Given = {}) {
	const hints: Array<{ message: string }> = [];
	const context = {
		getNodeParameter: (name: string, _index: number, missing: unknown) =>
			name === 'options.concurrency' ? (given.concurrency ?? missing) : undefined,
		getContext: (kind: string) => (kind === 'node' ? memory : undefined),
		getNode: () => ({
			id: given.node ?? node,
			name: 'Node',
			type,
			credentials: { socialPublishingApi: { id: given.credential ?? '1' } },
		}),
		getWorkflow: () => ({ id: given.workflow ?? 'workflow' }),
		getMode: () => mode,
		getExecutionId: () => given.executionId ?? '1',
		getWorkflowDataProxy: () => ({ $runIndex: 2 }),
		getInputData: () => items,
		isToolExecution: () => given.isToolExecution ?? false,
		addExecutionHints: (...all: Array<{ message: string }>) => hints.push(...all),
	};
	const client = {
		limiter: {},
		address: { apiUrl: given.apiUrl ?? 'https://a' },
		warnings: new Set(['Old']),
		withoutKey: () => 'no key',
	};
	const run = new RunContext(
		context as never,
		{} as never,
		(given.client ?? Promise.resolve(client)) as never,
	);
	return { run, hints };
}

test.each([
	[undefined, 5],
	[1, 1],
	['7', 7],
	[2.9, 2],
	[0, 5],
	['many', 5],
	[-3, 1],
	[51, 50],
])('of *Items at Once* %j: %d', (concurrency, most) =>
	expect(runOf({ concurrency }).run.concurrency).toBe(most),
);

test('an item is told from others by what it holds, files too, and equal ones by their order', () => {
	const file = (data: string, more: object = {}) => ({
		json: {},
		binary: { data: { data, fileName: 'a.png', mimeType: 'image/png', ...more } },
	});
	const items = [
		{ json: { a: 1, b: 2 } },
		{ json: { b: 2, a: 1 } },
		{ json: {} },
		file('AAAA'),
		file('BBBB'),
		file('AAAA', { fileName: 'b.png' }),
		file('AAAA', { id: 'store:1' }),
		file('AAAA', { id: 'store:2' }),
	];
	const { run } = runOf({ items });
	const all = items.map((_, index) => run.identityOf(index));
	expect(new Set(all).size).toBe(items.length);
	expect(all.map((one) => one.split('#')[1])).toEqual(['0', '1', ...Array(6).fill('0')]);
	expect(all[0]!.split('#')[0]).toBe(all[1]!.split('#')[0]);
	expect(run.identityOf(8)).toBe('');
	expect(runOf({ items: [...items].reverse() }).run.identityOf(0)).toBe(all[7]);
	// Bytes may have gone to the store in between; the name of the place there stays.
	expect(runOf({ items: [file('', { id: 'store:1' })] }).run.identityOf(0)).toBe(all[6]);
});

test('a list is asked for once by path and workspace, and again after a failure', async () => {
	const { run } = runOf();
	const ask = jest.fn(async () => [{ id: '1' }]);
	await Promise.all([run.list('/accounts', 'ws_1', ask), run.list('/accounts', 'ws_1', ask)]);
	expect(ask).toHaveBeenCalledTimes(1);
	await run.list('/accounts', 'ws_2', ask);
	await run.list('/webhooks', 'ws_1', ask);
	expect(ask).toHaveBeenCalledTimes(3);
	await expect(run.list('/x', '', async () => await Promise.reject(new Error('away')))).rejects.toThrow(
		'away',
	);
	expect(await run.list('/x', '', ask)).toEqual([{ id: '1' }]);
});

test.each<[string, Given, boolean, boolean]>([
	['by hand', { mode: 'manual' }, false, true],
	['by a trigger', {}, false, false],
	['a tool of n8n, by hand', { mode: 'manual', isToolExecution: true }, true, false],
	['a tool of an older n8n, by hand', { mode: 'manual', type: 'socialPublishingTool' }, true, false],
])('%s', async (_how, given, isTool, remembers) => {
	const { run } = runOf(given);
	expect([run.isTool, run.remembersByHand, (await run.byHand) !== undefined]).toEqual([
		isTool,
		remembers,
		remembers,
	]);
});

test('whether something was sent before, and which round of a loop it is', () => {
	const { run } = runOf({ memory: { writes: [{ state: 'unclear', run: '0', item: 'a', key: 'k' }] } });
	expect([run.isFirstTry, runOf().run.isFirstTry, run.runIndex(0)]).toEqual([false, true, 2]);
	run.uploadMemory.file = 1;
	expect(run.uploadMemory).toEqual({ file: 1 });
});

test('a run by hand that gives back what the failed one before had sent says so', async () => {
	const press = async (executionId: string, said: string[], failed: boolean, more: Given = {}) => {
		const { run, hints } = runOf({ mode: 'manual', executionId, ...more });
		const byHand = (await run.byHand)!;
		for (const one of said) byHand.note(byHand.take(one) ?? ({ key: one, state: 'answered' } as never), one);
		await run.ended(failed);
		for (const hint of hints) expect(hint).toMatchObject({ type: 'info', location: 'outputPane' });
		return hints.map(({ message }) => message);
	};
	expect(await press('1', ['a', 'b'], true)).toEqual([]);
	for (const other of [
		{ node: 'another' },
		{ workflow: 'another' },
		{ credential: '2' },
		{ apiUrl: 'https://b' },
	])
		expect(await press('2', ['a', 'b'], true, other)).toEqual([]);
	expect(await press('2', ['a'], true)).toEqual([
		'One request was not sent again: the run before, which failed, had sent the same.',
	]);
	expect(await press('3', ['a', 'b'], false)).toEqual([
		'2 requests were not sent again: the run before, which failed, had sent the same. Now that nothing failed, the next run sends everything anew.',
	]);
	expect(await press('4', ['a', 'b'], false)).toEqual([]);
});

test("the client's warnings are shown; without a client nothing is", async () => {
	const failure = new Failure({ code: 'NO', message: 'no', hint: '' });
	const { run, hints } = runOf();
	await run.showWarnings();
	expect(hints).toEqual([{ message: 'Old', type: 'warning', location: 'outputPane' }]);
	const { run: without, hints: none } = runOf({ client: Promise.reject(new Error('no credential')) });
	await without.showWarnings();
	await without.ended(true);
	expect([none, await without.withoutKey([failure, {}])]).toEqual([[], [failure, {}]]);
	expect(await run.withoutKey([failure, {}])).toEqual(['no key', {}]);
});
