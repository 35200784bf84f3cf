import clamp from 'lodash/clamp';
import type { IDataObject } from 'n8n-workflow';

import { limits } from '../../../api/contract';
import { Collected } from '../../../api/lists';
import { iso, type AskPosts } from '../../../api/postRange';
import { readPost } from '../../../api/records';

const SECOND_MS = 1000;
/** Of the time that a full answer covers, how much fits into the next one. */
const FITS = 0.85;
/** With fewer posts than this, the next span may be twice as long. */
const FEW = 50;

/** Posts of a time range, and of which part of it, in ms, all are there. */
interface PostsOfRange {
	posts: IDataObject[];
	from: number;
	until: number;
}

/**
 * The posts of a time range, in at most so many requests: all of them if one request is enough, else from now on, soonest
 * first. Only an answer with fewer than 100 posts is known to be complete (spec, "Pagination"), so that a span with more
 * is asked for again in shorter ones.
 * @param range in ms; `from` is before `now`
 */
export async function upcomingPosts(
	ask: AskPosts,
	{ from, now, to }: { from: number; now: number; to: number },
	mostRequests: number,
): Promise<PostsOfRange> {
	const found = new Collected();
	let first = from;
	let start = from;
	let length = to - from;
	for (let asked = 0; asked < mostRequests && start < to; asked++) {
		const end = Math.min(to, start + length);
		// Spans overlap by a second: the service may count the ends in or not.
		const range = { from: iso(start - SECOND_MS), to: iso(end) };
		const items = await ask({ ...range, limit: limits.postsPerRequest });
		if (items.length >= limits.postsPerRequest && end - start > SECOND_MS) {
			length = shorter(items, end - start);
			if (start === from) start = first = now;
			continue;
		}
		found.add(items);
		start = end;
		if (items.length < FEW) length *= 2;
	}
	return { posts: found.items, from: first, until: start };
}

/** How long a span may be, in ms, after a full answer for a longer one: the times in the answer tell how dense posts are. */
function shorter(items: IDataObject[], length: number): number {
	const times = items.map((post) => readPost(post).listedAt ?? NaN).filter((time) => !Number.isNaN(time));
	const covered = Math.max(...times) - Math.min(...times);
	const fits = times.length > 1 ? covered * FITS : length / 4;
	return Math.max(SECOND_MS, Math.floor(clamp(fits, length / 16, length / 2)));
}
