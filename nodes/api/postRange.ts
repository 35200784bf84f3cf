import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { limits } from './contract';
import { refusal } from './failure';
import { collect } from './lists';
import { readPost } from './records';

const SECOND_MS = 1000;
/** Posts to aim for when splitting a range; 100 would fill the answer again. */
const POSTS_PER_PART = limits.postsPerRequest - 3;

/** In ms. */
type Span = Record<'from' | 'to', number>;

/** Asks for the posts of a span, 100 at most; the service may count the ends in or not. */
export type AskPosts = (range: { from: string; to: string; limit: number }) => Promise<IDataObject[]>;

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
 * answer is split. Spans overlap: a post on a boundary is found, whether or not the service counts the ends in.
 */
export async function* postsByTime(
	ask: AskPosts,
	range: Span,
): AsyncGenerator<{ items: IDataObject[]; start: number }> {
	// The newest last.
	const spans = [range];
	for (let span = spans.pop(); span; span = spans.pop()) {
		const { from, to } = span;
		const asked = { from: Math.max(from - unitOf(span), range.from), to };
		const items = await ask({ from: iso(asked.from), to: iso(to), limit: limits.postsPerRequest });
		if (items.length < limits.postsPerRequest) {
			yield { items, start: from };
			continue;
		}
		if (to - from <= 1)
			throw refusal(
				'SECOND_TOO_FULL',
				`More than ${limits.postsPerRequest - 1} posts share the second ${iso(Math.round(from / SECOND_MS) * SECOND_MS)}: the service gives only ${limits.postsPerRequest} of them and has no pages`,
				"Narrow them down with 'Status' or 'Platform' in 'Filters', or leave that time out with 'Scheduled From' and 'Scheduled To'.",
			);
		const times = items.map((post) => readPost(post).listedAt ?? NaN);
		const isUsable = times.every((time) => time >= asked.from && time <= to);
		const ends = [from, ...cuts(span, isUsable ? times : []), to];
		spans.push(...ends.slice(1).map((end, i) => ({ from: ends[i]!, to: end })));
	}
}

/** What spans are cut on and overlap by, in ms: a second, as a service may know no less, unless they are that short. */
const unitOf = ({ from, to }: Span): number => (to - from > 2 * SECOND_MS ? SECOND_MS : 1);

/**
 * Where to cut a span after a full answer, oldest first: the part that the answer begins with gets as many posts as fit.
 * Where that is the oldest part, or the times say nothing, in the middle, too: the newest parts come first.
 */
function cuts(span: Span, times: number[]): number[] {
	const { from, to } = span;
	const unit = unitOf(span);
	const onUnit = (time: number) => Math.floor(time / unit) * unit;
	const time = times[POSTS_PER_PART] ?? NaN;
	const isNewestFirst = falls(times);
	// What happened at that moment stays out, and what the spans overlap by.
	const at = onUnit(isNewestFirst ? time + 2 * unit : falls([...times].reverse()) ? time - unit : NaN);
	const isInside = at > from && at < to;
	const middle = onUnit((from + to) / 2);
	if (isInside && isNewestFirst) return [at];
	return isInside && at < middle ? [at, middle] : [isInside ? at : middle];
}

const falls = (times: number[]): boolean => times.slice(1).every((time, i) => time <= times[i]!);

/** ISO 8601 in UTC, with milliseconds only where they are not 0. */
export const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
