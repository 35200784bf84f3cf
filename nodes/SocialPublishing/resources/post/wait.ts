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
		'Whether to wait until the post is published, and fail if publishing fails. Posts due after the wait timeout are not waited for.',
} as const satisfies INodeProperties;

export const waitTimeout = {
	displayName: 'Wait Timeout (Seconds)',
	name: 'waitTimeout',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: DEFAULT_WAIT,
	description: 'How long to wait for the post',
} as const satisfies INodeProperties;
