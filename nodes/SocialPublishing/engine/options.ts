import { partition, set, some } from 'lodash';
import {
	jsonParse,
	type GenericValue,
	type IDataObject,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { canonicalPlatform } from '../../api/contract';
import { workspaceId } from '../../shared/locator';
import type { KeyMode } from '../writes/key';

/** What the table adds to the `options` of operations, by method. */
export interface CommonOptions {
	workspaceId?: string;
	maxRetryWait?: number;
	preview?: 'rows' | 'page' | 'off';
	avoidDuplicates?: { by?: { mode: KeyMode; id: string } };
	apiFields?: { field?: ApiField[] };
}

export const commonOptions: readonly INodeProperties[] = [
	workspaceId,
	{
		displayName: 'Longest Wait (Seconds)',
		name: 'maxRetryWait',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 60,
		description: 'How long to wait for the service, or for its rate limit, while no request succeeds',
	},
];

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

/** Adding it turns it on. */
export const preview = (...more: INodePropertyOptions[]): INodeProperties => ({
	displayName: 'Preview',
	name: 'preview',
	type: 'options',
	default: 'rows',
	description: 'Return what would be sent, with warnings, and send nothing',
	options: [
		{ name: 'Off', value: 'off', description: 'Send it' },
		...more,
		{ name: 'Rows', value: 'rows', description: 'Return what would be sent as items' },
	],
});

const avoidDuplicates = (kinds: DuplicateKinds): INodeProperties => ({
	displayName: 'Avoid Duplicates',
	name: 'avoidDuplicates',
	type: 'fixedCollection',
	default: { by: { mode: 'execution', id: '' } },
	placeholder: 'Add Choice',
	description: 'How the node recognizes what was sent before',
	options: [
		{
			displayName: 'By',
			name: 'by',
			values: [
				{
					displayName: 'Mode',
					name: 'mode',
					type: 'options',
					default: 'execution',
					description: 'What to send only once',
					options: Object.entries(kinds).map(([value, [name, description]]) => ({
						name,
						value,
						description,
					})),
				},
				{
					displayName: 'ID',
					name: 'id',
					type: 'string',
					default: '',
					placeholder: 'e.g. order-1042',
					displayOptions: { show: { mode: ['custom'] } },
					description: 'ID in your own data: up to 255 characters, without spaces',
				},
			],
		},
	],
});

/** Of every write. @param kinds those that make sense for it, and their words */
export const writeOptions = (kinds: DuplicateKinds = kindsOfPosts): INodeProperties[] => [
	preview(),
	avoidDuplicates(kinds),
];

/** A field or a parameter of the API, and its value. */
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

/**
 * Of every POST and PATCH: the way out where the spec leaves a field open.
 * @param besides further values of each entry, such as its platform
 */
export const apiFields = (...besides: INodeProperties[]): INodeProperties => ({
	displayName: 'API Fields',
	name: 'apiFields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	default: {},
	placeholder: 'Add Field',
	description:
		"Fields of the API that the node doesn't have. They are merged into the request and override the node's own fields.",
	options: [{ displayName: 'Field', name: 'field', values: [...besides, ...nameAndValue] }],
});

/** A field of the API, as a person names it; without a platform, or with `all`, it is for every request. */
export interface ApiField {
	platform?: string;
	name: string;
	value: string;
}

/** Numbers only where they read the same: an ID may have more digits than a number keeps. */
const valueOf = (text: string): GenericValue =>
	/^\s*[[{]|^(true|false|null)$/.test(text)
		? jsonParse<GenericValue>(text, { fallbackValue: text })
		: text !== '' && String(Number(text)) === text && Number.isFinite(Number(text))
			? Number(text)
			: text;

/** The object that names and values describe: `content.title` is a field in `content`; says that a value without a name isn't sent. */
export function fieldsFrom(
	rows: readonly ApiField[],
	label: string,
	hint?: (message: string) => void,
): IDataObject {
	const [named, nameless] = partition(rows, 'name');
	if (some(nameless, 'value')) hint?.(`'${label}' has a value without a name, so it isn't sent`);
	return named.reduce((all, { name, value }) => set(all, name.split('.'), valueOf(value)), {});
}

/** The user's own fields for a request: those of every platform and those of its own. */
export function apiFieldsOf(
	{ apiFields: given }: CommonOptions,
	platform = '',
	hint?: (message: string) => void,
): IDataObject {
	const isMeant = ({ platform: own = 'all' }: ApiField): boolean =>
		own === 'all' || canonicalPlatform(own) === platform;
	return fieldsFrom((given?.field ?? []).filter(isMeant), 'API Fields', hint);
}
