/**
 * How X counts a text (https://docs.x.com/fundamentals/counting-characters): most characters 1, emoji and CJK 2, a link 23. A
 * test compares it with twitter-text 3.1.0, which knows more endings of links without a protocol, and fewer emoji.
 */

const LINK_LENGTH = 23;
/** Longer words are counted without links: looking for them would take seconds. */
const MAX_WORD_LENGTH = 5000;

/** Latin to Georgian, and the usual punctuation, count 1. */
const light = /[\0-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]/;
const emoji = new RegExp('\\p{RGI_Emoji}', 'gv');
const word = /\s?\S+/g;

/** What makes a word without a protocol a link. */
export const endings =
	'com|org|net|edu|gov|info|biz|io|co|ai|app|dev|me|tv|eu|us|uk|ca|au|de|at|ch|fr|es|it|nl|jp|in|br|' +
	'be|se|no|dk|fi|pl|cz|pt|ie|ru|ua|tr|mx|nz|za|kr|cn|ly|shop|store|online|blog|link|site|xyz|club';
/** Of links with a protocol, beside those in Latin letters. */
const otherEndings = 'рф|рус|укр|бел|срб|中国|台湾|香港|한국|भारत|xn--[a-z0-9-]+';
const notInLabel =
	"!'#%&()*+,\\\\./:;<=>?@\\[\\]^{|}~$\\s\\ufffe\\ufeff\\uffff\\u202a-\\u202e\\u061c\\u200e\\u200f";
const label = `[^_\\-${notInLabel}](?:[^${notInLabel}]*[^_\\-${notInLabel}])?`;
const end = '(?=[^0-9a-z@+-]|$)(?::\\d+)?';
const letters = '\\u0300-\\u036fa-z0-9\\xc0-\\xd6\\xd8-\\xf6\\xf8-\\u024f\\u0400-\\u04ff\\u1e00-\\u1eff';
const inPath = `[${letters}!*';:=+,.$\\/%#\\[\\]\\-–_~@\\|&]`;
const inBrackets = `\\((?:${inPath}|\\(${inPath}+\\))+\\)`;
const path = `\\/(?:${inPath}|${inBrackets})*(?<=[${letters}+\\-=_#\\/)])`;
const afterPath = "(?:\\?[a-z0-9!?*'@();:&=+$\\/%#\\[\\]\\-_.,~\\|]*[a-z0-9\\-_&=#\\/])?";
const links = new RegExp(
	`(?<![a-z0-9@＠$#＃])https?:\\/\\/(?:${label}\\.)+(?:${otherEndings}|[a-z]{2,})${end}(?:${path})?${afterPath}` +
		'|(?:(?<![a-z0-9À-ɏ@＠$#＃_.\\/\\-])|(?<=[^\\0-ɏ]\\.))' +
		`(?:[a-z0-9À-ɏ][a-z0-9À-ɏ-]*\\.)+(?:${endings})${end}(?:${path}${afterPath})?`,
	'giu',
);

export function weightedLength(text: string): number {
	let sum = 0;
	/** Counts a part of the text and takes it out. */
	const counted = (weight: number) => () => {
		sum += weight;
		return '';
	};
	const hasLink = (one: string) => one.includes('.') && one.length <= MAX_WORD_LENGTH;
	const rest = text
		.normalize()
		.replace(word, (one) => (hasLink(one) ? one.replace(links, counted(LINK_LENGTH)) : one))
		.replace(emoji, counted(2));
	for (const one of rest) sum += light.test(one) ? 1 : 2;
	return sum;
}
