import { ApiError } from './envelope';

export interface Answer {
	status: number;
	/** Undefined: no body (204). */
	data?: unknown;
	/** Of a failure that is remembered: 422. */
	error?: { code: string; message: string };
}

interface Entry {
	request: string;
	/** Fails where the request did not act. */
	answer: Promise<Answer>;
}

/** Spec, "Common rules": 1 to 255 printable ASCII characters; the error table refuses spaces. */
export function checkKey(key: string | undefined, required: boolean): void {
	if (key === undefined) {
		if (!required) return;
		throw new ApiError('PUBLIC_API_IDEMPOTENCY_REQUIRED', 'Send an Idempotency-Key with every POST.');
	}
	if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
		throw new ApiError(
			'PUBLIC_API_IDEMPOTENCY_KEY_INVALID',
			'The Idempotency-Key has to be 1 to 255 printable ASCII characters without spaces.',
		);
	}
}

/** The same JSON in another order of fields is the same request. */
export function canonical(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
	if (value !== null && typeof value === 'object') {
		const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
		return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
	}
	return JSON.stringify(value) ?? 'null';
}

/**
 * Spec, "Common rules" and the error table. Per API key and workspace. The answer to a replay is not shown in
 * the spec; here it is the stored one. Answers to requests that did not act (400 to 409, 429, 5xx) are not
 * remembered: the same key may then be used again.
 */
export class Idempotency {
	private readonly entries = new Map<string, Entry>();

	async run(
		scope: string,
		request: string,
		act: () => Promise<Answer>,
	): Promise<{ answer: Answer; replayed: boolean }> {
		for (let known = this.entries.get(scope); known; known = this.entries.get(scope)) {
			if (known.request !== request) {
				throw new ApiError(
					'PUBLIC_API_IDEMPOTENCY_CONFLICT',
					'This Idempotency-Key was used with a different request.',
				);
			}
			const answer = await known.answer.catch(() => undefined);
			if (answer) return { answer, replayed: true };
		}
		const entry: Entry = { request, answer: act() };
		this.entries.set(scope, entry);
		try {
			return { answer: await entry.answer, replayed: false };
		} catch (error) {
			this.entries.delete(scope);
			throw error;
		}
	}

	reset(): void {
		this.entries.clear();
	}
}
