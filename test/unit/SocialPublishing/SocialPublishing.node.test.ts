import type { IExecuteFunctions } from 'n8n-workflow';

import codex from '../../../nodes/SocialPublishing/SocialPublishing.node.json';
import { SocialPublishing } from '../../../nodes/SocialPublishing/SocialPublishing.node';

/** Names and version: tools/docs/surface.txt; codex and hints for builders: test/repository/verification.test.ts. */
test('says what it is to people, models and builders of workflows, and tries its credential', () => {
	const { description, methods } = new SocialPublishing();
	expect(description).toMatchObject({
		...{ displayName: 'Social Publishing', defaults: { name: 'Social Publishing' }, usableAsTool: true },
		...{ name: 'socialPublishing', group: ['output'], inputs: ['main'], outputs: ['main'] },
		icon: { light: expect.stringMatching(/g\.svg$/), dark: expect.stringMatching(/g\.dark\.svg$/) },
		credentials: [{ name: 'socialPublishingApi', required: true, testedBy: 'testCredential' }],
		description: expect.stringContaining('Schedule and publish'),
		codex: { categories: codex.categories, resources: codex.resources, alias: codex.alias },
		builderHint: {
			searchHint: expect.stringContaining('one node per platform'),
			relatedNodes: [
				{
					nodeType: expect.stringMatching(/Trigger$/),
					relationHint: expect.stringContaining('Starts a workflow'),
				},
			],
		},
	});
	expect(Object.keys(methods.credentialTest)).toEqual(['testCredential']);
});

test('runs the operation that is chosen, for each item', async () => {
	const failing = (name: string) => {
		throw new Error(`asks for ${name}`);
	};
	const context = {
		getInputData: () => [],
		getNode: () => ({ name: 'Node', parameters: {} }),
		getNodeParameter: failing,
	} as unknown as IExecuteFunctions;
	await expect(new SocialPublishing().execute.call(context)).rejects.toThrow(/asks for (resource|operation)/);
});
