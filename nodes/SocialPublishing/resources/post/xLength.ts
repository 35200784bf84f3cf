import sumBy from 'lodash/sumBy';

import { topLevelDomains } from './networkTlds';

/**
 * How X counts a text: twitter-text 3.1.0 with its configuration v3 (Apache 2.0; checked on 2026-11-23),
 * https://docs.x.com/fundamentals/counting-characters. A test compares the two.
 */

const LINK_LENGTH = 23;
const MAX_LINK_LENGTH = 4096;
const MAX_SHORT_LINK_LENGTH = 40;
const MAX_LABEL_LENGTH = 63;
/** Longer words are counted without links: looking for them would take seconds. */
const MAX_WORD_LENGTH = 5000;

/** What a text counts on X: most characters 1, emoji and CJK 2, a link 23. */
export function weightedLength(text: string): number {
	const normalized = text.normalize();
	const parts = new Map([...emojiIn(normalized), ...linksIn(normalized)]);
	let sum = 0;
	for (let i = 0; i < normalized.length;) {
		const { length, weight } = parts.get(i) ?? characterAt(normalized, i);
		sum += weight;
		i += length;
	}
	return sum;
}

interface TextPart {
	/** In UTF-16 code units. */
	length: number;
	weight: number;
}

/** Latin to Georgian, and the usual punctuation. */
const isLight = (point: number): boolean =>
	point <= 0x10ff ||
	(point >= 0x2000 && point <= 0x200d) ||
	(point >= 0x2010 && point <= 0x201f) ||
	(point >= 0x2032 && point <= 0x2037);

function characterAt(text: string, index: number): TextPart {
	const point = text.codePointAt(index)!;
	return { length: point > 0xffff ? 2 : 1, weight: isLight(point) ? 1 : 2 };
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
/** By their first letter. */
const flags =
	'acdefgilmoqrstuwxz babdefghijlmnoqrstvwyz cacdfghiklmnopruvwxyz degjkmoz eaceghrstu fijkmor gabdefghilmnpqrstuwy hkmnrtu icdelmnoqrst jemop keghimnprwyz labcikrstuvy macdefghklmnopqrstuvwxyz nacefgilopruz om paefghklmnrstwy qa reosuw sabcdeghijklmnorstvxyz tacdfghjklmnortvwz uagmnsyz vaceginu wfs xk yet zamw';

const indicator = (letter: string): string => String.fromCodePoint(letter.charCodeAt(0) + 0x1f185);
const tag = (name: string): string =>
	[...name].map((letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xe0000)).join('');

const emoji = new RegExp(
	[
		`[👨👩]${TONE}?${JOINED}${professions}`,
		`[⛹🏋🏌🕴🕵](?:${TONE}|${STYLED})${JOINED}[♀♂]${STYLED}`,
		`[${gendered}]${TONE}?${JOINED}[♀♂]${STYLED}`,
		`(?:👨${JOINED}❤${STYLED}${JOINED}(?:💋${JOINED})?👨|👩${JOINED}❤${STYLED}${JOINED}(?:💋${JOINED})?[👨👩])`,
		`(?:👨${JOINED}[👨👩]|👩${JOINED}👩|[👨👩])${JOINED}(?:👦${JOINED}👦|👧${JOINED}[👦👧]|[👦👧])`,
		`🏳${STYLED}${JOINED}🌈`,
		`🏴${JOINED}☠${STYLED}`,
		`👁${JOINED}🗨`,
		`[👯🤼🧞🧟]${JOINED}[♀♂]${STYLED}`,
		`[#*0-9]${STYLED}?\\u20e3`,
		`[${symbols}]${STYLED}`,
		`[${styledPeople}](?:${STYLED}${TONE}?|${TONE})`,
		`[${people}]${TONE}`,
		`🏴(?:${['gbeng', 'gbsct', 'gbwls'].map(tag).join('|')})\\u{e007f}`,
		...flags
			.split(' ')
			.map(([first = '', ...rest]) => indicator(first) + `[${rest.map(indicator).join('')}]`),
	].join('|'),
	'gu',
);

const emojiIn = (text: string): Array<[number, TextPart]> =>
	[...text.matchAll(emoji)].map(({ 0: { length }, index }) => [index, { length, weight: 2 }]);

const SPACE = '\\t-\\r \\x85\\xa0\\u1680\\u180e\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const INVALID = '\\ufffe\\ufeff\\uffff';
const DIRECTION = '\\u202a-\\u202e\\u061c\\u200e\\u200f\\u2066-\\u2069';
/** But for `-` and `_`. */
const PUNCTUATION = "!'#%&()*+,\\\\./:;<=>?@\\[\\]^{|}~$";
const LATIN =
	'\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u024f\\u0253\\u0254\\u0256\\u0257\\u0259\\u025b\\u0263\\u0268\\u026f\\u0272\\u0289\\u028b\\u02bb\\u0300-\\u036f\\u1e00-\\u1eff';
const other = `${PUNCTUATION}${SPACE}${INVALID}${DIRECTION}`;
const letter = `[^_\\-${other}]`;
const topLevel = `(?:(?:${topLevelDomains.join('|')})(?=[^0-9a-z@+-]|$)|xn--[\\-0-9a-z]+)`;
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
const shortLink = new RegExp(`^https?://t\\.co/([a-z0-9]+)(?:${urlQuery})?`, 'i');
/** With the space before it, which takes part in the match. */
const wordPattern = new RegExp(`[${SPACE}]?[^${SPACE}]+`, 'g');

const linksIn = (text: string): Array<[number, TextPart]> =>
	[...text.matchAll(wordPattern)]
		.filter(([one]) => one.includes('.') && one.length <= MAX_WORD_LENGTH)
		.flatMap(({ 0: one, index: start }) =>
			[...one.matchAll(linkPattern)].flatMap((match) =>
				spansOf(match).map(([index, length]): [number, TextPart] => [
					start + index,
					{ length, weight: LINK_LENGTH },
				]),
			),
		);

/** Where a match has links, and how long they are: none, one, or without a protocol perhaps several. */
function spansOf(match: RegExpMatchArray): Array<[index: number, length: number]> {
	const [whole, before = '', url = '', protocol, host = '', hasPath] = match;
	const start = match.index! + whole.length - url.length;
	if (!isHost(host) || (protocol ?? 'https://').length + url.length > MAX_LINK_LENGTH) return [];
	if (protocol) {
		const short = shortLink.exec(url);
		if (!short) return [[start, url.length]];
		return short[1]!.length > MAX_SHORT_LINK_LENGTH ? [] : [[start, short[0].length]];
	}
	if (/[-_./]$/.test(before)) return [];
	const hosts = [...host.matchAll(asciiDomain)];
	return hosts.map(({ 0: one, index }, i) => {
		const rest = hasPath && i === hosts.length - 1 ? url.length - host.length : 0;
		return [start + index, one.length + rest];
	});
}

const isHost = (host: string): boolean =>
	(!host.startsWith('xn--') || host.search(asciiDomain) >= 0) &&
	host.split('.').every((label) => {
		const labels = label.split(/[\u3002\uff0e\uff61]/);
		const length = labels.length - 1 + sumBy(labels, encodedLength);
		return length > 0 && length <= MAX_LABEL_LENGTH;
	});

/** How long a label is in Punycode (RFC 3492); of one that is too long, any length above the maximum. */
function encodedLength(label: string): number {
	const points = [...label].map((one) => one.codePointAt(0)!);
	const basic = points.filter((point) => point < 0x80).length;
	if (/^[ -~]*$/.test(label)) return label.length;
	let length = 'xn--'.length + basic + (basic > 0 ? 1 : 0);
	let [current, delta, bias] = [0x80, 0, 72];
	for (let handled = basic; handled < points.length && length <= MAX_LABEL_LENGTH; delta++, current++) {
		const next = Math.min(...points.filter((point) => point >= current));
		delta += (next - current) * (handled + 1);
		current = next;
		for (const point of points) {
			if (point < current) delta++;
			if (point !== current) continue;
			let rest = delta;
			for (let k = 36; ; k += 36) {
				const threshold = Math.min(Math.max(k - bias, 1), 26);
				length++;
				if (rest < threshold) break;
				rest = Math.floor((rest - threshold) / (36 - threshold));
			}
			bias = adapted(delta, handled + 1, handled === basic);
			delta = 0;
			handled++;
		}
	}
	return length;
}

function adapted(delta: number, count: number, isFirst: boolean): number {
	let rest = Math.floor(delta / (isFirst ? 700 : 2));
	rest += Math.floor(rest / count);
	let k = 0;
	for (; rest > 455; k += 36) rest = Math.floor(rest / 35);
	return k + Math.floor((36 * rest) / (rest + 38));
}
