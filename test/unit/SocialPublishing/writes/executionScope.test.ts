import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { findExecutionScope } from '../../../../nodes/SocialPublishing/writes/executionScope';
import { hashOf } from '../../../../nodes/SocialPublishing/writes/key';

/** An execution that n8n has stored: its token, who called it ('': nobody), and since when the caller ran by hand. */
interface Execution {
	token?: string;
	caller?: string;
	source?: string;
	establishedAt?: number;
	callerByHandSince?: number;
}

interface Given {
	/** The node's context, as n8n stored it. */
	memory?: IDataObject;
	resumeUrl?: string;
	mode?: string;
	/** Left out: 7. */
	executionId?: string;
	/** ID of the execution that called this one. */
	caller?: string;
	/** What n8n says started it: `error` for an error workflow. */
	source?: string;
	/** By ID; a missing one can't be read. */
	executions?: Record<string, Execution>;
	/** The operation creates something; left out: yes. */
	creates?: boolean;
	/** n8n before 1.113 knows no execution context. */
	old?: boolean;
}

/** What n8n stores of it. */
function storedOf({ token, caller, source, establishedAt, callerByHandSince }: Execution) {
	const runtimeData =
		caller || establishedAt ? { parentExecutionId: caller, source, establishedAt } : undefined;
	const executionContext = { source: 'manual', establishedAt: callerByHandSince };
	return {
		resumeToken: token,
		executionData: { runtimeData },
		...(callerByHandSince ? { parentExecution: { executionContext } } : {}),
	};
}

/** The scope that is found in n8n's context. */
async function scopeOf({ memory = {}, mode = 'trigger', creates = true, executions = {}, ...given }: Given) {
	const { caller: parentExecutionId, source, resumeUrl } = given;
	const context = {
		getExecutionId: () => ('executionId' in given ? given.executionId : '7'),
		getMode: () => mode,
		getWorkflowDataProxy: () => ({ $execution: { resumeUrl } }),
		...(given.old ? {} : { getExecutionContext: () => ({ parentExecutionId, source }) }),
		getExecutionDataById: async (id: string) => await Promise.resolve(storedOf(executions[id]!)),
	};
	return await findExecutionScope(context as unknown as IExecuteFunctions, memory, creates);
}
const idOf = async (given: Given) => (await scopeOf(given)).id;

const resumeUrl = 'https://n8n.example/webhook-waiting/7?signature=token';
const byToken = { id: hashOf('?signature=token'), isSubWorkflow: false, cannotMatchOriginal: false };

describe('an execution of its own', () => {
	test("is known by the token in its resume address, which stays while ID and address don't", async () => {
		expect(await scopeOf({ resumeUrl })).toEqual(byToken);
		expect(await scopeOf({ resumeUrl: 'http://other/8?signature=token', mode: 'retry' })).toEqual(byToken);
		expect(await scopeOf({ resumeUrl, old: true })).toEqual(byToken);
	});

	test.each([
		['no token', 'https://n8n.example/webhook-waiting/7'],
		['no address', 'soon'],
		['nothing', undefined],
	])('%s (n8n before 2.14): by the ID; a retry is blind', async (_name, url) => {
		const own = { id: 'execution:7', isSubWorkflow: false, cannotMatchOriginal: false };
		expect(await scopeOf({ resumeUrl: url })).toEqual(own);
		expect(await scopeOf({ resumeUrl: url, mode: 'retry' })).toEqual({ ...own, cannotMatchOriginal: true });
	});

	test('that has neither token nor ID, as a call over MCP before 2.14, is no other one', async () => {
		const [one, other] = [await idOf({ executionId: undefined }), await idOf({ executionId: undefined })];
		expect(one).not.toBe(other);
	});

	test('is remembered as it was found first', async () => {
		const memory: IDataObject = { writes: [] };
		const first = await scopeOf({ memory, resumeUrl });
		expect(memory).toEqual({ writes: [], executionScope: first });
		expect(await scopeOf({ memory, mode: 'retry' })).toEqual(first);
	});
});

describe('a sub-workflow', () => {
	const executions = { 3: { token: 'of the caller' } };
	const called = { caller: '3', executions };

	test('is known by the token of its caller, whatever it was called with', async () => {
		expect(await scopeOf(called)).toEqual({
			...{ id: hashOf('of the caller'), isSubWorkflow: true, cannotMatchOriginal: false },
		});
	});

	test('that sets a state is sent at each call: it is known by its own execution', async () => {
		expect(await scopeOf({ ...called, resumeUrl, creates: false })).toEqual(byToken);
	});

	test('of a sub-workflow: by the first caller of all', async () => {
		const chain = {
			3: { token: 'second', caller: '2' },
			2: { token: 'first', caller: '1' },
			1: { token: 'root' },
		};
		expect(await idOf({ caller: '3', executions: chain })).toBe(hashOf('root'));
	});

	test('of an execution by hand, of which n8n stores nothing before it has ended, is known in its retry', async () => {
		const byHand = { source: 'manual', establishedAt: 1_800_000_000_000 };
		const retry = await scopeOf({
			caller: '8',
			executions: { 8: { token: 'stored at its end', ...byHand } },
		});
		const since = { callerByHandSince: byHand.establishedAt };
		expect(await scopeOf({ caller: '3', executions: { 3: {}, 7: since } })).toEqual(retry);
		// Also where n8n stored another token first, as for a worker, or a sub-workflow is between them.
		expect(await idOf({ caller: '3', executions: { 3: { token: 'first' }, 7: since } })).toBe(retry.id);
		const between = { 5: { token: 'between', caller: '3', ...since } };
		expect(await idOf({ caller: '5', executions: { 3: {}, ...between } })).toBe(retry.id);
		expect(retry.isSubWorkflow).toBe(true);
		const later = { callerByHandSince: byHand.establishedAt + 1 };
		expect(await idOf({ caller: '3', executions: { 3: {}, 7: later } })).not.toBe(retry.id);
	});

	test.each<[string, Given['executions']]>([
		['cannot be read', {}],
		['has no token', { 3: {} }],
		['has a caller without a token', { 3: { token: 'known', caller: '2' }, 2: {} }],
	])('whose caller %s: an execution of its own', async (_name, unknown) => {
		expect(await scopeOf({ ...called, executions: unknown, resumeUrl })).toEqual(byToken);
	});
});

describe('an error workflow', () => {
	const failed = { 1: { token: 'of the execution that failed' } };

	test('is an execution of its own: when the failed one is retried and fails again, it posts again', async () => {
		expect(await scopeOf({ caller: '1', source: 'error', executions: failed, resumeUrl })).toEqual(byToken);
	});

	test('that calls a sub-workflow is the first caller of it', async () => {
		const executions = { ...failed, 2: { token: 'of the error workflow', caller: '1', source: 'error' } };
		expect(await idOf({ caller: '2', executions })).toBe(hashOf('of the error workflow'));
	});
});
