import type { INodeProperties } from 'n8n-workflow';

import { binaryFields, mediaUrls, optionalMedia } from '../../media/fields';
import { amount, unit } from './schedule';
import { waitForPublication, waitTimeout } from './wait';

/** What a person fills in to publish a post. */

const refresh = "New accounts are missing? Refresh List in this field's menu, or open the panel again.";

export const fields = [
	{
		displayName: 'Post To',
		name: 'postTo',
		type: 'options',
		default: 'platforms',
		description: 'How to say where the post goes',
		options: [
			{ name: 'Accounts', value: 'accounts', description: 'Choose connected accounts' },
			{
				name: 'Platforms',
				value: 'platforms',
				description: 'Choose platforms; for one with several connected accounts, choose Accounts instead',
			},
		],
	},
	{
		displayName: 'Platform Names or IDs',
		name: 'platforms',
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: 'getPlatforms', loadOptionsDependsOn: ['options.workspaceId'] },
		default: [],
		required: true,
		// A sheet's `Instagram, X` is fine.
		allowArbitraryValues: true,
		displayOptions: { show: { postTo: ['platforms'] } },
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
		hint: `An expression may give several: instagram, x. ${refresh}`,
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
		hint: refresh,
	},
	{
		displayName: 'Text',
		name: 'text',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: 'e.g. Fresh plum jam is on the shelf',
		description: 'What the post says',
	},
	{
		displayName: 'When',
		name: 'when',
		type: 'options',
		default: 'at',
		description: 'When the post goes out',
		options: [
			{ name: 'Publish Now', value: 'now', description: 'As soon as the node runs' },
			{ name: 'At a Time', value: 'at', description: 'At a date and time of your choice' },
			{ name: 'After a Delay', value: 'delay', description: 'So much later than the node runs' },
		],
	},
	{
		displayName: 'Scheduled At',
		name: 'scheduledAt',
		type: 'dateTime',
		default: '',
		required: true,
		displayOptions: { show: { when: ['at'] } },
		description: 'When to publish. A time up to two minutes ago means now.',
		hint: 'In the time zone of the workflow unless it has an offset',
	},
	{
		displayName: 'Delay Amount',
		name: 'delayAmount',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 1,
		displayOptions: { show: { when: ['delay'] } },
		description: 'How much later than the node runs, counted in Delay Unit',
	},
	{
		...unit,
		displayName: 'Delay Unit',
		name: 'delayUnit',
		displayOptions: { show: { when: ['delay'] } },
	},
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
	description: 'Publish each item so much later than the one before, counted from the time of the first',
	options: [{ displayName: 'Time', name: 'time', values: [amount, unit] }],
} as const satisfies INodeProperties;

const platformText = {
	displayName: 'Text per Platform',
	name: 'platformText',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	// n8n's editor starts a list of entries as {}, whatever stands here, and saves an empty one as nothing at all.
	default: {},
	placeholder: 'Add Text',
	description: 'Another text for some of the platforms',
	options: [
		{
			displayName: 'Text',
			name: 'texts',
			values: [
				{
					displayName: 'Platform',
					name: 'platform',
					type: 'options',
					default: 'instagram',
					allowArbitraryValues: true,
					description: 'Platform that gets this text',
					options: [
						{ name: 'Bluesky', value: 'bluesky' },
						{ name: 'Facebook', value: 'facebook' },
						{ name: 'Instagram', value: 'instagram' },
						{ name: 'LinkedIn', value: 'linkedin' },
						{ name: 'TikTok', value: 'tiktok' },
						{ name: 'X', value: 'x' },
						{ name: 'YouTube', value: 'youtube' },
					],
				},
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
	displayName: 'Most Posts per Execution',
	name: 'mostPosts',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 10,
	description:
		'Beyond so many posts nothing is sent. All calls of a tool in the execution count together. 0 means no limit.',
} as const satisfies INodeProperties;

/** Entries of the Options collection, in the order in which people need them. */
export const options = [
	spacing,
	platformText,
	waitForPublication,
	waitTimeout,
	mostPosts,
] as const satisfies readonly INodeProperties[];
