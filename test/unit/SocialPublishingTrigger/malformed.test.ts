import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Rows of the table "Every malformed-input class": each is the number at the start of at least one test's name. */
const ROWS = 38;
const files = ['unit/SocialPublishingTrigger/delivery.test.ts', 'e2e/trigger-malformed.test.ts'];

it('every row of the malformed-input table has a test', () => {
	const sources = files.map((name) => readFileSync(join(__dirname, '../..', name), 'utf8'));
	const tested = new Set(
		sources
			.flatMap((source) => [...source.matchAll(/\b(?:it|test)\(\s*['"](\d+):|\)\(\s*['"](\d+):/g)])
			.map(([, a, b]) => Number(a ?? b)),
	);
	const rows = Array.from({ length: ROWS }, (_, i) => i + 1);
	expect(rows.filter((row) => !tested.has(row))).toEqual([]);
});
