import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import gaps from './fixtures/spec-gaps.json';

const root = join(__dirname, '../..');
const doc = readFileSync(join(root, 'docs/spec-gaps.md'), 'utf8');

/**
 * `fixtures/spec-gaps.json` has every sentence of the spec that ends in "not shown", with the heading or endpoint that it
 * stands under. Its number is that of the line in the spec, with a letter where a line has several.
 */

/** The cells of the row that starts with this number. */
function row(number: string): string[] | undefined {
	const line = doc.split('\n').find((text) => new RegExp(`^\\| ${number} +\\|`).test(text));
	return line
		?.split(/(?<!\\)\|/)
		.slice(1, -1)
		.map((cell) => cell.trim());
}

describe('docs/spec-gaps.md', () => {
	test('knows the 35 places where the spec says "not shown", with 39 open questions', () => {
		expect(new Set(gaps.map(({ number }) => parseInt(number, 10))).size).toBe(35);
		expect(gaps).toHaveLength(39);
	});

	test.each(gaps)('$number · $place · $sentence', ({ number, place, sentence }) => {
		const cells = row(number);
		expect(cells).toHaveLength(4);
		const [, open, done, change] = cells!;
		expect(open).toContain(place);
		expect(open).toContain(sentence);
		expect(done!.length).toBeGreaterThan(40);
		expect(change!.length).toBeGreaterThan(15);
	});

	test('has no other rows', () => {
		const numbers = [...doc.matchAll(/^\| (\d+[a-f]?) +\|/gm)].map(([, number]) => number);
		expect(numbers).toEqual(gaps.map(({ number }) => number));
	});
});
