import { UnexpectedError, type IDataObject, type NodeApiError } from 'n8n-workflow';

import { Failure, type Outcome } from '../../../../nodes/api/failure';
import { execute } from '../../../../nodes/SocialPublishing/engine/execute';
import type { Operation, Plan } from '../../../../nodes/SocialPublishing/engine/operation';
import { Run } from '../../../../nodes/SocialPublishing/engine/run';
import { words } from '../../../../nodes/SocialPublishing/resources/post/words';
import { fakeN8n } from './fakeRun';

/** In n8n's engine: `test/integration/…/execute.test.ts`. */

interface TextPlan extends Plan {
	text: string;
}

const previewOnly = { displayName: 'Preview Only', name: 'previewOnly', type: 'boolean', default: false };
const text = { displayName: 'Text', name: 'text', type: 'string', default: '' };

/** Runs an operation for rows with these parameters: its items, or the error; what it says at the node. */
async function ran(operation: Partial<Operation>, rows: IDataObject[], more: object = {}) {
	const hints: string[] = [];
	const n8n = fakeN8n(rows, {
		addExecutionHints: ({ message }: { message: string }) => hints.push(message),
		getNodeParameter: (name: string, index: number, missing: unknown) =>
			({ resource: 'thing', operation: 'do' })[name] ?? rows[index]?.[name] ?? missing,
		...more,
	});
	const one = { method: 'POST', value: 'do', fields: [text], options: [previewOnly], ...operation };
	const table = [{ name: 'Thing', value: 'thing', operations: [one as unknown as Operation] }];
	return await execute(n8n as never, table, words).then(
		([items]) => ({ items: items!, json: items!.map(({ json }) => json), error: undefined, hints }),
		(error: Error) => ({ items: [], json: [], error, hints }),
	);
}

const planned = (send: (text: string) => Promise<Outcome[]>): Partial<Operation> => ({
	plan: async (params: { text: string }) => ({ text: params.text }) as never,
	send: async (plan: TextPlan) => await send(plan.text),
});
const failure = (code = 'NODE_NO', status = 0, recurs = false) =>
	Object.assign(new Failure({ code, status, message: 'no', hint: 'Try.' }), { notProcessed: true, recurs });
/** A tool, all of whose calls n8n hands the same memory. */
function toolOfOneRun() {
	const memory = {};
	return { isToolExecution: () => true, getContext: () => memory };
}
const goesOn = { continueOnFail: () => true };
const rows = [{ text: 'a' }, { text: 'b' }, { text: 'c' }];
const echo = planned(async (one) => [{ one }]);

test('each row gives its items, paired with it; a tool has one row without an item', async () => {
	const twice = planned(async (one) => (one === 'b' ? [] : [{ one }, { again: one }]));
	const { items, hints } = await ran(twice, rows);
	expect(hints).toEqual([]);
	expect(items.map(({ json, pairedItem }) => [Object.values(json)[0], pairedItem])).toEqual([
		...['a', 'a'].map((one) => [one, { item: 0 }]),
		...['c', 'c'].map((one) => [one, { item: 2 }]),
	]);
	expect((await ran(echo, [])).json).toEqual([]);
	expect((await ran(echo, [], { isToolExecution: () => true })).json).toEqual([{ one: '' }]);
});

test('calls of a tool send one after another; none waits for what becomes of the post of another', async () => {
	const steps: string[] = [];
	const tool = toolOfOneRun();
	const published: Array<() => void> = [];
	const operation = {
		...planned(async () => {
			steps.push('sends');
			await new Promise(setImmediate);
			steps.push('sent');
			return [{}];
		}),
		after: async (_item: unknown, outcomes: Outcome[]) => {
			// The post of the last call is published first.
			if (steps.length < 6) await new Promise<void>((resume) => published.push(resume));
			for (const resume of published) resume();
			steps.push('published');
			return outcomes;
		},
	};
	const calls = await Promise.all([1, 2, 3].map(async () => await ran(operation, [], tool)));
	expect(calls.map(({ json }) => json)).toEqual([[{}], [{}], [{}]]);
	expect(steps).toEqual([...Array(3).fill(['sends', 'sent']).flat(), ...Array(3).fill('published')]);
});

test('a call of a tool that fails lets the next one send', async () => {
	const tool = toolOfOneRun();
	const fails = planned(async () => await Promise.reject(failure()));
	const results = await Promise.all([ran(fails, [], tool), ran(fails, [], tool)]);
	expect(results.map(({ error }) => error?.message)).toEqual(Array(2).fill('no. Nothing was sent. Try.'));
});

test.each([
	['NODE_NO', 0, ['a', 'b']],
	['PUBLIC_API_BODY_INVALID', 400, ['a', 'b']],
	['PUBLIC_API_KEY_EXPIRED', 401, ['a', 'b']],
	// A page of something in front of the service.
	['HTTP_404', 404, ['a', 'b']],
	// After it was accepted: the service is done with it.
	['NODE_POST_FAILED', 422, ['a', 'b']],
	['PUBLIC_API_POST_NOT_FOUND', 404, ['a', 'b', 'c']],
	['PUBLIC_API_POST_CANCEL_INVALID_STATE', 409, ['a', 'b', 'c']],
	['PUBLIC_API_IDEMPOTENCY_CONFLICT', 409, ['a', 'b', 'c']],
	// A reason for it may be every row's.
	['PUBLIC_API_PUBLISH_FAILED', 422, ['a', 'b']],
])('after %s (%d), one at a time, these are sent: %j', async (code, status, expected) => {
	const sent: string[] = [];
	const stops = planned(async (one) => {
		sent.push(one);
		if (one === 'b') throw failure(code, status);
		return [{}];
	});
	const { error } = await ran(stops, rows);
	expect([sent, error!.message]).toEqual([expected, 'Row 2 of 3 failed: no. Nothing was sent.']);
	// n8n would add it to the message.
	expect((error as any).context.itemIndex).toBeUndefined();
	sent.length = 0;
	const { json } = await ran(stops, rows, goesOn);
	expect(sent).toEqual(['a', 'b', 'c']);
	expect(json[1]).toMatchObject({ error: { message: 'no. This row was not sent.', code, hint: 'Try.' } });
});

test('the error is that of the row for which the others wait, not of one before it that held back none', async () => {
	const send = planned(async (one) => {
		if (one === 'c') return [{}];
		throw one === 'a' ? failure('PUBLIC_API_PUBLISH_FAILED', 422, true) : failure();
	});
	const { error } = await ran(send, rows);
	expect(error!.message).toBe('Row 2 of 3 failed: no. Row 1 failed, too. Nothing was sent.');
});

test('reads end with the first that fails, whatever it is: what the others find would be dropped', async () => {
	const read = jest.fn(async () => await Promise.reject(failure('PUBLIC_API_POST_NOT_FOUND', 404)));
	expect((await ran({ method: 'GET', run: read }, rows)).error).toBeDefined();
	expect(read).toHaveBeenCalledTimes(1);
});

/** Of rows of which 'a' is wrong. */
const plan = async ({ text: one }: { text: string }) =>
	one === 'a' ? await Promise.reject(failure()) : ({} as never);

test('a row that is wrong sends none; where the run goes on, the others are sent', async () => {
	const send = jest.fn(async () => [{}]);
	const ended = jest.spyOn(Run.prototype, 'endRound');
	expect((await ran({ plan, send }, rows)).error!.message).toBe('Row 1 of 3: no. Nothing was sent.');
	expect(send).not.toHaveBeenCalled();
	// Earlier rounds of a loop may have sent something.
	expect(ended.mock.calls).toMatchObject([[[{ details: { code: 'NODE_NO' } }]]]);
	ended.mockRestore();
	const { json } = await ran({ plan, send }, rows, goesOn);
	expect(json).toMatchObject([{ error: { code: 'NODE_NO' } }, {}, {}]);
	expect(send).toHaveBeenCalledTimes(2);
});

test.each([
	[[{ text: 'a' }, { options: { concurrency: 2 } }, { options: { concurrency: 3 } }], 2],
	[[{ text: 'a' }], undefined],
])("of rows %j, of which 'a' is wrong, so many run at the same time: %j", async (given, most) => {
	const set = jest.spyOn(Run.prototype, 'setConcurrency');
	await ran({ plan, send: async () => [{}], parallel: true }, given as IDataObject[], goesOn);
	expect(set.mock.calls).toEqual([[most]]);
	set.mockRestore();
});

test.each([
	[[true, true], 0],
	[[true, false], 1],
	[[false, false], 1],
])('previews alone are no round that a later run goes on with: of %j, %d', async (all, rounds) => {
	const ended = jest.spyOn(Run.prototype, 'endRound');
	const given = all.map((isPreview) => ({ options: { previewOnly: isPreview } }));
	await ran({ run: async () => [{}] }, given);
	expect(ended).toHaveBeenCalledTimes(rounds);
	ended.mockRestore();
});

test('previews send nothing; one that fails is a failed item', async () => {
	const send = jest.fn(async () => [{}]);
	const preview = async (all: readonly TextPlan[]) =>
		all.map(({ text: one }) => [{ preview: true, text: one, warnings: [String(all.length)] }]);
	const previewed = rows.map((row) => ({ ...row, options: { previewOnly: true } }));
	const all = { ...planned(send), preview: preview as never };
	const { json, hints } = await ran(all, previewed);
	expect(json.map((one) => one.text)).toEqual(['a', 'b', 'c']);
	expect(hints).toEqual(['Rows 1, 2, 3: 3', 'Previewed rows were not sent. Times are in Europe/Berlin.']);
	const failing = { ...all, preview: async () => await Promise.reject(failure()) };
	expect((await ran(failing, previewed)).error!.message).toBe('Row 1 of 3 failed: no. Nothing was sent.');
	expect((await ran(failing, previewed, goesOn)).json).toMatchObject(
		Array(3).fill({ error: { code: 'NODE_NO' } }),
	);
	expect(send).not.toHaveBeenCalled();
});

test('what is waited for counts, and takes no slot', async () => {
	let waiting = 0;
	const after = async (_item: object, [outcome]: Outcome[]) => {
		if (++waiting < rows.length) await new Promise((done) => setImmediate(done));
		return [{ ...outcome, waiting }];
	};
	expect((await ran({ ...echo, after: after as never }, rows)).json).toEqual(
		['a', 'b', 'c'].map((one) => ({ one, waiting: 3 })),
	);
	const failed = { ...echo, after: async () => await Promise.reject(failure()) };
	const { error } = await ran(failed, [{}]);
	expect(error).toMatchObject({ message: expect.stringMatching(/^no/), context: { itemIndex: 0 } });
});

test.each([
	['GET', ''],
	['POST', '. This run sent nothing.'],
])('a credential that is wrong, for a %s', async (method, said) => {
	const wrong = { getCredentials: async () => ({ baseUrl: '', apiKey: 'k' }) };
	const { error } = await ran({ ...echo, method } as never, rows, wrong);
	const message = `'Base URL' in the credential is not the address of a service${said}`;
	expect(error!.message).toBe(message);
	const { json } = await ran({ ...echo, method } as never, rows, { ...wrong, ...goesOn });
	expect(json).toHaveLength(3);
	expect(json[2]!.error).toMatchObject({ message });
});

test('a row that could not even begin, since the credential is wrong, keeps its files and key for when it comes back', async () => {
	const wrong = { getCredentials: async () => ({ baseUrl: '', apiKey: 'k' }) };
	const binary = { data: { data: 'AA==', mimeType: 'image/png' } };
	const input = rows.map(({ text: key }) => ({
		json: { error: { idempotency_key: key, retryable: false } },
		binary,
	}));
	const { items } = await ran(echo, rows, { ...wrong, ...goesOn, getInputData: () => input });
	expect(items).toMatchObject(input);
});

test('calls of a tool that writes take turns; those that read do not', async () => {
	const asTool = { isToolExecution: () => true, getContext: () => memory };
	const memory = {};
	const running = async (more: Partial<Operation>) => {
		let [now, most] = [0, 0];
		const work = async () => {
			most = Math.max(most, ++now);
			await new Promise((done) => setImmediate(done));
			now--;
			return [{}];
		};
		const operation = {
			...planned(work),
			...(more.method ? { plan: undefined, send: undefined, run: work } : {}),
		};
		const calls = [1, 2, 3].map(async () => await ran({ ...operation, ...more } as never, [], asTool));
		await Promise.all(calls);
		return most;
	};
	expect([await running({}), await running({ method: 'GET' })]).toEqual([1, 3]);
});

test("one of n8n's own agents, whose tools run without an execution, writes as well", async () => {
	const getContext = () => {
		throw new UnexpectedError('`executionData` is not initialized');
	};
	const asked = { isToolExecution: () => true, getExecutionId: () => undefined, getContext };
	expect((await ran(echo, [{ text: 'a' }], asked)).json).toEqual([{ one: 'a' }]);
	// Without its journal, any other run would send again what it has sent.
	const { error } = await ran(echo, [{ text: 'a' }], { getContext });
	expect(error!.message).toContain('is not initialized');
});

test('a model sees the hint of an error, too, and once: n8n 2 adds the description to the message', async () => {
	const fails = planned(async () => await Promise.reject(failure()));
	const { error } = await ran(fails, [], { isToolExecution: () => true });
	expect(error!.message).toBe('no. Nothing was sent. Try.');
	expect((error as NodeApiError).description).toBeFalsy();
});

test('of rows that only wait, one that has failed ends the wait of the others, unless the run goes on', async () => {
	const abort = jest.spyOn(AbortController.prototype, 'abort');
	const after = async (_item: object, _outcomes: object[], { text: one }: { text: string }) => {
		return one === 'b' ? [{ one }, failure()] : [{ one }];
	};
	const waits = { method: 'GET' as const, after: after as never };
	expect((await ran(waits, rows, goesOn)).json).toHaveLength(4);
	await ran({ ...waits, method: 'POST' }, rows);
	expect(abort).not.toHaveBeenCalled();
	expect((await ran(waits, rows)).error!.message).toContain('no');
	expect(abort).toHaveBeenCalledTimes(1);
	abort.mockRestore();
});
