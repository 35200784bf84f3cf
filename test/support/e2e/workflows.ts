import { randomUUID } from 'node:crypto';

import { flow, type FlowNode, type Workflow } from './flow';

/** Workflows of a trigger and what stands behind it, one node after another. */

export interface TriggerOptions {
	name?: string;
	events?: string[];
	options?: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

/** Our trigger. */
export const ours = (
	behind: FlowNode[],
	{ name = 'Ours', events = ['post.published'], options = {}, settings }: TriggerOptions = {},
): Workflow =>
	triggered(name, behind, settings, {
		type: 'n8n-nodes-social-publishing.socialPublishingTrigger',
		typeVersion: 2,
		parameters: { events, options, includePost: false },
		credentials: { socialPublishingApi: { id: null, name: 'Social Publishing account' } },
	});

/** n8n's own GitHub Trigger. */
export const github = (behind: FlowNode[], { name = 'GitHub', settings }: TriggerOptions = {}): Workflow =>
	triggered(name, behind, settings, {
		type: 'n8n-nodes-base.githubTrigger',
		parameters: {
			owner: { __rl: true, mode: 'name', value: 'owner' },
			repository: { __rl: true, mode: 'name', value: 'repository' },
			events: ['push'],
			options: {},
		},
		credentials: { githubApi: { id: null, name: 'GitHub account' } },
	});

const triggered = (
	name: string,
	behind: FlowNode[],
	settings: Record<string, unknown> | undefined,
	trigger: { type: string } & Record<string, unknown>,
): Workflow =>
	flow(name, [{ name: 'Trigger', webhookId: randomUUID(), ...trigger }, ...behind], {}, settings);

export const nothing: FlowNode = { name: 'Nothing', type: 'n8n-nodes-base.noOp' };

/** The workflow's part of its address at the service. */
export const hookOf = (workflow: Workflow): string => workflow.nodes[0].webhookId;
