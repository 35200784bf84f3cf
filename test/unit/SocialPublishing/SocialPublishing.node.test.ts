import type { IExecuteFunctions } from 'n8n-workflow';

import { SocialPublishing } from '../../../nodes/SocialPublishing/SocialPublishing.node';

/** Names and version: tools/docs/surface.txt; codex and hints for builders: test/repository/verification.test.ts. */
test('is a tool for models, and tries its credential', () => {
	const { description, methods } = new SocialPublishing();
	expect(description).toMatchObject({
		...{ displayName: 'Social Publishing', defaults: { name: 'Social Publishing' }, usableAsTool: true },
		credentials: [{ required: true, testedBy: 'testCredential' }],
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
