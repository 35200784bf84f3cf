import type { IExecuteFunctions } from 'n8n-workflow';

import { SocialPublishing } from '../../../nodes/SocialPublishing/SocialPublishing.node';
import { SocialPublishingApi } from '../../../credentials/SocialPublishingApi.credentials';

const { description, methods } = new SocialPublishing();

test('is one version, a tool, and uses the credential that its own test tries', () => {
	expect(description).toMatchObject({ version: 1, usableAsTool: true, inputs: ['main'], outputs: ['main'] });
	const { name } = new SocialPublishingApi();
	expect(description.credentials).toEqual([{ name, required: true, testedBy: 'testCredential' }]);
	expect(methods.credentialTest).toHaveProperty('testCredential');
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
