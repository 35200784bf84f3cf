import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { limits } from './contract';
import { refusal, type Failure } from './failure';
import type { Listed } from './pages';
import { readPost } from './records';

const SECOND_MS = 1000;
/** Posts to aim for when splitting a range; 100 would fill the answer again. */
const POSTS_PER_PART = limits.postsPerRequest - 3;

/** In ms. */
type Span = Record<'from' | 'to', number>;

/** Asks for the posts of a span, 100 at most; the service may count the ends in or not. */
export type AskPosts = (range: { from: string; to: string; limit: number }) => Promise<Listed>;

/**
 * Up to `most` posts of a range in ISO 8601 (spec, "Pagination": only `from`, `to`, `limit`), newest parts first, each once.
 * @throws Failure where two seconds have more posts than an answer can hold
 */
export async function posts(
	ask: AskPosts,
	range: { from?: string; to?: string },
	now: number,
	most: number,
): Promise<IDataObject[]> {
	const found: IDataObject[] = [];
	for await (const { records, tooFull } of postsByTime(ask, wholeRange(range, now))) {
		found.push(...records);
		if (found.length >= most) break;
		if (tooFull) throw tooFull;
	}
	return found.slice(0, most);
}

/** A range in ms; its default ends are ten years back and two years ahead, on whole seconds. */
export function wholeRange({ from, to }: { from?: string; to?: string }, now: number): Span {
	const end = to ? Date.parse(to) : yearsFrom(Math.max(now, from ? Date.parse(from) : now), 2);
	return { from: from ? Date.parse(from) : yearsFrom(Math.min(now, end), -10), to: end };
}

const yearsFrom = (ms: number, years: number): number =>
	DateTime.fromMillis(ms, { zone: 'utc' }).plus({ years }).startOf('second').toMillis();

/**
 * The posts of a range in parts, newest first, each once. A span with a full answer is split, down to a second. Spans overlap
 * by a second: a service that compares whole seconds, and excludes both ends, has none between two others.
 * `tooFull`: a span that can't be split has more.
 */
export async function* postsByTime(ask: AskPosts, range: Span) {
	const seen = new Set<unknown>();
	const spans = [{ from: onSecond(range.from), to: onSecond(range.to) + SECOND_MS }];
	for (let span = spans.pop(); span; span = spans.pop()) {
		const { from, to } = span;
		const { records, hasMore } = await ask({
			from: iso(Math.max(from - SECOND_MS, range.from)),
			to: iso(Math.min(to, range.to)),
			limit: limits.postsPerRequest,
		});
		const isFull = records.length >= limits.postsPerRequest || (hasMore && records.length > 0);
		if (isFull && to - from > SECOND_MS) {
			const cut = cutOf(span, records);
			spans.push({ from, to: cut }, { from: cut, to });
			continue;
		}
		const fresh = records.filter((one) => !seen.has(identity(one)));
		for (const one of fresh) seen.add(identity(one));
		yield { records: fresh, tooFull: isFull ? fullSpan(from, records.length) : undefined };
	}
}

/** Behind the 97th post: in whatever order they come, one of the parts then has about as many. Else in the middle. */
function cutOf({ from, to }: Span, records: IDataObject[]): number {
	const { listedAt = NaN } = readPost(records[POSTS_PER_PART] ?? {});
	const time = onSecond(listedAt) + SECOND_MS;
	return time > from && time < to ? time : onSecond((from + to) / 2);
}

/** A post's ID, or without one all of it. */
const identity = (post: IDataObject): unknown => post.id ?? JSON.stringify(post);

const onSecond = (ms: number): number => Math.floor(ms / SECOND_MS) * SECOND_MS;

const fullSpan = (second: number, count: number): Failure =>
	refusal(
		'SECOND_TOO_FULL',
		`The service returns only ${count} posts at a time, and there may be more around ${iso(second)}`,
		"Narrow them down with 'Status' or 'Platform' in 'Filters', or leave that time out with 'Scheduled From' and 'Scheduled To'.",
	);

/** ISO 8601 in UTC, with milliseconds only where they are not 0. */
export const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
