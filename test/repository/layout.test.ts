import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** No circle, and arrows in one direction: `.dependency-cruiser.cjs` says which folder may import which. */

const root = resolve(__dirname, '../..');

/** What dependency-cruiser finds, as `rule: from → to`. */
function violations(folder: string): string[] {
	const script = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
	const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', 'nodes', 'credentials'];
	let output: string;
	try {
		output = execFileSync(process.execPath, [script, ...args], {
			cwd: folder,
			maxBuffer: 2 ** 26,
		}).toString();
	} catch (error) {
		// With violations it exits with their number.
		output = String((error as { stdout: Buffer }).stdout);
	}
	const { summary } = JSON.parse(output) as {
		summary: { violations: Array<{ rule: { name: string }; from: string; to: string }> };
	};
	return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}

test('nodes/ and credentials/ have no circle, and import in one direction only', () => {
	expect(violations(root)).toEqual([]);
});

test("CONTRIBUTING's tree has every folder of nodes/ and test/, and no other", () => {
	const [, tree = ''] = /## Where things are\s+```\n([^]*?)```/.exec(
		readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'),
	)!;
	const named = [...tree.matchAll(/^(\S+)\/ /gm)].map(([, folder]) => folder!);
	const tracked = execFileSync('git', ['ls-files', 'nodes', 'test'], { cwd: root }).toString().split('\n');
	const depth = (path: string) => (path.startsWith('nodes/SocialPublishing/') ? 3 : 2);
	const folders = tracked.map((path) => path.split('/').slice(0, -1).slice(0, depth(path)).join('/'));
	const wanted = [...new Set(folders)].filter((folder) => folder.includes('/'));
	expect(named.filter((folder) => /^(nodes|test)\//.test(folder)).sort()).toEqual(wanted.sort());
});

test('a planted circle of types and a planted wrong direction are found', () => {
	const copy = mkdtempSync(join(tmpdir(), 'social-layout-'));
	try {
		for (const part of ['nodes', 'credentials', 'tsconfig.json', 'package.json', '.dependency-cruiser.cjs'])
			cpSync(join(root, part), join(copy, part), { recursive: true });
		symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
		const source =
			"import type { Resource } from '../SocialPublishing/engine/operation';\nexport type One = Resource;\n";
		writeFileSync(join(copy, 'nodes/api/planted.ts'), source);
		const operation = join(copy, 'nodes/SocialPublishing/engine/planted.ts');
		writeFileSync(operation, "import type { Two } from './planted2';\nexport type Three = Two;\n");
		writeFileSync(
			join(copy, 'nodes/SocialPublishing/engine/planted2.ts'),
			"import type { Three } from './planted';\nexport type Two = Three;\n",
		);
		const found = violations(copy);
		expect(found).toContainEqual(expect.stringMatching(/^api-imports-only: nodes\/api\/planted/));
		expect(found).toContainEqual(expect.stringMatching(/^no-circle: .*planted/));
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
});
