import { isEqual, uniqBy } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { limits } from './contract';
import { refusal, type Failure } from './failure';
import { identity, whole } from './lists';
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
 * Up to `most` posts of a range in ISO 8601 (spec, "Pagination": only `from`, `to`, `limit`), newest parts first, each once,
 * and whether an answer said something of pages that can't be read.
 * @throws Failure where one moment has as many posts as an answer can hold
 */
export async function posts(
	ask: AskPosts,
	range: { from?: string; to?: string },
	now: number,
	most: number,
): Promise<{ records: IDataObject[]; isUnclear: boolean }> {
	const found: IDataObject[] = [];
	let isUnclear = false;
	const noting: AskPosts = async (part) => {
		const listed = await ask(part);
		// A full answer is split anyway.
		isUnclear ||= listed.isUnclear === true && listed.records.length < limits.postsPerRequest;
		return listed;
	};
	for await (const { records, tooFull } of postsByTime(noting, wholeRange(range, now))) {
		found.push(...records);
		if (found.length >= most) break;
		if (tooFull) throw tooFull;
	}
	return { records: found.slice(0, most), isUnclear };
}

/** A range in ms; its default ends are ten years back and two years ahead, on whole seconds. */
export function wholeRange({ from, to }: { from?: string; to?: string }, now: number): Span {
	const end = to ? Date.parse(to) : yearsFrom(Math.max(now, from ? Date.parse(from) : now), 2);
	return { from: from ? Date.parse(from) : yearsFrom(Math.min(now, end), -10), to: end };
}

const yearsFrom = (ms: number, years: number): number =>
	DateTime.fromMillis(ms, { zone: 'utc' }).plus({ years }).startOf('second').toMillis();

/**
 * The posts of a range in parts, newest first, each once. A span with a full answer is split, down to a second. Spans overlap:
 * a post on a boundary is found, whether or not the service counts the ends in. `tooFull`: a second may have more.
 */
export async function* postsByTime(ask: AskPosts, range: Span) {
	const seen = new Set<string>();
	let recordKey = identity;
	let ends: Ends = { from: false, to: false };
	// On whole seconds, the end outside, the newest last.
	const spans = [{ from: onSecond(range.from), to: onSecond(range.to) + SECOND_MS }];
	for (let span = spans.pop(); span; span = spans.pop()) {
		const { from, to } = span;
		const isSecond = to - from <= SECOND_MS;
		// A service that knows whole seconds alone takes a millisecond before one for the second before it.
		const [before, after] = isSecond ? [ends.from ? 0 : 1, ends.to ? 1 : 0] : [SECOND_MS, 0];
		const asked = { from: Math.max(from - before, range.from), to: Math.min(to - after, range.to) };
		const { records, hasMore } = await ask({
			...{ from: iso(asked.from), to: iso(asked.to) },
			limit: limits.postsPerRequest,
		});
		// As in `readList`: the same ID for several records is none of their own.
		if (uniqBy(records, identity).length < uniqBy(records, whole).length) recordKey = whole;
		const isFull = records.length >= limits.postsPerRequest || hasMore;
		const said = isFull ? records.flatMap((post) => readPost(post).listedAt ?? []) : [];
		// None where a post doesn't say its own.
		const times = said.length === records.length ? said : [];
		// Without the posts of its neighbours, a full second may fit.
		const learned = isSecond ? endsSeen(ends, asked, times) : ends;
		const isTooFull = isFull && isSecond && isEqual(learned, ends);
		if (isFull && !isTooFull) {
			const isUsable = times.every((time) => time >= asked.from && time <= asked.to);
			const cutAt = isSecond ? [from, to] : [from, ...cuts(span, isUsable ? times : []), to];
			spans.push(...cutAt.slice(1).map((end, i) => ({ from: cutAt[i]!, to: end })));
			ends = learned;
			continue;
		}
		const fresh = uniqBy(records, recordKey).filter((one) => !seen.has(recordKey(one)));
		for (const one of fresh) seen.add(identity(one)).add(whole(one));
		yield { records: fresh, tooFull: isTooFull ? fullSecond(from, records.length, hasMore) : undefined };
	}
}

const onSecond = (ms: number): number => Math.floor(ms / SECOND_MS) * SECOND_MS;

/** Whether the service is known to count the ends of a range in. */
type Ends = Record<keyof Span, boolean>;

/** What is known of the ends with posts at, or beyond, those that were asked for. */
function endsSeen(ends: Ends, asked: Span, times: number[]): Ends {
	const isNear = times.every((time) => time >= asked.from - SECOND_MS && time < asked.to + SECOND_MS);
	return {
		from: ends.from || (isNear && times.some((time) => time <= asked.from)),
		to: ends.to || (isNear && times.some((time) => time >= asked.to)),
	};
}

const fullSecond = (second: number, count: number, hasMore: boolean): Failure =>
	refusal(
		'SECOND_TOO_FULL',
		`The service returns only ${count} posts at a time, and there ${hasMore ? 'are' : 'may be'} more around ${iso(second)}`,
		"Narrow them down with 'Status' or 'Platform' in 'Filters', or leave that time out with 'Scheduled From' and 'Scheduled To'.",
	);

/** Where to cut a span after a full answer, oldest first: the part that the answer begins with gets as many posts as fit. */
function cuts({ from, to }: Span, times: number[]): number[] {
	const middle = onSecond((from + to) / 2);
	const time = times[POSTS_PER_PART];
	if (time === undefined) return [middle];
	const isInside = (at: number): boolean => at > from && at < to;
	// What happened in that second stays out, and what the spans overlap by.
	const [afterIt, beforeIt] = [onSecond(time) + 2 * SECOND_MS, onSecond(time) - SECOND_MS];
	if (falls(times) && isInside(afterIt)) return [afterIt];
	// The oldest part: in the middle, too, since the newest parts come first.
	if (falls([...times].reverse()) && isInside(beforeIt))
		return beforeIt < middle ? [beforeIt, middle] : [beforeIt];
	return [middle];
}

/** Whether times come with the latest first. */
export const falls = (times: number[]): boolean => times.slice(1).every((time, i) => time <= times[i]!);

/** ISO 8601 in UTC, with milliseconds only where they are not 0. */
export const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
