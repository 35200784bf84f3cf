import type { INodeProperties, NodeHint } from 'n8n-workflow';

import { eventOptions } from '../shared/events';
import { workspaceId } from '../shared/locator';

export const triggerOptions: INodeProperties[] = [
	{
		displayName: 'Additional Events',
		name: 'additionalEvents',
		type: 'string',
		default: '',
		placeholder: 'e.g. post.archived, inbox.item.deleted',
		description:
			'Needed only for events that the service has and the list above lacks. Separate them with commas.',
	},
	{
		displayName: 'Brand IDs',
		name: 'brandIds',
		type: 'string',
		default: '',
		placeholder: 'e.g. brand_1, brand_2',
		description:
			"Needed if your workspace has several brands and the workflow is for some of them; events that name no brand don't start it then. Separate their IDs with commas.",
	},
	{
		displayName: 'Check Every (Minutes)',
		name: 'checkEvery',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 1440 },
		default: 15,
		description:
			'How often to repair the subscription and recover missed events. Lower it if missed events must arrive sooner; raise it if many triggers share an API key.',
	},
	{
		displayName: 'Description',
		name: 'description',
		type: 'string',
		default: '',
		placeholder: 'e.g. n8n: tell the team',
		description:
			"Name of the subscription in the service. Needed only if you tell them apart there. The default is n8n and the workflow's name.",
	},
	{
		displayName: 'Events to Remember',
		name: 'rememberEvents',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 100000 },
		default: 5000,
		description:
			'How many events to recognize when they are delivered again. Raise it only if you get more than 5,000 events a day.',
	},
	{
		displayName: 'Max Clock Difference (Seconds)',
		name: 'tolerance',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 300,
		description:
			"How far the clocks of n8n and the service may differ. Raise it only if n8n's log says that deliveries are refused for their time.",
	},
	{
		displayName: 'Recover From Posts',
		name: 'catchUpFromPosts',
		type: 'boolean',
		default: false,
		description:
			'Whether to also recover published, failed and canceled posts from the list of posts. Turn it on if events of posts are missing after an outage.',
	},
	{
		displayName: 'Recover Missed Events',
		name: 'catchUp',
		type: 'boolean',
		default: true,
		description:
			"Whether to retrieve events that the service couldn't deliver. They arrive late, with 'recovered: true'. Turn it off only if late events are of no use to you.",
	},
	{
		...workspaceId,
		description: "Workspace whose events to receive. Needed only if it isn't the credential's.",
	},
];

/** What the user sets. Names are fixed: saved workflows hold them. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['post.published', 'post.failed'],
		options: eventOptions,
	},
	{
		displayName: 'Include Post',
		name: 'includePost',
		type: 'boolean',
		default: true,
		description: "Whether to fetch the post that an event is about and add it as 'post'",
	},
	{
		displayName:
			'The service sends events to the address in Webhook URLs above, so it must be able to reach this n8n',
		name: 'notice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: triggerOptions,
	},
];

const eventNames = Object.fromEntries(eventOptions.map(({ name, value }) => [value, name]));

/** What stands below the node's name on the canvas: "Post Published, Post Failed". */
export const triggerSubtitle = `={{ $parameter["events"].slice(0, 2).map((event) => (${JSON.stringify(eventNames)})[event] || event).join(", ") + ($parameter["events"].length > 2 ? " and " + ($parameter["events"].length - 2) + " more" : "") }}`;

/** Until something has arrived. */
export const triggerHint: NodeHint = {
	message:
		"To test this trigger, click 'Execute step', then cause one of its events in your service: publish a post, for example.",
	type: 'info',
	location: 'outputPane',
	whenToDisplay: 'beforeExecution',
};
