import { readFileSync } from 'node:fs';

import { textsPage, textsPath } from '../../tools/docs/texts';

/** How long a hint may be: review.test.ts. */
test('docs/texts.md is what `npm run docs` writes: the fields of credential, action node and trigger', () => {
	const page = readFileSync(textsPath, 'utf8');
	expect(page).toBe(textsPage());
	for (const label of ['Base URL', 'Avoid Duplicates', 'Recover Missed Events'])
		expect(page).toContain(` | ${label} | `);
});
