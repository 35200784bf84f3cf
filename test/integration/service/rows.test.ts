import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { committedRows, specRows, specText } from './specRows';

/** The names of the `row(...)` tests, from the files themselves: a test that is not written cannot be run. */
function testedRows(): string[] {
	return readdirSync(__dirname)
		.filter((file) => file.endsWith('.test.ts') && file !== 'rows.test.ts')
		.flatMap((file) => [
			...readFileSync(join(__dirname, file), 'utf8').matchAll(/^\s*row\(\s*(['"`])(.*?)\1,/gm),
		])
		.map(([, , name]) => name!);
}

describe("the conformance suite and the spec's rows", () => {
	const spec = specText();

	// In a clone without the shared folder beside it the committed list stands for the spec.
	if (spec !== undefined) {
		test('the committed list of rows is what the spec says', () => {
			expect(specRows(spec)).toEqual(committedRows());
		});
	}

	test('the list has every row once', () => {
		const rows = committedRows();
		expect(rows).toHaveLength(160);
		expect(new Set(rows).size).toBe(rows.length);
	});

	test('every row has one test, named after it', () => {
		expect(testedRows().sort()).toEqual(committedRows().sort());
	});
});
