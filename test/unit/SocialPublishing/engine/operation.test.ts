import type { IDataObject, INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import {
	findOperation,
	operation,
	type CommonOptions,
	type Params,
	type Resource,
} from '../../../../nodes/SocialPublishing/engine/operation';

const named = (value: string, ...operations: string[]): Resource => ({
	name: value,
	value,
	operations: operations.map((one) => ({ value: one }) as never),
});

test('an operation by its names', () => {
	const table = [named('a', 'x'), named('b', 'x', 'y')];
	expect(findOperation(table, 'b', 'y')).toBe(table[1]!.operations[1]);
	expect(findOperation(table, 'a', 'y')).toBeUndefined();
	expect(findOperation(table, 'c', 'y')).toBeUndefined();
});

/** `true` where two types are the same; otherwise it does not compile (`tsc -p test`). */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const field = { displayName: 'Field', default: '' } as const;
const section = {
	name: 'time',
	displayName: 'Time',
	values: [{ ...field, name: 'at', type: 'string' }],
} as const satisfies INodePropertyCollection;
const fields = [
	{ ...field, name: 'text', type: 'string' },
	{ ...field, name: 'count', type: 'number' },
	{ ...field, name: 'all', type: 'boolean' },
	{ ...field, name: 'more', type: 'json' },
	{ ...field, name: 'names', type: 'multiOptions' },
	{
		...field,
		name: 'when',
		type: 'options',
		options: [
			{ name: 'A', value: 'a' },
			{ name: 'B', value: 'b' },
		],
	},
	{ ...field, name: 'added', type: 'collection', options: [{ ...field, name: 'limit', type: 'number' }] },
	{ ...field, name: 'once', type: 'fixedCollection', options: [section] },
	{
		...field,
		name: 'often',
		type: 'fixedCollection',
		options: [section],
		typeOptions: { multipleValues: true },
	},
] as const satisfies readonly INodeProperties[];
interface Typed {
	text: string;
	count: number;
	all: boolean;
	more: IDataObject;
	names: string[];
	when: 'a' | 'b';
	added: { limit?: number };
	once: { time?: { at: string } };
	often: { time?: Array<{ at: string }> };
}

test('an operation gets the parameters of its fields, each in its type, and the options that all have', () => {
	const same: Same<
		{ [K in keyof Params<typeof fields>]: Params<typeof fields>[K] },
		{ [K in keyof Typed]: Typed[K] }
	> = true;
	const {
		request,
		options,
		fields: own,
	} = operation({
		name: 'Get',
		value: 'get',
		action: 'Get thing',
		description: 'Retrieve a thing',
		method: 'GET',
		fields,
		output: undefined as never,
		request: (params) => {
			const common: Same<typeof params.options, Partial<Params<readonly []>> & CommonOptions> = true;
			// @ts-expect-error there is no such field
			const misspelt: unknown = params.txt;
			return { path: `/${params.text}`, qs: { common, misspelt: misspelt === undefined } };
		},
	});
	expect(same).toBe(true);
	expect(request!({ text: 'a', options: {} } as never, {} as never)).toEqual({
		path: '/a',
		qs: { common: true, misspelt: true },
	});
	expect([options, own]).toEqual([[], fields]);
});
