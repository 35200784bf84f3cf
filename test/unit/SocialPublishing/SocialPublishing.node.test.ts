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
