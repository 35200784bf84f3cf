import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { type Service, startService } from '../service';
import { insertPost, type PastPost } from '../service/seed';
import type { ServiceOptions } from '../service/types';
import { runNode, type RunOptions, type RunResult } from './engine';

/** What integration tests do with the embedded service. */

export { type Service, startService };

export const DAY = 86_400_000;

/** A service for all tests of a file or block; before each it is as after its start. */
export function useService(options: ServiceOptions = {}): () => Service {
	let service!: Service;
	beforeAll(async () => void (service = await startService(options)));
	beforeEach(() => service.reset());
	afterAll(async () => await service.close());
	return () => service;
}

export const credentialOf = (service: Service, more: IDataObject = {}): IDataObject => ({
	baseUrl: service.url,
	apiKey: service.keys.full,
	workspaceId: 'ws_main',
	apiPath: '/api/public/v1',
	postFormat: 'integrationGuide',
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
	postTo: 'platforms',
	platforms: ['x'],
	text: 'Hello',
	when: more.scheduledAt ? 'at' : 'now',
	...more,
});

/** What a failed or finished execution hands to its retry. */
export const contextOf = (result: RunResult): IDataObject =>
	JSON.parse(JSON.stringify(result.run.data.executionData!.contextData)) as IDataObject;

/** The posts at the service that a test made: `seed: basic` has none of its own. */
export const posts = (service: Service): any[] => [...service.store.posts.values()];

/** Requests that reached the service, by method and path. */
export const asked = (service: Service, method: string, path = /./): any[] =>
	service.requests.filter((one) => one.method === method && path.test(one.path));

/** A post of ws_main that is simply there. */
export function addPost(service: Service, more: Partial<PastPost> = {}): string {
	const { id = 'post_1', text = 'Hello', status = 'scheduled', platforms = ['linkedin'] } = more;
	const at = more.at ?? Date.now() + (status === 'scheduled' ? DAY : -DAY);
	insertPost(service, { id, text, status, at, platforms });
	return id;
}

/** A subscription that is simply there. */
export function addWebhook(service: Service, id = 'wh_1', description = 'Newsroom', workspaceId = 'ws_main') {
	service.store.webhooks.set(id, {
		id,
		workspaceId,
		url: 'https://example.com/events',
		events: ['post.published'],
		description,
		status: 'active',
		secret: 'example-secret-of-a-webhook',
		createdAt: service.clock.iso(),
	});
	return id;
}
