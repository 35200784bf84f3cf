import type { IDataObject, IHttpRequestOptions, ILoadOptionsFunctions } from 'n8n-workflow';

const apiUrl = 'https://api.example.com/v1';
const credential = { baseUrl: 'https://api.example.com', apiKey: 'k', apiPath: '/v1', workspaceId: 'ws_0' };

export interface Asked {
	path: string;
	qs: IDataObject;
	workspace?: string;
}

/**
 * The editor's context of a node in which a workspace may be chosen, and what was asked of the service.
 * @param answer `data`, or a failure as `{ code, status }`
 */
export function editor(answer: (asked: Asked) => unknown, workspaceId?: unknown) {
	const asked: Asked[] = [];
	const helpers = {
		httpRequestWithAuthentication: async (_name: string, options: IHttpRequestOptions) => {
			const one: Asked = {
				path: options.url.slice(apiUrl.length),
				qs: options.qs as IDataObject,
				workspace: options.headers?.['x-service-workspace-id'] as string | undefined,
			};
			asked.push(one);
			const data: any = await answer(one);
			const body = data?.code
				? { success: false, error: { message: 'no', ...data } }
				: { success: true, data };
			return { statusCode: data?.code ? data.status : 200, headers: {}, body };
		},
	};
	const context = {
		getNode: () => ({ name: 'Node', parameters: {}, credentials: { socialPublishingApi: { id: '1' } } }),
		getCredentials: async () => credential,
		getCurrentNodeParameter: (name: string) => (name === 'options.workspaceId' ? workspaceId : undefined),
		getTimezone: () => 'Europe/Berlin',
		helpers,
	} as unknown as ILoadOptionsFunctions;
	return { context, asked };
}
