import { sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { titleOf } from '../../nodes/api/contract';
import { type Service, startService } from '../service';
import { itemsOf, type N8nClient } from './client';
import { DataTable } from './dataTable';
import { accountOf, credentialFor, example, examples, publishTrigger } from './examples';
import { type N8n, startN8n } from './instance';
import { own } from './owned';
import { packPackage } from './package';
import { freePort } from './process';

/**
 * `npm start`: the embedded service, the first posts in n8n's engine alone, then a real n8n with the package in it and the
 * examples imported; its trigger reacts to those posts. Stays up until Ctrl-C; `--once` ends after that.
 */

const preferred = { service: 4010, n8n: 5678 };
const say = (line = '') => console.log(line);

let service: Service | undefined;
let n8n: N8n | undefined;
let ending: Promise<void> | undefined;

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { once: { type: 'boolean', default: false } } });
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stopAndExit);
	// A `kill` of npm reaches npm's shell only: end with it.
	const parent = process.ppid;
	setInterval(() => process.ppid !== parent && stopAndExit(), 1000).unref();

	const servicePort = await port('the social publishing service', preferred.service);
	service = await startService({ seed: 'demo', port: servicePort });
	await showFirstPosts(service);
	await explainOwnN8n();
	const n8nPort = await port('n8n', preferred.n8n);
	say('Next: n8n with its editor, the examples in it.');
	n8n = await startN8n({ editor: true, port: n8nPort });
	service.editor = { url: `${n8n.url}/home/workflows`, email: n8n.email, password: n8n.password };
	const ids = await importExamples(n8n, service);
	await showReaction(n8n, service, ids['react-to-published']!);
	const calendar = await prepareCalendar(n8n, ids['content-calendar']!, ids['content-calendar-results']!);
	say(`4. Your calendar: ${calendar}`);
	say('     Add, edit, or delete a row. Its posts follow within five minutes.');
	say(addresses(n8n, service));
	if (values.once) await end();
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

/** Nobody needs a second n8n: the same build, for one that runs already. */
async function explainOwnN8n(): Promise<void> {
	say('\nDo you run n8n already? Install this build there, then restart it:');
	say(
		`  npm install --prefix ~/.n8n/nodes --ignore-scripts --install-strategy=shallow ${await packPackage()}`,
	);
	say('Then start the service alone: `npm run service` prints what the credential needs.\n');
}

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

/** The example calendar of `npm start`, ready to be edited: its tables, two rows, both workflows published; its address. */
async function prepareCalendar(n8n: N8nClient, calendar: string, results: string): Promise<string> {
	await n8n.runWorkflow(calendar, { trigger: 'Create the tables' });
	const table = await DataTable.open(n8n, 'Social calendar');
	const tomorrow = new Date(Date.now() + 86_400_000);
	tomorrow.setUTCHours(9, 0, 0, 0);
	await table.insert({
		text: 'Rye bread, still warm from the oven.',
		platforms: 'linkedin, x',
		when: tomorrow.toISOString(),
	});
	await table.insert({ text: 'A draft: it has no time yet.', platforms: 'facebook' });
	for (const id of [results, calendar]) await n8n.activate(id);
	await n8n.runWorkflow(calendar, { trigger: 'Every 5 minutes' });
	return table.address;
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
