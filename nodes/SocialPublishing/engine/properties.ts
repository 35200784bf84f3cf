import { merge, pick, sortBy, uniqBy } from 'lodash';
import type { INodeProperties, NodeHint } from 'n8n-workflow';

import { apiFields, commonOptions, writeOptions } from './options';
import type { Operation, Resource } from './operation';

/** The Options collection of an operation: its own entries and those that its method brings, by name. */
export function optionsOf({ method, options, duplicates }: Operation): INodeProperties {
	const entries = [
		...options,
		...(method === 'GET' ? [] : writeOptions(duplicates)),
		...commonOptions,
		...(method === 'POST' || method === 'PATCH' ? [apiFields()] : []),
	];
	// An operation's own entry stands instead of the common one.
	const named = uniqBy(entries, 'name');
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: sortBy(named, 'displayName'),
	};
}

/** The fields of an operation, its Options collection last. */
export const fieldsOf = (operation: Operation): INodeProperties[] => [
	...operation.fields,
	optionsOf(operation),
];

/** All parameters of the node, derived from the table. */
export function properties(resources: readonly Resource[]): INodeProperties[] {
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'options',
			noDataExpression: true,
			options: resources.map(({ name, value }) => ({ name, value })),
			default: 'post',
		},
		...resources.map(operationDropdown),
		...resources.flatMap(({ value: resource, operations }) =>
			operations.flatMap((one) => {
				// First: n8n shows a field at the first condition that is an expression, whatever the next ones say.
				const displayOptions = { show: { resource: [resource], operation: [one.value] } };
				return fieldsOf(one).map((field) => merge({}, { displayOptions }, field));
			}),
		),
	];
}

/** What stands below the node's name on the canvas: "Create post". */
export function subtitle(resources: readonly Resource[]): string {
	const words = Object.fromEntries(
		resources.flatMap(({ name, value, operations }) =>
			operations.map((one) => [
				`${value}.${one.value}`,
				one.value === 'create' ? `${one.name} ${name.toLowerCase()}` : one.action,
			]),
		),
	);
	return `={{ (${JSON.stringify(words)})[$parameter["resource"] + "." + $parameter["operation"]] || $parameter["operation"] + ": " + $parameter["resource"] }}`;
}

/** Said at the node before it runs: a test in the editor is no test for the service. */
export const hints: NodeHint[] = [
	{
		message: "'Execute step' publishes this post for real. To try it out, add Options → Preview.",
		type: 'info',
		location: 'outputPane',
		whenToDisplay: 'beforeExecution',
		displayCondition:
			'={{ $parameter["resource"] === "post" && $parameter["operation"] === "create" && $parameter["when"] === "now" && ["off", undefined].includes($parameter["options"]?.["preview"]) }}',
	},
];

function operationDropdown({ value: resource, operations }: Resource): INodeProperties {
	const { value: preferred } =
		operations.find(({ value }) => value === 'create' || value === 'getAll') ?? operations[0]!;
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: [resource] } },
		options: operations.map((one) => pick(one, ['name', 'value', 'action', 'description'])),
		default: preferred,
	};
}
