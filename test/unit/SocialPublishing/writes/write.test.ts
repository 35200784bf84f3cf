import type { IDataObject } from 'n8n-workflow';

import { Failure, refusal } from '../../../../nodes/api/failure';
import { Journal } from '../../../../nodes/SocialPublishing/writes/journal';
import { contentHash, keyOf } from '../../../../nodes/SocialPublishing/writes/key';
import { ManualRerun } from '../../../../nodes/SocialPublishing/writes/manualRerun';
import {
	planWrite,
	previewWrite,
	sendWrite,
	type WriteItem,
	type WriteOptions,
	type WriteRequest,
} from '../../../../nodes/SocialPublishing/writes/write';

interface Given {
	kind?: 'node' | 'tool' | 'sub-workflow';
	method?: 'POST' | 'PATCH' | 'DELETE';
	options?: WriteOptions;
	index?: number;
	executionId?: string;
	/** The node's context. */
	memory?: IDataObject;
	/** What runs by hand before this one sent; with it, it is a run by hand. */
	rerun?: ManualRerun;
	/** What the service answers, one after another; a failure is thrown. */
	answers?: Array<IDataObject | Failure>;
	requestId?: string;
	headers?: IDataObject;
}

/** An item of a fake run, and what was sent for it. */
function itemOf({ kind = 'node', method = 'POST', memory = {}, ...given }: Given = {}) {
	const {
		options = {},
		index = 0,
		executionId = '7',
		rerun,
		answers = [],
		requestId = 'req',
		headers = {},
	} = given;
	const isTool = kind === 'tool';
	const run = {
		operation: { method, value: 'create' },
		executionId,
		nodeName: ['instance', 'workflow', 'node'],
		scope: Promise.resolve({ id: 'scope', isSubWorkflow: kind === 'sub-workflow' }),
		manualRerun: Promise.resolve(rerun),
		isTool,
		isByHand: rerun !== undefined,
		round: 2,
		journal: new Journal(memory, isTool ? 'tool' : '2'),
		identityOf: (at: number) => `item ${at}`,
		replayedCount: 0,
		notes: new Set<string>(),
	};
	const sent: any[] = [];
	const client = {
		address: { workspaceId: 'ws_main' },
		send: async ({ body: given, ...request }: any, maxWaitMs: number) => {
			const noted = run.journal.isTaken(request.idempotencyKey);
			const body = typeof given === 'function' ? given() : given;
			sent.push({ ...request, ...(body ? { body } : {}), maxWaitMs, noted });
			const answer = answers.shift() ?? { id: `post_${sent.length}` };
			if (answer instanceof Failure) throw answer;
			return { data: answer, requestId, headers };
		},
	};
	const item = { run, client, index, options } as unknown as WriteItem;
	return { item, run, sent };
}
const request: WriteRequest = { path: '/posts', body: { text: 'Hi' } };
const place = ['instance', 'workflow', 'node'];
const content = { method: 'POST', path: '/posts', workspaceId: 'ws_main', target: '', body: { text: 'Hi' } };
const failure = (status: number, notProcessed = false) =>
	new Failure({ code: `OF_${status}`, message: 'no', hint: 'try', status }).withNotProcessed(notProcessed);

const plan = async (more: Partial<WriteRequest> = {}, given: Given = {}) =>
	await planWrite(itemOf(given).item, { ...request, ...more });
const keysOf = async (more: Partial<WriteRequest> = {}, given: Given = {}) => (await plan(more, given)).keys;
const keyed = (mode: 'content' | 'custom', idempotencyKey = ''): Given => ({
	options: { idempotencyKeyMode: mode, idempotencyKey },
});

describe('the plan of a write', () => {
	test('what goes out, what it is found by, and possible keys', async () => {
		const first = [...place, 'scope', 2, 0, 'create', '/posts', 'x'];
		expect(await plan({ part: 'x' })).toEqual({
			request: { ...request, part: 'x' },
			method: 'POST',
			body: { text: 'Hi' },
			workspaceId: 'ws_main',
			ids: ['item 0|POST|/posts|x'],
			keys: [keyOf('execution', ...first), keyOf('execution', ...first, 'ws_main', 'item 0', 'x')],
			isRepeatable: false,
		});
	});

	test('is found by part, target and the parts that share the request, each once', async () => {
		const { ids } = await plan({ part: 'Plum', target: 'x:1', foundBy: ['a', 'Plum'] });
		expect(ids).toEqual(['a', 'Plum', 'x:1'].map((part) => `item 0|POST|/posts|${part}`));
	});

	test('the method and workspace of the request go before those of operation and credential', async () => {
		const write = await plan({ method: 'DELETE' }, { method: 'PATCH', options: { workspaceId: 'ws_2' } });
		expect(write).toMatchObject({ method: 'DELETE', workspaceId: 'ws_2', ids: ['item 0|DELETE|/posts|'] });
		expect((await plan({}, { method: 'PATCH' })).method).toBe('PATCH');
	});

	describe("the user's additional fields", () => {
		const options = { additionalFields: { list: ['X'], nested: { b: 2 }, note: true, word: 'Hi' } };
		const body = { list: [1, 2], nested: { a: 1 }, text: 'Hi' };
		const merged = { list: ['X'], nested: { a: 1, b: 2 }, note: true, word: 'Hi', text: 'Hi' };

		test('are merged; lists stand instead of those of the node', async () => {
			expect((await plan({ body }, { options })).body).toEqual(merged);
			expect(body.nested).toEqual({ a: 1 });
			expect((await plan({ body: undefined }, { options })).body).toEqual(options.additionalFields);
		});

		test('are left out where they belong to another request; without any, no body stays none', async () => {
			expect((await plan({ body, additional: false }, { options })).body).toEqual(body);
			expect(await plan({ body: undefined })).not.toHaveProperty('body');
			expect(await plan({ body: {} })).toHaveProperty('body', {});
		});

		test('count as content', async () => {
			const mode = { idempotencyKeyMode: 'content' } as const;
			expect(await keysOf({ body }, { options: { ...mode, ...options } })).toEqual(
				await keysOf({ body: merged }, { options: mode }),
			);
		});

		test('are fields of a form', async () => {
			const form = new FormData();
			expect((await plan({ body: undefined, form }, { options })).body).toBeUndefined();
			expect([...form]).toEqual([
				['list', '["X"]'],
				['nested', '{"b":2}'],
				['note', 'true'],
				['word', 'Hi'],
			]);
		});
	});
});

describe('the key of a write', () => {
	const files = { body: { media: 'https://s/1?sig' }, content: { media: 'print' } };
	const time = { scheduled_at: 'later', schedule_at: 'later' };
	const at = (...names: Array<keyof typeof time>) => ({
		body: { text: 'Hi', ...Object.fromEntries(names.map((name) => [name, time[name]])) },
	});

	test('in mode execution tells nothing but the place: whatever the node says now', async () => {
		const key = (await keysOf())[0];
		for (const more of [{ body: { text: 'Other' } }, { target: 'x' }, { foundBy: ['x'] }])
			expect((await keysOf(more))[0]).toBe(key);
		expect((await keysOf({}, { options: { workspaceId: 'ws_2' } }))[0]).toBe(key);
		for (const other of [await keysOf({ part: 'x' }), await keysOf({}, { index: 1 })])
			expect(other[0]).not.toBe(key);
	});

	test('in mode content is what it says and where it goes, its time too', async () => {
		const of = async (more: Partial<WriteRequest>, given: Given = {}) =>
			await keysOf(more, { ...keyed('content'), ...given });
		const all = [
			await of({}),
			await of({ target: 'x' }),
			await of({ path: '/other' }),
			await of({}, { method: 'PATCH' }),
			await of({}, { options: { idempotencyKeyMode: 'content', workspaceId: 'ws_2' } }),
			await of({ ...at('scheduled_at'), relativeTime: true }),
			await of(files),
		];
		expect(all[0]).toEqual([keyOf('content', contentHash(content))]);
		expect(new Set(all.flat()).size).toBe(all.length);
		expect(await of({}, { kind: 'tool', index: 1 })).toEqual(all[0]);
		expect(await of({ ...files, body: { media: 'https://s/2?sig' } })).toEqual(all[6]);
		expect(await of({ part: 'Plum', target: 'x' })).toEqual(all[1]);
	});

	test("in mode custom is the user's own, with the target behind it", async () => {
		expect(await plan({ part: 'Plum', target: 'x:1' }, keyed('custom', 'record-7'))).toMatchObject({
			keys: ['record-7:x:1'],
			ownKey: 'record-7',
		});
		expect(await plan({}, keyed('content', 'record-7'))).not.toHaveProperty('ownKey');
		await expect(plan({}, { options: { idempotencyKeyMode: 'custom' } })).rejects.toThrow(
			"'My Own ID' is empty",
		);
	});

	test('of a reply is made of what it answers, whatever the execution', async () => {
		const once = [keyOf('once', 'ws_main', 'POST', '/posts', 'inb_1', 'Thanks')];
		for (const given of [{}, { index: 1 }, { kind: 'tool' as const, executionId: '8' }])
			expect(await keysOf({ dedupeBy: ['inb_1', 'Thanks'] }, given)).toEqual(once);
	});

	const said = contentHash(content);
	test.each<[NonNullable<Given['kind']>, Partial<WriteRequest>, Array<string | number>, boolean]>([
		['node', { setsState: true }, ['scope', 2, 1], false],
		['tool', {}, ['scope', said], false],
		['tool', { setsState: true }, ['7', 2, 1, said], true],
		['sub-workflow', {}, ['scope', 2, 1, said], false],
		['sub-workflow', { setsState: true }, ['7', 2, 1, said], false],
	])('of a %s, with %j', async (kind, more, parts, isRepeatable) => {
		const write = await plan(more, { kind, index: 1 });
		expect(write.keys[0]).toBe(keyOf('execution', ...place, ...parts, 'create', '/posts', ''));
		expect([write.isRepeatable, write.ids]).toEqual([
			isRepeatable,
			[`${kind === 'tool' ? said : 'item 1'}|POST|/posts|`],
		]);
	});

	test.each(['PATCH', 'DELETE'] as const)('a tool sends each %s', async (method) => {
		expect(await plan({}, { kind: 'tool', method })).toMatchObject({ isRepeatable: true });
	});

	test.each(['content', 'custom'] as const)('in mode %s a call may not be sent twice', async (mode) => {
		const given: Given = { kind: 'tool', ...keyed(mode, 'k') };
		expect(await plan({ setsState: true }, given)).toMatchObject({ isRepeatable: false });
	});

	test.each(['tool', 'sub-workflow'] as const)(
		'of a %s leaves out the ID of an account, and a time where it counts from now',
		async (kind) => {
			const of = async (more: Partial<WriteRequest>) => (await keysOf(more, { kind }))[0];
			const whole = at('scheduled_at', 'schedule_at');
			const account = { part: 'Plum', body: { text: 'Hi', account_id: 'acc_1' } };
			expect(await of({ ...account, target: 'x:acc_1' })).toBe(await of({ part: 'Plum' }));
			expect(await of({ ...whole, relativeTime: true })).toBe(await of({ relativeTime: true }));
			expect(await of(whole)).not.toBe(await of({}));
		},
	);

	test('a run by hand is found by what it says, without time, account and who else shares it', async () => {
		const rerun = new ManualRerun('plan', '1', 0);
		const of = async (more: Partial<WriteRequest>, given: Given = {}) =>
			(await plan(more, { rerun, ...given })).rerunContent;
		const base = await of({ part: 'Plum' });
		const all = { body: { text: 'Hi', ...time, account_id: 'acc_1' } };
		expect(await of({ ...all, part: 'Plum', target: 'x:1' })).toBe(base);
		expect(base).toBe(contentHash({ ...content, target: 'Plum' }));
		expect(await of({ part: 'x' })).not.toBe(base);
		expect(await of({ part: 'Plum', body: { text: 'Other' } })).not.toBe(base);
		expect(await of({}, keyed('content'))).toBeUndefined();
		expect(await plan()).not.toHaveProperty('rerunContent');
	});
});

/** Sends a write in one try of an execution. */
const send = async (given: Given, more: Partial<WriteRequest> = {}) => {
	const { item, run, sent } = itemOf(given);
	const write = await planWrite(item, { ...request, ...more });
	const result = await sendWrite(item, write, 60_000).catch((error: Failure) => error);
	return { result, sent, run, write, entry: run.journal.lookup(write) };
};
const bodyAndResponse = (id: string, idempotency_key: string, text = 'Hi') => ({
	body: { text },
	response: { id, idempotency_key, request_id: 'req' },
});
const stored = (memory: IDataObject) => JSON.parse(JSON.stringify(memory)) as IDataObject;

describe('sending', () => {
	test('a new write is noted before it goes out, and kept with the answer', async () => {
		const { result, sent, run, write, entry } = await send({});
		const [idempotencyKey] = write.keys as [string];
		expect(result).toEqual(bodyAndResponse('post_1', idempotencyKey));
		expect(sent).toEqual([
			{
				method: 'POST',
				path: '/posts',
				body: { text: 'Hi' },
				workspaceId: undefined,
				idempotencyKey,
				expects: 'record',
				maxWaitMs: 60_000,
				noted: true,
			},
		]);
		expect(entry).toEqual({
			ids: write.ids,
			workspaceId: 'ws_main',
			key: idempotencyKey,
			state: 'succeeded',
			request: { method: 'POST', path: '/posts', body: { text: 'Hi' } },
			response: (result as { response: IDataObject }).response,
		});
		expect(run.replayedCount).toBe(0);
	});

	test('a write without body or answer, in another workspace, with a key of the user', async () => {
		const options = { workspaceId: 'ws_2', idempotencyKeyMode: 'custom', idempotencyKey: 'k' } as const;
		const given = { method: 'DELETE', options, requestId: '' } as const;
		const { result, sent, entry } = await send({ ...given, answers: [{}] }, { body: undefined });
		expect(result).toEqual({ response: { idempotency_key: 'k' } });
		expect(sent[0]).toMatchObject({ workspaceId: 'ws_2', method: 'DELETE' });
		expect(sent[0]).not.toHaveProperty('body');
		expect(entry).toMatchObject({ ownKey: 'k', request: { method: 'DELETE', path: '/posts' } });
		expect(entry!.request).not.toHaveProperty('body');
	});

	test.each([
		[{ 'Idempotency-Replayed': 'true' }, 1],
		[{ 'idempotent-replayed': 'true' }, 1],
		[{ 'idempotency-replayed': 'false' }, 0],
		[{ 'x-replayed': 'true' }, 0],
		[{ 'x-idempotency-replayed': 'true' }, 0],
		[{ 'idempotency-replayed-at': 'true' }, 0],
		[{ date: 'today', 'idempotency-replayed': 'true' }, 1],
	])('an answer that the service gave before is said to be one: %j', async (headers, notes) => {
		const { run } = await send({ headers });
		expect([...run.notes].filter((note) => note.includes('the earlier result'))).toHaveLength(notes);
	});

	test('what is sent each time has its key, too, and one with a secret may be changed at sending', async () => {
		const repeated = await send({ kind: 'tool', method: 'PATCH' });
		expect(repeated.sent[0]!.idempotencyKey).toBe(repeated.write.keys[0]);
		const atSending = (body: IDataObject) => ({ ...body, sent: true });
		expect((await send({}, { secret: true, atSending })).sent[0]!.body).toEqual({ text: 'Hi', sent: true });
	});

	test('an answer that is no record gives nothing but key and request', async () => {
		const answers = [['ok']] as unknown as IDataObject[];
		const { result, write } = await send({ method: 'DELETE', answers });
		expect(result).toMatchObject({ response: { idempotency_key: write.keys[0], request_id: 'req' } });
		expect((result as { response: object }).response).not.toHaveProperty('0');
	});

	test('a form goes out and is not kept', async () => {
		const form = new FormData();
		const { sent, entry } = await send({}, { body: undefined, form });
		expect([sent[0].body, entry!.request]).toEqual([form, { method: 'POST', path: '/posts' }]);
	});

	test('the body as it is at that moment is what is sent, kept and told', async () => {
		const atSending = jest.fn(() => ({ text: 'Now' }));
		const { result, sent, write, entry } = await send({}, { atSending });
		expect(result).toEqual(bodyAndResponse('post_1', write.keys[0]!, 'Now'));
		expect([sent[0].body, entry!.request!.body]).toEqual([{ text: 'Now' }, { text: 'Now' }]);
		expect(atSending.mock.calls).toEqual([[{ text: 'Hi' }]]);
	});

	test('what is decided only now is in the body from the first note on, and in no key', async () => {
		const complete = jest.fn(async (body: IDataObject) => ({ ...body, slot: 1 }));
		const atSending = (body: IDataObject) => ({ ...body, sent: true });
		const { sent, entry, write, run } = await send({ answers: [failure(500)] }, { complete, atSending });
		const whole = { text: 'Hi', slot: 1, sent: true };
		expect([write.body, write.keys]).toEqual([{ text: 'Hi' }, await keysOf()]);
		expect([sent[0].body, entry!.request!.body]).toEqual([whole, whole]);
		const again = await sendWrite({ ...itemOf().item, run } as WriteItem, write, 0);
		expect([again.body, complete.mock.calls]).toEqual([whole, [[{ text: 'Hi' }]]]);
	});

	test.each([
		['POST', undefined, 'record'],
		['DELETE', undefined, 'anything'],
		['DELETE', 'acknowledgement', 'acknowledgement'],
	] as const)('of %s with %s the answer has to be: %s', async (method, given, expects) => {
		const { sent } = await send({}, { method, ...(given ? { expects: given } : {}) });
		expect(sent[0].expects).toBe(expects);
	});

	test('what must not go out any more is not sent, and leaves nothing behind', async () => {
		const atSending = () => {
			throw refusal('TIME_PAST', 'passed', 'later').withNotProcessed(true);
		};
		const { result, sent, entry, write } = await send({}, { atSending });
		expect((result as Failure).details).toMatchObject({
			code: 'NODE_TIME_PAST',
			idempotency_key: write.keys[0],
		});
		expect([sent, entry]).toEqual([[], undefined]);
	});

	test('a second write that stands in the place of another one has the longer key, the last one again', async () => {
		const memory = {};
		const keys: string[] = [];
		const whole = await keysOf();
		for (const at of ['a', 'b', 'c']) {
			const { item, sent } = itemOf({ memory });
			await sendWrite(item, { ...(await planWrite(item, request)), ids: [at] }, 0);
			keys.push(sent[0].idempotencyKey);
		}
		expect(keys).toEqual([whole[0], whole[1], whole[1]]);
	});
});

describe('a retry', () => {
	/** The first try with this answer, and a second one that asks for something else. */
	const retry = async (
		answer: IDataObject | Failure,
		more: Partial<WriteRequest> = {},
		given: Given = {},
	) => {
		const memory = {};
		const first = await send({ memory, answers: [answer], ...given }, more);
		const second = await send(
			{ memory: stored(memory), answers: [{ id: 'again' }], ...given },
			{ ...more, body: { text: 'Changed' } },
		);
		return { first, second, key: first.sent[0].idempotencyKey as string };
	};

	test('tells what succeeded, as a copy, and sends nothing', async () => {
		const { first, second } = await retry({ id: 'post_1' });
		expect(second.result).toEqual(first.result);
		expect([second.sent, second.run.replayedCount]).toEqual([[], 1]);
		(second.result as { body: IDataObject; response: IDataObject }).response.id = 'changed';
		(second.result as { body: IDataObject; response: IDataObject }).body.text = 'changed';
		expect(second.entry).toMatchObject({ request: { body: { text: 'Hi' } }, response: { id: 'post_1' } });
	});

	test('fails as before, where the service kept the post as failed', async () => {
		const { first, second, key } = await retry(failure(422, true));
		expect((first.result as Failure).details).toMatchObject({ code: 'OF_422', idempotency_key: key });
		expect((second.result as Failure).details).toMatchObject({ code: 'OF_422' });
		expect(second.sent).toEqual([]);
		(second.result as Failure).details.message = 'changed';
		expect(second.entry!.error!.message).toBe('no');
	});

	test('sends what is in doubt again as it went out, with its key and without another look at the clock', async () => {
		const atSending = jest.fn((body: IDataObject) => ({ ...body, sent: true }));
		const { first, second, key } = await retry(failure(500), { atSending });
		expect((first.result as Failure).details).toMatchObject({
			code: 'OF_500',
			idempotency_key: key,
			message: 'Not confirmed as sent: no',
		});
		expect(first.entry).toMatchObject({ state: 'inDoubt', key });
		expect(second.sent).toMatchObject([{ body: { text: 'Hi', sent: true }, idempotencyKey: key }]);
		expect(second.result).toMatchObject({ body: { text: 'Hi', sent: true }, response: { id: 'again' } });
		expect([second.entry!.state, second.run.replayedCount]).toEqual(['succeeded', 0]);
		expect(atSending).toHaveBeenCalledTimes(1);
	});

	test('sends what was certainly refused as it is now', async () => {
		const { first, second, key } = await retry(failure(400, true));
		expect(first.entry).toBeUndefined();
		expect(second.sent).toMatchObject([{ body: { text: 'Changed' }, idempotencyKey: key }]);
	});

	test('of a secret keeps neither request nor answer: it goes out again, with the same key', async () => {
		const { first, second, key } = await retry({ secret: 'whsec' }, { secret: true });
		expect(first.entry).toEqual({ ids: first.write.ids, workspaceId: 'ws_main', key, state: 'succeeded' });
		expect(second.sent).toMatchObject([{ body: { text: 'Changed' }, idempotencyKey: key }]);
		expect([second.entry!.state, second.run.replayedCount]).toEqual(['succeeded', 0]);
	});

	test("a tool's change is sent by every call, and not kept", async () => {
		const { first, second } = await retry({ id: 'a' }, { setsState: true }, { kind: 'tool' });
		expect([first.entry, second.sent.length, second.run.journal.isTaken(first.write.keys[0]!)]).toEqual([
			undefined,
			1,
			false,
		]);
	});
});

describe('the next press of Execute step', () => {
	let node = 0;
	/** A run by hand that sent one write, with this answer; and the one after it. */
	const presses = (answer?: Failure) => {
		const owner = `write ${node++}`;
		const press = async (executionId: string, more: Partial<WriteRequest> = {}, given: Given = {}) => {
			const rerun = new ManualRerun(owner, executionId, 0);
			const done = await send({ rerun, ...given }, more);
			rerun.endRound(2, true, new Set());
			return { ...done, rerun };
		};
		return { owner, press, first: async () => await press('1', {}, answer ? { answers: [answer] } : {}) };
	};

	test('finds what a failed one sent, wherever it stands now, and knows it for the one after', async () => {
		const { owner, press, first } = presses();
		const { result, write } = await first();
		const second = await press('2', {}, { index: 3 });
		expect([second.result, second.sent, second.run.replayedCount]).toEqual([result, [], 1]);
		expect(second.entry).toMatchObject({ ids: ['item 3|POST|/posts|'], key: write.keys[0] });
		const third = new ManualRerun(owner, '3', 0);
		const ids = ['item 3|POST|/posts|', 'item 0|POST|/posts|'];
		expect([third.pending.length, ...ids.map((id) => third.wasSent(id))]).toEqual([1, true, false]);
	});

	test('sends what is in doubt again as it was', async () => {
		const { press, first } = presses(failure(500));
		const { sent } = await first();
		const second = await press('2', { body: { text: 'Hi', scheduled_at: 'later' } });
		expect(second.sent).toEqual(sent);
	});

	test("a tool's change is never one of a run before", async () => {
		const take = jest.fn();
		await send({ kind: 'tool', rerun: { take, note: () => undefined } as never }, { setsState: true });
		expect(take).not.toHaveBeenCalled();
	});
});

describe('a preview', () => {
	const preview = async (given: Given, more: Partial<WriteRequest> = {}) => {
		const { item, sent } = itemOf(given);
		const write = await planWrite(item, { ...request, ...more });
		return { shown: await previewWrite(item, write), sent, write };
	};

	test('says what would go out, sends nothing, and notes nothing', async () => {
		const memory: IDataObject = {};
		const complete = async (body: IDataObject) => ({ ...body, slot: 1 });
		const atSending = (body: IDataObject) => ({ ...body, now: true });
		const { shown, sent, write } = await preview({ memory }, { complete, atSending });
		expect(shown).toEqual({
			preview: true,
			request: { method: 'POST', path: '/posts', body: { text: 'Hi', slot: 1, now: true } },
			workspace_id: 'ws_main',
			idempotency_key: write.keys[0],
			warnings: [],
		});
		expect([sent, memory]).toEqual([[], { writes: { '2': [] } }]);
	});

	test('of a form has its fields, of a file the name', async () => {
		const form = new FormData();
		form.set('note', 'a');
		form.set('file', new Blob(['bytes']), 'a.png');
		const { shown } = await preview({}, { body: undefined, form });
		expect(shown.request).toEqual({ method: 'POST', path: '/posts', form: { note: 'a', file: 'a.png' } });
	});

	test('warns of what must not go out now', async () => {
		const atSending = () => {
			throw refusal('TIME_PAST', 'It has passed', 'later');
		};
		expect((await preview({}, { atSending })).shown).toMatchObject({
			request: { body: { text: 'Hi' } },
			warnings: ['It has passed'],
		});
	});

	test('has the key that a write beside another one would get', async () => {
		const memory = {};
		await send({ memory });
		const { item, run } = itemOf({ memory });
		const write = { ...(await planWrite(item, request)), ids: ['other'] };
		expect((await previewWrite(item, write)).idempotency_key).toBe(write.keys[1]);
		expect(run.journal.isTaken(write.keys[1]!)).toBe(false);
	});

	test('shows what was sent already instead: by this execution, or by a failed run by hand', async () => {
		const memory = {};
		const { write } = await send({ memory });
		const was = {
			request: { method: 'POST', path: '/posts', body: { text: 'Hi' } },
			idempotency_key: write.keys[0],
			warnings: ["Already sent: it won't be sent again"],
		};
		expect((await preview({ memory }, { body: { text: 'New' } })).shown).toMatchObject(was);
		const rerun = new ManualRerun('preview', '1', 0);
		await send({ rerun });
		rerun.endRound(2, true, new Set());
		const next = new ManualRerun('preview', '2', 0);
		expect((await preview({ rerun: next }, { body: { text: 'Hi', scheduled_at: 'b' } })).shown).toMatchObject(
			was,
		);
		expect([next.pending.length, next.reused]).toEqual([1, []]);
	});

	test('of what may not be kept, or of a change by a tool, is as if it were new', async () => {
		const memory = {};
		await send({ memory }, { secret: true });
		expect((await preview({ memory }, { secret: true, body: { text: 'New' } })).shown).toMatchObject({
			request: { body: { text: 'New' } },
			warnings: [],
		});
		const tool = { kind: 'tool', memory: {} } as const;
		await send(tool, { setsState: true });
		expect((await preview(tool, { setsState: true })).shown.warnings).toEqual([]);
	});
});
