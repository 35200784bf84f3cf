import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const { recommended } = n8nCommunityNodesPlugin.configs;

// n8n's scan ignores inline "disable" comments: so do we where its rules apply.
const asTheScan = { linterOptions: { noInlineConfig: true } };

export default defineConfig(
	globalIgnores(['dist', '.stryker-tmp', 'test-results', 'test/n8n/node_modules']),
	{ plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{
		files: ['**/*.ts'],
		extends: [js.configs.recommended, tseslint.configs.recommended, recommended],
		rules: { 'prefer-spread': 'off', 'no-console': 'error' },
	},
	{
		files: ['package.json'],
		extends: [recommended],
		rules: n8nNodesBase.configs.community.rules,
		languageOptions: { parser: tseslint.parser, parserOptions: { extraFileExtensions: ['.json'] } },
	},
	{
		files: ['credentials/**/*.ts'],
		...asTheScan,
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		...asTheScan,
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		rules: { complexity: ['error', 15], 'max-lines': ['error', 400] },
	},
	{
		// Tests and tools run outside n8n: Node's own modules, timers and the console are theirs to use.
		files: ['test/**/*.ts', 'tools/**/*.ts'],
		rules: {
			'@n8n/community-nodes/no-restricted-imports': 'off',
			'@n8n/community-nodes/no-restricted-globals': 'off',
			'@n8n/community-nodes/no-dangerous-functions': 'off',
			'@n8n/community-nodes/require-node-api-error': 'off',
			'@typescript-eslint/no-explicit-any': 'off',
			'no-console': 'off',
		},
	},
	{
		// They wait for a condition: a pause would not hold on a busy machine.
		files: ['test/e2e/*.test.ts'],
		rules: {
			'no-restricted-imports': ['error', 'node:timers/promises', 'timers/promises'],
			'no-restricted-globals': ['error', 'setTimeout'],
		},
	},
	{
		files: ['test/unit/**/*.ts'],
		rules: {
			'no-restricted-syntax': [
				'error',
				{
					selector:
						'CallExpression[callee.object.name="fc"][callee.property.name="assert"]:not([arguments.1.callee.name=/^runs/])',
					message: 'fc.assert(property, runs(100)): test/support/property.ts, for Stryker and PROPERTY_SEED',
				},
			],
		},
	},
);
