import { sumBy } from 'lodash';

import { DAY, embedded } from '../harness';

// Shapes: test/support/checkContract.ts.
const { service, get, create } = embedded();
/** By the platform's name in analytics; the last one three days ago. */
const posts: Record<string, any> = {};
const daysAgo = (days: number) => service().clock.iso(service().clock.now() - days * DAY);

beforeAll(async () => {
	for (const [name, later] of Object.entries({ linkedin: 40, facebook: 10, twitter: 3 })) {
		const { id } = await create({ platform: name.replace('twitter', 'x') });
		service().lifecycle.publish(service().store.posts.get(id)!);
		posts[name] = await get(`/posts/${id}`);
		await service().clock.advance(later * DAY);
	}
});

test('/analytics/unified: a row for each published post of the range and the platforms', async () => {
	const platformsOf = async (query = {}) =>
		(await get('/analytics/unified', { from: daysAgo(60), to: daysAgo(0), ...query })).rows.map(
			({ platform }: any) => platform,
		);
	expect(await platformsOf()).toEqual(['twitter', 'facebook', 'linkedin']);
	expect(await platformsOf({ from: daysAgo(3.1) })).toEqual(['twitter']);
	expect(await platformsOf({ to: daysAgo(3.1) })).toEqual(['facebook', 'linkedin']);
	expect(await platformsOf({ platforms: 'x,facebook' })).toEqual(['twitter', 'facebook']);
});

test('/posts/{id}/analytics: totals, which are the sums of its days and weeks', async () => {
	const path = `/posts/${posts.linkedin.id}/analytics`;
	const { metrics } = await get(path);
	expect(metrics.impressions).toBeGreaterThan(0);
	const { daily_series: days } = await get(path, { granularity: 'daily' });
	const { weekly_series: weeks } = await get(path, { granularity: 'weekly' });
	for (const name of Object.keys(metrics))
		expect([sumBy(days, name), sumBy(weeks, name)]).toEqual([metrics[name], metrics[name]]);
	expect(days[0].date).toBe(posts.linkedin.published_at.slice(0, 10));
	expect(weeks.map(({ week_start }: any) => new Date(week_start).getUTCDay())).toEqual(weeks.map(() => 1));
	const range = { granularity: 'daily', from: days[1].date, to: days[2].date };
	expect((await get(path, range)).daily_series).toEqual(days.slice(1, 3));
});
