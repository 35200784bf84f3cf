import { findOperation, type Resource } from '../../../../nodes/SocialPublishing/engine/operation';
import { properties } from '../../../../nodes/SocialPublishing/engine/properties';

const operation = (value: string) =>
	({
		name: `Name ${value}`,
		value,
		action: `Action ${value}`,
		description: `About ${value}`,
		method: 'GET',
		fields: [],
		options: [],
	}) as never;
const resource = (value: string, ...operations: string[]): Resource => ({
	name: `Name ${value}`,
	value,
	operations: operations.map(operation),
});

describe('the dropdowns of a table of operations', () => {
	const dropdowns = (...resources: Resource[]) =>
		properties(resources).filter(({ name }) => name === 'resource' || name === 'operation');

	test('resources, then operations of each', () => {
		expect(dropdowns(resource('a', 'get'), resource('post', 'update'))).toEqual([
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: [
					{ name: 'Name a', value: 'a' },
					{ name: 'Name post', value: 'post' },
				],
				default: 'post',
			},
			...['a', 'post'].map((value) => ({
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				noDataExpression: true,
				displayOptions: { show: { resource: [value] } },
				options: [value === 'a' ? 'get' : 'update'].map((one) => ({
					name: `Name ${one}`,
					value: one,
					action: `Action ${one}`,
					description: `About ${one}`,
				})),
				default: value === 'a' ? 'get' : 'update',
			})),
		]);
	});

	test('start at posts, and at what is done first', () => {
		const defaults = (...resources: Resource[]) => dropdowns(...resources).map((one) => one.default);
		expect(defaults(resource('a', 'x', 'create'), resource('b', 'x', 'getAll'))).toEqual([
			'a',
			'create',
			'getAll',
		]);
		expect(defaults(resource('a', 'x', 'y'))).toEqual(['a', 'x']);
	});
});

test('an operation by its names', () => {
	const table = [resource('a', 'x'), resource('b', 'x', 'y')];
	expect(findOperation(table, 'b', 'y')).toBe(table[1]!.operations[1]);
	expect(findOperation(table, 'a', 'y')).toBeUndefined();
	expect(findOperation(table, 'c', 'y')).toBeUndefined();
});
