import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { type Service, startService } from '../service';
import { runNode, type RunOptions, type RunResult } from './engine';

export { type Service, startService };

export const credentialOf = (service: Service, apiKey = service.keys.full): IDataObject => ({
	baseUrl: service.url,
	apiKey,
	workspaceId: 'ws_main',
	apiPath: '/api/public/v1',
	postFormat: 'integrationGuide',
});

export const item = (json: IDataObject): INodeExecutionData => ({ json });

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

export const run = async (
	service: Service,
	parameters: IDataObject,
	more: Partial<RunOptions> = {},
): Promise<RunResult> => await runNode({ credential: credentialOf(service), parameters, ...more });

/** What a failed or finished execution hands to its retry. */
export const contextOf = (result: RunResult): IDataObject =>
	JSON.parse(JSON.stringify(result.run.data.executionData!.contextData)) as IDataObject;

/** The posts at the service that a test made: `seed: basic` has none of its own. */
export const posts = (service: Service): any[] => [...(service.store as any).posts.values()];

/** Requests that reached the service, by method and path. */
export const asked = (service: Service, method: string, path = /./): any[] =>
	service.requests.filter((one: any) => one.method === method && path.test(one.path));
