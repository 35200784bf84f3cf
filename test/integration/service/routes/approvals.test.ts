import { limits } from '../../../support/specification';
import { embedded } from '../harness';

const { service, call, get, create, control } = embedded();

test('pages of batches, newest first', async () => {
	const ids: string[] = [];
	for (let n = 0; n < 51; n++) {
		const { id } = await create();
		await control(`posts/${id}/hold`);
		ids.unshift(id);
	}
	const page = async (query = {}) => {
		const { batches, pagination } = await get('/approvals', query);
		return [pagination, batches.map(({ items }: any) => items[0].post_id)];
	};
	const { standard, most } = limits['/approvals'];
	const pagination = { page: 1, limit: standard, total: 51, hasNext: true, hasPrev: false };
	expect(await page()).toEqual([pagination, ids.slice(0, standard)]);
	expect(await page({ limit: most })).toEqual([{ ...pagination, limit: most }, ids.slice(0, most)]);
	const last = { page: 2, limit: most, total: 51, hasNext: false, hasPrev: true };
	expect(await page({ page: 2, limit: most })).toEqual([last, ids.slice(most)]);
	expect((await page({ page: 3, limit: 17 }))[0]).toMatchObject({ hasNext: false });
	const [{ id, ...batch }] = (await get('/approvals', { limit: 1 })).batches;
	expect(batch).toMatchObject({ status: 'pending', workspace_id: 'ws_main', brand_id: 'brand_main' });
	expect(service().store.approvals.has(id)).toBe(true);
	const { key } = { key: service().keys.otherWorkspace };
	expect((await call('GET', '/approvals', { key })).data.pagination.total).toBe(0);
});
