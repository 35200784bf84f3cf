import { cloneDeepWith, escapeRegExp, isNil, sortBy, uniq } from 'lodash';

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

/** Hides secrets: in the clear, percent-encoded, escaped as in JSON, and in Base64. */
export function redactor(secrets: string[]): Redact {
	const known = secrets.filter(({ length }) => length >= MIN_SECRET_LENGTH);
	if (known.length === 0) return (value) => value;
	const forms = uniq(
		known.flatMap((secret) => [
			secret,
			encodeURIComponent(secret),
			JSON.stringify(secret).slice(1, -1),
			Buffer.from(secret).toString('base64').replace(/=+$/, ''),
		]),
	);
	// The longest first: a part of it that is hidden would leave the rest.
	const pattern = new RegExp(
		sortBy(forms, ({ length }) => -length)
			.map(escapeRegExp)
			.join('|'),
		'gi',
	);
	return (value) => eachText(value, (text) => text.replace(pattern, HIDDEN));
}

/** What signs an address: S3, Google, Azure and others. */
const signature =
	/[?&;_~-](x-(amz|goog|oss)-|sig|token|(api)?key|credential|policy|secret|password|(temp)?auth|jwt|hmac)/i;

/** Addresses in a value keep their queries only where those are not signed. */
export const withoutSignedQueries: Redact = (value) =>
	// Word by word: a regular expression over the whole text would begin anew at each `http://`.
	eachText(value, (text) => (/https?:/i.test(text) ? text.replace(/[^\s"'<>]+/g, withoutSignedQuery) : text));

function withoutSignedQuery(word: string): string {
	const [address, query] = [word.split('?')[0]!, word.slice(word.indexOf('?'))];
	const isSigned = address !== word && /https?:\/\//i.test(address) && signature.test(query);
	return isSigned ? `${address}?${HIDDEN}` : word;
}

/** What fields of secrets are called: the spec doesn't name that of a webhook's. */
export const secretNames = /secret|token|password|signing.?key/i;

/** A copy whose fields named like a secret are hidden, whatever is in them. */
export const withoutSecretFields: Redact = (value) =>
	cloneDeepWith(value, (inner: unknown, name) =>
		secretNames.test(String(name)) && !isNil(inner) && typeof inner !== 'boolean' ? HIDDEN : undefined,
	) as typeof value;

/** As much of a text as is looked at: what is left of it after that, see {@link bounded}. */
const beginning = (text: string): string => text.slice(0, MAX_TEXT_LENGTH + MAX_SECRET_LENGTH);

/** What a service says of a failure: its texts are cut, then rid of secrets and signed queries. */
export const bounded = <T>(value: T, redact: Redact): T =>
	eachText(redact(withoutSignedQueries(eachText(value, beginning))), (text) =>
		text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text,
	);

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
