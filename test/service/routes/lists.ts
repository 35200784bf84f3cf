import { countBy, mapKeys, omit, pick, snakeCase, sumBy } from 'lodash';
import { z } from 'zod';
import { limits } from '../../support/specification';
import { int, limit, noQuery, parseQuery } from '../check';
import type { ApiError } from '../envelope';
import { ok, type Context, type Route } from '../pipeline';
import { RATE_LIMITS } from '../rateLimit';
import type { Workspace } from '../types';

type OfWorkspace = { workspaceId: string };

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
	return ok({ workspaces: items.map(present) });
}

const accountsOf = ({ service: { store }, workspace }: Context) => ofWorkspace(store.accounts, workspace);

/** Spec: "Lists social accounts of the workspace." Fields: not shown. */
function accounts(context: Context) {
	parseQuery(noQuery, context.query);
	const shown = accountsOf(context).map((one) => present({ expiresAt: null, ...omit(one, 'connectedAt') }));
	return ok({ accounts: shown });
}

/** Spec: "Lists connections." Fields: not shown; here one for each account. */
function connections(context: Context) {
	parseQuery(noQuery, context.query);
	const shown = accountsOf(context).map((account) => ({
		id: account.id.replace(/^acc_/, 'con_'),
		account_id: account.id,
		...present(pick(account, ['platform', 'status', 'connectedAt', 'brandId'])),
	}));
	return ok({ connections: shown });
}

const pageQuery = z
	.object({ page: int(1_000_000).default('1'), limit: limit(limits['/approvals']) })
	.strict();

/** Spec, "Approval batch list"; newest first. Fields of a batch: not shown. */
function approvals({ service, workspace, query }: Context) {
	const { page, limit: size } = parseQuery(pageQuery, query);
	const all = ofWorkspace(service.store.approvals, workspace).reverse();
	const total = all.length;
	const pagination = { page, limit: size, total, hasNext: page * size < total, hasPrev: page > 1 };
	return ok({ batches: all.slice((page - 1) * size, page * size).map(present), pagination });
}

/** Spec: "Usage figures." Fields: not shown; counted for the current month. */
function usage(context: Context) {
	const { service, workspace, key, query } = context;
	parseQuery(noQuery, query);
	const { store, clock } = service;
	const now = new Date(clock.now());
	const [start, end] = [0, 1].map((n) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + n, 1));
	const posts = store.feed(workspace.id).filter(({ createdAt }) => Date.parse(createdAt) >= start!);
	const { completed = 0, failed = 0 } = countBy(posts, 'status');
	const media = ofWorkspace(store.media, workspace).filter(({ uploaded }) => uploaded);
	return ok({
		plan: key.plan,
		period: { start: clock.iso(start), end: clock.iso(end) },
		posts: { created: posts.length, limit: null, completed, failed },
		media: { uploads: media.length, bytes: sumBy(media, 'size') },
		accounts: accountsOf(context).length,
		webhooks: ofWorkspace(store.webhooks, workspace).length,
		requests_per_minute: RATE_LIMITS[key.plan],
	});
}

export const lists: Route[] = [
	{ method: 'GET', path: '/workspaces', scope: 'workspaces:read', workspace: false, handle: workspaces },
	{ method: 'GET', path: '/accounts', scope: 'accounts:read', handle: accounts },
	{ method: 'GET', path: '/social-connections', scope: 'accounts:read', handle: connections },
	{ method: 'GET', path: '/approvals', scope: 'approvals:read', handle: approvals },
	{ method: 'GET', path: '/usage', scope: 'usage:read', handle: usage },
];
