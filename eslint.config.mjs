import js from '@eslint/js';
import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const { recommended } = n8nCommunityNodesPlugin.configs;

// n8n's scan ignores inline "disable" comments: so do we where its rules apply.
const asTheScan = { linterOptions: { noInlineConfig: true } };

/** What still exceeds the rule `complexity` (15): how far, and in which functions. The list only gets shorter. */
const complex = {
	'nodes/SocialPublishing/engine/execute.ts': [18, 'executeNow'],
	'nodes/SocialPublishing/engine/report.ts': [27, 'runFailed'],
	'nodes/SocialPublishing/resources/post/approval.ts': [16, 'approve'],
	'nodes/SocialPublishing/resources/post/check.ts': [16, 'problemsOf'],
	'nodes/SocialPublishing/resources/post/create.ts': [29, 'sendPost'],
	'nodes/SocialPublishing/resources/post/networks.ts': [19, 'the row of a network'],
	'nodes/SocialPublishing/resources/post/plan.ts': [16, 'constructor of PostPlan'],
	'nodes/SocialPublishing/resources/post/poll.ts': [20, 'undecided'],
	'nodes/SocialPublishing/resources/post/preview.ts': [19, 'previewOf'],
	'nodes/SocialPublishing/resources/post/targets.ts': [37, 'namedAccount'],
	'nodes/SocialPublishing/resources/post/when.ts': [16, 'scheduleOf'],
	'nodes/SocialPublishing/resources/webhook/diagnosis.ts': [37, 'diagnose'],
	'nodes/SocialPublishing/writes/write.ts': [43, 'request, keyOf'],
	'nodes/api/answers.ts': [38, 'readAnswer'],
	'nodes/api/client.ts': [16, 'send'],
	'nodes/api/pages.ts': [49, 'readList, moreIn'],
	'nodes/api/postRange.ts': [18, 'postsByTime'],
	'nodes/api/records.ts': [19, 'readPost, readDelivery'],
	'nodes/api/transferRefusals.ts': [20, 'mediaKind'],
};
/** The same for `max-lines` (400). */
const long = [
	'nodes/SocialPublishing/media/uploads.ts',
	'nodes/SocialPublishing/writes/write.ts',
	'nodes/api/records.ts',
];

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
	...Object.entries(complex).map(([path, [most]]) => ({
		files: [path],
		rules: { complexity: ['error', most] },
	})),
	{ files: long, rules: { 'max-lines': 'off' } },
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
