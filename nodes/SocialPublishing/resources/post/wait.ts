import type { INodeProperties } from 'n8n-workflow';

/** Fields of waiting, which `create` and `waitForStatus` share. */

/** In s. */
export const DEFAULT_WAIT = 300;

export const waitForPublication = {
	displayName: 'Wait for Publication',
	name: 'waitForPublication',
	type: 'boolean',
	default: false,
	description:
		'Whether to wait until the post is published and fail if that fails. A post scheduled later than Wait Timeout is not waited for.',
} as const satisfies INodeProperties;

export const waitTimeout = {
	displayName: 'Wait Timeout',
	name: 'waitTimeout',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: DEFAULT_WAIT,
	description: 'How many seconds to wait for the post at most',
} as const satisfies INodeProperties;
