import { ok, type Route } from '../pipeline';
import { listOf } from './lists';

/** Spec: "Lists social accounts of the workspace." Fields: not shown. */
export const accounts: Route[] = [
	{
		method: 'GET',
		path: '/accounts',
		scope: 'accounts:read',
		handle({ service: { store }, workspace }) {
			const items = store.accountsOf(workspace.id).map((account) => ({
				id: account.id,
				platform: account.platform,
				name: account.name,
				username: account.username,
				status: account.status,
				expires_at: account.expiresAt ?? null,
				workspace_id: account.workspaceId,
				brand_id: account.brandId,
			}));
			return ok(listOf(store, 'accounts', items));
		},
	},
];
