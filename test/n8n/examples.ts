import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type N8nClient, poll } from './client';

/** The workflows in `examples/`, as users import them. */
const folder = resolve(__dirname, '../../examples');

/** Name of the file (without `.json`) → workflow. */
export async function examples(): Promise<Map<string, Record<string, any>>> {
	const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
	const read = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'));
	return new Map(
		await Promise.all(files.map(async (name) => [name.slice(0, -5), await read(name)] as const)),
	);
}

const tryFirst = [
	'schedule-a-post',
	'react-to-published',
	'preview-then-approve',
	'content-calendar',
	'content-calendar-results',
	'schedule-from-a-sheet',
	'queue-into-slots',
	'best-times',
	'schedule-and-wait',
	'cross-post-a-video',
	'answer-comments',
	'alert-on-failed-posts',
	'morning-check',
	'weekly-report',
	'calendar-feed',
	'plan-a-week',
	'mcp-server',
];

/** Examples in the order in which to try them; others follow by name. */
export function easiestFirst(names: Iterable<string>): string[] {
	const all = [...names].sort();
	return [
		...tryFirst.filter((name) => all.includes(name)),
		...all.filter((name) => !tryFirst.includes(name)),
	];
}

export async function example(name: string): Promise<Record<string, any>> {
	const found = (await examples()).get(name);
	if (!found) throw new Error(`There is no examples/${name}.json`);
	return found;
}

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
