import { join } from 'node:path';

import { find, load } from '../support/package';

/** The suites that read answers run a second time in this project (see test/jest.config.js); this shows with what. */

test('the built package, as n8n loads it, reads answers with zod 4, n8n and the service with zod 3', async () => {
	await load();
	expect(find('socialPublishing')).toBeDefined();
	const schema = jest.requireActual(join(__dirname, '../../dist/nodes/api/schema.js'));
	const { z } = jest.requireActual('zod');
	expect([schema.envelope, z.object({})].map((each) => '_zod' in each)).toEqual([true, false]);
});
