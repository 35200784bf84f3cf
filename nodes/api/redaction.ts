import { cloneDeepWith, escapeRegExp, isNil, memoize, sortBy } from 'lodash';

/** No text from outside carries a secret of ours on: it is taken out where the text enters (see `client.ts`). */

const HIDDEN = '[hidden]';
/** A shorter secret would blank out ordinary words, and could be guessed; no key of a service is that short. */
export const MIN_SECRET_LENGTH = 6;
/** A secret that begins where a text is cut must still be found whole; no key or address of a service is longer. */
const MAX_SECRET_LENGTH = 1_000;
/** How much of a text goes into an error, in characters. */
const MAX_TEXT_LENGTH = 4_000;

/** Takes the secrets out of every text in a value, in place where it is an object. */
export type Redact = <T>(value: T) => T;

/** Hides secrets: in the clear, percent-encoded, escaped as in JSON or HTML, and in Base64 with whatever is around them. */
export function redactor(secrets: string[]): Redact {
	const known = secrets.filter((secret) => plain(secret).length >= MIN_SECRET_LENGTH);
	if (known.length === 0) return (value) => value;
	const forms = known.flatMap((secret) => [
		// What looks like an escape in it may be written character by character.
		...[secret, plain(secret), withoutBackslashes(secret)].map(escapeRegExp),
		...base64Of(secret).map((one) => `${escapeRegExp(one)}[\\w+/-]*=*`),
	]);
	// The longest first: a part of it that is hidden would leave the rest.
	const pattern = new RegExp(sortBy(forms, ({ length }) => -length).join('|'), 'gi');
	return (value) => eachText(value, (text) => hide(text.replace(pattern, HIDDEN), pattern));
}

/** Addresses in a value keep their queries only where those are not signed. */
export const withoutSignedQueries: Redact = (value) =>
	// Word by word: a regular expression over the whole text would begin anew at each `http://`.
	eachText(value, (text) => (/https?/i.test(text) ? text.replace(/[^\s"'<>]+/g, withoutSignedQuery) : text));

/** What fields of secrets are called: the spec doesn't name that of a webhook's. */
export const secretNames = /secret|token|password|signing.?key/i;

/** A copy whose fields named like a secret are hidden, whatever is in them. */
export const withoutSecretFields: Redact = (value) =>
	cloneDeepWith(value, (inner: unknown, name) =>
		secretNames.test(String(name)) && !isNil(inner) && typeof inner !== 'boolean' ? HIDDEN : undefined,
	) as typeof value;

/** As much of a text as is looked at: what is left of it after that, see {@link bounded}. */
export const beginning = (text: string): string => text.slice(0, MAX_TEXT_LENGTH + MAX_SECRET_LENGTH);

/** What a service says of a failure: its texts are cut, then rid of secrets and signed queries. */
export const bounded = <T>(value: T, redact: Redact): T =>
	eachText(redact(withoutSignedQueries(eachText(value, beginning))), (text) =>
		text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text,
	);

/** The characters of Base64, and of Base64 for URLs, that depend on the secret alone, with 0, 1 or 2 bytes before it. */
const base64Of = (secret: string): string[] =>
	[0, 1, 2].flatMap((before) => {
		const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
		const [start, end] = [Math.ceil((before * 4) / 3), Math.floor((bytes.length * 4) / 3)];
		return [bytes.toString('base64').slice(start, end), bytes.toString('base64url').slice(start, end)];
	});

/**
 * A character in UTF-8, percent-encoded, escaped as in JSON or as in HTML, each again and again. A run of backslashes is
 * looked at from its start alone, which takes linear time; a group to capture would take most of the time.
 */
const escapes =
	/%(?:25)*[\da-f]{2}(?:%(?:25)*[89ab][\da-f])*|(?<!\\)\\+u[\da-f]{4}|&(?:amp;)*(?:#\d+|#x[\da-f]+|amp|lt|gt|quot|apos);/gi;
const entities: Record<string, string> = { 'amp;': '&', 'lt;': '<', 'gt;': '>', 'quot;': '"', 'apos;': "'" };

/** Of a backslash nobody knows whether it belongs to the next character. */
const withoutBackslashes = (text: string): string => text.replaceAll('\\', '');

/** How many kinds of escapes inside each other are taken off: JSON in HTML in an address. */
const LAYERS = [1, 2, 3];

function plain(text: string): string {
	// A long text may have one escape a million times.
	const chars = memoize(unescaped);
	return withoutBackslashes(LAYERS.reduce((inner) => inner.replace(escapes, (one) => chars(one)), text));
}

function unescaped(escape: string): string {
	if (escape.startsWith('%'))
		return Buffer.from(escape.replace(/%(25)*(?=[\da-f]{2})/gi, ''), 'hex').toString();
	const [, hex, decimal] = /(?:#x|\\u)([\da-f]+)|#(\d+)/i.exec(escape) ?? [];
	const named = entities[escape.toLowerCase().replace(/&(amp;(?=.))*/, '')];
	const code = hex ? parseInt(hex, 16) : Number(decimal);
	return named ?? String.fromCodePoint(code <= 0x10ffff ? code : 0xfffd);
}

/** A text without the words whose plain form has what a pattern finds; nothing of it where that spans words. */
function hide(text: string, pattern: RegExp): string {
	// Most texts have no escape.
	if (!/[%&\\]/.test(text)) return text;
	const has = (one: string): boolean => plain(one).search(pattern) >= 0;
	if (!has(text)) return text;
	const left = text.replace(/[^\s"'<>]+/g, (word) => (has(word) ? HIDDEN : word));
	return has(left) ? HIDDEN : left;
}

/** Also those of SharePoint, Dropbox, Discord, Facebook, LinkedIn, imgix, nginx, Akamai and Cloudflare. */
const signature =
	/[?&;_~-](x-(amz|goog|oss)-|sig|signature|token|(api|rl)?key|credential|policy|secret|password|(temp)?auth|jwt|hmac|(hm|oh|s|t|md5|verify)=[\w%-]{20})/i;

const questionMark = /\?|%(?:25)*3f|(?<!\\)\\+u003f|&(?:amp;)*#(?:63|x3f);/i;

/** A word up to its first question mark, where an address with a signed query is in it. */
function withoutSignedQuery(word: string): string {
	const text = plain(word);
	const start = text.search(/https?:\/\//i);
	const query = start < 0 ? -1 : text.indexOf('?', start);
	if (query < 0 || !signature.test(text.slice(query))) return word;
	const kept = word.slice(0, Math.max(0, word.search(questionMark)));
	// Written in a way that only `plain` knows: nothing of it stays.
	return `${plain(kept).includes('?') ? '' : kept}?${HIDDEN}`;
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
