import { sortBy } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';

import { platforms, titles } from '../../../api/contract';
import type { Params } from '../../engine/operation';
import { nameAndValue, type CommonOptions } from '../../engine/options';
import { binaryFields, mediaUrls, optionalMedia } from '../../media/fields';
import { textEntry } from '../fields';
import { shortOf, weekdays } from './slots';

export const waitTimeout = {
	displayName: 'Wait Timeout (Seconds)',
	name: 'waitTimeout',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 300,
	description: 'How long to wait for the post',
} as const satisfies INodeProperties;

const amount = {
	displayName: 'Amount',
	name: 'amount',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 1,
	description: 'Number of units',
} as const satisfies INodeProperties;

const unit = {
	displayName: 'Unit',
	name: 'unit',
	type: 'options',
	default: 'hours',
	description: 'Unit of the amount. Days keep the time of day when the clocks change.',
	options: [
		{ name: 'Days', value: 'days' },
		{ name: 'Hours', value: 'hours' },
		{ name: 'Minutes', value: 'minutes' },
	],
} as const satisfies INodeProperties;

const targetList = {
	type: 'multiOptions',
	default: [],
	required: true,
	// A sheet's `Instagram, X` is fine.
	allowArbitraryValues: true,
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	hint: 'To see new accounts, refresh the list',
} as const satisfies Partial<INodeProperties>;

export const fields = [
	{
		displayName: 'Post To',
		name: 'postTo',
		type: 'options',
		default: 'platforms',
		description: 'Whether to choose platforms or single accounts',
		options: [
			{ name: 'Accounts', value: 'accounts', description: 'Choose connected accounts' },
			{
				name: 'Platforms',
				value: 'platforms',
				description: 'Choose platforms, or accounts of a platform with several',
			},
		],
	},
	{
		displayName: 'Platform Names or IDs',
		name: 'platforms',
		...targetList,
		typeOptions: { loadOptionsMethod: 'getTargets', loadOptionsDependsOn: ['options.workspaceId'] },
		displayOptions: { show: { postTo: ['platforms'] } },
	},
	{
		displayName: 'Account Names or IDs',
		name: 'accounts',
		...targetList,
		typeOptions: { loadOptionsMethod: 'getAccounts', loadOptionsDependsOn: ['options.workspaceId'] },
		displayOptions: { show: { postTo: ['accounts'] } },
	},
	{ ...textEntry, placeholder: 'e.g. Fresh plum jam is on the shelf', description: 'Text of the post' },
	{
		displayName: 'When',
		name: 'when',
		type: 'options',
		// So that an untouched node works, and what it sends can still be canceled.
		default: 'delay',
		description: 'When to publish the post',
		options: [
			{ name: 'Publish Now', value: 'now', description: 'Publish as soon as the node runs' },
			{ name: 'At a Time', value: 'at', description: 'Publish at a date and time' },
			{ name: 'After a Delay', value: 'delay', description: 'Publish a set time after the node runs' },
			{ name: 'In the Next Free Slot', value: 'nextSlot', description: 'Publish at your next free time' },
		],
	},
	{
		displayName: 'Scheduled At',
		name: 'scheduledAt',
		type: 'dateTime',
		default: '',
		required: true,
		displayOptions: { show: { when: ['at'] } },
		description: 'When to publish the post. A time up to two minutes ago means now.',
		hint: "Uses the workflow's time zone",
	},
	{
		...amount,
		displayName: 'Delay Amount',
		name: 'delayAmount',
		displayOptions: { show: { when: ['delay'] } },
		description: 'How long to wait after the node runs',
	},
	{
		...unit,
		displayName: 'Delay Unit',
		name: 'delayUnit',
		displayOptions: { show: { when: ['delay'] } },
	},
	{
		displayName: 'Slot Days',
		name: 'slotDays',
		type: 'multiOptions',
		default: ['mon', 'tue', 'wed', 'thu', 'fri'],
		required: true,
		displayOptions: { show: { when: ['nextSlot'] } },
		description: 'Days of the week on which posts go out',
		options: weekdays.map((name) => ({ name, value: shortOf(name) })),
	},
	{
		displayName: 'Slot Times',
		name: 'slotTimes',
		type: 'string',
		default: '09:00, 12:30, 17:00',
		required: true,
		displayOptions: { show: { when: ['nextSlot'] } },
		description: 'Times of day at which posts go out, separated by commas',
		hint: 'In the time zone of the workflow. A post scheduled within ten minutes of a slot takes it.',
	},
	optionalMedia,
	binaryFields,
	mediaUrls,
] as const satisfies readonly INodeProperties[];

const platform = {
	displayName: 'Platform',
	name: 'platform',
	type: 'options',
	default: 'instagram',
	allowArbitraryValues: true,
	description: 'Platform that this entry is for',
	options: sortBy(platforms, (value) => titles[value]).map((value) => ({ name: titles[value], value })),
} as const satisfies INodeProperties;

const jsonFields = {
	displayName: 'Fields (JSON)',
	name: 'fields',
	type: 'json',
	default: '{}',
	description: "Fields to merge into this platform's request",
} as const satisfies INodeProperties;

const sendNothing = "Send nothing and fail, naming the rows. If 'On Error' continues, send the other rows.";

const perPlatform = {
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	// n8n's editor starts it as {}, whatever stands here, and saves an empty one as nothing at all.
	default: {},
} as const satisfies Partial<INodeProperties>;

export const options = [
	{
		displayName: 'Time Between Posts',
		name: 'spacing',
		type: 'fixedCollection',
		default: { time: { amount: 1, unit: 'hours' } },
		placeholder: 'Add Time',
		// Slots have times of their own.
		displayOptions: { hide: { '/when': ['nextSlot'] } },
		description:
			'How long after one input item to publish the next, starting with the time of the first. In a loop, each round starts anew.',
		options: [{ displayName: 'Time', name: 'time', values: [amount, unit] }],
	},
	{
		...perPlatform,
		displayName: 'Text per Platform',
		name: 'platformText',
		placeholder: 'Add Text',
		description: 'A different text for some platforms',
		options: [
			{
				displayName: 'Entry',
				name: 'texts',
				values: [platform, { ...textEntry, description: 'Text for this platform' }],
			},
		],
	},
	{
		displayName: 'Wait for Publication',
		name: 'waitForPublication',
		type: 'boolean',
		default: true,
		description:
			'Whether to wait until the post is published. A post due after the wait timeout is not sent.',
	},
	{ ...waitTimeout, displayOptions: { show: { waitForPublication: [true] } } },
	{
		displayName: 'If the Time Has Passed',
		name: 'ifPast',
		type: 'options',
		default: 'fail',
		description: 'What to do with a post whose time passed more than two minutes ago',
		options: [
			{ name: 'Fail', value: 'fail', description: sendNothing },
			{ name: 'Publish', value: 'publish', description: 'Publish it immediately' },
			{ name: 'Skip', value: 'skip', description: 'Send the other posts and output this one as skipped' },
		],
	},
	{
		displayName: 'Max Posts per Execution',
		name: 'mostPosts',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 10,
		description:
			'How many posts the node may send in one execution. With more, it sends none. All tool calls of an execution count together. 0 means no limit.',
	},
	{
		...perPlatform,
		displayName: 'Fields per Platform',
		name: 'platformFields',
		placeholder: 'Add Fields',
		description:
			'Fields of the API for the request of one platform, merged after Additional Fields. The service may refuse fields that its specification does not show.',
		options: [
			{ displayName: 'Field', name: 'values', values: [platform, ...nameAndValue] },
			{ displayName: 'Fields as JSON', name: 'fields', values: [platform, jsonFields] },
		],
	},
	{
		displayName: 'Approved Code',
		name: 'approvedCode',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.approval_code }}',
		description:
			"Send only what a person approved: the 'approval_code' of its preview, or several separated by commas. Anything else is refused before the first request.",
	},
	{
		displayName: 'Preview As',
		name: 'previewAs',
		type: 'options',
		default: 'rows',
		displayOptions: { show: { previewOnly: [true] } },
		description: 'What a preview returns',
		options: [
			{
				name: 'Page',
				value: 'page',
				description: 'One item with an HTML page of all posts, to send or to show with the HTML node',
			},
			{ name: 'Rows', value: 'rows', description: 'One item for each post' },
		],
	},
	{
		displayName: 'On Warnings',
		name: 'onWarnings',
		type: 'options',
		default: 'send',
		description:
			'What to do with a post that its network is known to refuse, such as a text that is too long',
		options: [
			{ name: 'Send', value: 'send', description: 'Send it and show a warning after the run' },
			{ name: 'Stop', value: 'stop', description: sendNothing },
		],
	},
] as const satisfies readonly INodeProperties[];

export type CreateParams = Params<typeof fields> & {
	options: Partial<Params<typeof options>> & CommonOptions;
};
