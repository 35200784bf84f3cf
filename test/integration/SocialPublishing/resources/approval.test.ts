import { type Service, startService } from '../../../service';
import { describeOperation, runOperation } from './frame';

const addBatches = (service: Service, count: number): void => {
	for (let i = 0; i < count; i++)
		service.store.approvals.set(`batch_${i}`, {
			id: `batch_${i}`,
			workspaceId: 'ws_main',
			brandId: 'brand_main',
			status: 'pending',
			items: [],
			createdAt: service.clock.iso(),
			updatedAt: service.clock.iso(),
		});
};

describeOperation('approval.getAll', {
	endpoint: 'GET /approvals',
	parameters: (service) => {
		addBatches(service, 3);
		return { limit: 7 };
	},
	sent: { query: { page: '1', limit: '7' } },
	answer: ({ json }) => expect(json.map(({ id }) => id)).toEqual(['batch_2', 'batch_1', 'batch_0']),
	empty: {
		prepare: () => ({ returnAll: true }),
		check: ({ json }) => expect(json).toEqual([]),
	},
});

test('all of them, page by page, as large as the service allows', async () => {
	const service = await startService();
	addBatches(service, 120);
	const { json } = await runOperation(service, 'approval.getAll', { returnAll: true });
	expect(new Set(json.map(({ id }) => id)).size).toBe(120);
	expect(service.requests.map(({ query }) => query)).toEqual([
		{ page: '1', limit: '50' },
		{ page: '2', limit: '50' },
		{ page: '3', limit: '50' },
	]);
	await service.close();
});
