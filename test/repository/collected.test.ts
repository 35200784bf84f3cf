import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { testsOf } from '../support/collect';

/** Tests that must be there: of every class of malformed input. Of every operation: test/integration/SocialPublishing/resources.test.ts. */

const tests = join(__dirname, '..');
const filesIn = (folder: string): string[] =>
	readdirSync(join(tests, folder))
		.filter((name) => name.endsWith('.test.ts'))
		.map((name) => join(tests, folder, name));

/** Each once, in the order in which they come. */
const unique = (names: Array<string | undefined>): string[] => [
	...new Set(names.filter((name) => name !== undefined)),
];

test('every row of the malformed-input table starts the name of a test', () => {
	const files = ['unit/SocialPublishingTrigger/delivery.test.ts', 'e2e/trigger-malformed.test.ts'].map(
		(path) => join(tests, path),
	);
	const numbers = testsOf(files).map((name) => /^(\d+):/.exec(name.split(' › ').at(-1)!)?.[1]);
	const wanted = Array.from({ length: 38 }, (_, i) => String(i + 1));
	expect(unique(numbers).sort((a, b) => Number(a) - Number(b))).toEqual(wanted);
});

test('no end-to-end test has a pause or a time limit of its own: it would not hold on a busy machine', () => {
	const own = /timers\/promises|waitForTimeout|setTimeout|retryTimes|\}, [\d_]{4,}\);|^\t+\d[\d_]{4,},$/gm;
	const found = filesIn('e2e').map((file) => [basename(file), readFileSync(file, 'utf8').match(own) ?? []]);
	expect(found.filter(([, places]) => places!.length > 0)).toEqual([]);
});

describe('tests are found', () => {
	const found = testsOf([join(__dirname, 'fixtures/collected.ts')]);

	test('with the names of their blocks, once a row, and not where they are skipped', () => {
		expect(found).toEqual(['a › one', 'a › two %s', 'a › two %s', '%s › three', '%s › three', 'four']);
	});
});
