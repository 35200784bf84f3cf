import { omit } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Client } from '../../../../nodes/api/client';
import { Failure, refusal } from '../../../../nodes/api/failure';
import type { Entry, State } from '../../../../nodes/SocialPublishing/writes/journal';
import { canonical, hashOf, keyOf, type KeyMode } from '../../../../nodes/SocialPublishing/writes/key';
import {
	saysOf,
	withFields,
	Writer,
	type Unpublished,
	type Write,
	type WriteItem,
	type WriteOperation,
} from '../../../../nodes/SocialPublishing/writes/write';
import { answered, failureOf } from '../../../support/failure';

interface Given {
	kind?: 'node' | 'tool' | 'sub-workflow' | 'manual';
	operation?: Partial<WriteOperation>;
	/** The node's context. */
	memory?: IDataObject;
	executionId?: string;
	execution?: { resumeUrl: string };
	mode?: string;
	items?: INodeExecutionData[];
	round?: number;
	/** The retry of an execution that crashed: n8n counts the run that is lost. */
	isRecovered?: boolean;
	/** What the service answers, one after another; a failure is thrown. */
	answers?: Array<IDataObject | Failure>;
	headers?: IDataObject;
	isFirst?: boolean;
	continuesOnFail?: boolean;
	/** What a run by hand is remembered by. */
	node?: string;
	apiKey?: string;
	/** The credential's. */
	workspaceId?: string;
}

const inputOf = (...all: unknown[]): INodeExecutionData[] => all.map((n) => ({ json: { n } as IDataObject }));
const stored = (memory: IDataObject) => JSON.parse(JSON.stringify(memory)) as IDataObject;
const entriesIn = (memory: IDataObject, round = '2') =>
	(memory.writes as unknown as Record<string, Entry[]>)[round]!;

/** A run of the node, and what it sends. */
async function runOf(given: Given = {}) {
	const { kind = 'node', memory = {}, executionId = '7', items = inputOf(0, 1), round = 2 } = given;
	const { answers = [], headers = {}, node = 'node', apiKey = 'key', workspaceId = 'ws_main' } = given;
	const sent: any[] = [];
	memory.firstRun ??= given.isRecovered ? undefined : 0;
	const n8n = {
		continueOnFail: () => given.continuesOnFail ?? false,
		getContext: (kind: string) => (kind === 'node' ? memory : {}),
		getMode: () => given.mode ?? (kind === 'manual' ? 'manual' : 'trigger'),
		getInputData: () => items,
		getWorkflowDataProxy: () => ({ $runIndex: round, $execution: given.execution }),
		getInstanceId: () => 'instance',
		getWorkflow: () => ({ id: 'workflow' }),
		getNode: () => ({ id: node, name: 'Node', credentials: {} }),
		getExecutionId: () => (given.execution ? undefined : executionId),
		getCredentials: async () => ({ apiKey }),
		getExecutionContext: () => (kind === 'sub-workflow' ? { parentExecutionId: '3' } : undefined),
		getExecutionDataById: async () => ({ resumeToken: 'caller' }),
	} as unknown as IExecuteFunctions;
	const client = {
		address: { workspaceId, apiUrl: 'https://a.example' },
		send: async ({ body: make, ...request }: any, maxWaitMs: number) => {
			const states = Object.values((memory.writes ?? {}) as Record<string, Entry[]>).flat();
			const state = states.find(({ key }) => key === request.idempotencyKey)?.state;
			const body = typeof make === 'function' ? make() : make;
			sent.push({ ...request, ...(body ? { body } : {}), maxWaitMs, state });
			const answer = answers.shift() ?? { id: `post_${sent.length}` };
			if (answer instanceof Failure) throw answer;
			return { data: answer, requestId: 'req', headers, isFirst: given.isFirst ?? true };
		},
	} as unknown as Client;
	const operation = { method: 'POST' as const, value: 'create', ...given.operation };
	return { writer: await Writer.open(n8n, client, operation, kind === 'tool'), sent, memory };
}

const post: Write = { path: '/posts', body: { text: 'Hi' } };
const asked = { path: '/posts', parts: saysOf(post) };
const itemAt = (index = 0, more: Partial<WriteItem> = {}): WriteItem => ({
	...{ index, options: {}, keyMode: 'execution', maxWaitMs: 60_000, previewOnly: false },
	workspaceId: 'ws_main',
	...more,
});
const custom = (ownKey: string) => ({ keyMode: 'custom' as KeyMode, ownKey });
const content = { keyMode: 'content' as KeyMode };
const elsewhere = { workspaceId: 'ws_2' };
const kept = answered(422).with({ code: 'PUBLIC_API_PUBLISH_FAILED', request: 'POST /posts' });

/** The bytes of a file arrive. */
const complete = async (answer: IDataObject) => answer;

const tooLate = () => {
	throw refusal('TIME_PAST', 'passed', 'later').withNotProcessed(true);
};

/** Sends one write in a try of its own. */
async function send(given: Given = {}, more: Partial<Write> = {}, item: Partial<WriteItem> = {}) {
	const run = await runOf(given);
	const at = itemAt(item.index, { ...(given.workspaceId === '' ? { workspaceId: '' } : {}), ...item });
	const write = { ...post, ...more };
	run.writer.recognize([{ item: at, asked: { ...write, parts: saysOf(write) } }]);
	const work = run.writer.send(at, write);
	const result: any = await work.catch((error: Failure) => error.details);
	return {
		...run,
		result,
		key: run.sent[0]?.idempotencyKey as string,
		entry: entriesIn(run.memory, given.kind === 'tool' ? 'tool' : String(given.round ?? 2))[0],
	};
}
const keyWith = async (more: Partial<Write> = {}, item: Partial<WriteItem> = {}, given: Given = {}) =>
	(await send(given, more, item)).key;

test('a secret in an answer is handed on, but neither it nor its request is stored: a retry asks for it again', async () => {
	const answers = () => ({ answers: [{ secret: 'whsec_1' }] });
	const { memory, result, sent } = await send({ operation: { keepsNothing: true }, ...answers() });
	expect([result.response.secret, sent]).toEqual(['whsec_1', [expect.anything()]]);
	expect(entriesIn(memory)[0]).not.toHaveProperty('response');
	expect(entriesIn(memory)[0]).not.toHaveProperty('body');
	const again = await send({ memory, operation: { keepsNothing: true }, ...answers() });
	expect([again.result.response.secret, again.key]).toEqual(['whsec_1', sent[0].idempotencyKey]);
});

test('fields of the user are merged; their lists stand instead of those of the node', () => {
	const body = { list: [1, 2], nested: { a: 1 }, text: 'Hi' };
	const added = { list: ['X'], nested: { b: 2 } };
	expect(withFields(body, added)).toEqual({ list: ['X'], nested: { a: 1, b: 2 }, text: 'Hi' });
	expect(withFields(undefined, added)).toEqual(added);
	expect([withFields(body), body.nested]).toEqual([body, { a: 1 }]);
	expect(withFields(body, { text: { html: 'Hi' } })).toEqual({ ...body, text: { html: 'Hi' } });
});

describe('rows with one ID of the user', () => {
	// Posts are compared with their files, see `check.ts`.
	const webhook = { ...post, path: '/webhooks' };
	const judged = async (first: Partial<Write>, second: Partial<Write>, more: Partial<WriteItem> = {}) => {
		const { writer } = await runOf();
		writer.refuseUnsendable(itemAt(0, custom('own')), { ...webhook, ...first });
		return () => writer.refuseUnsendable(itemAt(1, { ...custom('own'), ...more }), { ...webhook, ...second });
	};
	const other = { body: { text: 'Bye' } };

	test.each<[what: string, first: Partial<Write>, second: Partial<Write>, more: Partial<WriteItem>]>([
		['another text', {}, other, {}],
		['another path', {}, { path: '/posts/b' }, {}],
		['what identifies it', { says: [{ a: 1 }] }, { says: [{ a: 2 }] }, {}],
	])('that differ in %s are refused before one is sent', async (_what, first, second, more) => {
		expect(failureOf(await judged(first, second, more)).details).toMatchObject({
			code: 'NODE_OWN_ID_SHARED',
			message: "Row 1 has the same 'My Own ID', but different content",
			hint: 'Give each row an ID of its own. Each ID is sent once, so rows may share one only if they are the same post.',
		});
	});

	test.each<[what: string, first: Partial<Write>, second: Partial<Write>, more: Partial<WriteItem>]>([
		['are equal', {}, {}, {}],
		['are for another workspace, where the service may count keys anew', {}, other, elsewhere],
		['differ only in what does not identify them', { says: [{ a: 1 }] }, { ...other, says: [{ a: 1 }] }, {}],
		[
			'are for several platforms',
			{ file: { keyPart: 'x' } },
			{ ...other, file: { keyPart: 'linkedin' } },
			{},
		],
		['have other IDs', {}, other, custom('mine')],
		['avoid duplicates in another way', {}, other, { keyMode: 'content', ownKey: undefined }],
		['are one row', {}, other, { index: 0 }],
		['are posts, which are compared elsewhere,', post, { ...post, ...other }, {}],
	])('that %s are not', async (_what, first, second, more) =>
		expect(await judged(first, second, more)).not.toThrow(),
	);

	test('are compared in a preview with other previewed rows, and warned of', async () => {
		const { writer } = await runOf();
		const at = (index: number, previewOnly = true) => itemAt(index, { ...custom('own'), previewOnly });
		writer.refuseUnsendable(at(0, false), webhook);
		expect(writer.preview(at(1), { ...webhook, ...other })).not.toHaveProperty('warnings');
		expect(writer.preview(at(2), webhook)).toMatchObject({
			warnings: ["Row 2 has the same 'My Own ID', but different content"],
			request: webhook,
		});
	});
});

describe('the key', () => {
	const place = ['instance', 'workflow', 'node'];
	const saidAt = (...more: unknown[]) => hashOf(canonical(['POST', '/posts', 'ws_main', ...more]));
	const called = saidAt({ text: 'Hi' });
	const caller = hashOf('caller');

	test('in mode execution is made of the place alone, whatever the node says now', async () => {
		const key = keyOf('execution', ...place, 'execution:7', 2, 0, '', 'create', '/posts', 'x');
		const of = async (more: Partial<Write> = {}, item: Partial<WriteItem> = {}) =>
			await keyWith({ name: 'x', ...more }, item);
		const changed = { body: { text: 'Other' }, names: ['a'], file: { isAttached: true, keyPart: 'b' } };
		expect([await of(), await of(changed), await of({}, elsewhere)]).toEqual([key, key, key]);
		expect(
			new Set([key, await of({ name: '' }), await of({}, { index: 1 }), await of({ path: '/b' })]).size,
		).toBe(4);
	});

	test('after a crash is that of the run which is lost, though n8n counts it', async () => {
		const rounds = async (...all: number[]) => {
			const memory = {};
			const keys = all.map(async (round) => {
				const { writer, sent } = await runOf({ round, memory, isRecovered: true });
				await writer.send(itemAt(), post);
				return sent[0].idempotencyKey as string;
			});
			return await Promise.all(keys);
		};
		expect(await rounds(1, 2)).toEqual(await rounds(0, 1));
	});

	test('in an execution that an earlier version of the node began is counted from 0, as that did', async () => {
		const keyWith = async (memory: IDataObject) => {
			const { writer, sent } = await runOf({ round: 2, memory, isRecovered: true });
			await writer.send(itemAt(), post);
			return sent[0].idempotencyKey as string;
		};
		expect(await keyWith({ writes: { 0: [] } })).toBe(await keyWith({ firstRun: 0 }));
	});

	test.each<[NonNullable<Given['kind']>, Partial<WriteOperation>, Array<string | number>]>([
		['node', { setsState: true }, ['execution:7', 2, 1, '']],
		['tool', {}, ['execution:7', called]],
		['tool', { setsState: true }, ['execution:7', '7', 2, 1, called]],
		['sub-workflow', {}, [caller, called]],
		['sub-workflow', { setsState: true }, [caller, '7', 2, 1, called]],
	])('of a %s with %j', async (kind, operation, parts) => {
		const key = keyOf('execution', ...place, ...parts, 'create', '/posts', '');
		expect(await keyWith({}, { index: 1 }, { kind, operation })).toBe(key);
	});

	test.each(['tool', 'sub-workflow'] as const)(
		"of a %s leaves out an account's ID, and takes what counts as the same",
		async (kind) => {
			const of = async (more: Partial<Write>) => await keyWith({ name: 'Plum', ...more }, {}, { kind });
			expect(await of({ body: { text: 'Hi', account_id: 'acc_1' } })).toBe(await of({}));
			expect(await of({ body: { text: 'Hi', at: 'later' }, says: [{ text: 'Hi' }] })).toBe(await of({}));
			expect(await of({ body: { text: 'Hi', at: 'later' } })).not.toBe(await of({}));
		},
	);

	test('in mode content is what it says and where it goes, for whatever node and execution', async () => {
		const of = async (more: Partial<Write>, given: Given = {}, item: Partial<WriteItem> = {}) =>
			await keyWith(more, { ...content, ...item }, given);
		const key = keyOf('content', saidAt('', [{ text: 'Hi' }]));
		expect(await of({}, { kind: 'tool', executionId: '8', node: 'other', round: 0 })).toBe(key);
		expect(await of({ body: { url: 'signed' }, says: [{ text: 'Hi' }] })).toBe(key);
		// What is done once per content has that key in mode execution, too.
		const once = { operation: { isOncePerContent: true } } as const;
		expect(await keyWith({}, { index: 1 }, once)).toBe(key);
		const x = await of({ name: 'x' });
		const others = [
			await of({ name: 'Plum', body: { text: 'Hi', platform: 'x' } }),
			await of({ path: '/b' }),
		];
		others.push(await of({}, { operation: { method: 'PATCH' } }), await of({}, {}, elsewhere));
		expect(new Set([key, x, ...others]).size).toBe(6);
	});

	test('of a reply is the same whatever other fields say, also where they name a platform', async () => {
		const reply = { path: '/inbox/1/reply', says: [{ text: 'Hi' }] };
		const other = { ...reply, body: { text: 'Hi', platform: 'x', account_id: 7 } };
		const once = { operation: { isOncePerContent: true } } as const;
		for (const item of [{}, content, custom('mine')])
			expect(await keyWith(other, item, once)).toBe(await keyWith(reply, item, once));
		expect(await keyWith(other, custom('mine'), once)).toBe('mine');
	});

	test.each<[Partial<Write>, string]>([
		[{}, 'mine'],
		[{ name: 'x' }, 'mine:x'],
		[{ name: 'Plum', body: { platform: 'x', account_id: 'acc_1' } }, 'mine:x:acc_1'],
		[{ name: '', body: { platforms: ['x'] } }, 'mine:x'],
		[{ name: 'media-0-a', file: { keyPart: '' } }, 'mine'],
		[{ name: 'media-0-a', file: { keyPart: 'fresh-1' } }, 'mine:fresh-1'],
		// As long as it may be, whatever the ID.
		[{ name: 'media-0-a', file: { isAttached: true } }, keyOf('custom', 'mine', 'media-0-a')],
	])("in mode custom is the user's own, with the target or part behind it: %j", async (more, key) => {
		expect(await keyWith(more, custom('mine'))).toBe(key);
	});

	test('of a second write in the place of another one is longer, and so is that of its preview', async () => {
		const more = { name: 'x' };
		const { memory, key } = await send({}, more);
		const changed = { memory, operation: { method: 'PATCH' } } as const;
		const shown = (await runOf(changed)).writer.preview(itemAt(), { ...post, ...more });
		const first = [...place, 'execution:7', 2, 0, '', 'create', '/posts', 'x'];
		const long = keyOf('execution', ...first, 1);
		expect([key, await keyWith(more, {}, changed)]).toEqual([keyOf('execution', ...first), long]);
		expect(shown.idempotency_key).toBe(long);
	});
});

describe('sending', () => {
	test('a new write is noted as in doubt before it goes out, and kept with the answer', async () => {
		const noted = { names: ['x', 'account:1'], fixedTime: 'at 9', approvalCode: 'code' };
		const { result, sent, key, entry, writer } = await send({}, { name: 'x', ...noted });
		const response = { id: 'post_1', idempotency_key: key, request_id: 'req' };
		expect(result).toEqual({ body: { text: 'Hi' }, response });
		const request = { method: 'POST', path: '/posts', body: { text: 'Hi' }, idempotencyKey: key };
		const how = { workspaceId: undefined, expects: 'record', maxWaitMs: 60_000, state: 'inDoubt' };
		expect(sent).toEqual([{ ...request, ...how }]);
		expect(entry).toEqual({
			...{ item: expect.stringMatching(/^[\w-]{22}#0$/), method: 'POST', path: '/posts', key },
			...{ ...noted, workspaceId: 'ws_main', state: 'succeeded', body: { text: 'Hi' }, response },
			contents: [expect.any(String)],
		});
		expect(writer.hints.size).toBe(0);
	});

	test('what a tool sets is sent at each call, and not noted', async () => {
		const given = { kind: 'tool', operation: { setsState: true } } as const;
		const { memory, entry } = await send(given);
		expect([entry, (await send({ ...given, memory })).sent.length]).toEqual([undefined, 1]);
		// In the other modes once.
		const once = { ...given, memory: {} };
		const calls = [await send(once, {}, content), await send(once, {}, content)];
		expect(calls.map((call) => [call.sent.length, call.entry?.item])).toEqual([
			[1, ''],
			[0, ''],
		]);
	});

	test('a retry that cannot know what was sent says so, unless the key is made of the content', async () => {
		const hint = [expect.stringContaining('before version 2.14'), 'warning'];
		expect([...(await send({ mode: 'retry' })).writer.hints]).toEqual([hint]);
		expect((await send({ mode: 'retry' }, {}, content)).writer.hints.size).toBe(0);
	});

	test('over MCP, where a call has no execution ID, what a tool sets has another key at each call', async () => {
		const call = async (token: string) => {
			const execution = { resumeUrl: `https://n8n.example/waiting/__UNKNOWN__?signature=${token}` };
			return await keyWith({}, {}, { kind: 'tool', operation: { setsState: true }, execution, round: 0 });
		};
		expect(await call('a')).not.toBe(await call('b'));
	});

	test('without a body, in another workspace, with a key of the user', async () => {
		const given = { operation: { method: 'DELETE' } } as const;
		const { sent, entry, writer } = await send(given, { body: undefined }, { ...custom('k'), ...elsewhere });
		expect(writer.sent()[0]!.record).toMatchObject({ id: 'post_1' });
		expect(sent[0]).toMatchObject({ method: 'DELETE', workspaceId: 'ws_2', expects: 'anything' });
		expect(entry).toMatchObject({ workspaceId: 'ws_2', ownKey: 'k' });
		expect([sent[0].body, entry!.body]).toEqual([undefined, undefined]);
		const operations = [{ method: 'PATCH' }, { setsState: true }, { isOncePerContent: true }, {}] as const;
		const all = await Promise.all(operations.map(async (operation) => await send({ operation })));
		expect(all.map((one) => one.sent[0].expects)).toEqual(['anything', 'anything', 'anything', 'record']);
	});

	test('an answer that is no record gives key and request ID alone; a form goes out and is not kept', async () => {
		const form = new FormData();
		const answers = [['ok'] as unknown as IDataObject];
		const { result, key, sent, entry } = await send({ answers }, { body: undefined, file: { form } });
		expect(result.response).toEqual({ idempotency_key: key, request_id: 'req' });
		expect([sent[0].body, entry!.body]).toEqual([form, undefined]);
	});

	test.each([
		[{ 'Idempotency-Replayed': 'true' }, 1],
		[{ date: 'today', 'idempotent-replayed': 'true' }, 1],
		[{ 'idempotency-replayed': 'false' }, 0],
		[{ 'x-idempotency-replayed': 'true', 'idempotency-replayed-at': 'true' }, 0],
	])(
		'an answer with %j was the earlier one of the service, and counts as sent before: %d',
		async (headers, count) => {
			expect((await send({ headers, isFirst: false })).writer.hints.size).toBe(0);
			const { writer } = await send({ headers });
			const hint = [expect.stringMatching(/^The service had already processed/), 'info'];
			expect([...writer.hints]).toEqual(Array(count).fill(hint));
			expect(writer.sent()).toMatchObject([{ now: count === 0 }]);
			const call = (await send({ headers, kind: 'sub-workflow' })).writer;
			const warning = [
				expect.stringMatching(/^An identical call in this execution already sent this/),
				'warning',
			];
			expect([...call.hints]).toEqual(Array(count).fill(warning));
		},
	);

	test('in the modes that span runs, such an item says that it was sent before, and a hint if that was elsewhere', async () => {
		const headers = { 'idempotent-replayed': 'true' };
		const sentBefore = async (
			keyMode: WriteItem['keyMode'],
			answer: IDataObject,
			workspaceId = 'ws_main',
			given: Given = { headers },
			more: Partial<Write> = {},
		) => {
			const item = { keyMode, ownKey: 'own', workspaceId };
			const { writer, result } = await send({ ...given, answers: [answer] }, more, item);
			const told = [...writer.hints].filter(([text]) => text.includes('nothing was sent in'));
			return [result.response.sent_before, ...told.flat()];
		};
		expect(await sentBefore('execution', {})).toEqual([undefined]);
		expect(await sentBefore('content', { workspace_id: 'ws_main' })).toEqual([true]);
		expect(await sentBefore('custom', { workspace_id: 'ws_main' }, '')).toEqual([true]);
		expect(await sentBefore('custom', { workspace_id: null }, 'ws_second')).toEqual([true]);
		expect(await sentBefore('custom', { workspace_id: 'ws_main' }, 'ws_second')).toEqual([
			true,
			"This 'My Own ID' was already used in the workspace 'ws_main', so nothing was sent in 'ws_second'. To post in both, use different IDs, for example with the workspace's name in front.",
			'warning',
		]);
		expect(await sentBefore('custom', { workspace_id: 'ws_main' }, 'ws_second', {})).toEqual([undefined]);
		// What isn't a post may have any status.
		const media = { path: '/media' };
		expect(await sentBefore('content', { status: 'failed' }, '', { headers }, media)).toEqual([undefined]);
	});

	test('the body as it is at that moment is what is sent, kept and returned', async () => {
		const finish = jest.fn(() => ({ text: 'Now' }));
		const { result, sent, entry } = await send({}, { finish });
		for (const { body } of [result, sent[0], entry]) expect(body).toEqual({ text: 'Now' });
		expect(finish.mock.calls).toEqual([[{ text: 'Hi' }]]);
	});

	test('what is too late is not sent, and leaves nothing behind', async () => {
		const { result, sent, entry, memory, writer } = await send({}, { finish: tooLate });
		expect(result).toMatchObject({ code: 'NODE_TIME_PAST', idempotency_key: expect.stringMatching(/^n8n-/) });
		expect([sent, entry!.state, writer.sent()]).toEqual([[], 'new', []]);
		expect(JSON.stringify(memory)).not.toContain('Hi');
	});

	test('what is too late is refused before anything is sent, unless an earlier try sent it', async () => {
		const { memory } = await send();
		const check = (writer: Writer) => () => writer.refuseUnsendable(itemAt(), { ...post, finish: tooLate });
		expect(check((await runOf()).writer)).toThrow('passed');
		expect(check((await runOf({ memory })).writer)).not.toThrow();
	});

	test('what follows the answer belongs to it: until then it is in doubt, and its result is what counts', async () => {
		const memory: IDataObject = {};
		const complete = async ({ id }: IDataObject) => {
			expect(entriesIn(memory)[0]!.state).toBe('inDoubt');
			return { file: `of ${String(id)}` };
		};
		const { result, entry, writer } = await send({ memory }, { file: { complete } });
		expect(writer.sent()).toHaveLength(1);
		expect([result.response, entry!.response]).toEqual(Array(2).fill({ file: 'of post_1' }));
		const failing = await send({}, { file: { complete: async () => await Promise.reject(answered(503)) } });
		expect(failing.result.code).toBe('OF_503');
		expect(failing.entry).toMatchObject({ state: 'inDoubt', upload: 'byItself' });
		// Bytes that never arrived count as nothing that was sent.
		expect([failing.entry!.response, failing.writer.sent()]).toEqual([undefined, []]);
	});

	test('what was uploaded from a place last is found by that place, and handed out as a copy', async () => {
		const memory: IDataObject = {};
		const upload = async (name: string, answer: IDataObject | Failure) =>
			await send(
				{ memory, answers: [answer] },
				{ path: '/media/upload-url', name, names: [name, 'https://a.example/cat.png'], file: { complete } },
			);
		await upload('first', { id: 'f_1', tags: ['a'] });
		await upload('second', { id: 'f_2', tags: ['b'] });
		await upload('lost', answered(500));
		const { writer } = await runOf({ memory });
		const found = (place: string) => writer.uploaded(itemAt(), place) as IDataObject & { tags: string[] };
		expect(found('first')).toMatchObject({ id: 'f_1' });
		expect(found('https://a.example/cat.png')).toMatchObject({ id: 'f_2', tags: ['b'] });
		found('second').tags.push('c');
		expect(found('second').tags).toEqual(['b']);
		expect([found('lost'), found('elsewhere')]).toEqual([undefined, undefined]);
	});

	test('only after a failed run by hand, or an earlier call of a tool, may something be recognized by its bytes', async () => {
		const after = async (given: Given, memory: IDataObject) => {
			const before = (await runOf({ ...given, memory })).writer.mayRecognize;
			const run = await send({ ...given, memory });
			run.writer.endRound(true, new Map());
			return [before, (await runOf({ ...given, memory: stored(memory) })).writer.mayRecognize];
		};
		expect(await after({}, {})).toEqual([false, false]);
		expect(await after({ kind: 'tool' }, {})).toEqual([false, true]);
		const byHand = { kind: 'manual', node: 'recognized by bytes' } as const;
		expect(await after(byHand, {})).toEqual([false, false]);
		// Another press is another execution.
		expect((await runOf({ ...byHand, executionId: '8' })).writer.mayRecognize).toBe(true);
	});
});

describe('a retry', () => {
	/** A first try with this answer, and a second one that says something else. */
	async function retry(answer: IDataObject | Failure, more: Partial<Write> = {}, given: Given = {}) {
		const first = await send({ answers: [answer], ...given }, more);
		const second = await send(
			{ ...given, memory: stored(first.memory), answers: [{ id: 'again' }] },
			{ ...more, body: { text: 'Changed' } },
		);
		return { first, second };
	}

	test('gives back copies; a failure names the key', async () => {
		const { second } = await retry({ id: 'post_1', list: ['a'] });
		second.result.response.list.push('b');
		second.result.body.text = 'changed';
		expect(second.entry).toMatchObject({ body: { text: 'Hi' }, response: { list: ['a'] } });
		const failed = await retry(kept);
		expect(failed.second.result).toMatchObject({
			code: kept.details.code,
			idempotency_key: failed.first.key,
		});
	});

	test.each<[IDataObject, string]>([
		[{ error: 'Too long.' }, ': Too long'],
		[{ error: { message: 'Too long' } }, ': Too long'],
		[{ platforms: { x: { errorMessage: 'Too long' } } }, ': Too long'],
		[{}, ''],
	])('a post that was accepted as failed is the failure that a 422 is: %j', async (said, why) => {
		const answer = { id: 'p', status: 'failed', ...said };
		const { result, key } = await send({ answers: [answer] });
		expect(result).toMatchObject({
			...{ code: 'PUBLIC_API_PUBLISH_FAILED', status: 422, post: answer, retryable: false },
			...{ message: `The platform rejected the post${why}`, idempotency_key: key, request_id: 'req' },
		});
	});

	test('sends what is in doubt without another look at the clock, and what was sent is not news', async () => {
		const finish = jest.fn((body: IDataObject) => ({ ...body }));
		const given = { headers: { 'idempotent-replayed': true } };
		const { first, second } = await retry(answered(500), { finish }, given);
		expect(first.result).toMatchObject({ message: 'Not confirmed as sent: no', idempotency_key: first.key });
		expect(second.result.body).toEqual({ text: 'Hi' });
		expect([finish.mock.calls.length, second.writer.hints.size]).toEqual([1, 0]);
		// Without its file a post isn't sent, whatever became of the file.
		const attached = await retry(answered(500), { file: { isAttached: true, complete } });
		expect(attached.first.result).toMatchObject({ message: 'no', idempotency_key: attached.first.key });
	});

	describe('in doubt and then refused by the service', () => {
		const now = { body: { text: 'Now' } };
		/** What the third try sends, and becomes of it. */
		const corrected = async (
			{ first = {}, answers = [], ...given }: Given & { first?: Partial<Write> } = {},
			item: Partial<WriteItem> = {},
			more: Partial<Write> = now,
		) => {
			const { memory, key } = await send({ ...given, answers: [answered(500)] }, first, item);
			const refused = await send({ ...given, memory, answers: [answered(400, true)] }, first, item);
			const last = await send({ ...given, memory, answers }, { ...first, ...more }, item);
			expect(last.key).toBe(key);
			return { refused: refused.result, last, said: last.sent[0].body };
		};

		test('goes out as it is now, with its key, and that is what is noted', async () => {
			const finish = jest.fn((body: IDataObject) => ({ ...body, done: true }));
			const { refused, last, said } = await corrected({}, {}, { ...now, finish, fixedTime: 'then' });
			expect(refused.message).toBe('Not confirmed as sent: no');
			expect(refused.hint).toMatch(/^try Retry this execution/);
			expect([said, finish.mock.calls.length]).toEqual([{ text: 'Now', done: true }, 1]);
			const other = (await send({}, { ...now, fixedTime: 'then' })).entry!;
			expect(last.entry).toMatchObject({ state: 'succeeded', body: said, fixedTime: 'then' });
			expect(last.entry!.contents).toEqual(other.contents);
			expect((await corrected({}, custom('own'))).said).toEqual(now.body);
		});

		test('is noted as it was until the service sees what it is now', async () => {
			const { memory } = await send({ answers: [answered(500)] });
			await send({ memory, answers: [answered(400, true)] });
			const late = await send({ memory }, { ...now, finish: tooLate });
			expect(late.result).toMatchObject({ message: 'Not confirmed as sent: passed' });
			expect(late.entry).toMatchObject({ state: 'inDoubt', body: { text: 'Hi' } });
			const resumed = await runOf({ memory });
			await resumed.writer.resume(itemAt(), resumed.writer.sent()[0]!);
			expect(resumed.sent).toMatchObject([{ body: { text: 'Hi' } }]);
		});

		test('where only its time differs, and is too late, goes out as it was: the service may know that', async () => {
			const first = { body: { text: 'Hi', scheduled_at: 'soon' } };
			const more = { body: { text: 'Hi', scheduled_at: 'past' }, finish: tooLate };
			expect((await corrected({ first }, {}, more)).said).toEqual(first.body);
		});

		test('once it is out as it is now, stays so until it is refused or a conflict shows what it said before', async () => {
			const next = async (memory: IDataObject, text: string, answer: Failure) =>
				await send({ memory, answers: [answer] }, { body: { text } });
			const { memory } = await send({ answers: [answered(500)] });
			await next(memory, 'Hi', answered(400, true));
			// Certainly not carried out.
			expect((await next(memory, 'Now', answered(429, true))).entry!.body).toEqual({ text: 'Hi' });
			expect((await next(memory, 'Now', answered(500))).entry!.body).toEqual({ text: 'Now' });
			expect((await next(memory, 'Later', answered(429, true))).entry!.body).toEqual({ text: 'Now' });
			const { entry } = await next(memory, 'Later', conflict);
			expect(entry).toMatchObject({ state: 'inDoubt', body: { text: 'Hi' } });
			expect((await next(memory, 'Later', answered(500))).sent).toMatchObject([{ body: { text: 'Later' } }]);
		});

		test.each<[string, Given, Partial<WriteItem>]>([
			['in mode content', {}, content],
			['of what is sent once per content', { operation: { isOncePerContent: true } }, {}],
			['of a sub-workflow', { kind: 'sub-workflow' }, {}],
		])('keeps what its key is made of: %s', async (_what, given, item) => {
			const { refused, said } = await corrected(given, item);
			expect(said).toEqual(post.body);
			expect(refused.hint).toMatch(/^The idempotency key comes from the content/);
			// With another file address, or without the time that has passed, it is the same.
			const first = { says: [{ text: 'Hi' }] };
			expect((await corrected({ ...given, first }, item)).said).toEqual(now.body);
		});

		test.each<[string, Partial<WriteItem>]>([
			['in mode execution', {}],
			["under the user's own ID", custom('own')],
		])('stays in doubt after a conflict: the first may have been carried out, %s', async (_what, item) => {
			const { last } = await corrected({ answers: [conflict] }, item);
			const { entry } = await send({ memory: last.memory, answers: [conflict] }, now, item);
			expect([last.entry!.state, entry!.state]).toEqual(['inDoubt', 'inDoubt']);
		});

		test('is previewed as it is now', async () => {
			const { memory } = await send({ answers: [answered(500)] });
			const shown = async () => (await runOf({ memory })).writer.preview(itemAt(), { ...post, ...now });
			expect(await shown()).toMatchObject({ request: { body: { text: 'Hi' } } });
			await send({ memory, answers: [answered(400, true)] });
			const warnings = [expect.stringMatching(/^May already have been sent/)];
			expect(await shown()).toMatchObject({ request: now, warnings });
		});

		test('in one call of a tool: a corrected call has another key, so it says to check before', async () => {
			const { result } = await send({ kind: 'tool', answers: [answered(400)] });
			expect(result).toMatchObject({ message: 'Not confirmed as sent: no' });
			expect(result.hint).toMatch(/^try Check whether it was carried out/);
		});
	});

	test('by a call without an execution, which nobody can retry, says to check before it is made again', async () => {
		const hintOf = async (given: Given) => (await send({ ...given, answers: [answered(500)] })).result.hint;
		const call = { kind: 'tool', execution: { resumeUrl: '' } } as const;
		expect(await hintOf(call)).toMatch(/^Check whether it was carried out before you make this call again/);
		expect(await hintOf({ kind: 'tool' })).toMatch(/^Make the same call again/);
		expect(await hintOf({ kind: 'tool', operation: { method: 'PATCH' } })).toMatch(/^Check whether/);
		expect(await hintOf({})).toMatch(/^Retry this execution/);
		// A time that counts from now is another one in the next call.
		const timed = async (fixedTime?: string, mode: Partial<WriteItem> = content) =>
			(
				await send(
					{ kind: 'tool', answers: [answered(500)] },
					{ says: [{}, { scheduled_at: 'later' }], fixedTime },
					mode,
				)
			).result.hint;
		expect(await timed()).toMatch(/^Check whether/);
		for (const hint of [await timed('later'), await timed(undefined, custom('own'))])
			expect(hint).toMatch(/^Make the same call again/);
		// n8n retries no execution that went on after a failure.
		expect(await hintOf({ continuesOnFail: true })).toMatch(
			/^To send this item again, route it back to this node in the same execution, with its error field/,
		);
		expect((await send({ ...call, answers: [answered(400, true)] })).result.hint).not.toMatch(
			/^Check whether/,
		);
	});

	const gateway = answered(404, true).with({ code: 'HTTP_404' });
	test.each<[string, Failure | undefined, 'DELETE' | 'PATCH', Failure, Entry['state']]>([
		['whose answer was lost is done', answered(500), 'DELETE', answered(404, true), 'succeeded'],
		['that is the first of all: there was nothing', undefined, 'DELETE', answered(404, true), 'new'],
		['of whose attempts one was lost is done', undefined, 'DELETE', answered(404), 'succeeded'],
		["that ends with a gateway's page stays in doubt", answered(500), 'DELETE', gateway, 'inDoubt'],
		['that is refused otherwise stays in doubt', answered(500), 'DELETE', answered(403, true), 'inDoubt'],
		['that is an update stays in doubt', answered(500), 'PATCH', answered(404, true), 'inDoubt'],
	])('404: a deletion %s', async (_what, before, method, now, state) => {
		const operation = { method };
		const { memory } = before ? await send({ operation, answers: [before] }) : { memory: {} };
		const { entry, result, key } = await send({ operation, memory: stored(memory), answers: [now] });
		expect(entry!.state).toBe(state);
		if (state === 'succeeded') expect(result.response).toEqual({ idempotency_key: key });
		else expect(result).toMatchObject({ status: now.details.status, idempotency_key: key });
	});

	describe('tells items apart by their files', () => {
		const file = (more: object) => ({
			json: {},
			binary: { data: { data: 'AA==', mimeType: 'image/png', ...more } },
		});
		const isSame = async (one: object, other: object, given: Given = {}) => {
			const { memory } = await send({ ...given, items: [file(one)] });
			const { writer } = await runOf({ ...given, memory, items: [file(other)] });
			return writer.continued(itemAt(), asked, [{ name: '', platform: '' }]).begun.size > 0;
		};

		test('by their names in the store, in memory by their bytes', async () => {
			expect(await isSame({}, {})).toBe(true);
			expect(await isSame({ id: 'a' }, { id: 'a', data: 'BB==' })).toBe(true);
			for (const other of [{ data: 'BB==' }, { fileName: 'a.png' }, { mimeType: 'image/gif' }, { id: 'a' }])
				expect(await isSame({}, other)).toBe(false);
		});

		test('a field that holds none is none; one whose bytes are no text counts by what it holds', async () => {
			const withField = (data: unknown) => ({ json: {}, binary: { data } }) as INodeExecutionData;
			const identityOf = async (data: unknown) => (await send({ items: [withField(data)] })).entry!.item;
			const none = (await send({ items: [{ json: {}, binary: {} }] })).entry!.item;
			expect([await identityOf(null), await identityOf(undefined)]).toEqual([none, none]);
			const odd = [
				{ mimeType: 'a' },
				{ data: { type: 'Buffer', data: [1] } },
				{ data: [2] },
				{ id: 5 },
				'text',
			];
			const identities = await Promise.all(odd.map(identityOf));
			expect(new Set([none, ...identities]).size).toBe(odd.length);
		});

		test('a file is known as before: executions that failed hold it', async () => {
			const identity = async (more: object) => (await send({ items: [file(more)] })).entry!.item;
			const known = (stored: string) => `${hashOf(canonical([{}, { data: [stored, null, 'image/png'] }]))}#0`;
			expect(await identity({})).toBe(known(hashOf('AA==')));
			expect(await identity({ id: 'a/b/c' })).toBe(known('c'));
		});

		test("that came by a webhook: n8n moves them to the execution's folder before it is retried", async () => {
			const id = (folder: string, name = 'a') => ({
				id: `filesystem-v2:workflows/w/executions/${folder}/binary_data/${name}`,
			});
			expect(await isSame(id('temp'), id('7'))).toBe(true);
			expect(await isSame(id('7'), id('7', 'ba'))).toBe(false);
		});

		test('that are stored anew at each press of Execute step, by their size', async () => {
			const given = { kind: 'manual', node: 'stored anew' } as const;
			expect(await isSame({ id: 'a', fileSize: '3 B' }, { id: 'b', fileSize: '3 B' }, given)).toBe(true);
			expect(await isSame({ id: 'a', fileSize: '3 B' }, { id: 'a', fileSize: '4 B' }, given)).toBe(false);
		});

		test("that n8n's newest execution logic has in the JSON of an item", async () => {
			const inJson = ({ json, binary: _files }: ReturnType<typeof file>) => ({ json: { ...json, _files } });
			const isSameFile = async (one: object, other: object) => {
				const { memory } = await send({ items: [inJson(file(one))] });
				const { writer } = await runOf({ memory, items: [inJson(file(other))] });
				return writer.continued(itemAt(), asked, [{ name: '', platform: '' }]).begun.size > 0;
			};
			const id = (folder: string, name = 'a') => ({ id: `filesystem-v2:executions/${folder}/${name}` });
			expect(await isSameFile(id('temp'), id('7'))).toBe(true);
			expect(await isSameFile(id('7'), id('7', 'b'))).toBe(false);
			expect(await isSameFile(id('7'), { ...id('7'), fileName: 'a.png' })).toBe(false);
		});
	});
});

test('what a retry would only meet again: what is kept as failed, and under a key of the content or the user every 422', async () => {
	const recurs = async (answers: Failure[], item: Partial<WriteItem> = {}, memory: IDataObject = {}) => {
		const { writer } = await runOf({ answers, memory });
		const failure: Failure = await writer.send(itemAt(0, item), post).catch((error) => error);
		return failure.with({}).recurs;
	};
	const partlyOut = kept.with({ post: { status: 'failed', platforms: { x: { status: 'completed' } } } });
	for (const failure of [kept, partlyOut]) {
		const memory = {};
		expect(await recurs([failure], {}, memory)).toBe(false);
		expect(await recurs([], {}, stored(memory))).toBe(true);
	}
	for (const item of [content, custom('own')])
		expect([await recurs([kept], item), await recurs([answered(400, true)], item)]).toEqual([true, false]);
});

describe('an item that comes back', () => {
	const back = (error: unknown) => ({ json: { n: 0, error } as IDataObject });

	test('with its failure is the row that failed, once: what is in doubt goes out again as it was', async () => {
		const first = await send({ answers: [answered(500)] }, {}, content);
		// Another row says the same, so that it has the same key.
		await send({ memory: first.memory }, {}, { ...content, index: 1 });
		const items = [back(first.result), back(first.result), ...inputOf(2)];
		const { writer, sent } = await runOf({ memory: first.memory, items, round: 3 });
		expect([0, 1, 2].map((index) => writer.firstOfRow(index))).toEqual([0, 0, 2]);
		await writer.send(itemAt(1, content), { ...post, body: { text: 'Changed' } });
		expect(sent).toMatchObject([{ idempotencyKey: first.key, body: { text: 'Hi' } }]);
	});

	test('is told by the key in its failure where nothing is known of that', async () => {
		const odd = [{}, { json: { _files: { a: null } } }] as never[];
		const { writer } = await runOf({ items: [back({ retryable: true, idempotency_key: 7 }), ...odd] });
		expect([0, 1, 2, 9].map((index) => writer.ofRow(index).key)).toEqual(['7', ...Array(3).fill(undefined)]);
	});

	test('of another node or execution is sent as new, and noted where that may make another post', async () => {
		const items = [back({ retryable: true, idempotency_key: 'k' })];
		const notedOf = async (given: Given = {}, at: Partial<WriteItem> = {}, write: Partial<Write> = {}) => {
			const { writer, memory } = await send({ items, ...given }, write, at);
			return [[...writer.sentAnew], memory] as const;
		};
		const [noted, memory] = await notedOf();
		expect(noted).toEqual([0]);
		// Once it may have been sent.
		for (const [answer, rows] of [
			[answered(400, true), []],
			[kept, []],
			[answered(500), [0]],
		] as const)
			expect((await notedOf({ answers: [answer] }))[0]).toEqual(rows);
		expect((await notedOf({}, {}, { file: { complete, isAttached: true } }))[0]).toEqual([]);
		// A retry of this execution sends nothing anew.
		expect((await notedOf({ memory: stored(memory) }))[0]).toEqual([]);
		expect((await notedOf({ items: inputOf(0) }))[0]).toEqual([]);
		// Under the same key.
		for (const at of [content, custom('own')]) expect((await notedOf({}, at))[0]).toEqual([]);
		for (const given of [{ kind: 'sub-workflow' }, { operation: { method: 'PATCH' } }] as Given[])
			expect((await notedOf(given))[0]).toEqual([]);
	});

	test('with an error of another node is told apart by that; equal ones by their order', async () => {
		const numberOf = async (...errors: string[]) =>
			(await send({ items: errors.map(back) }, {}, { index: 1 })).entry!.item.split('#')[1];
		expect([await numberOf('a', 'b'), await numberOf('a', 'a')]).toEqual(['0', '1']);
	});
});

describe('an equal item in a later round of a loop', () => {
	test.each<[what: string, changed: Partial<Write>, by: Partial<WriteItem>, isSame: boolean]>([
		['the same', {}, {}, true],
		['the same at another time', { body: { text: 'Hi', scheduled_at: '2126-01-01T00:00:00Z' } }, {}, true],
		['another text', { body: { text: 'Other' } }, {}, false],
		['the same elsewhere', {}, elsewhere, false],
	])(
		'that says %s: what is in doubt goes out again only if it is that',
		async (_what, changed, by, isSame) => {
			const { memory, key } = await send({ answers: [answered(500)] });
			const again = await send({ memory: stored(memory), round: 3 }, changed, by);
			expect([again.key === key, again.sent[0].body]).toEqual([
				isSame,
				isSame ? post.body : (changed.body ?? post.body),
			]);
		},
	);

	test('names no workspace where the one in doubt did: nobody can tell whether it is the same', async () => {
		const { memory } = await send({ answers: [answered(500)] });
		const { result } = await send({ memory, round: 3, workspaceId: '' }).catch((error) => ({
			result: error.details,
		}));
		expect(result.code).toBe('NODE_WORKSPACE_UNCLEAR');
	});
});

describe('what was sent', () => {
	test.each(['node', 'tool'] as const)(
		'of a %s counts in this round of a loop, or in this call, and in all',
		async (kind) => {
			const { memory, key, sent, writer } = await send({ kind });
			if (kind === 'node') expect(writer.ofRow(0).key).toBe(key);
			const next = (await send({ kind, memory, round: 3 }, { body: { text: 'Other' } })).writer;
			const all = [next.sent(), next.ofRow(0).sent, next.sent('all')];
			expect(all.map(({ length }) => length)).toEqual([1, 1, 2]);
			const again = await send({ kind, memory });
			expect([sent.length, again.sent.length]).toEqual([1, 0]);
		},
	);

	test('by calls and by hand has to do with others by its content alone', async () => {
		for (const kind of ['node', 'tool', 'sub-workflow', 'manual'] as const)
			expect((await runOf({ kind })).writer.isByContent).toBe(kind !== 'node');
	});

	test('names state, request with answer, and where it went; not the files of a post', async () => {
		const failed = kept.with({ post: { id: 'post_9', status: 'failed' } });
		const answers = [{ id: 'a' }, answered(500), failed, answered(400, true), { id: 'f' }];
		const { writer } = await runOf({ answers });
		for (const name of ['a', 'b', 'c', 'd', 'f'])
			await writer
				.send(itemAt(1, elsewhere), {
					...post,
					name,
					file: name === 'f' ? { isAttached: true, complete } : undefined,
				})
				.catch(() => undefined);
		const all = writer.sent();
		expect(all.map(({ names, state }) => [names[0], state])).toEqual([
			['a', 'succeeded'],
			['b', 'inDoubt'],
			['c', 'keptAsFailed'],
		]);
		expect(all[0]).toMatchObject({
			...{ path: '/posts', names: ['a'], workspaceId: 'ws_2', now: true, isRerun: false },
			...{ key: expect.stringMatching(/^n8n-/), record: { text: 'Hi', id: 'a' } },
		});
		expect(all[2]!.record).toEqual({ text: 'Hi', id: 'post_9', status: 'failed' });
		expect([writer.sent('all'), writer.ofRow(1).sent, writer.ofRow(0).sent]).toEqual([all, all, []]);
		// Only by hand a post whose publication failed may be sent anew.
		expect(() => writer.endRound(true, new Map([[all[2]!.key, 'all']]))).not.toThrow();
	});

	test.each<[IDataObject, IDataObject]>([
		[{ platforms: { x: { status: 'scheduled' } } }, { platform: 'x' }],
		[{ platforms: [] }, { platform: 'x' }],
		[{ platform: { id: 7, name: 'X' } }, { platform: 'x' }],
		[{ platform: 'twitter', account_id: 'acc_of_two' }, { platforms: ['x', 'linkedin'] }],
		[{ account_id: 7 }, { platform: 'x', account_id: 'acc_1' }],
	])('where it went is read off the request, not off an answer of %j', async (answer, place) => {
		const { writer } = await send({ answers: [{ id: 'a', ...answer }] }, { body: { text: 'Hi', ...place } });
		expect(omit(writer.sent()[0]!.record, 'idempotency_key', 'request_id')).toEqual({
			id: 'a',
			text: 'Hi',
			...place,
		});
	});
});

describe('the next press of Execute step', () => {
	let node = '';
	let nodes = 0;
	beforeEach(() => (node = `pressed ${nodes++}`));
	const press = async (more: Partial<Write> = {}, given: Given = {}, item: Partial<WriteItem> = {}) =>
		await send({ kind: 'manual', round: 0, node, ...given }, more, item);
	/** A press that fails, on these platforms for good. */
	const failed = async (more: Partial<Write> = {}, unpublished?: Unpublished) => {
		const done = await press(more, { executionId: '1' });
		done.writer.endRound(true, new Map(unpublished && [[done.key, unpublished]]));
		return done;
	};

	test.each<[string, Given, number]>([
		['finds what is said of another item, for another time, of an account with another ID', {}, 0],
		['sends anew what another API key sent', { apiKey: 'other' }, 1],
	])('%s', async (_what, given, count) => {
		const { key } = await failed({ says: [{ text: 'Hi', account_id: '1' }] });
		const moved = { text: 'Hi', account_id: '2', slot: true, scheduled_at: 'later' };
		const { sent, writer } = await press({ says: [moved] }, { items: inputOf('other'), ...given });
		expect(sent).toHaveLength(count);
		if (count === 0) expect(writer.sent()).toMatchObject([{ key, isCarriedOver: true, isRerun: false }]);
	});

	test.each<[Unpublished | undefined, sent: string[]]>([
		[undefined, []],
		[['x'], ['x']],
		['all', ['x', 'linkedin']],
	])('sends a post anew where its publication failed for good: %j', async (unpublished, sent) => {
		const says = ['x', 'linkedin'].map((platform) => ({ text: 'Hi', platform }));
		const body = { text: 'Hi', platforms: ['x', 'linkedin'] };
		const { writer } = await failed({ body, says, names: ['x', 'linkedin'] }, unpublished);
		expect(writer.rerun!.isKept).toBe(unpublished !== 'all');
		const isSent = async ({ platform }: { platform: string }) => {
			const next = await runOf({ kind: 'manual', round: 0, node, executionId: platform });
			const [item, write] = [itemAt(), { ...post, body: { text: 'Hi', platform }, name: platform }];
			expect(next.writer.sent()).toHaveLength(unpublished === 'all' ? 0 : 1);
			next.writer.recognize([{ item, asked: { ...asked, parts: saysOf(write) } }]);
			await next.writer.send(item, write);
			return next.sent.length > 0;
		};
		const anew = [];
		for (const one of says) if (await isSent(one)) anew.push(one.platform);
		expect(anew).toEqual(sent);
	});

	test('says which changed rows may be what was sent; an unchanged one that was not sent is not', async () => {
		const saying = (index: number, text = 'Hi') => ({
			item: itemAt(index),
			asked: { ...asked, parts: [{ text }] },
		});
		const first = await runOf({ kind: 'manual', node, executionId: '1' });
		first.writer.recognize([saying(0), saying(1)]);
		await first.writer.send(itemAt(), post);
		first.writer.endRound(true, new Map());
		const second = (await runOf({ kind: 'manual', node, items: inputOf('a', 'b', 'c') })).writer;
		const unclear = second.recognize([saying(0), saying(1), saying(2, 'Other')]);
		expect(unclear.map(({ index, sent }) => [index, sent])).toEqual(
			[0, 1].map((index) => [index, [expect.objectContaining({ isRerun: true, now: false })]]),
		);
		expect((await press({}, { items: inputOf(1) })).sent).toHaveLength(1);
	});
});

test('the next press finds two equal files of an item, each by itself', async () => {
	const given = {
		kind: 'manual',
		round: 0,
		node: 'with files',
		answers: [{ id: 'a' }, { id: 'b' }],
	} as const;
	const press = async (executionId: string, names: string[]) => {
		const { writer, sent } = await runOf({ ...given, answers: [...given.answers], executionId });
		for (const name of names)
			await writer.send(itemAt(), {
				path: '/media',
				file: { form: new FormData() },
				name,
				says: [{ hash: 'same', write: name }],
			});
		writer.endRound(true, new Map());
		return sent.length;
	};
	expect([await press('1', ['one', 'two']), await press('2', ['two', 'one'])]).toEqual([2, 0]);
});

const conflict = answered(409).with({ code: 'PUBLIC_API_IDEMPOTENCY_CONFLICT', hint: 'Run it again.' });
test('a reply that was sent before with other fields leads to an ID of its own, not to another run', async () => {
	const hintOf = async (operation: Partial<WriteOperation>, item: Partial<WriteItem> = {}) =>
		(await send({ operation, answers: [conflict] }, {}, item)).result.hint;
	expect(await hintOf({})).toBe('Run it again.');
	expect(await hintOf({ isOncePerContent: true })).toMatch(
		/with other fields.* 'Avoid Duplicates' to 'My Own ID'/,
	);
	expect(await hintOf({}, content)).toMatch(/in another form/);
	expect(await hintOf({}, custom('own'))).toMatch(/^'My Own ID' was used before/);
});

const form = { body: undefined, file: { form: new FormData() } };
test.each<[string, Partial<Write>, Failure[], State]>([
	['a new post was not sent', {}, [conflict], 'new'],
	['a new file was not sent', form, [conflict], 'new'],
	['a post in doubt was not sent: it says something else', {}, [answered(500), conflict], 'new'],
	['a file stays in doubt: nobody kept what it said', form, [answered(500), conflict], 'inDoubt'],
])('where the service knows the key from another request, %s', async (_what, more, answers, state) => {
	const memory = {};
	for (const answer of answers) await send({ memory, answers: [answer] }, more, content);
	expect(entriesIn(memory).at(-1)!.state).toBe(state);
});

describe('a preview', () => {
	test('says what would go out, also where it is too late; sends nothing, and notes nothing', async () => {
		const { writer, sent, memory } = await runOf();
		const finish = (body: IDataObject) => ({ ...body, now: true });
		const request = { method: 'POST', path: '/posts', body: { text: 'Hi', now: true } };
		const shown = { preview: true, request, idempotency_key: await keyWith() };
		expect(writer.preview(itemAt(), { ...post, finish })).toEqual({ ...shown, workspace_id: 'ws_main' });
		const late = writer.preview(itemAt(0, { workspaceId: '' }), { ...post, finish: tooLate });
		const warned = { ...shown, request: { ...request, body: { text: 'Hi' } }, warnings: ['passed'] };
		expect(late).toEqual(warned);
		expect([sent, entriesIn(memory)]).toEqual([[], []]);
	});

	test('shows what was sent already instead; of what may not be kept, the request as it is now', async () => {
		const changed = { ...post, body: { text: 'New' } };
		const warned = { warnings: ["Already sent: it won't be sent again"] };
		for (const [more, text] of [
			[{}, 'Hi'],
			[{ keepsNothing: true }, 'New'],
		] as const) {
			const { memory, key } = await send({ operation: more });
			const { writer } = await runOf({ memory, operation: more });
			expect(writer.preview(itemAt(), changed)).toMatchObject({
				...{ ...warned, idempotency_key: key, request: { body: { text } } },
			});
		}
		const { memory } = await send({ answers: [answered(500)] });
		const { warnings } = (await runOf({ memory })).writer.preview(itemAt(), changed);
		expect(warnings).toEqual([
			'May already have been sent. It goes out again with the same key, so the service carries it out only once.',
		]);
	});
});
