import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../../../api/lists';

/** A limit of the plan, and how much of it is used. */
export interface UsageLimit {
	/** Where it stands in the record: `posts`, `media bytes`. */
	name: string;
	used: number;
	limit: number;
}

/** How deep a limit may stand in the record. */
const DEEPEST = 4;

/**
 * The limits in a record of usage. Spec: its fields are not shown. Understood are a limit beside what is used or left of
 * it (`{ used, limit }`, `{ posts_used, posts_limit }`, `{ limit, remaining }`), at any place.
 */
export function usageLimits(record: IDataObject, path: string[] = []): UsageLimit[] {
	if (path.length > DEEPEST) return [];
	const figures = new Map(
		Object.entries(record)
			.filter((one): one is [string, number] => typeof one[1] === 'number' && one[1] >= 0)
			.map(([key, value]) => [wordsOf(key), value]),
	);
	const here = [...figures].flatMap(([words, limit]) => {
		const subject = /^(.*?) ?(?:limit|quota|max|maximum|allowed|included)$/.exec(words)?.[1];
		if (subject === undefined || limit === 0) return [];
		const used = usedOf(subject, limit, figures);
		const name = [...path, subject].filter(Boolean).join(' ');
		return used === undefined ? [] : [{ name: name || 'requests', used, limit }];
	});
	const below = Object.entries(record).flatMap(([key, value]) =>
		isRecord(value) ? usageLimits(value, [...path, wordsOf(key)]) : [],
	);
	return [...here, ...below];
}

const usedWords = ['used', 'usage', 'current', 'count', 'created', 'consumed', 'total'];

function usedOf(subject: string, limit: number, figures: ReadonlyMap<string, number>): number | undefined {
	const named = (word: string): number | undefined => figures.get(`${subject} ${word}`.trim());
	const used = [...usedWords.map(named), figures.get(subject)].find((one) => one !== undefined);
	const left = named('remaining') ?? named('left');
	return used ?? (left === undefined ? undefined : Math.max(0, limit - left));
}

/** `postsLimit` and `posts_limit` as `posts limit`. */
const wordsOf = (key: string): string =>
	key
		.replace(/([a-z])([A-Z])/g, '$1 $2')
		.replace(/[_-]+/g, ' ')
		.toLowerCase()
		.trim();
