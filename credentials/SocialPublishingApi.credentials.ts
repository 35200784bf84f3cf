import type { IAuthenticate, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { checkedWorkspace, readApiKey } from '../nodes/api/address';

/** Key, address and workspace of the Social Publishing Service (spec, "Authentication" and "Common rules"). */
export class SocialPublishingApi implements ICredentialType {
	name = 'socialPublishingApi';

	displayName = 'Social Publishing API';

	documentationUrl = 'https://github.com/n8n-nodes-social-publishing/n8n-nodes-social-publishing#credentials';

	icon: Icon = {
		light: 'file:../icons/socialPublishing.svg',
		dark: 'file:../icons/socialPublishing.dark.svg',
	};

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://api.example.com',
			description: 'Address of the service',
			hint: 'What follows it, such as /api/public/v1, may be left out',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: 'Made in the account dashboard of the service, under API keys',
		},
		{
			displayName: 'Workspace',
			name: 'workspaceId',
			type: 'string',
			default: '',
			description:
				"ID of the workspace to work in, unless a node names another one. Leave empty for the key's own workspace.",
		},
		// Not behind a switch: n8n hands on what is shown only, and a saved '/v1' would be lost with it.
		{
			displayName: 'Advanced: leave these two as they are, unless the service tells you otherwise',
			name: 'advanced',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'API Path',
			name: 'apiPath',
			type: 'options',
			options: [
				{ name: '/api/public/v1', value: '/api/public/v1' },
				{ name: '/v1', value: '/v1' },
			],
			default: '/api/public/v1',
			description: 'What follows the address in every request. Change it only if the service tells you to.',
		},
		{
			displayName: 'Post Format',
			name: 'postFormat',
			type: 'options',
			options: [
				{
					name: 'Integration Guide',
					value: 'integrationGuide',
					description: 'One request for each platform',
				},
				{
					name: 'Quick Start',
					value: 'quickStart',
					description: 'One request for all platforms',
				},
			],
			default: 'integrationGuide',
			description: 'How posts are written to the service. Change it only if the service refuses your posts.',
		},
	];

	/**
	 * Adds the key, and the credential's workspace where the caller named none (a node, or a header in n8n's HTTP
	 * Request node). `/workspaces` is asked without a workspace (spec, "Endpoint list").
	 */
	authenticate: IAuthenticate = async (credentials, requestOptions) => {
		const headers = { ...requestOptions.headers };
		const names = Object.keys(headers).map((name) => name.toLowerCase());
		// n8n's HTTP Request node says `uri`.
		const { url, uri } = requestOptions as { url?: string; uri?: string };
		const asksWorkspaces = /\/workspaces\/?(\?|$)/.test(url ?? uri ?? '');
		const workspaceId = String(credentials.workspaceId ?? '').trim();
		if (workspaceId && !asksWorkspaces && !names.includes('x-service-workspace-id'))
			headers['x-service-workspace-id'] = checkedWorkspace(workspaceId, true);
		headers.Authorization = `Bearer ${readApiKey(credentials.apiKey)}`;
		return { ...requestOptions, headers };
	};
}
