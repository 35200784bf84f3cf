import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { run } from '../n8n/install';
import { blocksOf, linesOf, readDocument } from '../support/documents';
import { openEditor, quick, until } from '../n8n/browser';
import { requiring } from '../n8n/requires';
import { sharedN8n } from './shared';

/** The README as somebody follows it who has a copy of the repository. Its ways to install: install-page.test.ts. */

const root = resolve(__dirname, '../..');
const readme = readDocument('README.md');
const commands = blocksOf(readme)
	.filter(({ heading }) => heading === 'Try it without an account')
	.flatMap(linesOf);

/** What the README says behind `before`, as the names that one clicks on one after the other: `*A → B*`. */
function wayAfter(before: string): string[] {
	const [, way] = new RegExp(`${before}\\*([^*]+ → [^*]+)\\*`).exec(readme) ?? [];
	if (!way) throw new Error(`The README names no way behind "${before}"`);
	return way.split(' → ');
}

const inBrowser = requiring('browser');

inBrowser('the buttons and menus that it names are in the editor', async () => {
	const n8n = await sharedN8n();
	const editor = await openEditor(n8n);
	const { page } = editor;
	const click = async (name: string) =>
		await page.getByText(name, { exact: true }).filter({ visible: true }).first().click(quick);
	/** From a button through its menu; n8n closes a menu that is open while the page is still drawn. */
	const follow = async (button: string, names: string[]) => {
		await page.locator(`[data-test-id="${button}"]`).first().click(quick);
		for (const name of names) await click(name);
	};
	const [plus, ...toCredential] = wayAfter('## Credential[^]*?In n8n: ');
	expect(plus).toBe('+');
	await page.goto(`${n8n.url}/home/workflows`);
	const type = page.locator('[data-test-id="new-credential-type-select"] input');
	await until('the choice of a credential', async () => {
		if (!(await type.isVisible())) await follow('universal-add', toCredential);
		await type.fill('Social Publishing', quick);
		await click('Social Publishing API');
	});

	// Followed to its end by install.test.ts.
	const [settings, ...toPackages] = wayAfter('## Install[^]*?In n8n, open ');
	expect(settings).toBe('Settings');
	await page.goto(`${n8n.url}/settings`);
	for (const name of toPackages) await until(name, async () => await click(name));

	const [dots, ...toFile] = wayAfter('## Examples[^]*?In n8n: ');
	expect(dots).toBe('…');
	await until('the choice of a file', async () => {
		// Anew each time: a menu that was half open, or a choice that came too late, stays in the way.
		await page.goto(`${n8n.url}/workflow/new`);
		await page.locator('[data-test-id="workflow-menu"]').first().waitFor();
		const [chosen] = await Promise.all([
			page.waitForEvent('filechooser', { timeout: 3 * quick.timeout }),
			follow('workflow-menu', toFile),
		]);
		await chosen.setFiles(join(root, 'examples/schedule-a-post.json'));
	});
	await page.locator('[data-test-id="canvas-node"][data-node-name="Schedule the post"]').waitFor();
	await editor.close();
});

// A clone, its dependencies and an n8n of its own take minutes: only where it is asked for (FRESH_CLONE=1).
const inFreshClone = process.env.FRESH_CLONE === '1' ? test : test.skip;

inFreshClone(
	'it, in a fresh clone: schedules the first posts, plays the example, prints the addresses, ends on Ctrl-C',
	async () => {
		const folder = await mkdtemp(join(tmpdir(), 'social-clone-'));
		await run('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, folder]);
		const [command = '', ...args] = commands[0]!.split(' ');
		// A group of its own: Ctrl-C in a terminal reaches all of them.
		const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
		let output = '';
		child.stdout.on('data', (chunk: Buffer) => {
			output += chunk.toString();
			if (output.includes('Press Ctrl-C')) process.kill(-child.pid!, 'SIGINT');
		});
		await once(child, 'close');
		expect(output).toMatch(/Your first posts: [^]*LinkedIn: scheduled for /);
		expect(output).toMatch(/ran by itself, once for each post/);
		expect(output.match(/Ctrl-C/g)).toHaveLength(1);
		const [, editor] = /n8n's editor +(http:\S+)/.exec(output)!;
		await expect(fetch(editor!)).rejects.toThrow();
		await rm(folder, { recursive: true, force: true });
	},
);
