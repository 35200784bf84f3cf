import { compact, fromPairs, isPlainObject, sortBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { limits } from '../../api/contract';
import { refusal } from '../../api/failure';
import { readPost } from '../../api/records';
import { leftOverWarnings, visible } from '../../api/texts';

export type KeyMode = 'execution' | 'content' | 'custom';

/** A short hash of a text. */
export const hashOf = (text: string): string =>
	createHash('sha256').update(text).digest('base64url').slice(0, 22);

/** A key made of `parts`: the same parts give the same key, in 47 printable characters. */
export const keyOf = (...parts: ReadonlyArray<string | number>): string =>
	`n8n-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;

/** The same content in the same text, whatever the order of its keys. */
export const canonical = (value: unknown): string =>
	JSON.stringify(value, (_key, inner: unknown) =>
		isPlainObject(inner) ? fromPairs(sortBy(Object.entries(inner as object), 0)) : inner,
	);

/** The fields of a post that hold its time, in either form. */
export const timeFields = ['scheduled_at', 'schedule_at'] as const;

/** The time that a post says, or the body of a request for one. */
export const scheduledAtIn = (body: IDataObject = {}): string | undefined => readPost(body).scheduledAt;

/**
 * A user's own ID as a key (spec, "Common rules"), with the target that it is for: `order-7:x`.
 * @throws Failure where it isn't one
 */
export function ownKeyOf(id: string, target?: string): string {
	const whole = compact([id, target]).join(':');
	if (id === '')
		throw refusal(
			'IDEMPOTENCY_KEY',
			"'My Own ID' is empty",
			"Enter an ID, for example a record's, or set 'Avoid Duplicates' back to its default.",
		);
	if (!/^[\x21-\x7e]+$/.test(whole))
		throw refusal(
			'IDEMPOTENCY_KEY',
			`'My Own ID' contains a space or an unsupported character: ${visible(whole)}`,
			'Use ASCII letters, digits and symbols, without spaces.',
		);
	if (whole.length > limits.idempotencyKey)
		throw refusal(
			'IDEMPOTENCY_KEY',
			`'My Own ID' is too long: ${whole.length} characters`,
			`Use at most ${limits.idempotencyKey} characters, including the platform that is appended.`,
		);
	return whole;
}

/** A user's own ID that every row has, since an expression found nothing. */
export const ownIdWarnings = (id = ''): string[] => leftOverWarnings(id, "'My Own ID'");
