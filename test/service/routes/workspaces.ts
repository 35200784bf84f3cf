import { z } from 'zod';
import { parseQuery } from '../check';
import { ok, type Route } from '../pipeline';
import { listOf } from './lists';

/** Spec: "No workspace header needed. Returns the workspaces of the key." */
export const workspaces: Route[] = [
	{
		method: 'GET',
		path: '/workspaces',
		scope: 'workspaces:read',
		workspace: false,
		handle({ service: { store }, key, query }) {
			parseQuery(z.object({}).strict(), query);
			const items = key.workspaces.flatMap((id) => {
				const workspace = store.workspaces.get(id);
				if (!workspace) return [];
				const { name, brands, createdAt } = workspace;
				return [{ id, name, brands, created_at: createdAt }];
			});
			return ok(listOf(store, 'workspaces', items));
		},
	},
];
