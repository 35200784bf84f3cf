import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testCredential } from '../api/credentialTest';
import { execute } from './engine/execute';
import { hints, properties, subtitle } from './engine/properties';
import { listSearch, loadOptions } from './lookups';
import { resources } from './resources';

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
		subtitle: subtitle(resources),
		description:
			'Schedule and publish social media posts on Instagram, TikTok, YouTube, X, LinkedIn, Facebook and Bluesky, read their state and analytics',
		defaults: { name: 'Social Publishing' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'socialPublishingApi', required: true, testedBy: 'testCredential' }],
		hints: hints(resources),
		properties: properties(resources),
	};

	methods = {
		credentialTest: { testCredential },
		loadOptions,
		listSearch,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await execute(this, resources);
	}
}
