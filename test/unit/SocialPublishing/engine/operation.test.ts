import type {
	IDataObject,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';

import {
	chosenOperation,
	operation,
	type Resource,
} from '../../../../nodes/SocialPublishing/engine/operation';
import { failureOf } from '../../../support/failure';

const named = (value: string, ...operations: string[]): Resource => ({
	name: value,
	value,
	operations: operations.map((one) => ({ value: one }) as never),
});

test('the operation that the node is set to', () => {
	const table = [named('a', 'x'), named('b', 'x', 'y')];
	const chosen = (resource: string, value: string) => {
		const getNodeParameter = (name: string) => ({ resource, operation: value })[name];
		return chosenOperation({ getNodeParameter, getNode: () => ({ name: 'Node' }) } as never, table);
	};
	expect(chosen('b', 'y')).toBe(table[1]!.operations[1]);
	for (const [resource, value] of [
		['a', 'y'],
		['c', 'y'],
	] as const)
		expect(failureOf(() => chosen(resource, value))).toMatchObject({
			message: `This version of the node has no operation 'y' of '${resource}'`,
			description: expect.stringContaining('update the package'),
		});
});

/** `true` where two types are the same; otherwise it does not compile (`tsc -p test`). */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

const field = { displayName: 'Field', default: '' } as const;
const values = [{ ...field, name: 'at', type: 'number' }] as const satisfies INodeProperties[];
const choices = [
	{ name: 'A', value: 'a' },
	{ name: 'B', value: 'b' },
] as const satisfies INodePropertyOptions[];
const section = { displayName: 'Time', name: 'time', values } as const satisfies INodePropertyCollection;
const several = { multipleValues: true } as const;

test('an operation gets the parameters of its fields, each in its type, and the options that all have', () => {
	const { request, options } = operation({
		name: 'Get',
		value: 'get',
		action: 'Get thing',
		description: 'Retrieve a thing',
		method: 'GET',
		fields: [
			{ ...field, name: 'text', type: 'string' },
			{ ...field, name: 'more', type: 'json' },
			{ ...field, name: 'names', type: 'multiOptions' },
			{ ...field, name: 'when', type: 'options', options: choices },
			{ ...field, name: 'added', type: 'collection', options: values },
			{ ...field, name: 'once', type: 'fixedCollection', options: [section] },
			{ ...field, name: 'often', type: 'fixedCollection', options: [section], typeOptions: several },
		],
		request: (params) => {
			type P = typeof params;
			const same: [
				Same<P['text'], string>,
				Same<P['more'], IDataObject>,
				Same<P['names'], string[]>,
				Same<P['when'], 'a' | 'b'>,
				Same<P['added'], { at?: number }>,
				Same<P['once'], { time?: { at: number } }>,
				Same<P['often'], { time?: Array<{ at: number }> }>,
				Same<P['options']['previewOnly'], boolean | undefined>,
				'nothing' extends keyof P ? false : true,
			] = [true, true, true, true, true, true, true, true, true];
			return { path: `/${params.text}`, qs: { same } };
		},
	});
	expect(request!({ text: 'a' } as never, {} as never).path).toBe('/a');
	expect(options).toEqual([]);
});
