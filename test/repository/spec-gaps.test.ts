import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { testWithSpec } from '../support/spec';

const root = join(__dirname, '../..');
const doc = readFileSync(join(root, 'docs/spec-gaps.md'), 'utf8');

interface Gap {
	/** The lines of the spec that say "not shown", counted from 1; a line with several has a letter more. */
	number: string;
	place: string;
	sentence: string;
}

const gaps = JSON.parse(readFileSync(join(__dirname, 'fixtures/spec-gaps.json'), 'utf8')) as Gap[];

/** Every sentence of the spec that ends in "not shown", with the heading or endpoint it stands under. */
function gapsOf(markdown: string): Gap[] {
	const found: Gap[] = [];
	let heading = '';
	let line = 0;
	for (const text of markdown.split('\n')) {
		heading = /^#{2,3} (.*)$/.exec(text)?.[1] ?? heading;
		const sentences = text
			.split(/[.;] |\| |^- /)
			.map((sentence) => sentence.replace(/[.|\s]+$/, '').trim())
			.filter((sentence) => sentence.endsWith('not shown'));
		if (sentences.length === 0) continue;
		line++;
		const endpoint = /^\| (\w+) \| `(\/.*?)` \|/.exec(text);
		const place = endpoint ? `${endpoint[1]} ${endpoint[2]}` : heading;
		sentences.forEach((sentence, index) => {
			const letter = sentences.length > 1 ? 'abcdef'[index] : '';
			found.push({ number: `${line}${letter}`, place, sentence });
		});
	}
	return found;
}

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

	testWithSpec('the committed list is what the spec says', (spec) => {
		expect(gapsOf(spec)).toEqual(gaps);
		expect(gaps).toHaveLength(spec.match(/not shown/g)!.length);
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
