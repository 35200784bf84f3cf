import type { INodeProperties } from 'n8n-workflow';

import { listNames } from '../../api/contract';
import { filled, type LookupSource } from './source';

export const webhookId = {
	displayName: 'Webhook',
	name: 'webhookId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The webhook to use',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchWebhooks', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. wh_2k9d4s' },
	],
} as const satisfies INodeProperties;

/** Spec: `GET /webhooks`. */
export const webhooks: LookupSource = {
	path: '/webhooks',
	listNames: listNames.webhooks,
	label: ({ description, url }) => filled([description, url]).join(' · '),
};
