import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { examples } from '../n8n/examples';
import { readDocument } from '../support/documents';

/** The example workflows can be imported by anybody, and each is run by an end-to-end test. */

const e2e = resolve(__dirname, '../e2e');
const tests = readdirSync(e2e)
	.filter((name) => name.endsWith('.test.ts'))
	.map((name) => readFileSync(join(e2e, name), 'utf8'))
	.join('\n');

test('every example has a name, a note, no credential of ours, is not active, and is run', async () => {
	const all = await examples();
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
	for (const { nodes, connections } of (await examples()).values()) {
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
	const all = await examples();
	const texts = readDocument('docs/texts.md');
	for (const { nodes } of all.values()) {
		const { content } = nodes.find(({ name }: any) => name === 'Read me').parameters;
		expect(content).toContain('**To change:** ');
		expect(content).not.toMatch(/idempotency|behind \*/i);
		const names = [...content.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(([, name]) => name);
		const known = [...nodes, ...all.values()].map(({ name }: any) => name).concat(ofOthers);
		expect(names.filter((name) => !known.includes(name) && !texts.includes(` | ${name} | `))).toEqual([]);
	}
});

test('a manual trigger has the name that n8n gives it, unless it says what it is for', async () => {
	const triggers = [...(await examples()).values()]
		.flatMap(({ nodes }) => nodes)
		.filter(({ type }) => type === 'n8n-nodes-base.manualTrigger');
	const names = new Set(triggers.map(({ name }) => name));
	expect([...names].sort()).toEqual(['Create the tables', 'When clicking ‘Execute workflow’']);
});
