import type { INodeProperties } from 'n8n-workflow';

export const returnAll = {
	displayName: 'Return All',
	name: 'returnAll',
	type: 'boolean',
	default: false,
	description: 'Whether to return all results or only up to a given limit',
} as const satisfies INodeProperties;

export const limit = {
	displayName: 'Limit',
	name: 'limit',
	type: 'number',
	typeOptions: { minValue: 1, numberPrecision: 0 },
	default: 50,
	displayOptions: { show: { returnAll: [false] } },
	description: 'Max number of results to return',
} as const satisfies INodeProperties;

export const filtersField = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add Filter',
	default: {},
} as const satisfies INodeProperties;

export const outputField = {
	displayName: 'Output',
	name: 'output',
	type: 'options',
	default: '',
	description: 'What each output item contains',
} as const satisfies INodeProperties;

export const textEntry = {
	displayName: 'Text',
	name: 'text',
	type: 'string',
	typeOptions: { rows: 4 },
	default: '',
} as const satisfies INodeProperties;

export const timeEntry = {
	displayName: 'Time',
	name: 'time',
	type: 'dateTime',
	default: '',
} as const satisfies INodeProperties;

export const platformFilter = {
	displayName: 'Platform Name or ID',
	name: 'platform',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getPlatforms', loadOptionsDependsOn: ['options.workspaceId.value'] },
	default: '',
	description:
		'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
} as const satisfies INodeProperties;

export const platformsFilter = {
	displayName: 'Platform Names or IDs',
	name: 'platforms',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getPlatforms', loadOptionsDependsOn: ['options.workspaceId.value'] },
	default: [],
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
} as const satisfies INodeProperties;

/** Entry of the options of endpoints whose parameters the spec does not show. */
export const query = {
	displayName: 'Query Parameters',
	name: 'query',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	default: {},
	placeholder: 'Add Parameter',
	description: "Query parameters of the API that the node doesn't have",
	options: [
		{
			displayName: 'Parameter',
			name: 'parameter',
			values: [
				{
					displayName: 'Name',
					name: 'name',
					type: 'string',
					default: '',
					placeholder: 'e.g. status',
					description: 'Name of the parameter in the API',
				},
				{
					displayName: 'Value',
					name: 'value',
					type: 'string',
					default: '',
					placeholder: 'e.g. open',
					description: 'Value of the parameter',
				},
			],
		},
	],
} as const satisfies INodeProperties;

/** The query that {@link query} describes; a row without a name is left out. */
export const queryFrom = ({ parameter = [] }: { parameter?: Array<{ name: string; value: string }> } = {}) =>
	Object.fromEntries(parameter.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]));
