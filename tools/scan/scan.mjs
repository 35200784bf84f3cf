// Lints a folder the way n8n's own `@n8n/scan-community-package` does (its `scanner.mjs`), with the newer rules that
// are installed here. A process of its own: inside jest (NODE_ENV=test)
// some of the rules behave differently.
//   node scan.mjs <folder> source|tarball   →   the violations as text; exit 1 where there are any
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import parser from '@typescript-eslint/parser';
import { ESLint } from 'eslint';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { defineConfig } from 'eslint/config';

const { community, credentials, nodes } = n8nNodesBase.configs;

const config = defineConfig(
	n8nCommunityNodesPlugin.configs.recommended,
	{ rules: { 'no-console': 'error' } },
	{ plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{ files: ['package.json'], rules: community.rules },
	{
		files: ['**/credentials/**/*.ts'],
		rules: {
			...credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['**/nodes/**/*.ts'],
		rules: {
			...nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{ files: ['**/*.json', '**/*.ts'], languageOptions: { parser } },
);

/** What the scan looks at: the shipped sources of the commit, and the compiled code of the tarball. */
const looksAt = {
	source: { folders: ['nodes', 'credentials'], files: /\.(js|ts|json)$/ },
	tarball: { folders: ['.'], files: /\.js$/ },
};

const [given, kind] = process.argv.slice(2);
const folder = resolve(given);
const { folders, files: pattern } = looksAt[kind];
const below = folders.flatMap((name) =>
	readdirSync(join(folder, name), { recursive: true })
		.filter((path) => pattern.test(path))
		.map((path) => join(folder, name, path)),
);
const files = [join(folder, 'package.json'), ...below];
const eslint = new ESLint({
	cwd: folder,
	allowInlineConfig: false,
	overrideConfigFile: true,
	overrideConfig: config,
});
const results = await eslint.lintFiles(files);
const bad = results.filter(({ errorCount }) => errorCount > 0);
console.log(await (await eslint.loadFormatter('stylish')).format(bad));
console.log(`${files.length} files, ${bad.length} with violations`);
process.exitCode = bad.length > 0 ? 1 : 0;
