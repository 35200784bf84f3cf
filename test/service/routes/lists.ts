import mapKeys from 'lodash/mapKeys';
import omit from 'lodash/omit';
import pick from 'lodash/pick';
import snakeCase from 'lodash/snakeCase';
import { noQuery, parseQuery } from '../check';
import type { ApiError } from '../errors';
import { ok, type Context, type Route } from '../pipeline';
import type { Store } from '../store';
import type { Workspace } from '../types';

type OfWorkspace = { workspaceId: string };

/** A list whose shape the spec does not show: `{ [name]: items }`, or bare where the store is told so. */
export const listOf = (store: Store, name: string, items: unknown[]) =>
	store.listShape === 'array' ? items : { [name]: items };

export const ofWorkspace = <T extends OfWorkspace>(records: ReadonlyMap<string, T>, { id }: Workspace): T[] =>
	[...records.values()].filter(({ workspaceId }) => workspaceId === id);

/** The record that the path names. One of another workspace is "inaccessible". */
export function ofPath<T extends OfWorkspace>(
	records: ReadonlyMap<string, T>,
	{ params, workspace }: Context,
	missing: ApiError,
): T {
	const record = records.get(params.id ?? '');
	if (record?.workspaceId !== workspace.id) throw missing;
	return record;
}

/** A record with the names of the API: `created_at` for `createdAt`. */
export const present = (record: object) => mapKeys(record, (_value, name) => snakeCase(name));

/** Spec: "No workspace header needed. Returns the workspaces of the key." */
function workspaces({ service: { store }, key, query }: Context) {
	parseQuery(noQuery, query);
	const items = key.workspaces.flatMap((id) => store.workspaces.get(id) ?? []);
	return ok(listOf(store, 'workspaces', items.map(present)));
}

/** Spec: "Lists social accounts of the workspace." Fields: not shown. */
function accounts({ service: { store }, workspace }: Context) {
	const items = ofWorkspace(store.accounts, workspace).map((account) =>
		present({ expiresAt: null, ...omit(account, 'connectedAt') }),
	);
	return ok(listOf(store, 'accounts', items));
}

/** Spec: "Lists connections." Fields: not shown; here one for each account. */
function connections({ service: { store }, workspace }: Context) {
	const items = ofWorkspace(store.accounts, workspace).map((account) => ({
		id: account.id.replace(/^acc_/, 'con_'),
		account_id: account.id,
		...present(pick(account, ['platform', 'status', 'connectedAt', 'brandId'])),
	}));
	return ok(listOf(store, 'connections', items));
}

export const lists: Route[] = [
	{ method: 'GET', path: '/workspaces', scope: 'workspaces:read', workspace: false, handle: workspaces },
	{ method: 'GET', path: '/accounts', scope: 'accounts:read', handle: accounts },
	{ method: 'GET', path: '/social-connections', scope: 'accounts:read', handle: connections },
];
