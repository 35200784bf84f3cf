import fc from 'fast-check';
import { range } from 'lodash';

import { endings, weightedLength } from '../../../../../nodes/SocialPublishing/resources/post/xLength';
import { anyText, runs, sample } from '../../../../support/property';

const { parseTweet } = jest.requireActual<{ parseTweet(text: string): { weightedLength: number } }>(
	'twitter-text',
);

const expectSame = (text: string) =>
	expect([text, weightedLength(text)]).toEqual([text, parseTweet(text).weightedLength]);

test.each([
	['cafe\u0301', 4],
	['See https://example.com/a/very/long/path?and=a&query=too', 4 + 23],
	['See example.com.', 4 + 23 + 1],
	['See example.invalid.', 20],
	['これはexample.comです', 6 + 23 + 4],
	['👨‍👩‍👧‍👦🇩🇪🇺🇸 1️⃣ ©️', 2 + 2 + 2 + 1 + 2 + 1 + 2],
])('%s counts %d', (text, count) => expect(weightedLength(text)).toBe(count));

const emoji = '👩‍💻 👨‍👩‍👧‍👦 👩‍❤️‍💋‍👨 🏳️‍🌈 🏴‍☠️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 🇺🇸 1️⃣ #️⃣ ©️ © ™️ ☝🏽 👍🏿 🤷🏻‍♀️ ⛹️‍♂️ ❤️ ♟️ 👯‍♀️ 🕴🏻 👩 ❤'.split(' ');
const hosts = 'example.com www.example.co.uk a.io münchen.de 日本.example.com EXAMPLE.ORG foo-bar.app';
const paths = '/ /a /a/b.html /a_(b) /über?q=1&b=2 /?q=a. /a/#b :8080/a /a-b,c /Путь /a.';
const before = ['', 'See ', '(', '"', ': ', ', ', 'これは', '한국', '…', '🇩🇪'];
const behind = [' ', '\n', '\u3000', ') ', ', ', '. ', '! ', 'です ', '" '];
const link = fc
	.tuple(
		fc.constantFrom(...before),
		fc.constantFrom('', '', 'http://', 'HTTPS://'),
		fc.constantFrom(...hosts.split(' ')),
		fc.constantFrom('', ...paths.split(' ')),
		fc.constantFrom(...behind),
	)
	.map((parts) => parts.join(''));

test('counts texts with links as twitter-text does', () => {
	fc.assert(
		fc.property(fc.array(link, { maxLength: 4 }), (links) => expectSame(links.join(''))),
		runs(1000, 100),
	);
});

test.each(
	'a@example.com @example.com #example.com $example.com _example.com -example.com a/example.com .a.de'.split(
		' ',
	),
)('%s is no link', (text) => {
	expect(weightedLength(text)).toBe(text.length);
	expectSame(text);
});

test('counts any characters and emoji as twitter-text does', () => {
	const character = fc.nat({ max: 0x2fff }).map((point) => String.fromCodePoint(point));
	const part = fc.oneof(
		fc.constantFrom(...emoji).map((one) => `${one} `),
		anyText(3),
		character,
	);
	fc.assert(
		fc.property(fc.array(part, { maxLength: 14 }), (parts) =>
			expectSame(parts.join('').replaceAll('.', ',')),
		),
		runs(1000, 100),
	);
});

test.each(endings.split('|'))('a word that ends in .%s is a link', (ending) => {
	expect(weightedLength(`a.${ending} b`)).toBe(23 + 2);
	expectSame(`a.${ending} b`);
});

test('counts each symbol as twitter-text does', () => {
	const firsts = [range(0x23, 0xaf), range(0x2030, 0x329a), range(0x1f000, 0x1fb00)].flat();
	for (const point of sample(firsts, 5)) expectSame(`${String.fromCodePoint(point)} .`);
});

test.each([
	'https://пример.рф/очень/длинный/путь/к/странице',
	'https://例え.中国/abcdefghijklmnopqrstuvw',
	'https://맛집.한국/abcdefghijklmnopqrstuvw',
	'https://example.xn--p1ai/abcdefghijklmnopqrstuvw',
	'https://example.com/wiki/Plum_(fruit_(red))_and_jam',
	'plum-jam.shop/products/jam-of-the-year',
])('%s counts 23, like every link', (link) => {
	expect(weightedLength(`See ${link} now`)).toBe(4 + 23 + 4);
	expectSame(`See ${link} now`);
});

test('links in a word of more than 5,000 characters are counted by their characters, at once', () => {
	expect(weightedLength(`${'字'.repeat(5000)}.example.com`)).toBe(10_000 + 12);
});
