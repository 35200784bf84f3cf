import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import { limits } from '../../api/contract';
import { refusal } from '../../api/failure';

export type KeyMode = 'execution' | 'content' | 'custom';

/** What the user chose in *Avoid Duplicates*. */
export interface KeyPolicy {
	mode: KeyMode;
	/** The user's own key, for `custom`. */
	ownKey?: string;
}

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

/** What a write says and where it goes. */
export interface Content {
	method: string;
	path: string;
	workspaceId: string;
	/** Which of the item's writes it is: platform, account or file. */
	target: string;
	/** Files stand there by what they hold, not by where they were uploaded to. */
	body: IDataObject;
}

/** The fields of a post that say when it goes out, in either form. */
export const timeFields = ['scheduled_at', 'schedule_at'];

/** A hash of what a write says, but for some fields, and where it goes. */
export const contentHash = (
	{ method, path, workspaceId, target, body }: Content,
	without: readonly string[] = [],
): string => hashOf(canonical([method, path, workspaceId, target, omit(body, without)]));

/** What the key of a write may be made of. */
interface KeySource {
	content: Content;
	/** In mode `execution` instead of the place: the same whoever runs it. */
	dedupeBy?: string[];
	/** Where it stands: instance to part, never what it says. After a crash a changed item must meet the old key. */
	place: Array<string | number>;
	/** What tells it from another write that took its place in an earlier try. */
	details: string[];
}

/**
 * The idempotency keys that a write may have, best first.
 * @throws Failure where the user's own key is not one
 */
export function idempotencyKeys(
	policy: KeyPolicy,
	{ content, dedupeBy, place, details }: KeySource,
): string[] {
	const { method, path, workspaceId, target } = content;
	if (policy.mode === 'custom') return [customKey(policy.ownKey ?? '', target)];
	if (policy.mode === 'content') return [keyOf('content', contentHash(content))];
	if (dedupeBy) return [keyOf('once', workspaceId, method, path, ...dedupeBy)];
	return [keyOf('execution', ...place), keyOf('execution', ...place, ...details)];
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
			"Enter an ID, for example a record's, or set 'Avoid Duplicates' back to its default.",
		);
	if (!/^[\x21-\x7e]+$/.test(whole))
		throw refusal(
			'IDEMPOTENCY_KEY',
			"'My Own ID' contains a space or an unsupported character",
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

/**
 * What a write is found by in a retry: what its item holds, where it goes, and which of the item's writes it is, as far as
 * names are allowed in what the user gave.
 */
export const writeId = (item: string, method: string, path: string, part: string): string =>
	[item, method, path, part].join('|');
