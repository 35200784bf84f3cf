import type { INodeProperties } from 'n8n-workflow';

/** How far a delivery's send time may be off, in seconds (spec, "Signature" 4). */
export const DEFAULT_TOLERANCE = 300;
/** More than 22 hours (the service's last retry) of one account. */
export const DEFAULT_REMEMBERED = 5000;

/** What the user sets. Names are fixed: saved workflows hold them. */
export const properties: INodeProperties[] = [
	{
		displayName: 'Trigger On',
		name: 'events',
		type: 'multiOptions',
		required: true,
		default: ['post.published', 'post.failed'],
		options: [
			{
				name: 'Approval Batch Approved',
				value: 'approval.batch_approved',
			},
			{
				name: 'Approval Batch Created',
				value: 'approval.batch_created',
			},
			{
				name: 'Approval Item Approved',
				value: 'approval.item_approved',
			},
			{
				name: 'Approval Item Rejected',
				value: 'approval.item_rejected',
			},
			{
				name: 'Automation Triggered',
				value: 'automation.triggered',
			},
			{
				name: 'Inbox Item Created',
				value: 'inbox.item.created',
				description: 'A new inbox message or comment is stored',
			},
			{
				name: 'Inbox Lead Captured',
				value: 'inbox.lead.captured',
				description:
					'The direct-message agent first collects an email address or phone number, once per conversation',
			},
			{
				name: 'Inbox Message Received',
				value: 'inbox.message_received',
			},
			{
				name: 'Inbox Message Responded',
				value: 'inbox.message_responded',
			},
			{
				name: 'Post Canceled',
				value: 'post.canceled',
				description: 'A post is canceled before publishing',
			},
			{
				name: 'Post Created',
				value: 'post.created',
				description: 'A post is created, as a draft or scheduled',
			},
			{
				name: 'Post Failed',
				value: 'post.failed',
				description: 'A post failed to publish',
			},
			{
				name: 'Post Published',
				value: 'post.published',
				description: 'A post is published to the platform',
			},
			{
				name: 'Post Scheduled',
				value: 'post.scheduled',
				description: 'A post is confirmed scheduled',
			},
		],
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Additional Events',
				name: 'additionalEvents',
				type: 'string',
				default: '',
				placeholder: 'e.g. post.archived, inbox.item.deleted',
				description: 'Names of events that are not in the list, comma-separated',
			},
			{
				displayName: 'Attach Post',
				name: 'attachPost',
				type: 'boolean',
				default: false,
				description: "Whether to fetch the full post of a post's event and put it into the field 'post'",
			},
			{
				displayName: 'Brand IDs',
				name: 'brandIds',
				type: 'string',
				default: '',
				placeholder: 'e.g. brand_1, brand_2',
				description: 'Only hand on events of these brands, comma-separated. Leave empty for all.',
			},
			{
				displayName: 'Description',
				name: 'description',
				type: 'string',
				default: '',
				placeholder: 'e.g. n8n: tell the team',
				description: "What the subscription is called at the service; if empty, n8n and the workflow's name",
			},
			{
				displayName: 'Remember Events',
				name: 'rememberEvents',
				type: 'number',
				typeOptions: { minValue: 1, maxValue: 100000 },
				default: 5000,
				description:
					"How many of the latest events n8n's database keeps, so that a repeated one is not handed on again, not even after a restart",
			},
			{
				displayName: 'Tolerance',
				name: 'tolerance',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 300,
				description:
					"How many seconds the send time of a delivery may be off from this computer's clock; others are refused",
			},
			{
				displayName: 'Workspace',
				name: 'workspaceId',
				type: 'resourceLocator',
				default: { mode: 'list', value: '' },
				description: "Workspace whose events are delivered, instead of the credential's",
				modes: [
					{
						displayName: 'From List',
						name: 'list',
						type: 'list',
						typeOptions: { searchListMethod: 'searchWorkspaces', searchable: true },
					},
					{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. ws_main' },
				],
			},
		],
	},
];
