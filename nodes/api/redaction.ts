/** No text from outside carries a secret of ours on: it is taken out where the text enters (see `client.ts`). */

const HIDDEN = '[hidden]';
/** A shorter secret would blank out ordinary words; no key of a service is that short. */
const SHORTEST = 6;

/** Takes the secrets out of every text in a value, in place where it is an object. */
export type Redact = <T>(value: T) => T;

/** @param secrets in the clear; also hidden where they are encoded for addresses, HTML, JSON or in Base64 */
export function redactor(secrets: readonly string[]): Redact {
	const forms = [...new Set(secrets.filter(({ length }) => length >= SHORTEST).flatMap(formsOf))];
	// The longest first: a part of it that is hidden would leave the rest.
	forms.sort((a, b) => b.length - a.length);
	return (value) =>
		eachText(value, (text) => forms.reduce((rest, form) => rest.split(form).join(HIDDEN), text));
}

/** Addresses in a value keep their queries only where those are not signed. */
export const withoutSignedQueries: Redact = (value) =>
	eachText(value, (text) =>
		text.replace(/\b(https?:\/\/[^\s"'<>?]*)\?([^\s"'<>]*)/gi, (address, base: string, query: string) =>
			isSigned(query) ? `${base}?${HIDDEN}` : address,
		),
	);

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
	const html = secret.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
	const named = secret
		.replace(/&/g, '&amp;')
		.replace(/</g, '&lt;')
		.replace(/>/g, '&gt;')
		.replace(/"/g, '&quot;');
	// Half of a pair of surrogates can't be encoded, nor stand in an answer.
	const address = /\p{Cs}/u.test(secret) ? secret : encodeURIComponent(secret);
	return [
		secret,
		address,
		address.toLowerCase(),
		html,
		named,
		JSON.stringify(secret).slice(1, -1),
		...base64(secret),
	];
}

/** In Base64 a text looks different at each of three offsets; at its ends letters depend on what stands beside it. */
const base64 = (secret: string): string[] =>
	[0, 1, 2].flatMap((offset) => {
		const bytes = Buffer.from('\0'.repeat(offset) + secret);
		const own = (encoded: string) =>
			encoded.slice(Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3));
		return [own(bytes.toString('base64')), own(bytes.toString('base64url'))];
	});
