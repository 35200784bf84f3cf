import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { commonOptions, concurrency, postAndPatchOptions, writeOptions } from './commonOptions';
import type { Operation, Resource } from './operation';

/** The Options collection of an operation: its own entries and those that its method brings. */
export function optionsOf({ method, parallel, options }: Operation): INodeProperties {
	const entries = [
		...options,
		...commonOptions,
		...(parallel ? [concurrency] : []),
		...(method === 'GET' ? [] : writeOptions),
		...(method === 'POST' || method === 'PATCH' ? postAndPatchOptions : []),
	].sort((a, b) => (a.displayName < b.displayName ? -1 : 1));
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: entries,
	};
}

/** All parameters of the node, derived from the table. */
export function properties(resources: readonly Resource[]): INodeProperties[] {
	const preferred = (resources.find(({ value }) => value === 'post') ?? resources[0]!).value;
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ name, value }) => ({ name, value })),
			default: preferred,
		},
		...resources.map(operationDropdown),
		...resources.flatMap((resource) =>
			resource.operations.flatMap((one) =>
				[...one.fields, optionsOf(one)].map((field) => shownFor(field, resource.value, one.value)),
			),
		),
	];
}

function operationDropdown({ value, operations }: Resource): INodeProperties {
	const options = operations.map(
		({ name, value: operationValue, action, description }): INodePropertyOptions => ({
			name,
			value: operationValue,
			action,
			description,
		}),
	);
	const preferred = (options.find(({ value: one }) => one === 'create' || one === 'getAll') ?? options[0]!)
		.value;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [value] } },
		options,
		default: preferred,
	};
}

const shownFor = (field: INodeProperties, resource: string, operationValue: string): INodeProperties => ({
	...field,
	displayOptions: {
		...field.displayOptions,
		show: { ...field.displayOptions?.show, resource: [resource], operation: [operationValue] },
	},
});
