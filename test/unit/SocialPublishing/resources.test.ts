import { resources } from '../../../nodes/SocialPublishing/resources';

test('saved workflows hold the names of resources and operations: none goes, others may come', () => {
	const names = resources.flatMap(({ value, operations }) =>
		operations.map((one) => `${value}.${one.value}`),
	);
	expect(names).toEqual(
		expect.arrayContaining([
			'account.getAll',
			...['getInsights', 'getOverview', 'getSummary', 'getUnified'].map((one) => `analytics.${one}`),
			'approval.getAll',
			...['getAll', 'reply'].map((one) => `inbox.${one}`),
			...['createUploadUrl', 'upload', 'uploadDirect'].map((one) => `media.${one}`),
			...['cancel', 'create', 'delete', 'get', 'getAll', 'getAnalytics', 'update', 'waitForStatus'].map(
				(one) => `post.${one}`,
			),
			'socialConnection.getAll',
			'usage.get',
			...['check', 'create', 'delete', 'getAll', 'getDeliveries'].map((one) => `webhook.${one}`),
			...['checkHealth', 'getAll'].map((one) => `workspace.${one}`),
		]),
	);
});
