import { type Service, startService } from '../../../service';
import { addPost, DAY, describeOperation, runOperation } from './frame';

/** Posts that were published, one on each of three platforms. */
const publish = (service: Service): void => {
	for (const platform of ['linkedin', 'x', 'facebook'] as const)
		addPost(service, { id: `post_${platform}`, status: 'completed', platforms: [platform], text: platform });
};
const noPosts = (): void => undefined;

describeOperation('analytics.getOverview', {
	endpoint: 'GET /analytics',
	parameters: (service) => {
		publish(service);
		return { options: { query: { period: 'month' } } };
	},
	sent: { query: { period: 'month' } },
	answer: ({ json }) => {
		expect(json.map(({ platform }) => platform).sort()).toEqual(['facebook', 'linkedin', 'x']);
	},
	empty: { prepare: () => ({}), check: ({ json }) => expect(json).toEqual([{ platforms: [] }]) },
});

describeOperation('analytics.getSummary', {
	endpoint: 'GET /analytics/summary',
	parameters: (service) => {
		publish(service);
		return {
			timeframe: 'last_7_days',
			filters: { startDate: '2020-01-01T00:00', endDate: '2036-01-01', includeInsights: true },
		};
	},
	sent: {
		query: {
			timeframe: 'last_7_days',
			startDate: '2019-12-31T23:00:00Z',
			endDate: '2035-12-31T23:00:00Z',
			includeInsights: 'true',
		},
	},
	answer: ({ json }) => {
		expect(json).toHaveLength(1);
		expect(json[0]).toMatchObject({ total_posts: 3, recent_activity: null });
		expect(json[0]!.average_engagement_rate).toBeLessThan(1);
		expect(Object.keys(json[0]!.by_platform as object).sort()).toEqual(['facebook', 'linkedin', 'twitter']);
		expect((json[0]!.insights as unknown[]).length).toBeGreaterThan(0);
	},
	empty: {
		prepare: noPosts,
		check: ({ json }) => expect(json).toHaveLength(1),
	},
});

describeOperation('analytics.getUnified', {
	endpoint: 'GET /analytics/unified',
	parameters: (service) => {
		publish(service);
		return {
			from: '2020-07-01T00:00',
			to: '2036-01-01T00:00:00Z',
			filters: { platforms: ['x', 'linkedin', 'twitter'] },
		};
	},
	sent: {
		query: { from: '2020-06-30T22:00:00Z', to: '2036-01-01T00:00:00Z', platforms: 'twitter,linkedin' },
	},
	answer: ({ json }) => {
		expect(json.map(({ platform }) => platform).sort()).toEqual(['linkedin', 'x']);
		const [linkedin] = json.filter(({ platform }) => platform === 'linkedin');
		expect(linkedin).toMatchObject({ post_id: 'post_linkedin', content_text: 'linkedin' });
		expect(linkedin).toHaveProperty('retweets', null);
	},
	empty: {
		prepare: () => ({ from: '2020-01-01', to: '2020-02-01' }),
		check: ({ json }) => expect(json).toEqual([]),
	},
});

describeOperation('analytics.getInsights', {
	endpoint: 'GET /analytics/insights',
	parameters: () => ({ limit: 2, filters: { type: 'timing', platforms: 'x, instagram', dismissed: false } }),
	sent: { query: { limit: '2', type: 'timing', platforms: 'twitter,instagram', dismissed: 'false' } },
	answer: ({ json }) => {
		expect(json.length).toBeLessThanOrEqual(2);
		for (const { insight_type } of json) expect(insight_type).toBe('timing');
	},
	empty: {
		prepare: (service) => {
			service.store.insights.length = 0;
		},
		check: ({ json }) => expect(json).toEqual([]),
	},
});

test('for sheets and charts: an item a platform, and rows with the same columns, whatever the service adds', async () => {
	const service = await startService();
	publish(service);
	service.faults.add({ kind: 'unknownFields', times: 0 });
	const summary = await runOperation(service, 'analytics.getSummary', { output: 'perPlatform' });
	expect(summary.json.map(({ platform }) => platform)).toEqual(
		expect.arrayContaining(['facebook', 'linkedin', 'threads', 'x']),
	);
	const { json } = await runOperation(service, 'analytics.getUnified', {
		from: new Date(Date.now() - 30 * DAY).toISOString(),
		to: new Date().toISOString(),
		output: 'table',
	});
	expect(json).toHaveLength(3);
	const names = json.map((row) => Object.keys(row));
	expect(names[0]!.slice(-2)).toEqual(['x_new_field', 'x_new_object']);
	expect(names).toEqual([names[0], names[0], names[0]]);
	await service.close();
});
