import type { INodeProperties } from 'n8n-workflow';

import { binaryFields, mediaUrls, optionalMedia } from '../../media/fields';
import { amount, unit } from './when';
import { shortOf, weekdays } from './slots';

/** What a person fills in to publish a post. */

export const DEFAULT_WAIT_S = 300;

const waitForPublication = {
	displayName: 'Wait for Publication',
	name: 'waitForPublication',
	type: 'boolean',
	default: false,
	description:
		'Whether to wait until the post is published, and fail if publishing fails. Posts due after the wait timeout are not waited for.',
} as const satisfies INodeProperties;

export const waitTimeout = {
	displayName: 'Wait Timeout (Seconds)',
	name: 'waitTimeout',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: DEFAULT_WAIT_S,
	description: 'How long to wait for the post',
} as const satisfies INodeProperties;

const slotDays = {
	displayName: 'Slot Days',
	name: 'slotDays',
	type: 'multiOptions',
	default: ['mon', 'tue', 'wed', 'thu', 'fri'],
	required: true,
	displayOptions: { show: { when: ['nextSlot'] } },
	description: 'Days of the week on which posts go out',
	options: weekdays.map((name) => ({ name, value: shortOf(name) })),
} as const satisfies INodeProperties;

const slotTimes = {
	displayName: 'Slot Times',
	name: 'slotTimes',
	type: 'string',
	default: '09:00, 12:30, 17:00',
	required: true,
	displayOptions: { show: { when: ['nextSlot'] } },
	description: 'Times of day at which posts go out, separated by commas',
	hint: 'In the time zone of the workflow. A post scheduled within ten minutes of a slot takes it.',
} as const satisfies INodeProperties;

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
				description: 'Choose platforms. One with several accounts lists these below it.',
			},
		],
	},
	{
		displayName: 'Platform Names or IDs',
		name: 'platforms',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getTargets', loadOptionsDependsOn: ['options.workspaceId'] },
		default: [],
		required: true,
		// A sheet's `Instagram, X` is fine.
		allowArbitraryValues: true,
		displayOptions: { show: { postTo: ['platforms'] } },
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: 'To see new accounts, refresh the list',
	},
	{
		displayName: 'Account Names or IDs',
		name: 'accounts',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getAccounts', loadOptionsDependsOn: ['options.workspaceId'] },
		default: [],
		required: true,
		allowArbitraryValues: true,
		displayOptions: { show: { postTo: ['accounts'] } },
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: 'To see new accounts, refresh the list',
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. Fresh plum jam is on the shelf',
		description: 'Text of the post',
	},
	{
		displayName: 'When',
		name: 'when',
		type: 'options',
		default: 'at',
		description: 'When to publish the post',
		options: [
			{ name: 'Publish Now', value: 'now', description: 'Publish as soon as the node runs' },
			{ name: 'At a Time', value: 'at', description: 'Publish at a date and time' },
			{ name: 'After a Delay', value: 'delay', description: 'Publish a set time after the node runs' },
			{
				name: 'In the Next Free Slot',
				value: 'nextSlot',
				description: 'Publish at the next of your times that is still free on the account',
			},
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
		displayName: 'Delay Amount',
		name: 'delayAmount',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1,
		displayOptions: { show: { when: ['delay'] } },
		description: 'How long to wait after the node runs',
	},
	{
		...unit,
		displayName: 'Delay Unit',
		name: 'delayUnit',
		displayOptions: { show: { when: ['delay'] } },
	},
	slotDays,
	slotTimes,
	optionalMedia,
	binaryFields,
	mediaUrls,
] as const satisfies readonly INodeProperties[];

const spacing = {
	displayName: 'Time Between Posts',
	name: 'spacing',
	type: 'fixedCollection',
	default: { time: { amount: 1, unit: 'hours' } },
	placeholder: 'Add Time',
	// Slots have times of their own.
	displayOptions: { hide: { '/when': ['nextSlot'] } },
	description: 'How long after one item to publish the next, starting with the time of the first',
	options: [{ displayName: 'Time', name: 'time', values: [amount, unit] }],
} as const satisfies INodeProperties;

const platform = {
	displayName: 'Platform',
	name: 'platform',
	type: 'options',
	default: 'instagram',
	allowArbitraryValues: true,
	description: 'Platform that this entry is for',
	options: [
		{ name: 'Bluesky', value: 'bluesky' },
		{ name: 'Facebook', value: 'facebook' },
		{ name: 'Instagram', value: 'instagram' },
		{ name: 'LinkedIn', value: 'linkedin' },
		{ name: 'TikTok', value: 'tiktok' },
		{ name: 'X', value: 'x' },
		{ name: 'YouTube', value: 'youtube' },
	],
} as const satisfies INodeProperties;

const platformText = {
	displayName: 'Text per Platform',
	name: 'platformText',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	// n8n's editor starts a list of entries as {}, whatever stands here, and saves an empty one as nothing at all.
	default: {},
	placeholder: 'Add Text',
	description: 'A different text for some platforms',
	options: [
		{
			displayName: 'Text',
			name: 'texts',
			values: [
				platform,
				{
					displayName: 'Text',
					name: 'text',
					type: 'string',
					typeOptions: { rows: 3 },
					default: '',
					description: 'Text for this platform',
				},
			],
		},
	],
} as const satisfies INodeProperties;

const mostPosts = {
	displayName: 'Max Posts per Execution',
	name: 'mostPosts',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 10,
	description:
		'How many posts the node may send in one execution. With more, it sends none. All tool calls of an execution count together. 0 means no limit.',
} as const satisfies INodeProperties;

const platformFields = {
	displayName: 'Fields per Platform',
	name: 'platformFields',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	default: {},
	placeholder: 'Add Fields',
	description:
		'Fields of the API for the request of one platform, merged after Additional Fields. The service may refuse fields that its specification does not show.',
	options: [
		{
			displayName: 'Fields',
			name: 'fields',
			values: [
				platform,
				{
					displayName: 'Fields (JSON)',
					name: 'fields',
					type: 'json',
					default: '{}',
					description: "Fields to merge into this platform's request",
				},
			],
		},
	],
} as const satisfies INodeProperties;

const approvedCode = {
	displayName: 'Approved Code',
	name: 'approvedCode',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.approval_code }}',
	description:
		"Send only what a person approved: the 'approval_code' of its preview, or several separated by commas. Anything else is refused before the first request.",
} as const satisfies INodeProperties;

const onWarnings = {
	displayName: 'On Warnings',
	name: 'onWarnings',
	type: 'options',
	default: 'send',
	description: 'What to do with a post that its network is known to refuse, such as a text that is too long',
	options: [
		{ name: 'Send', value: 'send', description: 'Send it and show a warning after the run' },
		{ name: 'Stop', value: 'stop', description: 'Send nothing and fail, naming the rows' },
	],
} as const satisfies INodeProperties;

/** Entries of the Options collection. */
export const options = [
	spacing,
	platformText,
	waitForPublication,
	{ ...waitTimeout, displayOptions: { show: { waitForPublication: [true] } } },
	mostPosts,
	platformFields,
	approvedCode,
	onWarnings,
] as const satisfies readonly INodeProperties[];
