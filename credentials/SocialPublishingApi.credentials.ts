import type { IAuthenticate, ICredentialType, Icon, INodeProperties } from 'n8n-workflow';

import { authenticated } from '../nodes/api/address';

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
			description: 'Address of the service, starting with https://',
		},
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description: "Create a key in the service's account dashboard, under API keys",
		},
		{
			displayName: 'Workspace',
			name: 'workspaceId',
			type: 'string',
			default: '',
			description:
				"ID of the workspace to use; leave it empty for the key's own. Workspace: Get Many lists the IDs.",
		},
		// Last, not behind a switch: n8n drops the values of hidden fields, and a saved '/v1' with them.
		{
			displayName: 'API Path',
			name: 'apiPath',
			type: 'options',
			options: [
				{ name: '/api/public/v1', value: '/api/public/v1' },
				{ name: '/v1', value: '/v1' },
			],
			default: '/api/public/v1',
			description: "Keep /api/public/v1 unless the service's documentation shows another path",
		},
		{
			displayName: 'Post Format',
			name: 'postFormat',
			type: 'options',
			options: [
				{ name: 'Integration Guide', value: 'integrationGuide' },
				{ name: 'Quick Start', value: 'quickStart' },
			],
			default: 'integrationGuide',
			description: 'Keep Integration Guide unless the service refuses posts in that format',
		},
	];

	/** For both nodes, and for n8n's HTTP Request node. */
	authenticate: IAuthenticate = async (credential, request) => authenticated(credential, request);
}
