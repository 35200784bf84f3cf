import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

import { filesIn, readDocument, root } from '../support/documents';

/** `.dependency-cruiser.cjs` says which folder may import which. */

const roots = ['nodes', 'credentials', 'test', 'tools'];

test('nodes/ and credentials/ have no circle; they, test/ and tools/ import in one direction only', () => {
	const script = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
	const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...roots];
	// With violations it exits with their number.
	const { stdout } = spawnSync(process.execPath, [script, ...args], { cwd: root, maxBuffer: 2 ** 26 });
	const { summary } = JSON.parse(stdout.toString());
	expect(summary.violations.map(({ rule, from, to }: any) => `${rule.name}: ${from} → ${to}`)).toEqual([]);
	expect(summary.totalDependenciesCruised).toBeGreaterThan(500);
});

test("CONTRIBUTING's tree names folders that exist, and every folder of nodes/", () => {
	const [, tree = ''] = /## Where things are\s+```\n([^]*?)```/.exec(readDocument('CONTRIBUTING.md'))!;
	const named = [...tree.matchAll(/^(\S+)\/ /gm)].map(([, folder]) => folder!);
	const depth = (path: string) => (path.startsWith('nodes/SocialPublishing/') ? 3 : 2);
	const folders = filesIn(...roots).map((path) =>
		path.split('/').slice(0, -1).slice(0, depth(path)).join('/'),
	);
	expect([...new Set([...folders, ...roots])]).toEqual(expect.arrayContaining(named));
	expect(named).toEqual(expect.arrayContaining(folders.filter((folder) => folder.startsWith('nodes/'))));
});
