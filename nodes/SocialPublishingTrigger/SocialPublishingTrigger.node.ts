import { pick } from 'lodash';
import type {
	IExecuteFunctions,
	IHookFunctions,
	INodeType,
	INodeTypeDescription,
	ITriggerFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testCredential } from '../api/credentialTest';
import { searchWorkspaces } from '../shared/locator';
import { emitEvents } from './execute';
import { checkExists, publish, unpublish } from './lifecycle';
import { startMonitor } from './monitor';
import { triggerHint, triggerProperties, triggerSubtitle } from './properties';
import codex from './SocialPublishingTrigger.node.json';
import { handleWebhook } from './webhook';

/** Starts a workflow for each signed event of the service (spec, "Events"). */
export class SocialPublishingTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Social Publishing Trigger',
		name: 'socialPublishingTrigger',
		icon: {
			light: 'file:../../icons/socialPublishing.svg',
			dark: 'file:../../icons/socialPublishing.dark.svg',
		},
		group: ['trigger'],
		// A webhook node of version 1 costs n8n an expression and a parsed body at every delivery.
		version: 2,
		subtitle: triggerSubtitle,
		eventTriggerDescription: 'Cause one of the chosen events in your service: publish a post, for example',
		activationMessage: 'The selected events now start this workflow.',
		// n8n's nodes panel shows this for both nodes, which it merges into one entry.
		description:
			'Schedule and publish social media posts, and start workflows when a post is published, fails or gets a comment',
		// Also here: n8n's catalog of verified nodes is made from the class.
		codex: pick(codex, ['categories', 'resources', 'alias']),
		// Read by n8n's AI workflow builder (2.41); older versions ignore it.
		builderHint: {
			searchHint:
				'Starts a workflow when a post is published, fails or is approved, or when a comment or direct message arrives. It subscribes to the service and verifies signatures by itself; do not add a Webhook node for this.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-social-publishing.socialPublishing',
					relationHint: 'Schedules posts, reads their analytics and answers comments',
				},
			],
		},
		defaults: { name: 'Social Publishing Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'socialPublishingApi', required: true, testedBy: 'testCredential' }],
		webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
		hints: [triggerHint],
		properties: triggerProperties,
	};

	methods = { credentialTest: { testCredential }, listSearch: { searchWorkspaces } };

	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions) {
				return await checkExists(this);
			},
			async create(this: IHookFunctions) {
				return await publish(this);
			},
			async delete(this: IHookFunctions) {
				return await unpublish(this);
			},
		},
	};

	/** Takes a delivery: in the process that n8n received it in. */
	async webhook(this: IWebhookFunctions) {
		return await handleWebhook(this);
	}

	/** Passes the event on: in the execution, on a worker in queue mode. */
	async execute(this: IExecuteFunctions) {
		return [await emitEvents(this)];
	}

	/** Checks the subscription, at every start of n8n and every so often. */
	async trigger(this: ITriggerFunctions) {
		return startMonitor(this);
	}
}
