import set from 'lodash/set';
import { jsonParse, type GenericValue, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { workspaceId } from '../../shared/workspaces';
import type { KeyMode } from '../writes/key';

/** What the table adds to the `options` of operations, by method. */
export interface CommonOptions {
	workspaceId?: string;
	maxRetryWait?: number;
	concurrency?: number;
	previewOnly?: boolean;
	idempotencyKeyMode?: KeyMode;
	idempotencyKey?: string;
	additionalFields?: IDataObject;
	/** As they are filled in; read, they are part of `additionalFields`. */
	additionalFieldRows?: { fields?: Array<{ name: string; value: string }> };
}

/** Options of every operation. */
export const commonOptions: readonly INodeProperties[] = [
	workspaceId,
	{
		displayName: 'Rate Limit Timeout (Seconds)',
		name: 'maxRetryWait',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 60,
		description:
			'How long to wait for the rate limit, or for a service that is down, while no request succeeds',
	},
];

/** Of operations that run several items at the same time. */
export const concurrency: INodeProperties = {
	displayName: 'Batch Size',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 50 },
	default: 5,
	description: 'How many items to process in parallel. The output keeps the order of the input.',
};

/** Of every write. */
export const writeOptions: readonly INodeProperties[] = [
	{
		displayName: 'Preview Only',
		name: 'previewOnly',
		type: 'boolean',
		default: true,
		description:
			'Whether to return what would be sent, with warnings, and send nothing. Turn it off to send exactly that.',
	},
	{
		displayName: 'Avoid Duplicates',
		name: 'idempotencyKeyMode',
		type: 'options',
		default: 'execution',
		description: 'How the node recognizes what was sent before',
		options: [
			{
				name: 'When I Retry',
				value: 'execution',
				description: 'Retrying an execution sends nothing twice. Each new run posts again.',
			},
			{
				name: 'Same Text and Time',
				value: 'content',
				description: 'The same content is sent once, even by different runs and workflows',
			},
			{
				name: 'My Own ID',
				value: 'custom',
				description: 'Each ID that you provide, such as a row number, is sent once',
			},
		],
	},
	{
		displayName: 'My Own ID',
		name: 'idempotencyKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. order-1042',
		displayOptions: { show: { idempotencyKeyMode: ['custom'] } },
		description:
			'ID of the post in your own data, used as its idempotency key: up to 255 characters, without spaces',
	},
];

/** A field of the API, without JSON. */
export const nameAndValue = [
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		placeholder: 'e.g. content.title',
		description: 'Name in the API. Dots lead into an object.',
	},
	{
		displayName: 'Value',
		name: 'value',
		type: 'string',
		default: '',
		description: 'Text, or a number, true, false or JSON, which are sent as such',
	},
] as const satisfies readonly INodeProperties[];

/** Numbers only where they read the same: an ID may have more digits than a number keeps. */
const valueOf = (text: string): GenericValue =>
	/^\s*[[{]|^(true|false|null)$/.test(text)
		? jsonParse<GenericValue>(text, { fallbackValue: text })
		: text !== '' && String(Number(text)) === text && Number.isFinite(Number(text))
			? Number(text)
			: text;

/** The object that names and values describe. */
export const fieldsFrom = (rows: ReadonlyArray<{ name: string; value: string }>): IDataObject =>
	rows.reduce((all, { name, value }) => (name ? set(all, name.split('.'), valueOf(value)) : all), {});

/** Of every POST and PATCH: the way out where the spec leaves a field open. */
export const postAndPatchOptions: readonly INodeProperties[] = [
	{
		displayName: 'Additional Fields',
		name: 'additionalFieldRows',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: {},
		placeholder: 'Add Field',
		description:
			"Fields of the API that the node doesn't have. They are merged into the request and override the node's own fields.",
		options: [{ displayName: 'Field', name: 'fields', values: [...nameAndValue] }],
	},
	{
		displayName: 'Additional Fields (JSON)',
		name: 'additionalFields',
		type: 'json',
		default: '{}',
		description:
			"Fields of the API that the node doesn't have, as JSON. They are merged into the request, over Additional Fields.",
	},
];
