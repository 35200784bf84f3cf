import type { INodeProperties } from 'n8n-workflow';

import { workspaceId } from '../../shared/workspaces';

const maxRetryWait = {
	displayName: 'Wait at the Rate Limit',
	name: 'maxRetryWait',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 60,
	description:
		'How many seconds the node may wait when a limit of requests is reached or the service has trouble, without one request that succeeds',
} as const satisfies INodeProperties;

/** Options of every operation. */
export const commonOptions: readonly INodeProperties[] = [workspaceId, maxRetryWait];

/** Of operations that run several items at the same time. */
export const concurrency: INodeProperties = {
	displayName: 'Items at Once',
	name: 'concurrency',
	type: 'number',
	typeOptions: { minValue: 1, maxValue: 50 },
	default: 5,
	description: 'How many items are worked on at the same time; the output keeps the order of the input',
};

/** Of every write. */
export const writeOptions: readonly INodeProperties[] = [
	{
		displayName: 'Preview Only',
		name: 'previewOnly',
		type: 'boolean',
		default: true,
		description:
			'Whether to send nothing and hand out what would be sent, with warnings. The same node without this option then sends exactly that.',
	},
	{
		displayName: 'Avoid Duplicates',
		name: 'idempotencyKeyMode',
		type: 'options',
		default: 'execution',
		description: 'What keeps this request from being carried out twice',
		options: [
			{
				name: 'When I Retry',
				value: 'execution',
				description: 'Retries of an execution send nothing twice; each new run posts again',
			},
			{
				name: 'Same Text and Time',
				value: 'content',
				description: 'The same content is sent once, whoever runs the workflow and however often',
			},
			{
				name: 'My Own ID',
				value: 'custom',
				description: 'Once for each ID of yours, such as that of a row, in My Own ID',
			},
		],
	},
	{
		displayName: 'My Own ID',
		name: 'idempotencyKey',
		type: 'string',
		default: '',
		placeholder: 'e.g. order-1042',
		description:
			'What the idempotency key is made of: 1 to 255 letters, digits and signs without spaces. Used where Avoid Duplicates is My Own ID.',
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
