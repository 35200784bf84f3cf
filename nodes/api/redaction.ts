import { cloneDeepWith, escapeRegExp, memoize } from 'lodash';

/** No text from outside carries a secret of ours on: it is taken out where the text enters (see `client.ts`). */

const HIDDEN = '[hidden]';
/** A shorter secret would blank out ordinary words; no key of a service is that short. */
const MIN_SECRET_LENGTH = 6;
/** A secret that begins where a text is cut must still be found whole; no key or address of a service is longer. */
const MAX_SECRET_LENGTH = 1_000;
/** How much of a text goes into an error, in characters. */
const MAX_TEXT_LENGTH = 4_000;

/** Takes the secrets out of every text in a value, in place where it is an object. */
export type Redact = <T>(value: T) => T;

/** Hides secrets: in the clear, percent-encoded, escaped as in JSON or HTML, and in Base64 with whatever is around them. */
export function redactor(secrets: readonly string[]): Redact {
	const known = [...new Set(secrets)].filter(({ length }) => length >= MIN_SECRET_LENGTH);
	if (known.length === 0) return (value) => value;
	const forms = known.flatMap(formsOf);
	// No form is shorter than the secret: most texts are.
	const shortest = Math.min(...known.map((secret) => oneBackslash(secret).length));
	// The longest first: a part of it that is hidden would leave the rest.
	const pattern = new RegExp(forms.sort((a, b) => b.length - a.length).join('|'), 'giu');
	return (value) =>
		eachText(value, (text) => (text.length < shortest ? text : text.replace(pattern, HIDDEN)));
}

/** Addresses in a value keep their queries only where those are not signed. */
export const withoutSignedQueries: Redact = (value) => eachText(value, withoutQueries);

/** A copy whose fields named like a secret are hidden, whatever is in them. */
export const withoutSecretFields: Redact = (value) =>
	cloneDeepWith(value, (inner: unknown, name) =>
		/secret/i.test(String(name)) && ['string', 'object'].includes(typeof inner) ? HIDDEN : undefined,
	) as typeof value;

/** As much of a text as is looked at: what is left of it after that, see {@link bounded}. */
export const beginning = (text: string): string => text.slice(0, MAX_TEXT_LENGTH + MAX_SECRET_LENGTH);

/** What a service says of a failure: its texts are cut, then rid of secrets and signed queries. */
export const bounded = <T>(value: T, redact: Redact): T =>
	eachText(redact(withoutSignedQueries(eachText(value, beginning))), (text) =>
		text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text,
	);

/** Patterns that match a secret: its characters however they are escaped, and what Base64 makes of it. */
const formsOf = (secret: string): string[] => [
	escapedForms(secret),
	...[0, 1, 2].map((before) => `${escapedForms(base64Of(secret, before))}[\\w+/-]*=*`),
];

/** The characters of Base64 that depend on the secret alone, with so many bytes encoded before it. */
function base64Of(secret: string, before: number): string {
	const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
	return bytes.toString('base64').slice(Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3));
}

/** A run of backslashes counts as one: character by character, they could be matched in too many ways. */
const oneBackslash = (text: string): string => text.replace(/\\+/g, '\\');
const escapedForms = (text: string): string => [...oneBackslash(text)].map(escapedForm).join('');

const entities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
/** Characters that JSON may escape, and two that Base64 for URLs writes in another way. */
const variants: Record<string, string> = {
	...{ '"': '\\\\{0,8}"', "'": "\\\\{0,8}'", '/': '\\\\{0,8}[/_]', '+': '[+-]' },
};

/** A pattern for a character: percent-encoded, escaped as in JSON or HTML, or as it is. */
const escapedForm = memoize((char: string): string => {
	const code = char.codePointAt(0)!;
	const utf8 = [...Buffer.from(char)].map((byte) => `%(?:25)*${hex(byte, 2)}`).join('');
	const utf16 = char.split('').map((unit) => `\\\\{1,8}u${hex(unit.charCodeAt(0), 4)}`);
	const entity = `&(?:amp;)*(?:#0*${code}|#x0*${hex(code)}|${entities[char] ?? '#'});`;
	const forms = [utf8, utf16.join(''), entity, variants[char] ?? escapeRegExp(char)].join('|');
	return char === '\\' ? `(?:${forms}){1,400}` : `(?:${forms})`;
});

const hex = (value: number, length = 1): string => value.toString(16).padStart(length, '0');

/** Escapes of ASCII characters, percent-encoded or as in JSON or HTML: `%2F`, `\/`, `\u002f`, `&#x2f;`, `&amp;`. */
const unescaped = (text: string): string =>
	text
		.replace(/(?:%(?:25)*|(?<!\\)\\+u00|&(?:amp;)*#x0*)([0-7][0-9a-f]);?/gi, (_escape, digits: string) =>
			String.fromCharCode(parseInt(digits, 16)),
		)
		.replace(/&(?:amp;)*#0*(\d{2,3});/g, (_escape, digits: string) => String.fromCharCode(Number(digits)))
		.replace(/(?<!\\)\\+\//g, '/');

/** Word by word: a regular expression over the whole text would begin anew at each `http://`. */
const withoutQueries = (text: string): string =>
	/https?/i.test(text) ? text.replace(/[^\s"'<>]+/g, withoutSignedQuery) : text;

const questionMark = /\?|%(?:25)*3f|(?<!\\)\\+u003f|&(?:amp;)*#(?:x0*3f|0*63);/i;
const signature =
	/[?&;_-](x-(amz|goog|oss)-|sig|signature|token|key|apikey|credential|policy|secret|password|auth)/i;

/** A word up to its first question mark, where an address with a signed query is in it. */
function withoutSignedQuery(word: string): string {
	const plain = unescaped(word.replace(questionMark, '?'));
	const start = plain.search(/https?:\/\//i);
	const query = start < 0 ? -1 : plain.indexOf('?', start);
	const isSigned = query >= 0 && signature.test(plain.slice(query));
	return isSigned ? `${word.split(questionMark)[0]}?${HIDDEN}` : word;
}

/** Changes every text in a value; without recursion, since what comes from outside may be nested deep. */
function eachText<T>(value: T, change: (text: string) => string): T {
	const root: Record<string, unknown> = { value };
	const open: Array<Record<string, unknown>> = [root];
	for (let one = open.pop(); one; one = open.pop())
		for (const [name, inner] of Object.entries(one)) {
			if (typeof inner === 'object' && inner !== null) open.push(inner as Record<string, unknown>);
			const newName = Array.isArray(one) ? name : change(name);
			if (newName !== name) delete one[name];
			if (typeof inner === 'string') one[newName] = change(inner);
			else if (newName !== name) one[newName] = inner;
		}
	return root.value as T;
}
