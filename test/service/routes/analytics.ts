import { z } from 'zod';
import { analyticsName, bool, checkOrder, int, isoFrom, isoTo, parseQuery, platformList } from '../check';
import {
	add,
	daily,
	DAY,
	engagementsOf,
	publishedRows,
	rateOf,
	totals,
	zero,
	type Metrics,
} from '../metrics';
import { ok, type Context, type Route } from '../pipeline';
import { find } from './posts';

const INSIGHT_TYPES = ['performance', 'timing', 'content', 'growth'] as const;
const DAYS = { last_7_days: 7, last_30_days: 30, last_90_days: 90, all_time: Infinity };

const summaryQuery = z
	.object({
		timeframe: z.enum(['last_7_days', 'last_30_days', 'last_90_days', 'all_time']).default('last_30_days'),
		startDate: isoFrom.optional(),
		endDate: isoTo.optional(),
		includeInsights: bool.default('false'),
		includeActivity: bool.default('false'),
	})
	.strict();

const unifiedQuery = z.object({ from: isoFrom, to: isoTo, platforms: platformList.optional() }).strict();

const insightsQuery = z
	.object({
		limit: int(1, 20).default('5'),
		type: z.enum(INSIGHT_TYPES).optional(),
		platforms: platformList.optional(),
		dismissed: bool.optional(),
	})
	.strict();

const postQuery = z
	.object({
		granularity: z.enum(['daily', 'weekly']).optional(),
		from: isoFrom.optional(),
		to: isoTo.optional(),
	})
	.strict();

/** The counters that only some platforms have (spec: `clicks`, `retweets`, `reactions`). */
function special(platform: string, metrics: Readonly<Metrics>): Record<string, number> {
	if (platform === 'linkedin') return { clicks: metrics.clicks };
	if (platform === 'twitter') return { retweets: metrics.shares };
	if (platform === 'facebook') return { reactions: metrics.likes };
	return {};
}

function insightsOf({ service, workspace }: Context) {
	return service.store.insights
		.filter(({ workspaceId }) => workspaceId === workspace.id)
		.map((insight) => ({ ...insight, workspaceId: undefined }));
}

/** Spec: "Views, likes, comments and shares per platform." Parameters and response: not shown. */
function overview({ service, workspace }: Context) {
	const now = service.clock.now();
	const sums = new Map<string, Metrics>();
	for (const { platform, metrics } of publishedRows(service.store.feed(workspace.id), -Infinity, now, now)) {
		sums.set(platform, add(sums.get(platform) ?? zero(), metrics));
	}
	const platforms = [...sums].map(([platform, { views, likes, comments, shares }]) => ({
		platform,
		views,
		likes,
		comments,
		shares,
	}));
	return ok({ platforms });
}

/** Spec, "Summary analytics". Posts published in the time frame; one of two platforms counts for both. */
function summary(context: Context) {
	const { service, workspace } = context;
	const query = parseQuery(summaryQuery, context.query);
	checkOrder(query.startDate, query.endDate);
	const now = service.clock.now();
	const given = query.startDate !== undefined || query.endDate !== undefined;
	const from = given ? (query.startDate ?? -Infinity) : now - DAYS[query.timeframe] * DAY;
	const rows = publishedRows(service.store.feed(workspace.id), from, query.endDate ?? now, now);

	const sums = new Map<string, { posts: number; metrics: Metrics }>();
	for (const { platform, metrics } of rows) {
		const sum = sums.get(platform) ?? { posts: 0, metrics: zero() };
		sum.posts++;
		add(sum.metrics, metrics);
		sums.set(platform, sum);
	}
	const byPlatform: Record<string, Record<string, number>> = {};
	let engagements = 0;
	let impressions = 0;
	for (const [platform, { posts, metrics }] of sums) {
		const engaged = engagementsOf(metrics);
		engagements += engaged;
		impressions += metrics.impressions;
		byPlatform[platform] = {
			posts,
			engagements: engaged,
			engagement_rate: rateOf(engaged, metrics.impressions),
			impressions: metrics.impressions,
			...special(platform, metrics),
		};
	}
	const activity = rows.slice(0, 10).map(({ post, platform }) => ({
		type: 'post.published',
		post_id: post.id,
		platform,
		occurred_at: post.publishedAt,
	}));
	return ok({
		total_posts: rows.length,
		total_engagements: engagements,
		average_engagement_rate: rateOf(engagements, impressions),
		by_platform: byPlatform,
		insights: query.includeInsights ? insightsOf(context).slice(0, 5) : [],
		recent_activity: query.includeActivity ? activity : null,
	});
}

/** Spec, "Unified row": the fields depend on the platform. */
function unified({ service, workspace, query }: Context) {
	const { from, to, platforms } = parseQuery(unifiedQuery, query);
	checkOrder(from, to);
	const now = service.clock.now();
	const rows = publishedRows(service.store.feed(workspace.id), from, to, now)
		.filter(({ platform }) => !platforms || platforms.has(platform))
		.map(({ post, platform, metrics }) => {
			const engagements = engagementsOf(metrics);
			const { likes, comments, shares, saves, clicks, impressions, views } = metrics;
			return {
				post_id: post.id,
				platform,
				content_text: post.text,
				published_at: post.publishedAt,
				impressions,
				engagements,
				engagement_rate: rateOf(engagements, impressions),
				...(platform === 'twitter' || platform === 'bluesky'
					? { retweets: shares, replies: comments, likes, bookmarks: saves }
					: { clicks, comments, shares, reactions: likes, reach: views, save_count: saves }),
			};
		});
	return ok({ rows, count: rows.length });
}

/** Spec, "Insight"; newest first. */
function insights(context: Context) {
	const { limit, type, platforms, dismissed } = parseQuery(insightsQuery, context.query);
	const found = insightsOf(context).filter(
		(insight) =>
			(type === undefined || insight.insight_type === type) &&
			(dismissed === undefined || insight.dismissed === dismissed) &&
			(!platforms || insight.platforms.some((name) => platforms.has(analyticsName(name)))),
	);
	return ok(found.slice(0, limit));
}

const isoDay = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
/** Day 0 was a Thursday: the Monday of a day's week. */
const mondayOf = (day: number) => day - ((day + 3) % 7);

/**
 * Spec, "Per-post analytics". Of a post on several platforms: the first one. Before publication: zeros and no
 * `provider_post_id`. `weekly_series` is ours (not shown): `week_start` (a Monday) and the same seven integers.
 */
function ofPost(context: Context) {
	const post = find(context);
	const query = parseQuery(postQuery, context.query);
	checkOrder(query.from, query.to);
	const now = context.service.clock.now();
	const platform = post.platforms.find(({ status }) => status === 'completed') ?? post.platforms[0]!;
	const data: Record<string, unknown> = {
		post_id: post.id,
		platform: analyticsName(platform.platform),
		provider_post_id: platform.provider_post_id,
		metrics: { ...totals(post, platform.platform, now) },
		last_synced_at: context.service.clock.iso(now),
	};
	if (query.granularity === undefined) return ok(data);
	const firstDay = Math.floor((query.from ?? 0) / DAY);
	const lastDay = Math.floor((query.to ?? now) / DAY);
	const days = daily(post, platform.platform, now).filter(({ day }) => day >= firstDay && day <= lastDay);
	if (query.granularity === 'daily') {
		data.daily_series = days.map(({ day, ...metrics }) => ({ date: isoDay(day), ...metrics }));
		return ok(data);
	}
	const weeks = new Map<number, Metrics>();
	for (const { day, ...metrics } of days) {
		weeks.set(mondayOf(day), add(weeks.get(mondayOf(day)) ?? zero(), metrics));
	}
	data.weekly_series = [...weeks].map(([day, metrics]) => ({ week_start: isoDay(day), ...metrics }));
	return ok(data);
}

export const analytics: Route[] = [
	{ method: 'GET', path: '/analytics', scope: 'analytics:read', handle: overview },
	{ method: 'GET', path: '/analytics/summary', scope: 'analytics:read', handle: summary },
	{ method: 'GET', path: '/analytics/unified', scope: 'analytics:read', handle: unified },
	{ method: 'GET', path: '/analytics/insights', scope: 'analytics:read', handle: insights },
	{ method: 'GET', path: '/posts/:id/analytics', scope: 'analytics:read', handle: ofPost },
];
