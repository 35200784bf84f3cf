import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/failure';
import type { CommonOptions } from '../../../../nodes/SocialPublishing/engine/operation';
import { RunContext } from '../../../../nodes/SocialPublishing/engine/runContext';
import type { Entry } from '../../../../nodes/SocialPublishing/writes/journal';
import { writeId } from '../../../../nodes/SocialPublishing/writes/key';

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
	apiKey?: string;
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
		getInstanceId: () => 'instance',
		getCredentials: async () => ({ apiKey: given.apiKey ?? 'k' }),
		getTimezone: () => 'Europe/Berlin',
		getParentNodes: () => [],
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
		{ method: 'POST' } as never,
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
])('of *Batch Size* %j: %d, of files too', async (concurrency, most) => {
	const { run } = runOf({ concurrency });
	let [now, peak] = [0, 0];
	const upload = async () => {
		peak = Math.max(peak, ++now);
		await Promise.resolve();
		now--;
	};
	await Promise.all(Array.from({ length: 60 }, async () => await run.uploadSlots(upload)));
	expect([run.concurrency, peak]).toEqual([most, most]);
});

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

test('what is made once by name and workspace, and again after a failure', async () => {
	const { run } = runOf();
	const ask = jest.fn(async () => [{ id: '1' }]);
	await Promise.all([run.once('/accounts', 'ws_1', ask), run.once('/accounts', 'ws_1', ask)]);
	expect(ask).toHaveBeenCalledTimes(1);
	await run.once('/accounts', 'ws_2', ask);
	await run.once('/webhooks', 'ws_1', ask);
	expect(ask).toHaveBeenCalledTimes(3);
	await expect(run.once('/x', '', async () => await Promise.reject(new Error('away')))).rejects.toThrow(
		'away',
	);
	expect(await run.once('/x', '', ask)).toEqual([{ id: '1' }]);
});

test.each<[string, Given, boolean, boolean]>([
	['by hand', { mode: 'manual' }, false, true],
	['by a trigger', {}, false, false],
	['a tool of n8n, by hand', { mode: 'manual', isToolExecution: true }, true, false],
	['a tool of an older n8n, by hand', { mode: 'manual', type: 'socialPublishingTool' }, true, false],
])('%s', async (_how, given, isTool, isByHand) => {
	const { run } = runOf(given);
	expect([run.isTool, run.isByHand, (await run.manualRerun) !== undefined]).toEqual([
		isTool,
		isByHand,
		isByHand,
	]);
	expect([run.nodeName, run.round, run.zone]).toEqual([['instance', 'workflow', node], 2, 'Europe/Berlin']);
	expect((await run.scope).id).toBe('execution:1');
});

const post = (more: Partial<Entry> = {}): Omit<Entry, 'state'> => ({
	ids: ['a'],
	workspaceId: 'ws',
	key: 'k',
	request: { method: 'POST', path: '/posts', body: { platform: 'x', scheduled_at: '2026-06-02T08:00:00Z' } },
	...more,
});

test('writes are kept in the memory of the node, by round; those of a tool together', () => {
	const memory: IDataObject = {};
	runOf({ memory }).run.journal.begin(post());
	runOf({ memory, isToolExecution: true }).run.journal.begin(post());
	expect(Object.keys(memory.writes as object)).toEqual(['2', 'tool']);
	const { run } = runOf({ memory });
	expect([run.journal.isTaken('k'), run.journal === run.journal]).toEqual([true, true]);
	run.uploadMemory.file = 1;
	expect(memory.uploads).toEqual({ file: 1 });
});

describe('what an earlier try sent for a part of an item', () => {
	const memory: IDataObject = {};
	const items = [{ json: { n: 0 } }, { json: { n: 1 } }];
	const { run } = runOf({ memory, items });
	const idOf = (part: string) => writeId(run.identityOf(1), 'POST', '/posts', part);
	const client = { address: { workspaceId: 'ws' } };
	const before = (part: string, options: CommonOptions = {}, given: Given = {}, index = 1) => {
		const { run } = runOf({ memory, items, ...given });
		return run.sentBefore({ run, index, options, client } as never, '/posts', part);
	};
	const sent = { method: 'POST', path: '/posts' };
	run.journal.begin(post({ ids: [idOf('x')] }));
	run.journal.begin(post({ ids: [idOf('secret')], request: undefined }));
	run.journal.begin(post({ ids: [idOf('mine')], ownKey: 'mine', workspaceId: 'ws_2' }));

	test('is its request, or where it went', () => {
		expect(before('x')).toEqual(post().request);
		expect(before('secret')).toEqual(sent);
		expect(before('mine', { workspaceId: 'ws_2' })).toMatchObject(sent);
	});

	test.each<[string, string, CommonOptions, Given, number]>([
		['another part', 'y', {}, {}, 1],
		['another item', 'x', {}, {}, 0],
		['another workspace', 'x', { workspaceId: 'ws_2' }, {}, 1],
		[
			'another key of the user',
			'mine',
			{ workspaceId: 'ws_2', idempotencyKeyMode: 'custom', idempotencyKey: 'yours' },
			{},
			1,
		],
		['a tool, whose calls are told apart by what they say', 'x', {}, { isToolExecution: true }, 1],
	])('is nothing: %s', (_what, ...[part, options, given, index]) =>
		expect(before(part, options, given, index)).toBeUndefined(),
	);

	test("the user's own key counts only in its mode", () => {
		const options = { workspaceId: 'ws_2', idempotencyKey: 'yours' };
		expect(before('mine', options)).toMatchObject(sent);
	});
});

describe('runs by hand', () => {
	/** Presses *Execute step* once: each post is sent, or found; what is said at the node. */
	const press = async (
		executionId: string,
		said: string[],
		failure?: Failure | 'failed',
		more: Given = {},
	): Promise<string[]> => {
		const { run, hints } = runOf({ mode: 'manual', executionId, ...more });
		const rerun = (await run.manualRerun)!;
		for (const one of said)
			rerun.note(one, rerun.take(one) ?? { ...post({ key: one }), state: 'succeeded', response: {} });
		const failed = failure === 'failed' ? new Failure({ code: 'NO', message: 'no', hint: '' }) : failure;
		await run.endRound([{}, ...(failed ? [failed] : [])]);
		for (const hint of hints) expect(hint).toMatchObject({ type: 'info', location: 'outputPane' });
		return hints.map(({ message }) => message);
	};
	const label = 'X, scheduled for 2026-06-02 10:00';

	test('say what the failed one before had sent', async () => {
		expect(await press('1', ['a', 'b'], 'failed')).toEqual([]);
		for (const other of [
			{ node: 'another' },
			{ workflow: 'another' },
			{ credential: '2' },
			{ apiUrl: 'https://b' },
			{ apiKey: 'another' },
		])
			expect(await press('2', ['a', 'b'], 'failed', other)).toEqual([]);
		expect(await press('2', ['a'], 'failed')).toEqual([
			`One request was not sent again because the previous, failed run had already sent it (${label}).`,
		]);
		expect(await press('3', ['a', 'b'])).toEqual([
			`2 requests were not sent again because the previous, failed run had already sent them (${label}; ${label}). The next run sends everything again.`,
		]);
		expect(await press('4', ['a', 'b'])).toEqual([]);
	});

	test.each([
		['NODE_POST_FAILED', false],
		['NODE_POST_CANCELED', false],
		['NODE_POST_TIMEOUT', true],
	])('after %s the post is known: %s', async (code, isKnown) => {
		const failure = new Failure({ code, message: 'no', hint: '', idempotency_key: 'a' });
		await press('1', ['a'], failure);
		expect(await press('2', ['a'])).toHaveLength(isKnown ? 1 : 0);
	});

	test('posts that were sent before: by tries of the execution, and by failed runs before it', async () => {
		await press('1', ['a'], 'failed');
		const { run } = runOf({ mode: 'manual', executionId: '2' });
		run.journal.settle(run.journal.begin(post()), 'new', { id: 'own' });
		expect(await run.earlierPosts()).toEqual([
			{ ...post().request!.body, id: 'own' },
			{ ...post().request!.body },
		]);
		expect(await runOf().run.earlierPosts()).toEqual([]);
	});

	test('posts that may have been sent, in all rounds and by failed runs before, to the same workspace', async () => {
		await press('1', ['rerun'], 'failed');
		const earlier = { ...post({ key: 'doubtful' }), state: 'inDoubt' } as const;
		const failed = { ...post({ key: 'failed' }), state: 'keptAsFailed' } as const;
		const memory = { writes: { 0: [earlier, failed] } } as unknown as IDataObject;
		const { run } = runOf({ mode: 'manual', executionId: '2', memory });
		run.journal.settle(run.journal.begin(post()), 'new', { id: 'own' });
		run.journal.begin(post({ ids: ['b'], workspaceId: 'ws_2' }));
		run.journal.begin(post({ ids: ['c'], request: { method: 'POST', path: '/inbox' } }));
		const { body } = post().request!;
		expect(await run.sentPosts('ws')).toEqual([{ ...body }, { ...body, id: 'own' }, { ...body }]);
		expect(await run.sentPosts('ws_2')).toEqual([{ ...body }]);
		expect(await runOf({ client: Promise.reject(new Error('no')) }).run.sentPosts('ws')).toEqual([]);
	});

	test('what was sent that is no post is only counted', async () => {
		const { run } = runOf({ mode: 'manual' });
		const reply = { ...post({ request: { method: 'POST', path: '/inbox' } }), state: 'succeeded' } as const;
		(await run.manualRerun)!.note('a', reply);
		await run.endRound([new Failure({ code: 'NO', message: 'no', hint: '' })]);
		expect(await press('2', ['a'])).toEqual([
			expect.stringMatching(
				/^One request was not sent again because the previous, failed run had already sent it\. The next/,
			),
		]);
	});
});

test('what is to be said is shown once, of posts with their number; without a client nothing of the service is', async () => {
	const failure = new Failure({ code: 'NO', message: 'no', hint: '' });
	const { run, hints } = runOf();
	run.warnings.add('Unmatched');
	run.postWarnings.set('late', 1).set('long', 2);
	run.notes.add('Accepted');
	await run.showWarnings();
	const location = 'outputPane';
	expect(hints).toEqual([
		...['Old', 'Unmatched', 'One post: late', '2 posts: long'].map((message) => ({
			...{ message, type: 'warning', location },
		})),
		{ message: 'Accepted', type: 'info', location },
	]);
	const { run: without, hints: none } = runOf({ client: Promise.reject(new Error('no credential')) });
	await without.showWarnings();
	await without.endRound([failure]);
	expect(await without.earlierPosts()).toEqual([]);
	expect([none, await without.withoutKey([failure, {}])]).toEqual([[], [failure, {}]]);
	expect(await run.withoutKey([failure, {}])).toEqual(['no key', {}]);
});

const previewOf = (...warnings: string[]) => ({ preview: true, warnings });
test.each<[object[], string[]]>([
	[[{}, { preview: 'no' }], []],
	[[previewOf()], ['Preview: nothing was sent.']],
	[[previewOf('late')], ['Preview: nothing was sent. 1 of 1 request has warnings.']],
	[
		[previewOf('late', 'long'), {}, previewOf()],
		['Preview: nothing was sent. 1 of 2 requests have warnings.'],
	],
])('of %j is said: %j', (outcomes, messages) => {
	const { run, hints } = runOf();
	run.showPreviews(outcomes as IDataObject[]);
	expect(hints.map(({ message }) => message)).toEqual(messages);
});
