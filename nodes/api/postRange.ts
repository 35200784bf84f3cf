import sumBy from 'lodash/sumBy';
import type { IDataObject } from 'n8n-workflow';

import { limits } from './contract';
import { refusal } from './errors';
import { Collected } from './lists';

const SECOND_MS = 1000;
/** A span cut by the times of a full answer gets this many of its posts, newest first: 100 would be full again. */
const CUT = limits.postsPerRequest - 3;
/** With fewer posts than this, a span says too little about the time before it. */
const ENOUGH = 25;

/** A part of time in ms. */
interface Span {
	from: number;
	to: number;
}

/** Asks for the posts of a span, 100 at most; the service may count the ends in or not. */
export type AskPosts = (range: { from: string; to: string; limit: number }) => Promise<IDataObject[]>;

/**
 * All posts of a time range (spec, "Pagination": only `from`, `to`, `limit`), newest parts first, each once.
 *
 * Only an answer with fewer than 100 posts is known to be complete, so the range is covered with spans whose answers
 * are: that alone decides what is handed out, and it holds in whatever order the service answers. How far back the
 * next span goes is guessed from the times in the answers, which only saves requests. Spans overlap by a second, so
 * that a post on a boundary is found whether the service counts the ends in or not; doubles are dropped by `id`.
 * A service that answers oldest first is asked from the other end of the range, where its times tell most.
 * @param range ISO 8601; without `to` two years ahead, without `from` ten years back
 * @param now in ms
 * @param most how many to collect
 * @throws Failure where one second holds more posts than an answer can have
 */
export async function posts(
	ask: AskPosts,
	range: { from?: string; to?: string },
	now: number,
	most: number,
): Promise<IDataObject[]> {
	const span = wholeRange(range, now);
	const found = new Collected();
	if (most !== Infinity) {
		for await (const { items } of postsByTime(ask, span)) {
			found.add(items);
			if (found.items.length >= most) break;
		}
		return found.items.slice(0, most);
	}
	const parts: IDataObject[][] = [];
	let fromOldest = false;
	for await (const part of sweep(ask, forwards, span, true)) {
		fromOldest = part.fromOldest;
		parts.push(part.items);
	}
	for (const items of fromOldest ? parts.reverse() : parts) found.add(items);
	return found.items;
}

/** The range with its default ends, on whole seconds. */
export function wholeRange({ from, to }: { from?: string; to?: string }, now: number): Span {
	const end = to ? Date.parse(to) : yearsFrom(Math.max(now, from ? Date.parse(from) : now), 2);
	return { from: from ? Date.parse(from) : yearsFrom(Math.min(now, end), -10), to: end };
}

function yearsFrom(ms: number, years: number): number {
	const date = new Date(Math.floor(ms / SECOND_MS) * SECOND_MS);
	date.setUTCFullYear(date.getUTCFullYear() + years);
	return date.getTime();
}

/**
 * The posts of a range in complete parts, newest part first; a post may come in two neighbouring parts.
 * `end` of a part: everything from there on has been handed out.
 */
export async function* postsByTime(
	ask: AskPosts,
	span: Span,
): AsyncGenerator<{ items: IDataObject[]; end: number }> {
	yield* sweep(ask, forwards, span, false);
}

interface Part {
	items: IDataObject[];
	end: number;
	/** The parts come oldest first; `end` counts backwards. */
	fromOldest: boolean;
}

/** Which way time is counted: backwards, a sweep from the newest part to the oldest goes from the oldest to the newest. */
type Axis = (ms: number) => number;
const forwards: Axis = (ms) => ms;
const backwards: Axis = (ms) => -ms;

/** @param mayTurn whether the sweep may begin at the other end, where the first full answer shows that this is better */
async function* sweep(ask: AskPosts, axis: Axis, { from, to }: Span, mayTurn: boolean): AsyncGenerator<Part> {
	const within = async (start: number, end: number): Promise<IDataObject[]> => {
		const ends = [axis(Math.max(start, from)), axis(Math.min(end, to))].sort((a, b) => a - b);
		return await ask({ from: iso(ends[0]!), to: iso(ends[1]!), limit: limits.postsPerRequest });
	};
	const isFull = (items: IDataObject[]): boolean => items.length >= limits.postsPerRequest;
	const part = (items: IDataObject[], end: number): Part => ({ items, end, fromOldest: axis === backwards });

	const guess = new Guess();
	/** Where spans began that were full: from there on there is more. */
	let full: Array<{ from: number; left: number }> = [];
	let end = to;
	let start = from;
	/** How many answers in a row were full: no progress but in the size of the span. */
	let fulls = 0;
	/** Whether the last full answer had times of the span that was asked for. */
	let timesTell = false;
	for (;;) {
		let items = await within(start - SECOND_MS, end);
		if (isFull(items) && end - start > SECOND_MS) {
			const seen = timesIn(items, { from: start - SECOND_MS, to: end }, axis);
			if (mayTurn && seen.order === 'rising') {
				yield* sweep(ask, backwards, { from: -to, to: -from }, false);
				return;
			}
			mayTurn = false;
			timesTell = seen.order !== 'none';
			if (fulls === 0) guess.tooLong();
			full.push({ from: start, left: items.length });
			start = cutSpan(seen, { from: start, to: end }, fulls++);
			continue;
		}
		if (isFull(items)) items = await oneSecond(within, isFull, axis, start, end);
		yield part(items, start);
		if (start <= from) return;
		for (const one of full) one.left -= items.length;
		full = full.filter((one) => one.from < start);
		let length = guess.next(items.length, end - start, timesTell);
		const more = full.at(-1);
		// Where nothing else tells of the time ahead, what was full before does.
		if (more && !timesTell && items.length < ENOUGH)
			length = Math.min(length, (start - more.from) / (more.left > ENOUGH ? 2 : 1));
		end = start;
		start = secondOf(Math.max(from, end - Math.max(length, SECOND_MS)), from);
		fulls = 0;
	}
}

/** What the times in a full answer tell: none, or all of them in order. */
interface Seen {
	times: number[];
	order: 'rising' | 'falling' | 'none';
}

/** The times of a post that the range may look at, likeliest first: the record's fields are not shown in the spec. */
const candidates: Array<(post: IDataObject) => number> = [
	timeOf,
	...['created_at', 'published_at', 'updated_at'].map(
		(name) => (post: IDataObject) => Date.parse(String(post[name])),
	),
];

/** The first of the times that all lie in the span that was asked for, in order: any others say nothing of it. */
function timesIn(items: IDataObject[], { from, to }: Span, axis: Axis): Seen {
	for (const candidate of candidates) {
		const times = items.map((one) => axis(candidate(one)));
		const order = orderOf(times);
		if (order !== 'none' && times.every((time) => time >= from && time <= to)) return { times, order };
	}
	return { times: [], order: 'none' };
}

function orderOf(times: number[]): Seen['order'] {
	const pairs = times.slice(1).map((time, i) => time - times[i]!);
	if (pairs.every((step) => step <= 0)) return 'falling';
	return pairs.every((step) => step >= 0) ? 'rising' : 'none';
}

/** How far back the next span may go without being too full, from how full the last ones were. */
class Guess {
	private readonly recent: Array<{ count: number; length: number }> = [];
	/** How many posts to aim at: fewer after a span that was too full, for posts that come in bursts. */
	private aim = 85;

	tooLong(): void {
		this.aim *= 0.9;
	}

	/**
	 * In ms; Infinity after a span with hardly any posts: all that is left may fit, and if not, its times tell.
	 * @param timesTell whether they would
	 */
	next(count: number, length: number, timesTell: boolean): number {
		this.aim = Math.min(90, this.aim * 1.03);
		this.recent.push({ count, length });
		if (this.recent.length > 3) this.recent.shift();
		if (count < ENOUGH) return timesTell ? Infinity : 4 * length;
		return (sumBy(this.recent, 'length') / sumBy(this.recent, 'count')) * this.aim;
	}
}

/**
 * The posts of one second whose span, overlapping its neighbours, had too many: without the overlap; and should the
 * first instant of the next second be counted in, in two parts that leave it out.
 */
async function oneSecond(
	within: (start: number, end: number) => Promise<IDataObject[]>,
	isFull: (items: IDataObject[]) => boolean,
	axis: Axis,
	start: number,
	end: number,
): Promise<IDataObject[]> {
	const exact = await within(start - 1, end);
	if (!isFull(exact)) return exact;
	const first = await within(start - 1, end - 1);
	const last = isFull(first) ? first : await within(end - 2, end);
	if (!isFull(last)) return [...last, ...first];
	throw refusal(
		'SECOND_TOO_FULL',
		`More than ${limits.postsPerRequest - 1} posts share the second from ${iso(Math.min(axis(start), axis(end)))}: the service gives only ${limits.postsPerRequest} of them and has no pages`,
		"Narrow them down with 'Status' or 'Platform' in 'Filters', or leave that second out with 'Scheduled From' and 'Scheduled To'.",
	);
}

/**
 * Where to begin the span after a full answer. Newest first: with as many as fit of the posts that came, then with half
 * of them. Oldest first: in the middle of the time that none of them is from. Where the times don't tell: near the end.
 */
function cutSpan({ times, order }: Seen, { from, to }: Span, fulls: number): number {
	const position = [CUT, limits.postsPerRequest / 2][fulls % 3];
	const oldest = order === 'falling' && position !== undefined ? times[position] : undefined;
	if (oldest !== undefined) {
		// That post's second stays out, and the one that the spans overlap by.
		const start = Math.min(secondOf(oldest, from) + 2 * SECOND_MS, secondOf(to - SECOND_MS, from));
		if (start > from) return start;
	}
	const low = order === 'rising' ? Math.min(Math.max(times.at(-1)!, from), to - SECOND_MS) : from;
	const share = times.length === 0 ? 4 : 2;
	return Math.max(secondOf(to - (to - low) / share, from), secondOf(from, -Infinity) + SECOND_MS);
}

/** When a post is or was due: what the service's range most likely looks at. The record's fields are not shown. */
export function timeOf(post: IDataObject): number {
	const { scheduled_at, schedule_at, published_at, created_at } = post;
	return Date.parse(String(scheduled_at ?? schedule_at ?? published_at ?? created_at));
}

/** The whole second at or before `ms`, not before `from`. */
const secondOf = (ms: number, from: number): number => Math.max(from, Math.floor(ms / SECOND_MS) * SECOND_MS);

/** ISO 8601 in UTC, with milliseconds only where they are not 0. */
export const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
