/** No text from outside carries a secret of ours on: it is taken out where the text enters (see `client.ts`). */

const HIDDEN = '[hidden]';
/** A shorter secret would blank out ordinary words; no key of a service is that short. */
const SHORTEST = 6;
/** A secret that begins where a text is cut must still be found whole; no key or address of a service is longer. */
const LONGEST = 1_000;
/** How much of a text goes into an error, in characters. */
const LONGEST_TEXT = 4_000;

/** Takes the secrets out of every text in a value, in place where it is an object. */
export type Redact = <T>(value: T) => T;

/** @param secrets in the clear; also hidden where they are encoded for addresses or JSON */
export function redactor(secrets: readonly string[]): Redact {
	const forms = [...new Set(secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf))];
	// The longest first: a part of it that is hidden would leave the rest.
	forms.sort((a, b) => b.length - a.length);
	return (value) =>
		eachText(value, (text) => forms.reduce((rest, form) => rest.split(form).join(HIDDEN), text));
}

/** Addresses in a value keep their queries only where those are not signed. */
export const withoutSignedQueries: Redact = (value) => eachText(value, withoutQueries);

/** As much of a text as is looked at: what is left of it after that, see {@link bounded}. */
export const beginning = (text: string): string => text.slice(0, LONGEST_TEXT + LONGEST);

/** What a service says of a failure: its texts are cut, then rid of secrets and signed queries. */
export const bounded = <T>(value: T, redact: Redact): T =>
	eachText(redact(withoutSignedQueries(eachText(value, beginning))), (text) =>
		text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text,
	);

/** Word by word: a regular expression over the whole text would begin anew at each `http://`. */
const withoutQueries = (text: string): string =>
	text.includes('?') ? text.replace(/[^\s"'<>]+/g, withoutQuery) : text;

function withoutQuery(word: string): string {
	const start = word.search(/https?:\/\//i);
	if (start < 0) return word;
	const mark = word.indexOf('?', start);
	return mark >= 0 && isSigned(word.slice(mark + 1)) ? `${word.slice(0, mark)}?${HIDDEN}` : word;
}

const isSigned = (query: string): boolean =>
	/(^|[&;_-])(x-(amz|goog|oss)-|sig|signature|token|key|apikey|credential|policy|secret|password|auth)/i.test(
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

function formsOf(secret: string): string[] {
	// Half of a pair of surrogates can't be encoded, nor stand in an answer.
	const address = /\p{Cs}/u.test(secret) ? secret : encodeURIComponent(secret);
	const inSmallLetters = address.replace(/%../g, (sign) => sign.toLowerCase());
	return [secret, address, inSmallLetters, JSON.stringify(secret).slice(1, -1)];
}
