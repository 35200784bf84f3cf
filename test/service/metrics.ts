import sumBy from 'lodash/sumBy';
import { createHash } from 'node:crypto';
import { analyticsName } from './check';
import type { Post } from './types';

const METRICS = ['views', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'] as const;
export type Metrics = Readonly<Record<(typeof METRICS)[number], number>>;

export const DAY = 86_400_000;
/** After so many days a post gets nothing more. */
const LIFE = 30;

const metricsBy = (of: (name: keyof Metrics) => number) =>
	Object.fromEntries(METRICS.map((name) => [name, of(name)])) as Metrics;

export const sum = (all: Metrics[]): Metrics => metricsBy((name) => sumBy(all, name));

/** What a post gets on its first day on a platform: from a hash of its id, so the same each time. */
function firstDay(postId: string, platform: string): Metrics {
	const hash = createHash('sha256').update(`${postId} ${platform}`).digest();
	const views = 200 + (hash.readUInt16BE(0) % 5000);
	const share = (index: number, of: number) => Math.floor((views * (1 + (hash[index]! % of))) / 100);
	return {
		views,
		impressions: views + share(2, 60),
		likes: share(3, 9),
		comments: share(4, 3),
		shares: share(5, 3),
		saves: share(6, 2),
		clicks: share(7, 5),
	};
}

const dayOf = (ms: number) => Math.floor(ms / DAY);

/** Day by day from publication to now; every day brings half of the one before. */
export function daily(post: Post, platform: string, now: number): Array<{ day: number; metrics: Metrics }> {
	if (!post.publishedAt) return [];
	const first = dayOf(Date.parse(post.publishedAt));
	const base = firstDay(post.id, platform);
	const count = Math.max(0, Math.min(dayOf(now) - first, LIFE) + 1);
	return Array.from({ length: count }, (_, n) => ({
		day: first + n,
		metrics: metricsBy((name) => Math.floor(base[name] / 2 ** n)),
	}));
}

const sums = new Map<string, { today: number; metrics: Metrics }>();

/** Since publication. A day's sum is kept: a summary asks for every post. */
export function totals(post: Post, platform: string, now: number): Metrics {
	const name = post.id + platform;
	const today = dayOf(now);
	const known = sums.get(name);
	if (known?.today === today && post.publishedAt) return known.metrics;
	const metrics = sum(daily(post, platform, now).map((each) => each.metrics));
	if (sums.size > 50_000) sums.clear();
	if (post.publishedAt) sums.set(name, { today, metrics });
	return metrics;
}

/** A fraction, not a percentage. */
const rateOf = (engagements: number, impressions: number) =>
	impressions === 0 ? 0 : Number((engagements / impressions).toFixed(6));

/** What the analytics call engagements, and their share of the impressions. */
export function engagement({ likes, comments, shares, saves, clicks, impressions }: Metrics) {
	const engagements = likes + comments + shares + saves + clicks;
	return { engagements, engagement_rate: rateOf(engagements, impressions) };
}

/** One row for each post and platform that was published in the range; x is `twitter` here. */
export function publishedRows(feed: Post[], from: number, to: number, now: number) {
	return feed.flatMap((post) => {
		const at = Date.parse(post.publishedAt ?? '');
		if (post.status !== 'completed' || !(at >= from && at <= to)) return [];
		return post.platforms
			.filter(({ status }) => status === 'completed')
			.map(({ platform }) => ({
				post,
				platform: analyticsName(platform),
				metrics: totals(post, platform, now),
			}));
	});
}
