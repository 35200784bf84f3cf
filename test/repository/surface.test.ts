import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { surface } from '../../tools/docs/surface';

/** Saved workflows keep working: what they rest on is in a list that only grows. */

const listed = readFileSync(join(resolve(__dirname, '../..'), 'tools/docs/surface.txt'), 'utf8').split('\n');

test('every resource, operation, parameter, value, type and default that was there is still there', () => {
	// Before the first release, take a line out of tools/docs/surface.txt that is meant to go. After that, it has to stay.
	const now = new Set(surface());
	expect(listed.filter((line) => line && !now.has(line))).toEqual([]);
});

test('what is new is in the list, too (`npm run docs`)', () => {
	const known = new Set(listed);
	expect(surface().filter((line) => !known.has(line))).toEqual([]);
});
