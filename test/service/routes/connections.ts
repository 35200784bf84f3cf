import { ok, type Route } from '../pipeline';
import { listOf } from './lists';

/** Spec: "Lists connections." Fields: not shown; here one for each account. */
export const connections: Route[] = [
	{
		method: 'GET',
		path: '/social-connections',
		scope: 'accounts:read',
		handle({ service: { store }, workspace }) {
			const items = store.accountsOf(workspace.id).map((account) => ({
				id: account.id.replace(/^acc_/, 'con_'),
				account_id: account.id,
				platform: account.platform,
				status: account.status,
				connected_at: account.connectedAt,
				brand_id: account.brandId,
			}));
			return ok(listOf(store, 'connections', items));
		},
	},
];
