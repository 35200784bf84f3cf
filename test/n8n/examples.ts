import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type N8nClient, poll } from './client';

const folder = resolve(__dirname, '../../examples');

/** In the order in which people try them. */
const names = [
	'schedule-a-post',
	'react-to-published',
	'schedule-from-a-sheet',
	'queue-into-slots',
	'preview-then-approve',
	'cross-post-a-video',
	'alert-on-failed-posts',
	'morning-check',
	'calendar-page',
	'weekly-report',
	'answer-comments',
	'plan-a-week',
	'mcp-server',
];

/** The workflows in `examples/`, as users import them: name of the file (without `.json`) → workflow. */
export const examples = (): Map<string, Record<string, any>> =>
	new Map(names.map((name) => [name, example(name)]));

export const example = (name: string): Record<string, any> =>
	JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));

/** What the nodes' credential holds to reach an embedded service. */
export const credentialFor = (service: { url: string }, apiKey: string): Record<string, unknown> => ({
	baseUrl: service.url,
	apiKey,
	workspaceId: '',
	apiPath: '/api/public/v1',
	postFormat: 'integrationGuide',
});

/** A credential for the service in n8n: what `createWorkflow` takes. */
export async function accountOf(
	n8n: N8nClient,
	service: { url: string; keys: { full: string } },
	apiKey = service.keys.full,
) {
	const data = credentialFor(service, apiKey);
	const id = await n8n.createCredential('Social Publishing account', 'socialPublishingApi', data);
	return { socialPublishingApi: id };
}

/** Publishes a workflow with the only trigger that the service knows, and waits for its subscription. */
export async function publishTrigger(
	n8n: N8nClient,
	{ store }: { store: { webhooks: { size: number } } },
	id: string,
): Promise<void> {
	await n8n.activate(id);
	await poll(
		'the subscription',
		() => store.webhooks.size,
		(count) => count === 1,
	);
}
