import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';

import { filesIn, readDocument, root } from '../support/documents';

/** `.dependency-cruiser.cjs` says which folder may import which; a module's test is found by the module's name. */

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

test("CONTRIBUTING's tree has every folder of nodes/ and test/, and no other", () => {
	const [, tree = ''] = /## Where things are\s+```\n([^]*?)```/.exec(readDocument('CONTRIBUTING.md'))!;
	const named = [...tree.matchAll(/^(\S+)\/ /gm)].map(([, folder]) => folder!);
	const depth = (path: string) => (path.startsWith('nodes/SocialPublishing/') ? 3 : 2);
	const folders = filesIn('nodes', 'test').map((path) =>
		path.split('/').slice(0, -1).slice(0, depth(path)).join('/'),
	);
	const wanted = [...new Set(folders)].filter((folder) => folder.includes('/'));
	expect(named.filter((folder) => /^(nodes|test)\//.test(folder)).sort()).toEqual(wanted.sort());
});

describe('a test is found by the name of what it tests', () => {
	const isModule = (path: string) => path.endsWith('.ts');
	const product = filesIn('nodes', 'credentials').filter(isModule);
	const tests = filesIn('test/unit', 'test/integration').filter((path) => path.endsWith('.test.ts'));

	/** More than types. */
	const hasCode = (path: string): boolean =>
		/^(export )?(const|class|(async )?function)\b/m.test(readDocument(path));

	/**
	 * `nodes/a/b.ts` is `a/b`, `test/service/c.ts` is `service/c`; an index is its folder, or the one above. The operations of a
	 * resource may be tested together: in a file with the name of its folder.
	 */
	function namesOf(module: string): string[] {
		const name = module.replace(/^(nodes|test)\//, '').replace(/\.ts$/, '');
		if (name.endsWith('/index')) return [dirname(name), dirname(dirname(name))];
		return name.includes('/resources/') ? [name, dirname(name)] : [name];
	}
	/** `a/b.test.ts` tests `a/b.ts`. So does `a/b.retries.test.ts`: a part of the tests may have a file of its own. */
	function isTestOf(test: string, name: string): boolean {
		const tested = test.replace(/^test\/(unit|integration)\//, '').replace(/test\.ts$/, '');
		return tested.startsWith(`${name}.`);
	}
	const isTested = (module: string) =>
		namesOf(module).some((name) => tests.some((test) => isTestOf(test, name)));

	/** The tables test it: resources.test.ts in test/unit/ and in test/integration/. */
	const isOneCall = (path: string) => path.includes('/resources/') && /^\trequest:/m.test(readDocument(path));
	/** Names, values and defaults of fields are in tools/docs/surface.txt (documents.test.ts). */
	const isOfFields = (path: string) => /\/resources\/.*fields\.ts$/i.test(path);
	const needsTest = (path: string) => hasCode(path) && !isOneCall(path) && !isOfFields(path);

	test('every module has a test of its name, but for operations of one call and lists of fields', () => {
		const tested = [...product.filter(needsTest), 'nodes/none.ts'];
		expect(tested.filter((one) => !isTested(one))).toEqual(['nodes/none.ts']);
	});

	test('every test has the name of a module', () => {
		const modules = [...product, ...filesIn('test/service').filter(isModule)];
		const names = modules.flatMap(namesOf);
		const strays = [...tests, 'test/unit/none.test.ts'].filter(
			(test) => !names.some((name) => isTestOf(test, name)),
		);
		expect(strays).toEqual(['test/unit/none.test.ts']);
	});
});
