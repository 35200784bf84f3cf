import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { limits } from './contract';
import { refusal, type Failure } from './failure';
import { collect } from './lists';
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
 * @throws Failure where one moment has as many posts as an answer can hold
 */
export async function posts(
	ask: AskPosts,
	range: { from?: string; to?: string },
	now: number,
	most: number,
): Promise<IDataObject[]> {
	const found = new Map<unknown, IDataObject>();
	for await (const { items } of postsByTime(ask, wholeRange(range, now))) {
		collect(found, items);
		if (found.size >= most) break;
	}
	return [...found.values()].slice(0, most);
}

/** A range in ms; its default ends are ten years back and two years ahead, on whole seconds. */
export function wholeRange({ from, to }: { from?: string; to?: string }, now: number): Span {
	const end = to ? Date.parse(to) : yearsFrom(Math.max(now, from ? Date.parse(from) : now), 2);
	return { from: from ? Date.parse(from) : yearsFrom(Math.min(now, end), -10), to: end };
}

const yearsFrom = (ms: number, years: number): number =>
	DateTime.fromMillis(ms, { zone: 'utc' }).plus({ years }).startOf('second').toMillis();

/**
 * The posts of a range in parts, newest first; `start`: everything from there on has been handed out. A span with a full
 * answer is split, down to a second. Spans overlap: a post on a boundary is found, whether or not the service counts the
 * ends in.
 */
export async function* postsByTime(
	ask: AskPosts,
	range: Span,
): AsyncGenerator<{ items: IDataObject[]; start: number }> {
	const ends: Ends = { from: false, to: false };
	// On whole seconds, the end outside, the newest last.
	const spans = [{ from: onSecond(range.from), to: onSecond(range.to) + SECOND_MS }];
	for (let span = spans.pop(); span; span = spans.pop()) {
		const { from, to } = span;
		const isSecond = to - from <= SECOND_MS;
		// A service that knows whole seconds alone takes a millisecond before one for the second before it.
		const [before, after] = isSecond ? [ends.from ? 0 : 1, ends.to ? 1 : 0] : [SECOND_MS, 0];
		const asked = { from: Math.max(from - before, range.from), to: Math.min(to - after, range.to) };
		const { records: items, hasMore } = await ask({
			...{ from: iso(asked.from), to: iso(asked.to) },
			limit: limits.postsPerRequest,
		});
		if (items.length < limits.postsPerRequest && !hasMore) {
			yield { items, start: from };
			continue;
		}
		const times = items.map((post) => readPost(post).listedAt ?? NaN);
		if (isSecond) {
			// Without the posts of its neighbours, the second may fit.
			if (!learnEnds(ends, asked, times)) throw tooFull(from, items.length);
			spans.push(span);
			continue;
		}
		const isUsable = times.every((time) => time >= asked.from && time <= asked.to);
		const cutAt = [from, ...cuts(span, isUsable ? times : []), to];
		spans.push(...cutAt.slice(1).map((end, i) => ({ from: cutAt[i]!, to: end })));
	}
}

const onSecond = (ms: number): number => Math.floor(ms / SECOND_MS) * SECOND_MS;

/** Whether the service is known to count the ends of a range in. */
type Ends = Record<keyof Span, boolean>;

/** Learns from posts at, or beyond, the ends that were asked for; false where they tell nothing new. */
function learnEnds(ends: Ends, asked: Span, times: number[]): boolean {
	const isNear = times.every((time) => time >= asked.from - SECOND_MS && time < asked.to + SECOND_MS);
	const found = {
		from: times.some((time) => time <= asked.from),
		to: times.some((time) => time >= asked.to),
	};
	const isNew = isNear && ((found.from && !ends.from) || (found.to && !ends.to));
	if (isNew) Object.assign(ends, { from: ends.from || found.from, to: ends.to || found.to });
	return isNew;
}

const tooFull = (second: number, count: number): Failure =>
	refusal(
		'SECOND_TOO_FULL',
		`The service returns only ${count} posts at a time, and there are more around ${iso(second)}`,
		"Narrow them down with 'Status' or 'Platform' in 'Filters', or leave that time out with 'Scheduled From' and 'Scheduled To'.",
	);

/**
 * Where to cut a span after a full answer, oldest first: the part that the answer begins with gets as many posts as fit.
 * Where that is the oldest part, or the times say nothing, in the middle, too: the newest parts come first.
 */
function cuts({ from, to }: Span, times: number[]): number[] {
	const time = times[POSTS_PER_PART] ?? NaN;
	const isNewestFirst = falls(times);
	// What happened in that second stays out, and what the spans overlap by.
	const cut = isNewestFirst ? time + 2 * SECOND_MS : falls([...times].reverse()) ? time - SECOND_MS : NaN;
	const at = onSecond(cut);
	const isInside = at > from && at < to;
	const middle = onSecond((from + to) / 2);
	if (isInside && isNewestFirst) return [at];
	return isInside && at < middle ? [at, middle] : [isInside ? at : middle];
}

const falls = (times: number[]): boolean => times.slice(1).every((time, i) => time <= times[i]!);

/** ISO 8601 in UTC, with milliseconds only where they are not 0. */
export const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
