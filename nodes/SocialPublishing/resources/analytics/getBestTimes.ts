import { groupBy, orderBy, round, sortBy } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { analyticsPlatforms, lists } from '../../../api/contract';
import { refusal } from '../../../api/failure';
import { timeIn } from '../../../api/records';
import type { RequestContext } from '../../engine/item';
import { operation } from '../../engine/operation';
import { filtersField, platformsFilter } from '../fields';
import { withPlatformNames } from './platformNames';
import { rangeOfDays } from './timeframe';

const DEFAULT_MIN_POSTS = 3;

/** Spec: `GET /analytics/unified`; the hours of the week are worked out here. */
export const getBestTimes = operation({
	name: 'Get Best Times',
	value: 'getBestTimes',
	action: 'Get best times to post',
	description: 'Find the hours of the week with the highest engagement rate in your analytics',
	fields: [
		{
			displayName: 'Days',
			name: 'days',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 90,
			description: 'How many days to look back',
			hint: "In the workflow's time zone. The output fits 'Slot Days' and 'Slot Times' of a post.",
		},
		{ ...filtersField, options: [platformsFilter] },
	],
	options: [
		{
			displayName: 'Minimum Posts',
			name: 'minPosts',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_MIN_POSTS,
			description: 'Leave out hours with fewer posts than this',
		},
	],
	request: ({ days, filters: { platforms } }, { now }) => ({
		...lists.unified,
		qs: { ...rangeOfDays(days, now), platforms: platforms && analyticsPlatforms(platforms) },
	}),
	rows: (records, { options: { minPosts = DEFAULT_MIN_POSTS } }, at) => {
		const found = bestTimes(records.map(withPlatformNames), at, minPosts);
		if (found.length === 0)
			at.hint(
				`No hour of the week has ${minPosts} or more posts with an engagement rate. Raise 'Days', or lower Options → Minimum Posts.`,
				'info',
			);
		return found;
	},
});

/**
 * The hours of the week in which posts went out, by the median of their engagement rates (fractions), best first. Rows without
 * a time or a rate don't count, with a hint. @throws Failure where no row has both
 */
function bestTimes(rows: IDataObject[], at: RequestContext, minPosts: number): IDataObject[] {
	const posts = rows.flatMap(({ platform = null, published_at: publishedAt, engagement_rate: rate }) => {
		const time = DateTime.fromMillis(timeIn(publishedAt) ?? NaN, { zone: at.zone, locale: 'en' });
		return time.isValid && typeof rate === 'number' ? [{ platform, time, rate }] : [];
	});
	if (rows.length > 0 && posts.length === 0)
		throw refusal(
			'UNEXPECTED_DATA',
			"The service's analytics have no post with a publication time and an engagement rate that this node can read",
			"Use 'Get Metrics per Post' to see what the service returns.",
		).with({ status: 200 });
	if (posts.length < rows.length)
		at.hint(
			`${rows.length - posts.length} of ${rows.length} posts have no publication time or engagement rate that this node can read, so they were left out`,
		);
	const byHour = groupBy(posts, ({ platform, time }) => `${time.toFormat('E HH')} ${String(platform)}`);
	const hours = Object.values(byHour).filter(({ length }) => length >= minPosts);
	const found = hours.map((hour) => ({
		platform: hour[0]!.platform,
		day: hour[0]!.time.toFormat('ccc').toLowerCase(),
		time: hour[0]!.time.toFormat('HH:00'),
		posts: hour.length,
		engagement_rate: round(median(hour.map(({ rate }) => rate)), 4),
	}));
	return orderBy(found, ['engagement_rate', 'posts', 'platform'], ['desc', 'desc', 'asc']);
}

function median(values: number[]): number {
	const sorted = sortBy(values);
	return (sorted[(values.length - 1) >> 1]! + sorted[values.length >> 1]!) / 2;
}
