import { randomUUID } from 'node:crypto';

/** Workflows of a trigger and what stands behind it, as the editor exports them. */

type Workflow = Record<string, any>;

const OUR_TRIGGER = 'n8n-nodes-social-publishing.socialPublishingTrigger';

export interface TriggerOptions {
	name?: string;
	events?: string[];
	options?: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

/** Our trigger, then `behind`: node types with parameters, one after another. */
export function ours(
	behind: Workflow[],
	{ name = 'Ours', events = ['post.published'], options = {}, settings }: TriggerOptions = {},
): Workflow {
	const trigger = {
		name: 'Trigger',
		type: OUR_TRIGGER,
		typeVersion: 2,
		parameters: { events, options, includePost: false },
		credentials: { socialPublishingApi: { id: null, name: 'Social Publishing account' } },
	};
	return chain(name, trigger, behind, settings);
}

/** n8n's own GitHub Trigger. */
export function github(behind: Workflow[], { name = 'GitHub', settings }: TriggerOptions = {}): Workflow {
	const trigger = {
		name: 'Trigger',
		type: 'n8n-nodes-base.githubTrigger',
		typeVersion: 1,
		parameters: {
			owner: { __rl: true, mode: 'name', value: 'owner' },
			repository: { __rl: true, mode: 'name', value: 'repository' },
			events: ['push'],
			options: {},
		},
		credentials: { githubApi: { id: null, name: 'GitHub account' } },
	};
	return chain(name, trigger, behind, settings);
}

/** n8n's bare Webhook node. */
export function bareWebhook(
	behind: Workflow[],
	{ name = 'Webhook', settings }: TriggerOptions = {},
): Workflow {
	const trigger = {
		name: 'Trigger',
		type: 'n8n-nodes-base.webhook',
		typeVersion: 2,
		parameters: { httpMethod: 'POST', path: `bare-${randomUUID()}`, options: {} },
	};
	return chain(name, trigger, behind, settings);
}

/** Tells the sink the event's id, which `idPath` finds in the trigger's item. */
export const tell = (sinkUrl: string, idPath = '$json.id'): Workflow => ({
	name: 'Tell',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.2,
	parameters: {
		url: `={{ "${sinkUrl}/?id=" + encodeURIComponent(${idPath}) + "&execution=" + $execution.id }}`,
		options: {},
	},
});

export const nothing: Workflow = {
	name: 'Nothing',
	type: 'n8n-nodes-base.noOp',
	typeVersion: 1,
	parameters: {},
};

/** A trigger, and nodes behind it, one after another. */
export function chain(
	name: string,
	trigger: Workflow,
	behind: Workflow[],
	settings: Record<string, unknown> = {},
): Workflow {
	const nodes = [{ ...trigger, webhookId: randomUUID() }, ...behind].map((node, i) => ({
		id: randomUUID(),
		position: [i * 220, 0],
		...node,
	})) as Workflow[];
	const links = nodes
		.slice(1)
		.map((node, i) => [nodes[i]!.name, { main: [[{ node: node.name, type: 'main', index: 0 }]] }]);
	return {
		name,
		nodes,
		connections: Object.fromEntries(links),
		settings: { executionOrder: 'v1', ...settings },
	};
}
