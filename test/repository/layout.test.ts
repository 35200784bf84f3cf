import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';

import { filesIn } from '../support/documents';

/**
 * No circle, and arrows in one direction: `.dependency-cruiser.cjs` says which folder may import which. A module's test is
 * found by the module's name.
 */

const root = resolve(__dirname, '../..');

const roots = ['nodes', 'credentials', 'test', 'tools'];

/** What dependency-cruiser finds, as `rule: from → to`. */
function violations(folder: string): string[] {
	const script = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
	const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', ...roots];
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

test('nodes/ and credentials/ have no circle; they, test/ and tools/ import in one direction only', () => {
	expect(violations(root)).toEqual([]);
});

test("CONTRIBUTING's tree has every folder of nodes/ and test/, and no other", () => {
	const [, tree = ''] = /## Where things are\s+```\n([^]*?)```/.exec(
		readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'),
	)!;
	const named = [...tree.matchAll(/^(\S+)\/ /gm)].map(([, folder]) => folder!);
	const depth = (path: string) => (path.startsWith('nodes/SocialPublishing/') ? 3 : 2);
	const folders = filesIn('nodes', 'test').map((path) =>
		path.split('/').slice(0, -1).slice(0, depth(path)).join('/'),
	);
	const wanted = [...new Set(folders)].filter((folder) => folder.includes('/'));
	expect(named.filter((folder) => /^(nodes|test)\//.test(folder)).sort()).toEqual(wanted.sort());
});

test('the files that are run first are there', () => {
	const { longest } = jest.requireActual<{ longest: string[] }>('../support/sequencer');
	const names = filesIn('test').map((path) => basename(path, '.test.ts'));
	expect(longest.filter((name) => !names.includes(name))).toEqual([]);
});

test('a planted circle of types and a planted wrong direction are found', () => {
	const copy = mkdtempSync(join(tmpdir(), 'social-layout-'));
	const planted = {
		'credentials/one.ts': "import type { Two } from './two';\nexport type One = Two;",
		'credentials/two.ts': "import type { One } from './one';\nexport type Two = One;",
		'test/unit/planted.ts': 'export const one = 1;',
		'tools/planted.ts': "export * from '../test/unit/planted';",
		'nodes/planted.ts': 'export const one = 1;',
	};
	try {
		for (const part of ['tsconfig.json', 'package.json', '.dependency-cruiser.cjs'])
			cpSync(join(root, part), join(copy, part));
		symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
		for (const [path, text] of Object.entries(planted)) {
			mkdirSync(dirname(join(copy, path)), { recursive: true });
			writeFileSync(join(copy, path), text);
		}
		const found = violations(copy).join();
		expect(found).toMatch(/no-circle: credentials/);
		expect(found).toMatch(/tools-imports-only: tools\/planted/);
	} finally {
		rmSync(copy, { recursive: true, force: true });
	}
});

describe('a test is found by the name of what it tests', () => {
	const isModule = (path: string) => path.endsWith('.ts');
	const product = filesIn('nodes', 'credentials').filter(isModule);
	const tests = filesIn('test/unit', 'test/integration').filter((path) => path.endsWith('.test.ts'));

	/** More than types. */
	const hasCode = (path: string): boolean =>
		/^(export )?(const|class|(async )?function)\b/m.test(readFileSync(join(root, path), 'utf8'));

	/** `nodes/a/b.ts` is `a/b`, `test/service/c.ts` is `service/c`; an index is its folder, or the one above. */
	function namesOf(module: string): string[] {
		const name = module.replace(/^(nodes|test)\//, '').replace(/\.ts$/, '');
		return name.endsWith('/index') ? [dirname(name), dirname(dirname(name))] : [name];
	}
	/** `a/b.test.ts` tests `a/b.ts`. So does `a/b.retries.test.ts`: a part of the tests may have a file of its own. */
	function isTestOf(test: string, name: string): boolean {
		const tested = test.replace(/^test\/(unit|integration)\//, '').replace(/test\.ts$/, '');
		return tested.startsWith(`${name}.`);
	}
	const isTested = (module: string) =>
		namesOf(module).some((name) => tests.some((test) => isTestOf(test, name)));

	test('every module has a test of its name', () => {
		expect([...product.filter(hasCode), 'nodes/none.ts'].filter((one) => !isTested(one))).toEqual([
			'nodes/none.ts',
		]);
	});

	test('every test has the name of a module', () => {
		const modules = [...product, ...filesIn('test/service').filter(isModule)];
		const names = modules.map((module) => namesOf(module)[0]!);
		const strays = [...tests, 'test/unit/none.test.ts'].filter(
			(test) => !names.some((name) => isTestOf(test, name)),
		);
		expect(strays).toEqual(['test/unit/none.test.ts']);
	});
});
