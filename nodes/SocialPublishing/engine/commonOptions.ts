import type { INodeProperties } from 'n8n-workflow';

import { workspaceId } from '../lookups/workspaces';

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
