import { join } from 'node:path';

import { find, load } from '../support/package';

/** The suites that read answers run a second time in this project (see test/jest.config.js); this shows with what. */

test('the package, built and not, reads answers with zod 4, n8n and the service with zod 3', async () => {
	await load();
	expect(find('socialPublishing')).toBeDefined();
	const schemas = [
		'dist/nodes/SocialPublishingTrigger/subscription.js',
		'nodes/SocialPublishingTrigger/subscription.ts',
	].map((path) => jest.requireActual(join(__dirname, '../..', path)).storedSchema);
	const { z } = jest.requireActual('zod');
	expect([...schemas, z.object({})].map((each) => '_zod' in each)).toEqual([true, true, false]);
});
