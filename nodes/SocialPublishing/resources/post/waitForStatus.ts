import { postId } from '../../lookups/posts';
import { operation } from '../../engine/operation';
import { namedRow } from './columns';
import { waitTimeout } from './createFields';
import { waitForPost } from './poll';

/** Spec: polls `GET /posts/{id}` ("Poll it to see `status` and `provider_post_id`"). */
export const waitForStatus = operation({
	name: 'Wait for Status',
	value: 'waitForStatus',
	action: 'Wait for post status',
	description: 'Wait until a post is published, or has reached any final status',
	fields: [
		postId,
		{
			displayName: 'Wait For',
			name: 'waitFor',
			type: 'options',
			default: 'completed',
			description: 'Status to wait for',
			options: [
				{ name: 'Any Final Status', value: 'terminal', description: 'Published, failed or canceled' },
				{
					name: 'Published',
					value: 'completed',
					description: 'The node fails if the post fails or is canceled',
				},
			],
		},
		waitTimeout,
	],
	// All items are waited for at the same time.
	wait: async (_outcomes, { postId: id, waitFor, waitTimeout: seconds }, item) => [
		await namedRow(await waitForPost(item, id, { waitFor, timeoutMs: seconds * 1000 }), item),
	],
});
