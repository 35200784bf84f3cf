import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testCredential } from '../api/credentialTest';
import {
	getAccounts,
	getPlatforms,
	searchInboxItems,
	searchPosts,
	searchWebhooks,
	searchWorkspaces,
} from './lookups';
import { properties } from './engine/operation';
import { resources } from './resources';
import { run } from './engine/execute';

/** The action node: every operation comes from the table in `resources/`. */
export class SocialPublishing implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Social Publishing',
		name: 'socialPublishing',
		icon: {
			light: 'file:../../icons/socialPublishing.svg',
			dark: 'file:../../icons/socialPublishing.dark.svg',
		},
		group: ['output'],
		version: 1,
		subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
		description:
			'Schedule and publish social media posts on Instagram, TikTok, YouTube, X, LinkedIn, Facebook and Bluesky, read their state and analytics',
		defaults: { name: 'Social Publishing' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'socialPublishingApi', required: true, testedBy: 'testCredential' }],
		properties: properties(resources),
	};

	methods = {
		credentialTest: { testCredential },
		loadOptions: { getAccounts, getPlatforms },
		listSearch: { searchInboxItems, searchPosts, searchWebhooks, searchWorkspaces },
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await run(this, resources);
	}
}
