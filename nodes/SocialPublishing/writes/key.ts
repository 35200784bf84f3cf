import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { limits } from '../../api/contract';
import { refusal } from '../../api/failure';
import { leftOverWarnings, visible } from '../../api/texts';

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

/** The fields of a post that hold its time, in either form. */
export const timeFields = ['scheduled_at', 'schedule_at'] as const;

/** Where a post goes, read off its body, for keys that span executions; '' for any other body. */
export function targetIn({ platform, platforms, account_id: account }: IDataObject): string {
	const [name] = [platform ?? platforms ?? []].flat();
	return typeof name === 'string' ? [name, ...(account ? [String(account)] : [])].join(':') : '';
}

/** A user's own key (spec, "Common rules"), with the `part` of the item that it is for. @throws Failure where it isn't one */
export function customKey(key: string, part = ''): string {
	const whole = part ? `${key}:${part}` : key;
	if (key === '')
		throw refusal(
			'IDEMPOTENCY_KEY',
			"'My Own ID' is empty",
			"Enter an ID, for example a record's, or set 'Avoid Duplicates' back to its default.",
		);
	if (!/^[\x21-\x7e]+$/.test(whole))
		throw refusal(
			'IDEMPOTENCY_KEY',
			`'My Own ID' contains a space or an unsupported character: ${visible(whole)}`,
			'Use ASCII letters, digits and symbols, without spaces. That goes for the account that is appended, too: enter its ID instead of its name.',
		);
	if (whole.length > limits.idempotencyKey)
		throw refusal(
			'IDEMPOTENCY_KEY',
			`'My Own ID' is too long: ${whole.length} characters`,
			`Use at most ${limits.idempotencyKey} characters, including the platform that is appended.`,
		);
	return whole;
}

/** A user's own key that every row has, since an expression found nothing. */
export const keyWarnings = (key = ''): string[] => leftOverWarnings(key, "'My Own ID'");
