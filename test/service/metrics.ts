import { sumBy, times } from 'lodash';
import { createHash } from 'node:crypto';
import { analyticsName } from './check';
import type { Post } from './types';

const METRICS = ['views', 'impressions', 'likes', 'comments', 'shares', 'saves', 'clicks'] as const;
export type Metrics = Readonly<Record<(typeof METRICS)[number], number>>;

export const DAY = 86_400_000;
/** After so many days a post gets nothing more. */
const LIFE = 30;

const metricsBy = (of: (name: keyof Metrics, index: number) => number) =>
	Object.fromEntries(METRICS.map((name, index) => [name, of(name, index)])) as Metrics;

export const sum = (all: Metrics[]): Metrics => metricsBy((name) => sumBy(all, name));

const dayOf = (ms: number) => Math.floor(ms / DAY);

/** Day by day from publication to now: the first by a hash of the post's ID, each other half of the one before. */
export function daily(post: Post, platform: string, now: number): Array<{ day: number; metrics: Metrics }> {
	if (!post.publishedAt) return [];
	const hash = createHash('sha256').update(`${post.id} ${platform}`).digest();
	const views = 2000 + (hash.readUInt16BE(0) % 5000);
	const base = metricsBy((name, index) => {
		if (name === 'views') return views;
		const share = Math.floor((views * (1 + (hash[index + 1]! % 5))) / 100);
		return name === 'impressions' ? views + share : share;
	});
	const first = dayOf(Date.parse(post.publishedAt));
	return times(Math.max(0, Math.min(dayOf(now) - first, LIFE) + 1), (n) => ({
		day: first + n,
		metrics: metricsBy((name) => Math.floor(base[name] / 2 ** n)),
	}));
}

export const totals = (post: Post, platform: string, now: number): Metrics =>
	sum(daily(post, platform, now).map(({ metrics }) => metrics));

/** What the analytics call engagements, and their share of the impressions: a fraction, not a percentage. */
export function engagement({ likes, comments, shares, saves, clicks, impressions }: Metrics) {
	const engagements = likes + comments + shares + saves + clicks;
	return { engagements, engagement_rate: engagements / (impressions || 1) };
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
