import { partition, set, some } from 'lodash';
import { jsonParse, type GenericValue, type IDataObject, type INodeProperties } from 'n8n-workflow';

import { workspaceId } from '../../shared/locator';
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
	additionalFieldRows?: { fields?: NamedValue[] };
}

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

/** Kinds of *Avoid Duplicates*, with their names and what they do. */
export type DuplicateKinds = Partial<Record<KeyMode, readonly [name: string, description: string]>>;

export const kindsOfPosts = {
	execution: ['When I Retry', 'Retrying an execution sends nothing twice. Each new run posts again.'],
	content: [
		'Same Text and Time',
		"The same content at the same time is sent once, even by different runs and workflows. Set 'When' to 'At a Time' or 'Publish Now'.",
	],
	custom: ['My Own ID', 'Each ID that you provide, such as a row number, is sent once'],
} as const satisfies Required<DuplicateKinds>;

/** What has been done to a record isn't done again, whatever the ID. */
export const onlyRetries: DuplicateKinds = {
	execution: ['When I Retry', 'Retrying an execution repeats nothing that was already done'],
};

/** Of every write. @param own the kinds that make sense for it, and their words; a saved workflow keeps any other */
export const writeOptions = (own: DuplicateKinds = kindsOfPosts): INodeProperties[] => [
	{
		displayName: 'Preview Only',
		name: 'previewOnly',
		type: 'boolean',
		default: true,
		description:
			'Whether to return what would be sent, with warnings, and send nothing. Turn it off to send it.',
	},
	{
		displayName: 'Avoid Duplicates',
		name: 'idempotencyKeyMode',
		type: 'options',
		default: 'execution',
		description: 'How the node recognizes what was sent before',
		options: Object.entries({ ...kindsOfPosts, ...own }).map(([value, [name, description]]) => ({
			...{ name, value, description },
			...(value in own ? {} : { displayOptions: { show: { '/options.idempotencyKeyMode': [value] } } }),
		})),
	},
	{
		displayName: 'My Own ID',
		name: 'idempotencyKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. order-1042',
		displayOptions: { show: { idempotencyKeyMode: ['custom'] } },
		description: 'ID in your own data, used as the idempotency key: up to 255 characters, without spaces',
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
		description: 'Name in the API. Use dots for nested fields.',
	},
	{
		displayName: 'Value',
		name: 'value',
		type: 'string',
		default: '',
		placeholder: 'e.g. My first video',
		description: 'Value of the field. Numbers, true, false and JSON keep their type.',
	},
] as const satisfies readonly INodeProperties[];

/** Numbers only where they read the same: an ID may have more digits than a number keeps. */
const valueOf = (text: string): GenericValue =>
	/^\s*[[{]|^(true|false|null)$/.test(text)
		? jsonParse<GenericValue>(text, { fallbackValue: text })
		: text !== '' && String(Number(text)) === text && Number.isFinite(Number(text))
			? Number(text)
			: text;

/** A field of the API, as a person names it. */
type NamedValue = { name: string; value: string };

/** The object that names and values describe; says that a value without a name isn't sent. */
export function fieldsFrom(
	rows: readonly NamedValue[],
	label: string,
	hint?: (message: string) => void,
): IDataObject {
	const [named, nameless] = partition(rows, 'name');
	if (some(nameless, 'value')) hint?.(`'${label}' has a value without a name, so it isn't sent`);
	return named.reduce((all, { name, value }) => set(all, name.split('.'), valueOf(value)), {});
}

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
			"Fields of the API that the node doesn't have, as JSON. They are merged into the request and override Additional Fields.",
	},
];
