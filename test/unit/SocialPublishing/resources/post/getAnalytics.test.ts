import type { IDataObject } from 'n8n-workflow';

import { getAnalytics } from '../../../../../nodes/SocialPublishing/resources/post/getAnalytics';
import { failureOf } from '../../../../support/failure';
import { shapeOf } from '../operations';

/** What is asked for: ../../resources.test.ts. */

test('is one item with everything, or one a day or week, each with its post', () => {
	const series = (data: IDataObject) =>
		shapeOf(getAnalytics, { postId: 'p', granularity: 'daily', output: 'series' }, data);
	const post = { post_id: 'p', platform: 'x', provider_post_id: '7' };
	const data = { ...post, series_of: [1], daily_series: [{ likes: 1 }, { likes: 2 }] };
	expect(shapeOf(getAnalytics, { postId: 'p' }, { ...data, platform: 'twitter' })).toEqual(data);
	expect(series(data)).toEqual([1, 2].map((likes) => ({ ...post, likes })));
	expect(series({ daily_series: [{ likes: 1 }] })).toEqual([{ likes: 1 }]);
	expect(series({ ...post, daily_series: [] })).toEqual([]);
});

test.each<[string, IDataObject, boolean]>([
	['daily', { daily_series: 'none' }, false],
	['daily', { weekly_series: [{}] }, false],
	['weekly', { daily_series: [{}] }, false],
	['weekly', { platform: 'x', daily_series: [{}], by_week_series: [{}] }, true],
	['weekly', { other_series: [1], weekly_series: [{}] }, true],
])('a %s series of %j: a series that the answer does not have is an error', (granularity, data, isThere) => {
	const made = () => shapeOf(getAnalytics, { postId: 'p', granularity, output: 'series' }, data);
	if (isThere) expect(made()).toHaveLength(1);
	else
		expect(failureOf(made as never).details).toMatchObject({
			...{ code: 'NODE_UNEXPECTED_DATA', status: 200 },
			message: `The service's answer has no ${granularity} series of this post`,
			hint: "Set 'Output' to 'Post' to get the analytics as the service returns them.",
		});
});
