import fc from 'fast-check';
import range from 'lodash/range';

import { domains } from '../../../../../nodes/SocialPublishing/resources/post/topLevelDomains.json';
import { weightedLength } from '../../../../../nodes/SocialPublishing/resources/post/xLength';
import { anyText, runs, sample } from '../../../../support/property';

const { parseTweet } = jest.requireActual<{ parseTweet(text: string): { weightedLength: number } }>(
	'twitter-text',
);

const topLevelDomains = domains.flatMap((line) => line.split(' '));

test('has the top-level domains of twitter-text, and the longer of two that begin alike first', () => {
	const theirs = ['validGTLD', 'validCCTLD'].flatMap((name) => {
		const { source } = jest.requireActual<RegExp>(`twitter-text/dist/regexp/${name}`);
		return source.split(/\(\?:|[|)]/).filter((one) => /^[^(?[$]+$/.test(one));
	});
	expect([...topLevelDomains].sort()).toEqual([...theirs].sort());
	for (const [i, one] of topLevelDomains.entries())
		expect(topLevelDomains.slice(i + 1).filter((later) => later.startsWith(one) && !/^\w/.test(one))).toEqual(
			[],
		);
});

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

const emoji = (
	'👩‍💻 👨‍👩‍👧‍👦 👩‍❤️‍💋‍👨 🏳️‍🌈 🏴‍☠️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪 🇺🇸 🇨🇶 1️⃣ #️⃣ ©️ © ™️ ☝🏽 ☝️🏽 👍🏿 ' +
	'🤷🏻‍♀️ ⛹️‍♂️ 🫱🏻 🧑‍🚀 👩‍🦯 🏻 👁‍🗨 ❤️ ♟️ 👯‍♀️ 🕴🏻‍♀️ 👩 👨 👧 👦 ❤ \u200d \ufe0f \ufe0e'
).split(' ');
const links = [
	...'http:// HTTPS:// www. example example.com http://a.ac/ münchen xn--bcher-kva'.split(' '),
	..."日本 한국 8080 a Z 0 e\u0301 \u202a \ufeff . 。 - _ / @ # $ ? = & ( ) [ ] : , ! | ' \\ ~ ^".split(' '),
	...[' ', '\n', '\u3000'],
];
const part = fc.oneof(
	fc.constantFrom(...links),
	fc.constantFrom(...emoji),
	fc.constantFrom(...topLevelDomains).map((name) => `.${name}`),
	fc.constantFrom(...topLevelDomains),
	fc.webUrl(),
	fc.domain(),
	anyText(3),
	fc.nat({ max: 0x2fff }).map((point) => String.fromCodePoint(point)),
);

test('counts any text as twitter-text does', () => {
	fc.assert(
		fc.property(fc.array(part, { maxLength: 14 }), (parts) => expectSame(parts.join(''))),
		runs(1000, 100),
	);
});

test('finds links with labels about as long as Punycode may be as twitter-text does', () => {
	const characters = fc.constantFrom(...'これは長い文章です。日本語のüÄж1a');
	const label = fc.array(characters, { minLength: 20, maxLength: 64 }).map((all) => all.join(''));
	fc.assert(
		fc.property(fc.constantFrom('', 'http://'), label, (protocol, name) =>
			expectSame(`${protocol}${name}.example.com/a`),
		),
		runs(500, 200),
	);
});

test('counts any sequence that begins with a symbol or an emoji as twitter-text does', () => {
	const after = '\ufe0f \ufe0e \u{1f3fb} \ufe0f\u{1f3fb} \u20e3 \u200d♀\ufe0f \u{1f3fb}\u200d♂\ufe0f'.split(
		' ',
	);
	const firsts = [range(0x23, 0xaf), range(0x2030, 0x329a), range(0x1f000, 0x1fb00)].flat();
	const all = sample(firsts, 5).map((point) =>
		['', ...after].map((more) => String.fromCodePoint(point) + more).join(' '),
	);
	for (const text of all) if (weightedLength(text) !== parseTweet(text).weightedLength) expectSame(text);
});

test('links in a word of more than 5,000 characters are counted by their characters, at once', () => {
	expect(weightedLength(`${'字'.repeat(5000)}.example.com`)).toBe(10_000 + 12);
});
