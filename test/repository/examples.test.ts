import { DateTime } from 'luxon';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { example, examples } from '../n8n/examples';
import { textsPage } from '../../tools/docs/texts';

/** The example workflows can be imported by anybody, and each is run by an end-to-end test. */

const e2e = resolve(__dirname, '../e2e');
const tests = readdirSync(e2e)
	.filter((name) => name.endsWith('.test.ts'))
	.map((name) => readFileSync(join(e2e, name), 'utf8'))
	.join('\n');

test('every example has a name, a note, no credential of ours, is not active, and is run', async () => {
	const all = examples();
	expect(all.size).toBeGreaterThan(7);
	for (const [file, workflow] of all) {
		expect(workflow.name.length).toBeGreaterThan(5);
		expect(workflow).not.toHaveProperty('active');
		const note = workflow.nodes.find(({ type }: any) => type === 'n8n-nodes-base.stickyNote');
		expect(note.parameters.content).toMatch(new RegExp(`^## ${workflow.name}\n\\S`));
		for (const { credentials = {} } of workflow.nodes)
			for (const { id } of Object.values<any>(credentials)) expect(id).toBeNull();
		expect(tests).toContain(`'${file}'`);
	}
});

test('node names and IDs are unique in each, and connections lead to nodes that exist', async () => {
	for (const { nodes, connections } of examples().values()) {
		const names = nodes.map(({ name }: any) => name);
		expect(new Set(names).size).toBe(names.length);
		expect(new Set(nodes.map(({ id }: any) => id)).size).toBe(names.length);
		for (const [from, kinds] of Object.entries<any>(connections)) {
			expect(names).toContain(from);
			for (const { node } of Object.values<any>(kinds).flat(2)) expect(names).toContain(node);
		}
	}
});

/** Names in n8n and in calendar apps. */
const ofOthers = [
	...['Execute workflow', 'Path', 'Production URL', 'Authentication', 'Header Auth', 'Bearer Auth'],
	...['From URL', 'Subscribe from web', 'New Calendar Subscription'],
	...['Approve', 'Decline', '+', 'Tools', 'Human review', 'AI Agent'],
	// Data tables that an example creates.
	...['Social calendar', 'Posts from the calendar'],
];

test('a note says what to change, and names nodes, workflows and fields that exist, without internals', async () => {
	const all = examples();
	const texts = textsPage();
	for (const { nodes } of all.values()) {
		const { content } = nodes.find(({ name }: any) => name === 'Read me').parameters;
		expect(content).toContain('**To change:** ');
		expect(content).not.toMatch(/idempotency|behind \*/i);
		const names = [...content.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(([, name]) => name);
		const known = [...nodes, ...all.values()].map(({ name }: any) => name).concat(ofOthers);
		expect(names.filter((name) => !known.includes(name) && !texts.includes(` | ${name} | `))).toEqual([]);
	}
});

const nodeOf = (file: string, wanted: string) =>
	example(file).nodes.find(({ name }: any) => name === wanted).parameters;

test('calendar-feed: posts without a text or platform, and IDs that are numbers, are in the calendar', async () => {
	const at = { scheduled_at_local: '2026-06-02T10:00:00+02:00', status: 'scheduled' };
	const posts = [
		{ ...at, id: 7, platform: 'instagram' },
		{ ...at, id: 'p', platform: null, text: null },
	];
	const { jsCode } = nodeOf('calendar-feed', 'Write the calendar');
	const given = { $input: { all: () => posts.map((json) => ({ json })) }, DateTime, $now: DateTime.now() };
	const [{ json }] = await new Function(...Object.keys(given), jsCode)(...Object.values(given));
	expect(json.calendar.match(/^(UID|SUMMARY):.*/gm)).toEqual([
		...['UID:7@social-publishing', 'SUMMARY:Instagram: Post'],
		...['UID:p@social-publishing', 'SUMMARY:No platform: Post'],
	]);
	expect(json.calendar).not.toMatch(/undefined|null/);
});

test('alert-on-failed-posts: a message in words, whatever the post holds', async () => {
	const { assignments } = nodeOf('alert-on-failed-posts', 'Write the message').assignments;
	const { value } = assignments.find(({ name }: any) => name === 'message');
	const messageOf = ($json: object): string =>
		value
			.slice(1)
			.replace(/\{\{(.*?)\}\}/g, (_all: string, code: string) =>
				new Function('$json', `return (${code})`)($json),
			);
	const data = { post_id: 'p', platforms: [{ platform: 'x' }] };
	const post = { content: { media: ['a'] }, platforms: data.platforms };
	expect(messageOf({ data, post, platform: 'x, tiktok' })).toBe(
		"A post wasn't published on X, TikTok: the service gives no reason.\nText: unknown",
	);
	expect(messageOf({ data, post: null })).toBe(
		"A post wasn't published: the service gives no reason.\nText: unknown",
	);
});
