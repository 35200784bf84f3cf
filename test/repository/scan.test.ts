import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../n8n/install';
import { packPackage } from '../n8n/package';
import { root } from '../support/documents';

/** What n8n's scan of a published package would say (`npx @n8n/scan-community-package`), before it is published. */

let folder: string;
/** The packed package as npm unpacks it. */
let unpacked: string;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'social-scan-'));
	await run('tar', ['-xzf', await packPackage(), '-C', folder]);
	unpacked = join(folder, 'package');
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** `passed`, or the violations. */
async function scan(path: string, kind: 'source' | 'tarball'): Promise<string> {
	const args = [join(root, 'tools/scan/scan.mjs'), path, kind];
	// With jest's NODE_ENV=test, n8n's rules would take every file for a node: they look at it for their own tests.
	const env = { ...process.env, NODE_ENV: 'production' };
	return await run(process.execPath, args, { env, maxBuffer: 16 * 1024 * 1024 }).then(
		() => 'passed',
		(error) => `${error.stdout}${error.stderr}`,
	);
}

const listed = async (path: string) =>
	(await readdir(path, { recursive: true, withFileTypes: true }))
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
		.sort();

describe("n8n's scan", () => {
	test('passes the sources', async () => expect(await scan(root, 'source')).toBe('passed'));

	test('passes the packed package', async () => expect(await scan(unpacked, 'tarball')).toBe('passed'));

	test('finds what is planted into a package, also behind a comment that switches the rules off', async () => {
		const copy = join(folder, 'planted');
		await mkdir(join(copy, 'dist/nodes'), { recursive: true });
		await cp(join(unpacked, 'package.json'), join(copy, 'package.json'));
		const code = "/* eslint-disable */\nrequire('axios');\nsetTimeout(() => console.log(process.env), 1);\n";
		await writeFile(join(copy, 'dist/nodes/planted.js'), code);
		const found = await scan(copy, 'tarball');
		for (const rule of ['no-restricted-imports', 'no-restricted-globals', 'no-console'])
			expect(found).toContain(rule);
	});
});

describe('the packed package', () => {
	test('has the compiled nodes, icons, codex files and schemas, README, licence, and nothing else', async () => {
		const files = await listed(unpacked);
		const other = files.filter(
			(path) =>
				!/^(package\.json|README\.md|LICENSE\.md)$/.test(path) &&
				!/^dist\/icons\/socialPublishing(\.dark)?\.svg$/.test(path) &&
				!/^dist\/(nodes|credentials)\/.*\.js$/.test(path) &&
				!/^dist\/nodes\/(\w+)\/\1(Trigger)?\.node\.json$/.test(path) &&
				!/^dist\/nodes\/\w+\/__schema__\/v[\d.]+\/\w+(\/\w+)?\.json$/.test(path),
		);
		expect(other).toEqual([]);
		const manifest = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'));
		const needed = [
			...manifest.n8n.nodes,
			...manifest.n8n.credentials,
			...manifest.n8n.nodes.map((path: string) => path.replace(/\.js$/, '.json')),
			'dist/icons/socialPublishing.svg',
			'dist/icons/socialPublishing.dark.svg',
			'README.md',
			'LICENSE.md',
		];
		for (const path of needed) expect(files).toContain(path);
	});
});
