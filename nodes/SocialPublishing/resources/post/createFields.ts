import { sortBy } from 'lodash';
import type { INodeProperties } from 'n8n-workflow';

import { platforms, titles } from '../../../api/contract';
import type { Params } from '../../engine/operation';
import { apiFields, preview, type CommonOptions } from '../../engine/options';
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

export const fields = [
	// First, so that the open list of platforms covers nothing that is still to be filled in.
	{ ...textEntry, placeholder: 'e.g. Fresh plum jam is on the shelf', description: 'Text of the post' },
	{
		displayName: 'Platform Names or IDs',
		name: 'platforms',
		type: 'multiOptions',
		default: [],
		required: true,
		// A sheet's `Instagram, X` is fine.
		allowArbitraryValues: true,
		typeOptions: { loadOptionsMethod: 'getTargets', loadOptionsDependsOn: ['options.workspaceId.value'] },
		description:
			'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	},
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
			{
				name: 'In the Next Free Slot',
				value: 'nextSlot',
				description: 'Publish at the next free time of your week',
			},
		],
	},
	{
		displayName: 'Scheduled At',
		name: 'scheduledAt',
		type: 'dateTime',
		default: '',
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
		displayOptions: { show: { when: ['nextSlot'] } },
		description: 'Days of the week on which posts go out',
		options: weekdays.map((name) => ({ name, value: shortOf(name) })),
	},
	{
		displayName: 'Slot Times',
		name: 'slotTimes',
		type: 'string',
		default: '09:00, 12:30, 17:00',
		displayOptions: { show: { when: ['nextSlot'] } },
		description: 'Times of day at which posts go out, separated by commas',
		hint: 'In the time zone of the workflow. A post scheduled within ten minutes of a slot takes it.',
	},
	optionalMedia,
	binaryFields,
	mediaUrls,
] as const satisfies readonly INodeProperties[];

const platformNames = sortBy(platforms, (value) => titles[value]).map((value) => ({
	name: titles[value],
	value,
}));

const platform = {
	displayName: 'Platform',
	name: 'platform',
	type: 'options',
	default: 'instagram',
	allowArbitraryValues: true,
	description: 'Platform that this entry is for',
	options: platformNames,
} as const satisfies INodeProperties;

const sendNothing = "Send nothing and fail, naming the rows. If 'On Error' continues, send the other rows.";

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
			'How long to wait between the posts of two input items, counted from the time of the first. In a loop, each round starts again.',
		options: [{ displayName: 'Time', name: 'time', values: [amount, unit] }],
	},
	{
		displayName: 'Text per Platform',
		name: 'platformText',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		default: {},
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
		displayName: 'Wait for Publication (Seconds)',
		name: 'waitForPublication',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description:
			'How long to wait until the post is published. A post that is due later than that is not sent.',
	},
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
		name: 'maxPosts',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 0 },
		default: 10,
		// Of a model's calls, nobody sees beforehand how many there will be.
		displayOptions: { show: { '@tool': [true] } },
		description:
			'How many posts the tool may send in one execution, all calls together. A call that asks for more sends none. 0 means no limit.',
	},
	{
		displayName: 'If a Platform Will Refuse It',
		name: 'ifRefused',
		type: 'options',
		default: 'send',
		description:
			'What to do with a post that its platform is known to refuse, such as one with a text that is too long',
		options: [
			{ name: 'Send', value: 'send', description: 'Send it and show a warning after the run' },
			{ name: 'Stop', value: 'stop', description: sendNothing },
		],
	},
	preview({
		name: 'Page',
		value: 'page',
		description: 'Return one item with an HTML page of all posts, to send or to show with the HTML node',
	}),
	apiFields({
		...platform,
		default: 'all',
		options: [{ name: 'All', value: 'all' }, ...platformNames],
	}),
] as const satisfies readonly INodeProperties[];

export type CreateParams = Params<typeof fields> & {
	options: Partial<Params<typeof options>> & CommonOptions;
};
