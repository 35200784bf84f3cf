import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { credentialFor } from '../n8n/examples';
import { type Fault, type Service, startService } from '../service';
import type { ServiceOptions } from '../service/types';
import { runNode, type RunOptions, type RunResult } from './engine';
import { addPost, addWebhook, asked, DAY, posts, says, useService } from './store';

export { addPost, addWebhook, asked, DAY, posts, says, useService };
export { type Service, startService };

export const credentialOf = (service: Service, more: IDataObject = {}): IDataObject => ({
	...(credentialFor(service, service.keys.full) as IDataObject),
	workspaceId: 'ws_main',
	...more,
});

export const item = (json: IDataObject): INodeExecutionData => ({ json });

export const run = async (
	service: Service,
	parameters: IDataObject,
	more: Partial<RunOptions> = {},
): Promise<RunResult> => await runNode({ credential: credentialOf(service), parameters, ...more });

/** @param name `post:create` */
export const runOperation = async (
	service: Service,
	name: string,
	parameters: IDataObject,
	more: Partial<RunOptions> = {},
): Promise<RunResult> => {
	const [resource, operation] = name.split(':');
	return await run(service, { resource, operation, ...parameters }, more);
};

/** `post.create` as most tests here want it. */
export const createPost = (more: IDataObject = {}): IDataObject => ({
	resource: 'post',
	operation: 'create',
	platforms: ['x'],
	text: 'Hello',
	when: more.scheduledAt ? 'at' : 'now',
	...more,
});

/** What the operations ask for: posts, a webhook with a delivery that failed, a batch to approve. */
export async function fill(service: Service): Promise<void> {
	addPost(service);
	addPost(service, { id: 'post_x', platforms: ['x'] });
	addPost(service, { id: 'post_done', status: 'completed' });
	service.store.webhooks.get(addWebhook(service))!.url = 'http://127.0.0.1:9/events';
	const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'brand_main', data: {} };
	service.deliveries.emit({ ...event, resource: 'post_1' });
	await service.deliveries.idle();
	const held = addPost(service, { id: 'post_held', at: Date.now() + 1e10 });
	service.lifecycle.hold(service.store.posts.get(held)!);
}

export const contextOf = (result: RunResult): IDataObject =>
	JSON.parse(JSON.stringify(result.run.data.executionData!.contextData)) as IDataObject;

export const retryOf = (result: RunResult): Partial<RunOptions> => ({
	contextData: contextOf(result),
	executionId: '2',
	mode: 'retry',
});

export const continuesOnFail = { node: { onError: 'continueRegularOutput' } } as const;

/** A service for all tests of a file or block, *Post: Create* there with a row for each item, and a way to refuse writes. */
export function usePosting(options: ServiceOptions = {}) {
	const service = useService(options);
	return {
		service,
		create: async (more: IDataObject, rows: IDataObject[] = [{}], runOptions: Partial<RunOptions> = {}) =>
			await run(service(), createPost(more), { items: rows.map(item), ...runOptions }),
		refuse: (more: Partial<Fault> = {}) =>
			service().faults.add({ kind: 'error', code: 'PUBLIC_API_SCOPE_FORBIDDEN', method: 'POST', ...more }),
	};
}
