import { sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { titleOf } from '../../nodes/api/contract';
import { type Service, startService } from '../service';
import { itemsOf, type N8nClient } from './client';
import { accountOf, credentialFor, example, examples, publishTrigger } from './examples';
import { type N8n, startN8n } from './instance';
import { own } from './owned';
import { packPackage } from './package';
import { freePort } from './process';

/**
 * `npm start`: the embedded service, the first posts in n8n's engine alone, then a real n8n with the package in it and the
 * examples imported; its trigger reacts to those posts. Stays up until Ctrl-C.
 */

const preferred = { service: 4010, n8n: 5678 };
const say = (line = '') => console.log(line);

let service: Service | undefined;
let n8n: N8n | undefined;
let ending: Promise<void> | undefined;

async function main(): Promise<void> {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopAndExit);
	// A `kill` of npm reaches npm's shell only: end with it.
	const parent = process.ppid;
	setInterval(() => process.ppid !== parent && stopAndExit(), 1000).unref();

	const servicePort = await port('the social publishing service', preferred.service);
	service = await startService({ seed: 'demo', port: servicePort });
	await showFirstPosts(service);
	const n8nPort = await port('n8n', preferred.n8n);
	say('\nNext: n8n with its editor, the examples in it. The first time, it downloads n8n (about 2.5 GB).');
	n8n = await startN8n({ editor: true, port: n8nPort });
	service.editor = { url: `${n8n.url}/home/workflows`, email: n8n.email, password: n8n.password };
	const ids = await importExamples(n8n, service);
	await showReaction(n8n, service, ids['react-to-published']!);
	say(await forOwnN8n());
	say(addresses(n8n, service));
}

async function port(whose: string, wanted: number): Promise<number> {
	const found = await freePort(wanted);
	if (found !== wanted) say(`Port ${wanted} is taken, so ${whose} uses ${found}.`);
	return found;
}

/** What somebody came for, before n8n itself is there: one post for each platform. */
async function showFirstPosts(running: Service): Promise<void> {
	say(`\nThe social publishing service runs on this machine: ${running.url}`);
	const posts = await scheduleFirstPost(running);
	say('\nYour first posts: the example "Schedule a post" ran in n8n\'s engine.');
	for (const { platform, status, scheduled_at } of posts)
		say(`  ${titleOf(String(platform))}: ${status} for ${localTime(String(scheduled_at))}`);
	say(`See them at ${running.url}. "Publish now" on that page publishes one right away.`);
}

/** Runs "Schedule a post" in n8n's engine, which the development dependencies bring; the posts that the node gives out. */
async function scheduleFirstPost({ url, keys }: Service): Promise<IDataObject[]> {
	const { nodes } = example('schedule-a-post');
	const { parameters } = nodes.find(({ name }: { name: string }) => name === 'Schedule the post');
	const { runNode } = await engine();
	const { json, error } = await runNode({
		parameters,
		credential: credentialFor({ url }, keys.full) as IDataObject,
		timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
	});
	if (error) throw new Error(`"Schedule a post" failed: ${error.message}`);
	return json;
}

/** The engine reads its settings when it is loaded, and writes a file of its own: not into this person's `~/.n8n`. */
async function engine(): Promise<typeof import('../support/engine')> {
	const folder = await mkdtemp(join(tmpdir(), 'n8n-social-engine-'));
	own('folder', folder);
	process.env.N8N_USER_FOLDER = folder;
	process.env.N8N_LOG_LEVEL = 'silent';
	return await import('../support/engine');
}

const localTime = (iso: string): string =>
	new Date(iso).toLocaleString('en-US', { dateStyle: 'medium', timeStyle: 'short' });

/** For somebody who has an n8n already. */
const forOwnN8n = async (): Promise<string> => `
To use your own n8n instead, install this build there and restart it; \`npm run service\` starts the service alone:
  npm install --prefix ~/.n8n/nodes --ignore-scripts --install-strategy=shallow ${await packPackage()}`;

async function importExamples(client: N8nClient, running: Service): Promise<Record<string, string>> {
	const account = await accountOf(client, running);
	const ids: Record<string, string> = {};
	// n8n's list begins with the one that was made last.
	for (const { name, workflow } of inOrder().reverse())
		ids[name] = await client.createWorkflow(workflow, account);
	return ids;
}

const inOrder = () =>
	[...examples()].map(([name, workflow], index) => ({
		name,
		workflow: { ...workflow, name: `${index + 1}. ${workflow.name}` },
	}));

/** The trigger workflow reacts to the next posts: the first ones, unless these went out while n8n was installed. */
async function showReaction(client: N8nClient, running: Service, react: string): Promise<void> {
	const { store, lifecycle } = running;
	say();
	await publishTrigger(client, running, react);
	say('1. Published the workflow "React to a published post". n8n subscribed to the event post.published.');

	const scheduled = [...store.posts.values()].filter(({ status }) => status === 'scheduled');
	const posts = sortBy(scheduled, 'scheduledAt').slice(0, 2);
	for (const post of posts) lifecycle.publish(post);
	say('2. The service published the next two posts right away instead of when they are due.');

	await client.waitForExecution(react, { count: posts.length, status: 'success' });
	say('3. "React to a published post" ran by itself, once for each post:');
	for (const { id } of (await client.executions(react, { status: ['success'] })).reverse()) {
		const [item] = itemsOf(await client.execution(id), 'Pick what matters');
		say(`     ${item.postId}  published on ${localTime(item.publishedAt)}`);
	}
}

const addresses = (
	{ url, email, password }: N8nClient,
	{ url: serviceUrl, keys, store }: Service,
): string => `
n8n's editor   ${url}/home/workflows   (sign in as ${email}, password ${password})
The service    ${serviceUrl}   (posts and deliveries; publish a post there and n8n reacts)

For your own credential:
  Base URL     ${serviceUrl}
  API Key      ${keys.full}
  Workspace    ${[...store.workspaces.keys()][0]}

The example workflows, easiest first:
${inOrder()
	.map(({ workflow }) => `  ${workflow.name}`)
	.join('\n')}

Press Ctrl-C here to stop both. Nothing of this run is kept.`;

function stopAndExit(): void {
	// Ctrl-C reaches us twice: from the terminal and from the launcher.
	if (ending) return;
	say('\nStopping ...');
	void end().finally(() => process.exit());
}

/** Ends what was started; n8n first, so that it can still talk to the service. */
async function end(): Promise<void> {
	ending ??= (async () => {
		await n8n?.stop();
		await service?.close();
	})();
	await ending;
}

main().catch(async (error) => {
	if (ending) return;
	console.error(error);
	await end();
	process.exitCode = 1;
});
