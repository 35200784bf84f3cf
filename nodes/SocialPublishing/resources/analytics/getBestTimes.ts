import groupBy from 'lodash/groupBy';
import orderBy from 'lodash/orderBy';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { listNames } from '../../../api/contract';
import { Failure } from '../../../api/failure';
import { records } from '../../../api/lists';
import { analyticsPlatforms } from '../../../api/platforms';
import { operation } from '../../engine/operation';
import { platformsFilter } from '../fields';
import { noZone } from '../time';
import { withPlatformNames } from './platformNames';
import { rangeOfDays } from './timeframe';

const DEFAULT_LEAST_POSTS = 3;

/** Spec: `GET /analytics/unified`; the hours of the week are worked out here. */
export const getBestTimes = operation({
	name: 'Get Best Times',
	value: 'getBestTimes',
	action: 'Get best times to post',
	description: 'Find the hours of the week with the highest engagement rate in your analytics',
	method: 'GET',
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
		{
			displayName: 'Filters',
			name: 'filters',
			type: 'collection',
			placeholder: 'Add Filter',
			default: {},
			options: [platformsFilter],
		},
	],
	options: [
		{
			displayName: 'Minimum Posts',
			name: 'leastPosts',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_LEAST_POSTS,
			description: 'Leave out hours with fewer posts than this',
		},
	],
	request: ({ days, filters: { platforms } }, { now }) => ({
		path: '/analytics/unified',
		expects: { list: listNames.rows },
		qs: { ...rangeOfDays(days, now), ...(platforms ? { platforms: analyticsPlatforms(platforms) } : {}) },
	}),
	shape: (data, { options: { leastPosts = DEFAULT_LEAST_POSTS } }, { zone }) =>
		bestTimes(withPlatformNames(records(data, listNames.rows)), zone, leastPosts),
});

/**
 * The hours of the week in which posts went out, by the median of their engagement rates (fractions), best first.
 * @param rows of the spec's "Unified row"; those without a time or a rate don't count
 * @param zone IANA name
 * @throws Failure where the zone isn't known, or no row has both
 */
function bestTimes(rows: IDataObject[], zone: string, leastPosts: number): IDataObject[] {
	if (!DateTime.local({ zone }).isValid) throw noZone('Days', zone, undefined);
	const posts = rows.flatMap(({ platform, published_at: publishedAt, engagement_rate: rate }) => {
		const time = DateTime.fromISO(String(publishedAt), { zone, locale: 'en' });
		if (!time.isValid || typeof rate !== 'number') return [];
		return [
			{
				platform,
				day: time.toFormat('ccc').toLowerCase(),
				time: time.toFormat('HH:00'),
				rate,
				order: time.weekday,
			},
		];
	});
	if (rows.length > 0 && posts.length === 0)
		throw new Failure({
			code: 'NODE_UNEXPECTED_DATA',
			status: 200,
			message: "The service's analytics have no post with a publication time and an engagement rate",
			hint: "Use 'Get Metrics per Post' to see what the service returns.",
		});
	const hours = Object.values(
		groupBy(posts, ({ platform, day, time }) => `${String(platform)} ${day} ${time}`),
	);
	const found = hours
		.filter(({ length }) => length >= leastPosts)
		.map((hour) => ({
			...hour[0]!,
			posts: hour.length,
			engagement_rate: median(hour.map(({ rate }) => rate)),
		}));
	const best = orderBy(
		found,
		['engagement_rate', 'posts', 'platform', 'order', 'time'],
		['desc', 'desc', 'asc', 'asc', 'asc'],
	);
	return best.map(({ platform, day, time, posts: count, engagement_rate }) => ({
		platform,
		day,
		time,
		posts: count,
		engagement_rate,
	}));
}

function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = sorted.length >> 1;
	return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
