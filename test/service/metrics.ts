import { createHash } from 'node:crypto';
import { analyticsName } from './check';
import type { Post } from './types';

export const METRICS = ['views', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'] as const;
export type Metrics = Record<(typeof METRICS)[number], number>;

export const DAY = 86_400_000;
/** After so many days a post gets nothing more. */
const LIFE = 30;

export const zero = (): Metrics => ({
	views: 0,
	impressions: 0,
	likes: 0,
	comments: 0,
	shares: 0,
	saves: 0,
	clicks: 0,
});

const cache = new Map<string, Metrics>();

/** What a post gets on its first day on a platform: from a hash of its id, so the same each time. */
function firstDay(postId: string, platform: string): Metrics {
	const known = cache.get(postId + platform);
	if (known) return known;
	const hash = createHash('sha256').update(`${postId} ${platform}`).digest();
	const views = 200 + (hash.readUInt16BE(0) % 5000);
	const share = (index: number, of: number) => Math.floor((views * (1 + (hash[index]! % of))) / 100);
	const metrics = {
		views,
		impressions: views + share(2, 60),
		likes: share(3, 9),
		comments: share(4, 3),
		shares: share(5, 3),
		saves: share(6, 2),
		clicks: share(7, 5),
	};
	if (cache.size > 50_000) cache.clear();
	cache.set(postId + platform, metrics);
	return metrics;
}

const dayOf = (ms: number) => Math.floor(ms / DAY);

/** Day by day from publication to now; every day brings half of the one before. */
export function daily(post: Post, platform: string, now: number): Array<{ day: number } & Metrics> {
	if (!post.publishedAt) return [];
	const first = dayOf(Date.parse(post.publishedAt));
	const last = Math.min(dayOf(now), first + LIFE);
	const base = firstDay(post.id, platform);
	const series = [];
	for (let day = first; day <= last; day++) {
		const row = { day, ...zero() };
		for (const name of METRICS) row[name] = Math.floor(base[name] / 2 ** (day - first));
		series.push(row);
	}
	return series;
}

export function add(sum: Metrics, more: Readonly<Metrics>): Metrics {
	for (const name of METRICS) sum[name] += more[name];
	return sum;
}

const sums = new Map<string, { today: number; metrics: Metrics }>();

/** Since publication. A day's sum is kept: a summary asks for every post. */
export function totals(post: Post, platform: string, now: number): Readonly<Metrics> {
	const name = post.id + platform;
	const known = sums.get(name);
	if (known?.today === dayOf(now) && post.publishedAt) return known.metrics;
	const metrics = daily(post, platform, now).reduce(add, zero());
	if (sums.size > 50_000) sums.clear();
	if (post.publishedAt) sums.set(name, { today: dayOf(now), metrics });
	return metrics;
}

export const engagementsOf = (metrics: Readonly<Metrics>) =>
	metrics.likes + metrics.comments + metrics.shares + metrics.saves + metrics.clicks;

/** A fraction, not a percentage. */
export const rateOf = (engagements: number, impressions: number) =>
	impressions === 0 ? 0 : Number((engagements / impressions).toFixed(6));

/** One row for each post and platform that was published in the range; x is `twitter` here. */
export function publishedRows(feed: Post[], from: number, to: number, now: number) {
	const rows = [];
	for (const post of feed) {
		if (post.status !== 'completed' || !post.publishedAt) continue;
		const at = Date.parse(post.publishedAt);
		if (at < from || at > to) continue;
		for (const state of post.platforms) {
			if (state.status !== 'completed') continue;
			const metrics = totals(post, state.platform, now);
			rows.push({ post, platform: analyticsName(state.platform), metrics });
		}
	}
	return rows;
}
