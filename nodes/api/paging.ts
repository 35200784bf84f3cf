import sumBy from 'lodash/sumBy';
import type { IDataObject } from 'n8n-workflow';

import { limits, listNames } from './contract';
import { Failure, refusal } from './errors';

/**
 * The records of a list whose shape the spec may not show: a bare array, else the array under the first of `names` that
 * is there, else the first array of objects, whatever other fields stand beside it.
 */
export function records(data: unknown, names: readonly string[]): IDataObject[] {
	if (Array.isArray(data)) return data.filter(isRecord);
	if (!isRecord(data)) return [];
	const named = names.map((name) => data[name]).find(Array.isArray);
	const list = named ?? Object.values(data).find((value) => Array.isArray(value) && value.some(isRecord));
	return ((list ?? []) as unknown[]).filter(isRecord);
}

const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A list that hands out each record once, whatever comes in. */
class Collected {
	readonly items: IDataObject[] = [];
	private readonly seen = new Set<unknown>();

	/** Adds the records that are new, returns how many. */
	add(more: IDataObject[]): number {
		const before = this.items.length;
		for (const one of more) {
			const id = one.id ?? JSON.stringify(one);
			if (!this.seen.has(id)) this.items.push(one);
			this.seen.add(id);
		}
		return this.items.length - before;
	}
}

/** How many pages in a row may bring nothing new before that counts as a fault of the service. */
const EMPTY_PAGES = 20;

/**
 * Approvals (spec, "Pagination"): page after page until `hasNext` is false, or `most` are there. A page with nothing new
 * is no end: what it had may have been decided on meanwhile, or moved to it from the page before.
 * @throws Failure where the service goes on promising more and gives nothing new
 */
export async function pages(
	ask: (query: { page: number; limit: number }) => Promise<unknown>,
	most: number,
): Promise<IDataObject[]> {
	const limit = Math.min(most, limits.approvalsPerPage);
	const found = new Collected();
	for (let page = 1, empty = 0; ; page++) {
		const data = await ask({ page, limit });
		empty = found.add(records(data, listNames.approvals)) > 0 ? 0 : empty + 1;
		const { pagination } = (data ?? {}) as { pagination?: { hasNext?: unknown; total?: unknown } };
		if (pagination?.hasNext !== true || found.items.length >= most) return found.items.slice(0, most);
		// So many pages hold all that the service says there is.
		const needed = typeof pagination.total === 'number' ? Math.ceil(pagination.total / limit) : 0;
		if (empty >= EMPTY_PAGES && page > needed)
			throw new Failure({
				code: 'NODE_PAGES_REPEAT',
				status: 200,
				message: `The service says that there is more after page ${page}, but its last ${empty} pages had nothing new`,
				hint: "Turn off 'Return All' and set 'Limit' to the number that you need.",
			});
	}
}

const SECOND = 1000;
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
	const found = new Collected();
	for await (const { items } of postsByTime(ask, wholeRange(range, now))) {
		found.add(items);
		if (found.items.length >= most) break;
	}
	return found.items.slice(0, most);
}

/** The range with its default ends, on whole seconds. */
export function wholeRange({ from, to }: { from?: string; to?: string }, now: number): Span {
	const end = to ? Date.parse(to) : yearsFrom(Math.max(now, from ? Date.parse(from) : now), 2);
	return { from: from ? Date.parse(from) : yearsFrom(Math.min(now, end), -10), to: end };
}

function yearsFrom(ms: number, years: number): number {
	const date = new Date(Math.floor(ms / SECOND) * SECOND);
	date.setUTCFullYear(date.getUTCFullYear() + years);
	return date.getTime();
}

/**
 * The posts of a range in complete parts, newest part first; a post may come in two neighbouring parts.
 * `end` of a part: everything from there on has been handed out.
 */
export async function* postsByTime(
	ask: AskPosts,
	{ from, to }: Span,
): AsyncGenerator<{ items: IDataObject[]; end: number }> {
	const within = async (start: number, end: number): Promise<IDataObject[]> =>
		await ask({
			from: iso(Math.max(start, from)),
			to: iso(Math.min(end, to)),
			limit: limits.postsPerRequest,
		});
	const isFull = (items: IDataObject[]): boolean => items.length >= limits.postsPerRequest;

	const guess = new Guess();
	let end = to;
	let start = from;
	/** How many answers in a row were full: no progress but in the size of the span. */
	let fulls = 0;
	/** Whether the times in the answers are those that the range looks at; how many posts they promise for the span. */
	let honest = true;
	let promised = 0;
	for (;;) {
		let items = await within(start - SECOND, end);
		if (isFull(items) && end - start > SECOND) {
			if (fulls === 0) guess.tooLong();
			const times = honest ? items.map(timeOf) : [];
			start = cutSpan(times, { from: start, to: end }, fulls++);
			promised = times.filter((time) => time >= start && time <= end).length;
			continue;
		}
		if (isFull(items)) items = await oneSecond(within, isFull, start, end);
		if (items.length < promised / 2) honest = false;
		yield { items, end: start };
		if (start <= from) return;
		const length = guess.next(items.length, end - start);
		end = start;
		start = secondOf(Math.max(from, end - length), from);
		fulls = 0;
		promised = 0;
	}
}

/** How far back the next span may go without being too full, from how full the last ones were. */
class Guess {
	private readonly recent: Array<{ count: number; length: number }> = [];
	/** How many posts to aim at: fewer after a span that was too full, for posts that come in bursts. */
	private aim = 85;

	tooLong(): void {
		this.aim *= 0.9;
	}

	/** In ms; Infinity after a span with hardly any posts: all that is left may fit. */
	next(count: number, length: number): number {
		this.aim = Math.min(90, this.aim * 1.03);
		this.recent.push({ count, length });
		if (this.recent.length > 3) this.recent.shift();
		if (count < ENOUGH) return Infinity;
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
		`More than ${limits.postsPerRequest - 1} posts share the second from ${iso(start)}: the service gives only ${limits.postsPerRequest} of them and has no pages`,
		"Narrow them down with 'Status' or 'Platform' in 'Filters', or leave that second out with 'From' and 'To'.",
	);
}

/**
 * Where to begin the span after a full answer: first with as many as fit of the posts that came, which is right where
 * the service answers newest first; then with half of them; then in the middle, which is right in any order.
 * @param times of the posts that came
 */
function cutSpan(times: number[], { from, to }: Span, fulls: number): number {
	const position = [CUT, limits.postsPerRequest / 2][fulls % 3];
	const oldest = position === undefined ? undefined : [...times].sort((a, b) => b - a)[position];
	if (oldest !== undefined && oldest >= from && oldest <= to) {
		// That post's second stays out, and the one that the spans overlap by.
		const start = Math.min(secondOf(oldest, from) + 2 * SECOND, secondOf(to - SECOND, from));
		if (start > from) return start;
	}
	return Math.max(secondOf((from + to) / 2, from), secondOf(from, 0) + SECOND);
}

/** When a post is or was due: what the service's range most likely looks at. The record's fields are not shown. */
export function timeOf(post: IDataObject): number {
	const { scheduled_at, schedule_at, published_at, created_at } = post;
	return Date.parse(String(scheduled_at ?? schedule_at ?? published_at ?? created_at));
}

/** The whole second at or before `ms`, not before `from`. */
const secondOf = (ms: number, from: number): number => Math.max(from, Math.floor(ms / SECOND) * SECOND);

const iso = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
