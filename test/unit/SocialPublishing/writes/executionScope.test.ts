import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { findExecutionScope } from '../../../../nodes/SocialPublishing/writes/executionScope';
import { hashOf } from '../../../../nodes/SocialPublishing/writes/key';

interface Given {
	/** The node's context, as n8n stored it. */
	memory?: IDataObject;
	resumeUrl?: string;
	mode?: string;
	/** ID of the execution that called this one. */
	caller?: string;
	/** Executions by ID: token, and who called them ('': nobody); a missing one fails. */
	executions?: Record<string, { token?: string; caller?: string }>;
	/** The nodes before this one. */
	before?: Array<{ name: string; type: string }>;
	/** What the sub-workflow was called with, by node. */
	items?: Record<string, IDataObject[]>;
	/** n8n before 1.113 knows no execution context. */
	old?: boolean;
}

const START = { name: 'When Called', type: 'n8n-nodes-base.executeWorkflowTrigger' };

/** Of n8n's context what the scope is made of. */
const contextOf = ({ memory = {}, resumeUrl, mode = 'trigger', ...given }: Given) => {
	const { executions = {}, before = [], items = {} } = given;
	const asked: string[] = [];
	const context = {
		getContext: (kind: string) => (kind === 'node' ? memory : {}),
		getExecutionId: () => '7',
		getMode: () => mode,
		getNode: () => ({ name: 'Node' }),
		getParentNodes: (name: string) => (name === 'Node' ? before : []),
		getWorkflowDataProxy: (item: number) => {
			if (item !== 0) throw new Error('no such item');
			return {
				...(resumeUrl === undefined ? {} : { $execution: { resumeUrl } }),
				$: (name: string) => ({
					all: (output: number, run: number) => {
						if (output !== 0 || run !== 0 || !items[name]) throw new Error('no such items');
						return items[name].map((json) => ({ json }));
					},
				}),
			};
		},
		...(given.old ? {} : { getExecutionContext: () => given.caller && { parentExecutionId: given.caller } }),
		getExecutionDataById: async (id: string) => {
			asked.push(id);
			const one = executions[id];
			if (!one) throw new Error('no such execution');
			return {
				resumeToken: one.token,
				...(one.caller === undefined
					? {}
					: { executionData: one.caller === '' ? {} : { runtimeData: { parentExecutionId: one.caller } } }),
			};
		},
	} as unknown as IExecuteFunctions;
	return { context, asked };
};

const scopeOf = async (given: Given) => await findExecutionScope(contextOf(given).context);
const idOf = async (given: Given) => (await scopeOf(given)).id;

describe('an execution of its own', () => {
	const resumeUrl = 'https://n8n.example/webhook-waiting/7?signature=token';

	test("is known by the token in its resume address, which stays while ID and address don't", async () => {
		const own = { id: hashOf('?signature=token'), isSubWorkflow: false, cannotMatchOriginal: false };
		expect(await scopeOf({ resumeUrl })).toEqual(own);
		expect(await scopeOf({ resumeUrl: 'http://other/8?signature=token', mode: 'retry' })).toEqual(own);
		expect(await scopeOf({ resumeUrl, old: true })).toEqual(own);
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

	test('is remembered as it was found first', async () => {
		const memory: IDataObject = { writes: [] };
		const first = await scopeOf({ memory, resumeUrl });
		expect(memory).toEqual({ writes: [], executionScope: first });
		expect(memory.executionScope).not.toBe(first);
		expect(await scopeOf({ memory, mode: 'retry' })).toEqual(first);
	});
});

describe('a sub-workflow', () => {
	const executions = { 3: { token: 'of the caller' } };
	const called = { caller: '3', executions, before: [{ name: 'Edit', type: 'set' }, START] };

	test('is known by the token of its caller and by what it was called with', async () => {
		const scope = await scopeOf({ ...called, items: { 'When Called': [{ b: 2, a: 1 }] } });
		expect(scope).toEqual({
			id: hashOf('of the caller\n[{"a":1,"b":2}]'),
			isSubWorkflow: true,
			cannotMatchOriginal: false,
		});
		expect(await idOf({ ...called, items: { 'When Called': [{ a: 1, b: 2 }] } })).toBe(scope.id);
		expect(await idOf({ ...called, items: { 'When Called': [{ a: 2 }] } })).not.toBe(scope.id);
	});

	test('whose caller was called by nobody', async () => {
		const first = { 3: { token: 'of the caller', caller: '' } };
		expect(await idOf({ ...called, executions: first })).toBe(hashOf('of the caller\n'));
	});

	test.each([
		['has no such trigger', { before: [{ name: 'When Called', type: 'n8n-nodes-base.set' }] }],
		['shows no items', { items: {} }],
	])('that %s: by the token alone', async (_name, more) => {
		expect(await idOf({ ...called, items: { 'When Called': [{ a: 1 }] }, ...more })).toBe(
			hashOf('of the caller\n'),
		);
	});

	test('of a sub-workflow: by the first caller of all', async () => {
		const chain = {
			3: { token: 'second', caller: '2' },
			2: { token: 'first', caller: '1' },
			1: { token: 'root' },
		};
		const { context, asked } = contextOf({ caller: '3', executions: chain });
		expect((await findExecutionScope(context)).id).toBe(hashOf('root\n'));
		expect(asked).toEqual(['3', '2', '1']);
	});

	test('ten executions up at most: callers in a circle end', async () => {
		const circle = { 3: { token: 'three', caller: '4' }, 4: { token: 'four', caller: '3' } };
		const { context, asked } = contextOf({ caller: '3', executions: circle });
		expect((await findExecutionScope(context)).id).toBe(hashOf('four\n'));
		expect(asked).toHaveLength(10);
	});

	test.each([
		['cannot be read', {}],
		['has no token', { 3: {} }],
		['has a caller without a token', { 3: { token: 'known', caller: '2' }, 2: {} }],
	])('whose caller %s: an execution of its own', async (_name, executions) => {
		const resumeUrl = 'https://n8n.example/webhook-waiting/7?signature=token';
		expect(await scopeOf({ ...called, executions, resumeUrl })).toEqual({
			id: hashOf('?signature=token'),
			isSubWorkflow: false,
			cannotMatchOriginal: false,
		});
	});
});
