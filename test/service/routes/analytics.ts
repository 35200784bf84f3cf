import { groupBy, mapValues, omit, pick } from 'lodash';
import { z } from 'zod';
import { limits } from '../../support/specification';
import { analyticsName, bool, checkOrder, isoFrom, isoTo, limit, parseQuery, platformList } from '../check';
import { daily, DAY, engagement, publishedRows, sum, totals, type Metrics } from '../metrics';
import { ok, type Context, type Route } from '../pipeline';
import type { Insight } from '../types';
import { ofWorkspace } from './lists';
import { find } from './posts';

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
		limit: limit(limits['/analytics/insights']),
		type: z.enum(['performance', 'timing', 'content', 'growth']).optional(),
		platforms: platformList.optional(),
		dismissed: bool.optional(),
	})
	.strict();

const postQuery = z
	.object({ granularity: z.enum(['daily', 'weekly']), from: isoFrom, to: isoTo })
	.partial()
	.strict();

/** The counters that only some platforms have, and from which metric they are. */
const SPECIAL: Record<string, Record<string, keyof Metrics>> = {
	linkedin: { clicks: 'clicks' },
	twitter: { retweets: 'shares' },
	facebook: { reactions: 'likes' },
};

function rowsOf({ service, workspace }: Context, from = -Infinity, to = service.clock.now()) {
	return publishedRows(service.store.feed(workspace.id), from, to, service.clock.now());
}

const sumOf = (rows: Array<{ metrics: Metrics }>) => sum(rows.map(({ metrics }) => metrics));

const insightsOf = ({ service, workspace }: Context) => ofWorkspace(service.store.insights, workspace);
const shownInsight = (insight: Insight) => omit(insight, 'workspaceId');

/** Spec: "Views, likes, comments and shares per platform." Parameters and response: not shown. */
function overview(context: Context) {
	const by_platform = mapValues(groupBy(rowsOf(context), 'platform'), (rows) =>
		pick(sumOf(rows), ['views', 'likes', 'comments', 'shares']),
	);
	return ok({ by_platform });
}

/** Spec, "Summary analytics". Posts published in the time frame; one of two platforms counts for both. */
function summary(context: Context) {
	const { startDate, endDate, ...query } = parseQuery(summaryQuery, context.query);
	checkOrder(startDate, endDate);
	const isGiven = startDate !== undefined || endDate !== undefined;
	const from = isGiven ? startDate : context.service.clock.now() - DAYS[query.timeframe] * DAY;
	const rows = rowsOf(context, from, endDate);
	const all = engagement(sumOf(rows));
	const found = insightsOf(context);
	const activity = rows.slice(0, 10).map(({ post, platform }) => ({
		type: 'post.published',
		post_id: post.id,
		platform,
		occurred_at: post.publishedAt,
	}));
	return ok({
		total_posts: rows.length,
		total_engagements: all.engagements,
		average_engagement_rate: all.engagement_rate,
		by_platform: mapValues(groupBy(rows, 'platform'), (own, platform) => {
			const metrics = sumOf(own);
			const { impressions } = metrics;
			const special = mapValues(SPECIAL[platform], (metric) => metrics[metric]);
			return { posts: own.length, ...engagement(metrics), impressions, ...special };
		}),
		insights: query.includeInsights ? found.slice(0, 5).map(shownInsight) : [],
		recent_activity: query.includeActivity ? activity : null,
	});
}

/** Spec, "Unified row": the fields depend on the platform. */
function unified(context: Context) {
	const { from, to, platforms } = parseQuery(unifiedQuery, context.query);
	checkOrder(from, to);
	const rows = rowsOf(context, from, to)
		.filter(({ platform }) => !platforms || platforms.has(platform))
		.map(({ post, platform, metrics }) => {
			const { likes, comments, shares, saves, clicks, impressions, views } = metrics;
			return {
				post_id: post.id,
				platform,
				content_text: post.text,
				published_at: post.publishedAt,
				impressions,
				...engagement(metrics),
				...(platform === 'twitter' || platform === 'bluesky'
					? { retweets: shares, replies: comments, likes, bookmarks: saves }
					: { clicks, comments, shares, reactions: likes, reach: views, save_count: saves }),
			};
		});
	return ok({ rows, count: rows.length });
}

/** Spec, "Insight"; newest first. */
function insights(context: Context) {
	const query = parseQuery(insightsQuery, context.query);
	const { type, platforms, dismissed } = query;
	const found = insightsOf(context).filter(
		(insight) =>
			(type === undefined || insight.insight_type === type) &&
			(dismissed === undefined || insight.dismissed === dismissed) &&
			(!platforms || insight.platforms.some((name) => platforms.has(name))),
	);
	return ok(found.slice(0, query.limit).map(shownInsight));
}

const isoDay = (day: number) => new Date(day * DAY).toISOString().slice(0, 10);
/** Day 0 was a Thursday: the Monday of a day's week. */
const mondayOf = (day: number) => isoDay(day - ((day + 3) % 7));

/** Spec, "Per-post analytics", of the first platform. `weekly_series` is ours (not shown): Mondays and the same integers. */
function ofPost(context: Context) {
	const post = find(context);
	const { granularity, from = -Infinity, to = Infinity } = parseQuery(postQuery, context.query);
	checkOrder(from, to);
	const { clock } = context.service;
	const now = clock.now();
	const shown = post.platforms.find(({ status }) => status === 'completed') ?? post.platforms[0]!;
	const data = {
		post_id: post.id,
		platform: analyticsName(shown.platform),
		provider_post_id: shown.provider_post_id,
		metrics: totals(post, shown.platform, now),
		last_synced_at: clock.iso(now),
	};
	if (granularity === undefined) return ok(data);
	const isInRange = ({ day }: { day: number }) => day >= Math.floor(from / DAY) && day * DAY <= to;
	const days = daily(post, shown.platform, now).filter(isInRange);
	if (granularity === 'daily') {
		const daily_series = days.map(({ day, metrics }) => ({ date: isoDay(day), ...metrics }));
		return ok({ ...data, daily_series });
	}
	const weeks = Object.entries(groupBy(days, ({ day }) => mondayOf(day)));
	const weekly_series = weeks.map(([week_start, own]) => ({ week_start, ...sumOf(own) }));
	return ok({ ...data, weekly_series });
}

export const analytics: Route[] = [
	{ method: 'GET', path: '/analytics', scope: 'analytics:read', handle: overview },
	{ method: 'GET', path: '/analytics/summary', scope: 'analytics:read', handle: summary },
	{ method: 'GET', path: '/analytics/unified', scope: 'analytics:read', handle: unified },
	{ method: 'GET', path: '/analytics/insights', scope: 'analytics:read', handle: insights },
	{ method: 'GET', path: '/posts/:id/analytics', scope: 'analytics:read', handle: ofPost },
];
