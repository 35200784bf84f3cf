import { readDocument } from '../support/documents';

/**
 * Every sentence of the spec that ends in "not shown", with the heading or endpoint that it stands under. Its number is that
 * of the line in the spec, with a letter where a line has several.
 */
const gaps = readDocument('test/repository/fixtures/spec-gaps.txt').trim().split('\n');
const numberOf = (line: string) => /^(?:\| )?(\d+[a-z]?) /.exec(line)?.[1];

/** The rows of the table, by number. */
const rows = new Map(
	readDocument('docs/spec-gaps.md')
		.split('\n')
		.filter(numberOf)
		.map((line) => [
			numberOf(line),
			line
				.split(/(?<!\\)\|/)
				.slice(1, -1)
				.map((cell) => cell.trim()),
		]),
);

describe('docs/spec-gaps.md', () => {
	test('knows the 35 places where the spec says "not shown", with 39 open questions, and no other', () => {
		expect(new Set(gaps.map((line) => parseInt(line, 10))).size).toBe(35);
		expect(gaps).toHaveLength(39);
		expect([...rows.keys()]).toEqual(gaps.map(numberOf));
	});

	test.each(gaps)('%s', (line) => {
		const [number = '', place, sentence] = line.split(' · ');
		const cells = rows.get(number)!;
		expect(cells).toHaveLength(4);
		const [, open, done = '', change = ''] = cells;
		expect(open).toContain(place);
		expect(open).toContain(sentence);
		expect(done.length).toBeGreaterThan(40);
		expect(change.length).toBeGreaterThan(15);
	});
});
