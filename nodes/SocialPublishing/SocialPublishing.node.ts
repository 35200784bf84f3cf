import { pick } from 'lodash';
import type { IExecuteFunctions, INodeExecutionData, INodeType, INodeTypeDescription } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testCredential } from '../api/credentialTest';
import { execute } from './engine/execute';
import { hints, properties, subtitle } from './engine/properties';
import { listSearch, loadOptions } from './lookups';
import { resources } from './resources';
import codex from './SocialPublishing.node.json';

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
		// Also here: n8n's catalog of verified nodes is made from the class.
		codex: pick(codex, ['categories', 'resources', 'alias']),
		// Read by n8n's AI workflow builder (2.41); older versions ignore it.
		builderHint: {
			searchHint:
				'Use for posts on Instagram, TikTok, YouTube, X, LinkedIn, Facebook and Bluesky through one social publishing service: schedule or publish them, read their state and analytics, answer comments. One node posts to several platforms; do not add one node per platform.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-social-publishing.socialPublishingTrigger',
					relationHint: 'Starts a workflow when a post is published or fails, or when a comment arrives',
				},
			],
		},
		defaults: { name: 'Social Publishing' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'socialPublishingApi', required: true, testedBy: 'testCredential' }],
		hints,
		properties: properties(resources),
	};

	methods = { credentialTest: { testCredential }, loadOptions, listSearch };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await execute(this, resources);
	}
}
