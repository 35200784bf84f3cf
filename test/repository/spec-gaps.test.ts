import { readDocument } from '../support/documents';

/**
 * Every sentence of the spec that ends in "not shown", with the heading or endpoint that it stands under. Its number is that
 * of the line in the spec, with a letter where a line has several.
 */
const gaps = readDocument('test/repository/fixtures/spec-gaps.txt').trim().split('\n');
const numberOf = (line: string) => /^(?:\| )?(\d+[a-z]?) /.exec(line)?.[1];

const page = readDocument('docs/spec-gaps.md');
/** The rows of the table, by number. */
const rows = new Map(
	page
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
	test('has a row for each place where the spec says "not shown", and no other; counts them', () => {
		expect([...rows.keys()]).toEqual(gaps.map(numberOf));
		const places = new Set(gaps.map((line) => parseInt(line, 10))).size;
		expect(page).toContain(`in ${places} places, with ${gaps.length} open questions`);
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
