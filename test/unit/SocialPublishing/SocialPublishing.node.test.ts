import type { IExecuteFunctions } from 'n8n-workflow';

import { SocialPublishing } from '../../../nodes/SocialPublishing/SocialPublishing.node';
import { SocialPublishingApi } from '../../../credentials/SocialPublishingApi.credentials';

test('is one version, a tool, has the names that workflows store, and tries its credential', () => {
	const { description, methods } = new SocialPublishing();
	const { properties, codex, hints, subtitle, ...fixed } = description;
	expect([properties, codex?.alias, hints].every((list) => list!.length > 0)).toBe(true);
	expect([codex?.categories, Object.keys(codex?.resources ?? {})]).toEqual([
		['Marketing & Content', 'Communication'],
		['primaryDocumentation', 'credentialDocumentation'],
	]);
	expect(subtitle).toMatch(/^={{/);
	const { name } = new SocialPublishingApi();
	expect(fixed).toEqual({
		displayName: 'Social Publishing',
		name: 'socialPublishing',
		icon: {
			light: 'file:../../icons/socialPublishing.svg',
			dark: 'file:../../icons/socialPublishing.dark.svg',
		},
		group: ['output'],
		version: 1,
		description: expect.stringMatching(/^Schedule and publish social media posts on Instagram, TikTok/),
		builderHint: {
			searchHint: expect.stringMatching(/^Use for posts on Instagram, TikTok/),
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-social-publishing.socialPublishingTrigger',
					relationHint: expect.stringMatching(/^Starts a workflow when/),
				},
			],
		},
		defaults: { name: 'Social Publishing' },
		usableAsTool: true,
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name, required: true, testedBy: 'testCredential' }],
	});
	const { credentialTest, ...lists } = methods;
	expect([Object.keys(credentialTest), Object.keys(lists)]).toEqual([
		['testCredential'],
		['loadOptions', 'listSearch'],
	]);
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
