import partition from 'lodash/partition';
import sortBy from 'lodash/sortBy';
import sumBy from 'lodash/sumBy';
import uniq from 'lodash/uniq';

import { domains } from './topLevelDomains.json';

/**
 * How X counts a text: twitter-text 3.1.0 with its configuration v3 (Apache 2.0; checked on 2026-11-23),
 * https://docs.x.com/fundamentals/counting-characters. A test compares the two.
 */

const LINK_LENGTH = 23;
const MAX_LABEL_LENGTH = 63;
/** Longer words are counted without links: looking for them would take seconds. */
const MAX_WORD_LENGTH = 5000;

/** Where a part of a text begins, how long it is in UTF-16 code units, and what it counts. */
type TextPart = [index: number, { length: number; weight: number }];

/** Latin to Georgian, and the usual punctuation, count 1. */
const light = /[\0-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]/;

/** What a text counts on X: most characters 1, emoji and CJK 2, a link 23. */
export function weightedLength(text: string): number {
	const normalized = text.normalize();
	const sequences = [...normalized.matchAll(emoji)].map(({ 0: { length }, index }): TextPart => [
		index,
		{ length, weight: 2 },
	]);
	const parts = new Map([...sequences, ...linksIn(normalized)]);
	let sum = 0;
	for (let i = 0; i < normalized.length;) {
		const one = String.fromCodePoint(normalized.codePointAt(i)!);
		const { length, weight } = parts.get(i) ?? { length: one.length, weight: light.test(one) ? 1 : 2 };
		sum += weight;
		i += length;
	}
	return sum;
}

// Emoji of one code point count 2 anyway; these are the sequences that count 2 as a whole.

const TONE = '[\\u{1f3fb}-\\u{1f3ff}]';
const STYLED = '\\ufe0f';
const JOINED = '\\u200d';
/** Take a skin tone. */
const people =
	'✊✋🎅🏂-🏄🏇🏊👂👃👆-👐👦-👩👮👰-👸👼💁-💃💅-💇💪🕺🖕🖖🙅-🙇🙋-🙏🚣🚴-🚶🛀🛌🤘-🤜🤞🤟🤦🤰-🤹🤽🤾🦵🦶🦸🦹🧑-🧝';
/** Take a skin tone and the emoji style. */
const styledPeople = '☝⛷⛹✌✍🏋🏌🕴🕵🖐';
/** Take the emoji style. */
const symbols =
	'©®‼⁉™ℹ↔-↙↩↪⌚⌛⌨⏏⏭-⏯⏱⏲⏸-⏺Ⓜ▪▫▶◀◻-◾☀-☄☎☑☔☕☘☠☢☣☦☪☮☯☸-☺♀♂♈-♓♟♠♣♥♦♨♻♿⚒-⚗⚙⚛⚜⚠⚡⚪⚫⚰⚱⚽⚾⛄⛅⛈⛏⛑⛓⛔⛩⛪⛰-⛵⛸⛺⛽✂✈✉✏✒✔✖✝✡✳✴❄❇❗❣❤➡⤴⤵⬅-⬇⬛⬜⭐⭕〰〽㊗㊙' +
	'🀄🅰🅱🅾🅿🈂🈚🈯🈷🌡🌤-🌬🌶🍽🎖🎗🎙-🎛🎞🎟🏍🏎🏔-🏟🏳🏵🏷🐿👁📽🕉🕊🕯🕰🕳🕶-🕹🖇🖊-🖍🖥🖨🖱🖲🖼🗂-🗄🗑-🗓🗜-🗞🗡🗣🗨🗯🗳🗺🛋🛍-🛏🛠-🛥🛩🛰🛳';
/** A man or a woman with a sign of the gender. */
const gendered = '🏃🏄🏊👮👱👳👷💁💂💆💇🙅-🙇🙋🙍🙎🚣🚴-🚶🤦🤵🤷-🤹🤽🤾🦸🦹🧖-🧝';
const professions = `(?:[⚕⚖✈]${STYLED}|[🌾🍳🎓🎤🎨🏫🏭💻💼🔧🔬🚀🚒🦰-🦳])`;

const emoji = new RegExp(
	[
		`[👨👩]${TONE}?${JOINED}${professions}`,
		`[⛹🏋🏌🕴🕵](?:${TONE}|${STYLED})${JOINED}[♀♂]${STYLED}`,
		`[${gendered}]${TONE}?${JOINED}[♀♂]${STYLED}`,
		`(?:👨${JOINED}❤${STYLED}${JOINED}(?:💋${JOINED})?👨|👩${JOINED}❤${STYLED}${JOINED}(?:💋${JOINED})?[👨👩])`,
		`(?:👨${JOINED}[👨👩]|👩${JOINED}👩|[👨👩])${JOINED}(?:👦${JOINED}👦|👧${JOINED}[👦👧]|[👦👧])`,
		`🏳${STYLED}${JOINED}🌈|🏴${JOINED}☠${STYLED}|👁${JOINED}🗨`,
		`[👯🤼🧞🧟]${JOINED}[♀♂]${STYLED}`,
		`[#*0-9]${STYLED}?\\u20e3`,
		`[${symbols}]${STYLED}`,
		`[${styledPeople}](?:${STYLED}${TONE}?|${TONE})`,
		`[${people}]${TONE}`,
		// The flag of Sark is newer.
		'[\\p{RGI_Emoji_Flag_Sequence}--\\q{🇨🇶}]|\\p{RGI_Emoji_Tag_Sequence}',
	].join('|'),
	'gv',
);

const SPACE = '\\t-\\r \\x85\\xa0\\u1680\\u180e\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const INVALID = '\\ufffe\\ufeff\\uffff';
const DIRECTION = '\\u202a-\\u202e\\u061c\\u200e\\u200f\\u2066-\\u2069';
/** But for `-` and `_`. */
const PUNCTUATION = "!'#%&()*+,\\\\./:;<=>?@\\[\\]^{|}~$";
const LATIN =
	'\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u024f\\u0253\\u0254\\u0256\\u0257\\u0259\\u025b\\u0263\\u0268\\u026f\\u0272\\u0289\\u028b\\u02bb\\u0300-\\u036f\\u1e00-\\u1eff';
const other = `${PUNCTUATION}${SPACE}${INVALID}${DIRECTION}`;
const letter = `[^_\\-${other}]`;
const topLevel = `(?:(?:${domains.join('|').replaceAll(' ', '|')})(?=[^0-9a-z@+-]|$)|xn--[\\-0-9a-z]+)`;
const domain = `(?:${letter}(?:[^${other}]*${letter})?\\.)*${letter}(?:[^_${other}]*${letter})?\\.${topLevel}`;
const inPath = `[a-z\\u0400-\\u04ff0-9!*';:=+,.$/%#[\\]\\-\\u2013_~@|&${LATIN}]`;
const inParentheses = `\\((?:${inPath}+|${inPath}*\\(${inPath}+\\)${inPath}*)\\)`;
const endOfPath = `[+\\-a-z\\u0400-\\u04ff0-9=_#/${LATIN}]`;
const urlPath = `/(?:${inPath}*(?:${inParentheses}${inPath}*)*${endOfPath}|${inParentheses}|@${inPath}+/)*`;
const urlQuery = "\\?[a-z0-9!?*'@();:&=+$/%#[\\]\\-_.,~|]*[a-z0-9\\-_&=#/]";

const linkPattern = new RegExp(
	`([^a-z0-9@＠$#＃${INVALID}]|^)((https?://)?(${domain})(?::[0-9]+)?(${urlPath})?(?:${urlQuery})?)`,
	'gi',
);
const asciiDomain = new RegExp(`(?:[-a-z0-9${LATIN}]+\\.)+${topLevel}`, 'gi');
/** With the space before it, which takes part in the match. */
const wordPattern = new RegExp(`[${SPACE}]?[^${SPACE}]+`, 'g');

const linksIn = (text: string): TextPart[] =>
	[...text.matchAll(wordPattern)]
		.filter(([word]) => word.includes('.') && word.length <= MAX_WORD_LENGTH)
		.flatMap(({ 0: word, index }) =>
			[...word.matchAll(linkPattern)].flatMap((match) => linksOf(match, index)),
		);

/** The links of a match, by where its word begins: none, one, or without a protocol perhaps several. */
function linksOf(match: RegExpMatchArray, offset: number): TextPart[] {
	const [whole, before = '', url = '', protocol, host = '', hasPath] = match;
	const start = offset + match.index! + whole.length - url.length;
	if (!isHost(host)) return [];
	if (protocol) return [[start, { length: url.length, weight: LINK_LENGTH }]];
	if (/[-_./]$/.test(before)) return [];
	const hosts = [...host.matchAll(asciiDomain)];
	return hosts.map(({ 0: one, index }, i) => {
		const rest = hasPath && i === hosts.length - 1 ? url.length - host.length : 0;
		return [start + index, { length: one.length + rest, weight: LINK_LENGTH }];
	});
}

const isHost = (host: string): boolean =>
	(!host.startsWith('xn--') || host.search(asciiDomain) >= 0) &&
	host.split('.').every((label) => {
		const parts = label.split(/[\u3002\uff0e\uff61]/);
		return parts.length - 1 + sumBy(parts, encodedLength) <= MAX_LABEL_LENGTH;
	});

/** How long a label is in Punycode (RFC 3492); of one that is too long, any length above the maximum. */
function encodedLength(label: string): number {
	const points = [...label].map((one) => one.codePointAt(0)!);
	if (/^[ -~]*$/.test(label) || points.length > MAX_LABEL_LENGTH) return points.length;
	const [basic, others] = partition(points, (point) => point < 0x80);
	let length = 'xn--'.length + basic.length + Math.sign(basic.length);
	let [handled, delta, bias, least] = [basic.length, 0, 72, 0x80];
	for (const current of sortBy(uniq(others))) {
		delta += (current - least) * (handled + 1);
		least = current + 1;
		for (const point of points) {
			if (point < current) delta++;
			if (point !== current) continue;
			for (let [rest, k] = [delta, 36]; rest >= 0; k += 36) {
				const threshold = Math.min(Math.max(k - bias, 1), 26);
				rest = rest < threshold ? -1 : Math.floor((rest - threshold) / (36 - threshold));
				length++;
			}
			handled++;
			bias = adaptedBias(Math.floor(delta / (handled === basic.length + 1 ? 700 : 2)), handled);
			delta = 0;
		}
		delta++;
	}
	return length;
}

function adaptedBias(halved: number, count: number): number {
	let rest = halved + Math.floor(halved / count);
	let k = 0;
	for (; rest > 455; k += 36) rest = Math.floor(rest / 35);
	return k + Math.floor((36 * rest) / (rest + 38));
}
