import { createHash } from 'node:crypto';

import { limits } from '../../api/contract';
import { refusal } from '../../api/errors';

export type KeyMode = 'execution' | 'content' | 'custom';

/** A short fingerprint of a text. */
export const hashOf = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** A key made of `parts`: the same parts give the same key, in 47 printable characters. */
export const keyOf = (...parts: ReadonlyArray<string | number>): string =>
	`n8n-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;

/** The same content in the same text, whatever the order of its keys. */
export function canonical(value: unknown): string {
	return JSON.stringify(value, (_key, inner: unknown) =>
		inner && typeof inner === 'object' && !Array.isArray(inner)
			? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
			: inner,
	);
}

/**
 * A user's own key, checked as the spec asks ("Common rules": 1 to 255 printable ASCII characters, no spaces).
 * @param part tells apart the writes of one item (a platform); '' for an item with one write
 */
export function customKey(key: string, part = ''): string {
	const whole = part ? `${key}:${part}` : key;
	if (key === '')
		throw refusal(
			'IDEMPOTENCY_KEY',
			"'My Own ID' is empty",
			"Enter a key of your own, for example a record's ID, or set 'Avoid Duplicates' back to its default.",
		);
	if (!/^[\x21-\x7e]+$/.test(whole))
		throw refusal(
			'IDEMPOTENCY_KEY',
			"'My Own ID' has a space or a character that is not allowed",
			'Use letters, digits and signs of the English keyboard, without spaces.',
		);
	if (whole.length > limits.idempotencyKey)
		throw refusal(
			'IDEMPOTENCY_KEY',
			`'My Own ID' is too long: ${whole.length} characters`,
			`Use at most ${limits.idempotencyKey} characters, the platform that is added counts too.`,
		);
	return whole;
}
