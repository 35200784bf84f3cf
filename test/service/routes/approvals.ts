import { z } from 'zod';
import { limits } from '../../support/specification';
import { int, limit, parseQuery } from '../check';
import { ok, type Route } from '../pipeline';
import { ofWorkspace, present } from './lists';

const pageQuery = z
	.object({ page: int(1_000_000).default('1'), limit: limit(limits['/approvals']) })
	.strict();

/** Spec, "Approval batch list"; newest first. Fields of a batch: not shown. */
export const approvals: Route[] = [
	{
		method: 'GET',
		path: '/approvals',
		scope: 'approvals:read',
		handle({ service, workspace, query }) {
			const { page, limit: size } = parseQuery(pageQuery, query);
			const all = ofWorkspace(service.store.approvals, workspace).reverse();
			const pagination = {
				page,
				limit: size,
				total: all.length,
				hasNext: page * size < all.length,
				hasPrev: page > 1,
			};
			return ok({ batches: all.slice((page - 1) * size, page * size).map(present), pagination });
		},
	},
];
