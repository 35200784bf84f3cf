import { DateTime } from 'luxon';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { example, examples } from '../n8n/examples';
import { panelNames } from './panel';

/** The example workflows can be imported by anybody, and each is run by an end-to-end test. */

const e2e = resolve(__dirname, '../e2e');
const tests = readdirSync(e2e)
	.filter((name) => name.endsWith('.test.ts'))
	.map((name) => readFileSync(join(e2e, name), 'utf8'))
	.join('\n');

test('examples() lists every file', () => {
	const files = readdirSync(resolve(__dirname, '../../examples')).filter((name) => name.endsWith('.json'));
	expect([...examples().keys()].map((name) => `${name}.json`).sort()).toEqual(files.sort());
});

test.each([...examples()])('%s has a name, a note, no credential of ours, and is run', (file, workflow) => {
	expect(workflow).not.toHaveProperty('active');
	const note = workflow.nodes.find(({ type }: any) => type === 'n8n-nodes-base.stickyNote');
	expect(note.parameters.content).toMatch(new RegExp(`^## ${workflow.name}\n\\S`));
	for (const { credentials = {} } of workflow.nodes)
		for (const { id } of Object.values<any>(credentials)) expect(id).toBeNull();
	expect(tests).toContain(`'${file}'`);
});

test.each([...examples()])(
	'in %s, names and IDs are unique, and connections lead to nodes',
	(_, workflow) => {
		const { nodes, connections } = workflow;
		const names = nodes.map(({ name }: any) => name);
		expect(new Set(names).size).toBe(names.length);
		expect(new Set(nodes.map(({ id }: any) => id)).size).toBe(names.length);
		for (const [from, kinds] of Object.entries<any>(connections)) {
			expect(names).toContain(from);
			for (const { node } of Object.values<any>(kinds).flat(2)) expect(names).toContain(node);
		}
	},
);

/** Names in n8n. */
const ofN8n = [
	...['Execute workflow', 'Retry execution', 'Path', 'Production URL', 'Authentication', 'Bearer Auth'],
	...['Approve', 'Decline', '+', 'Human review', 'AI Agent', 'Send and Wait for Response'],
];

test('a note says what to change, and names only nodes and fields that exist', () => {
	const inPanel = panelNames();
	const known = [...examples().values()].flatMap(({ name, nodes }) => [
		name,
		...nodes.map((node: any) => node.name),
	]);
	for (const { nodes } of examples().values()) {
		const { content } = nodes.find(({ name }: any) => name === 'Read me').parameters;
		expect(content).toContain('**To change:** ');
		const named = [...content.matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(([, name]) => name);
		const isKnown = (name: string) => [...known, ...ofN8n].includes(name) || inPanel.has(name);
		expect(named.filter((name) => !isKnown(name))).toEqual([]);
	}
});

type Json = Record<string, any>;

/** What the code of a node makes of these items. */
function outputOf(file: string, node: string, items: Json[]): Json[] {
	const all = items.map((json) => ({ json }));
	const given = { $input: { all: () => all, first: () => all[0] }, DateTime, $now: DateTime.now() };
	const { jsCode } = example(file).nodes.find(({ name }: any) => name === node).parameters;
	return new Function(...Object.keys(given), jsCode)(...Object.values(given)).map(({ json }: Json) => json);
}

test('calendar-page: published posts, which name no account, stand with the planned ones of their account', () => {
	const at = (hour: number) => DateTime.now().toFormat(`yyyy-MM-dd '${hour}':00`);
	const posts = [
		{ id: 1, platform: 'bluesky', account: 'Bakery', status: 'scheduled', scheduled_at_local: at(12) },
		{ id: 2, platform: 'bluesky', status: 'completed', scheduled_at_local: null, published_at_local: at(18) },
		...['Bakery', 'Café'].map((account, id) => ({
			...{ id: id + 3, platform: 'instagram', account, status: 'scheduled', scheduled_at_local: at(12) },
		})),
	];
	const [{ html }] = outputOf('calendar-page', 'Write the page', posts) as [Json];
	const columns = [...html.split('</tr>')[0].matchAll(/<th>([^<]*)<\/th>/g)].map(([, name]) => name);
	expect(columns).toEqual(['Day', 'Bluesky · Bakery', 'Instagram · Bakery', 'Instagram · Café']);
	expect(html).toContain('<b>18:00</b> No text <i>published</i>');
});

test('schedule-from-a-sheet: an empty first cell leaves the others where they are', () => {
	const csv = 'id,platforms,text,date,time\n,x,"Rye, ""warm""",2026-06-02,\n7,,,,09:00';
	expect(outputOf('schedule-from-a-sheet', 'Read the rows', [{ csv }])).toEqual([
		{ id: '', platforms: 'x', text: 'Rye, "warm"', date: '2026-06-02', time: '' },
		{ id: '7', platforms: '', text: '', date: '', time: '09:00' },
	]);
});
