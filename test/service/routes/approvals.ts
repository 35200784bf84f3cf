import { z } from 'zod';
import { int, parseQuery } from '../check';
import { ok, type Route } from '../pipeline';

const query = z.object({ page: int(1, 1_000_000).default('1'), limit: int(1, 50).default('10') }).strict();

/** Spec, "Approval batch list"; newest first. Fields of a batch: not shown. */
export const approvals: Route[] = [
	{
		method: 'GET',
		path: '/approvals',
		scope: 'approvals:read',
		handle(context) {
			const { page, limit } = parseQuery(query, context.query);
			const all = [...context.service.store.approvals.values()]
				.filter(({ workspaceId }) => workspaceId === context.workspace.id)
				.reverse();
			const batches = all.slice((page - 1) * limit, page * limit).map((batch) => ({
				id: batch.id,
				status: batch.status,
				items: batch.items.map((item) => ({ ...item })),
				workspace_id: batch.workspaceId,
				brand_id: batch.brandId,
				created_at: batch.createdAt,
				updated_at: batch.updatedAt,
			}));
			const pagination = {
				page,
				limit,
				total: all.length,
				hasNext: page * limit < all.length,
				hasPrev: page > 1,
			};
			return ok({ batches, pagination });
		},
	},
];
