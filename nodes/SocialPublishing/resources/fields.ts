import type { INodeProperties } from 'n8n-workflow';

/** Fields that several operations share. */

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
	typeOptions: { minValue: 1 },
	default: 50,
	displayOptions: { show: { returnAll: [false] } },
	description: 'Max number of results to return',
} as const satisfies INodeProperties;

export const postId = {
	displayName: 'Post',
	name: 'postId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The post to work on',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchPosts', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. post_8f3k2m',
			hint: 'A pasted address of the post works too',
		},
	],
} as const satisfies INodeProperties;

export const inboxItemId = {
	displayName: 'Inbox Item',
	name: 'inboxItemId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The comment or message to work on',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchInboxItems', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. inb_5d2c8f',
			hint: 'The name or @handle of its author works too, where that one wrote only once',
		},
	],
} as const satisfies INodeProperties;

export const webhookId = {
	displayName: 'Webhook',
	name: 'webhookId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The webhook to work on',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchWebhooks', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. wh_2k9d4s',
			hint: 'Its description works too',
		},
	],
} as const satisfies INodeProperties;

/** Entry of a Filters collection: one platform. */
export const platformFilter = {
	displayName: 'Platform Name or ID',
	name: 'platform',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getPlatforms', loadOptionsDependsOn: ['options.workspaceId'] },
	default: '',
	description:
		'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
} as const satisfies INodeProperties;

/** Entry of a Filters collection: several platforms. */
export const platformsFilter = {
	displayName: 'Platform Names or IDs',
	name: 'platforms',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getPlatforms', loadOptionsDependsOn: ['options.workspaceId'] },
	default: [],
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
} as const satisfies INodeProperties;

/** Of endpoints whose parameters the spec does not show. */
export const query = {
	displayName: 'Query (JSON)',
	name: 'query',
	type: 'json',
	default: '{}',
	description: 'Parameters to add to the request, as the service documents them',
} as const satisfies INodeProperties;

const workspaceId = {
	displayName: 'Workspace',
	name: 'workspaceId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: "Workspace to work in, instead of the credential's",
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchWorkspaces', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. ws_main',
			hint: 'Its name works too',
		},
	],
} as const satisfies INodeProperties;

const maxRetryWait = {
	displayName: 'Max Retry Wait',
	name: 'maxRetryWait',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 60,
	description:
		'How many seconds this node may spend waiting for the service in all, when a limit of requests is reached or the service has trouble',
} as const satisfies INodeProperties;

/** Options of every operation. */
export const commonOptions: readonly INodeProperties[] = [workspaceId, maxRetryWait];

/** Of operations that run several items at the same time. */
export const concurrency: INodeProperties = {
	displayName: 'Concurrency',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 50 },
	default: 5,
	description: 'How many items are worked on at the same time; the output keeps the order of the input',
};

/** Of every write. */
export const writeOptions: readonly INodeProperties[] = [
	{
		displayName: 'Idempotency Key Mode',
		name: 'idempotencyKeyMode',
		type: 'options',
		default: 'execution',
		description: 'What keeps this request from being carried out twice',
		options: [
			{
				name: 'Custom Key',
				value: 'custom',
				description: 'A key of your own, such as the ID of a record, in Idempotency Key',
			},
			{
				name: 'Same Content',
				value: 'content',
				description: 'The same content is sent once, whoever runs the workflow and however often',
			},
			{
				name: 'Same Execution',
				value: 'execution',
				description: 'Retries of an execution send nothing twice; a new run is a new wish',
			},
		],
	},
	{
		displayName: 'Idempotency Key',
		name: 'idempotencyKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. order-1042',
		description:
			'Your own key, 1 to 255 letters, digits and signs without spaces. Used where Idempotency Key Mode is Custom Key.',
	},
];

/** Of every POST and PATCH: the way out where the spec leaves a field open. */
export const postAndPatchOptions: readonly INodeProperties[] = [
	{
		displayName: 'Additional Fields (JSON)',
		name: 'additionalFields',
		type: 'json',
		default: '{}',
		description:
			'Fields to add to the request, merged deep; what stands here wins over the other fields of the node',
	},
];
