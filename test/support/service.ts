import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { type Service, startService } from '../service';
import { runNode, type RunOptions, type RunResult } from './engine';

/** What integration tests do with the embedded service. */

export { addPost, addWebhook, asked, DAY, posts, useService } from './store';
export { type Service, startService };

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
