import cloneDeepWith from 'lodash/cloneDeepWith';

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
	const forms = [...new Set(secrets)].filter(({ length }) => length >= MIN_SECRET_LENGTH).flatMap(formsOf);
	if (forms.length === 0) return (value) => value;
	// The longest first: a part of it that is hidden would leave the rest.
	const pattern = new RegExp(forms.sort((a, b) => b.length - a.length).join('|'), 'gu');
	return (value) => eachText(value, (text) => text.replace(pattern, HIDDEN));
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

/** A run of backslashes counts as one: each with forms of its own, they could be matched in too many ways. */
const escapedForms = (text: string): string => (text.match(/\\+|[^\\]/gsu) ?? []).map(escapedForm).join('');

const entities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };
/** Base64 for URLs has other characters for two of them. */
const base64Url: Readonly<Record<string, string>> = { '+': '-', '/': '_' };

/** A pattern for a character, or a run of backslashes: percent-encoded, escaped as in JSON or HTML, or as it is. */
function escapedForm(char: string): string {
	const code = char.codePointAt(0)!;
	const utf16 = char.split('').map((unit) => `\\\\{1,8}u${hex(unit.charCodeAt(0), 4)}`);
	const utf8 = [...Buffer.from(char)].map((byte) => `%(?:25)*${hex(byte, 2)}`);
	const names = [`#0*${code}`, `#[xX]0*${hex(code)}`, ...(entities[char] ? [entities[char]] : [])];
	const entity = `(?:&(?:amp;)*(?:${names.join('|')});){${char.startsWith('\\') ? char.length : 1}}`;
	const plain = char.startsWith('\\')
		? `\\\\{${char.length},${8 * char.length}}`
		: `${/["'/]/.test(char) ? '\\\\{0,8}' : ''}[${literal(char)}${base64Url[char] ?? ''}]`;
	return `(?:${[utf8.join(''), utf16.join(''), entity, plain].join('|')})`;
}

/** A pattern for a number in hexadecimal, in capitals or small letters. */
const hex = (value: number, length = 1): string =>
	value
		.toString(16)
		.padStart(length, '0')
		.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

const literal = (char: string): string => (/[\\^\]-]/.test(char) ? `\\${char}` : char);

/** Escapes of ASCII characters, percent-encoded or as in JSON or HTML: `%2F`, `\/`, `\u002f`, `&#x2f;`, `&amp;`. */
const unescaped = (text: string): string =>
	text
		.replace(/(?:%(?:25)*|(?<!\\)\\+u00|&(?:amp;)*#x0*)([0-7][0-9a-f]);?/gi, (_escape, digits: string) =>
			String.fromCharCode(parseInt(digits, 16)),
		)
		.replace(/(?<!\\)\\+\//g, '/');

/** Word by word: a regular expression over the whole text would begin anew at each `http://`. */
const withoutQueries = (text: string): string =>
	/https?/i.test(text) ? text.replace(/[^\s"'<>]+/g, withoutSignedQuery) : text;

/** A word up to the query of the address in it, where that is signed. */
function withoutSignedQuery(word: string): string {
	const start = word.search(/https?[:%\\&]/i);
	if (start < 0) return word;
	const mark = /\?|%(?:25)*3f|(?<!\\)\\+u003f|&(?:amp;)*#(?:x0*3f|0*63);/i.exec(word.slice(start));
	if (!mark) return word;
	const end = start + mark.index;
	const isAddress = /^https?:\/\//i.test(unescaped(word.slice(start, end)));
	return isAddress && isSignedQuery(unescaped(word.slice(end))) ? `${word.slice(0, end)}?${HIDDEN}` : word;
}

const isSignedQuery = (query: string): boolean =>
	/[?&;_-](x-(amz|goog|oss)-|sig|signature|token|key|apikey|credential|policy|secret|password|auth)/i.test(
		query,
	);

/** Changes every text in a value; without recursion, since what comes from outside may be nested deep. */
function eachText<T>(value: T, change: (text: string) => string): T {
	const root: Record<string, unknown> = { value };
	const open: Array<Record<string, unknown>> = [root];
	// A value that contains itself would be gone through for ever, and n8n with it.
	const met = new Set<unknown>();
	for (let one = open.pop(); one; one = open.pop())
		for (const [name, inner] of Object.entries(one)) {
			if (typeof inner === 'object' && inner !== null && !met.has(inner)) {
				met.add(inner);
				open.push(inner as Record<string, unknown>);
			}
			const newName = Array.isArray(one) ? name : change(name);
			if (newName !== name) delete one[name];
			if (typeof inner === 'string') one[newName] = change(inner);
			else if (newName !== name) one[newName] = inner;
		}
	return root.value as T;
}
