import { omit } from 'lodash';
import { z } from 'zod';
import { limits } from '../../support/specification';
import { checkOrder, limit, noQuery, parseBody, parseQuery, platform, timestamp } from '../check';
import { ApiError, bodyInvalid } from '../envelope';
import { created, noContent, ok, type Context, type Route } from '../pipeline';
import { POST_STATUSES, type Platform, type Post } from '../types';
import { ofPath, ofWorkspace } from './lists';

/** Spec, "Post (input on create)"; unknown fields are kept: the spec does not close the list. PATCH takes any of them. */
const media = z.array(z.string().min(1)).optional();
const common = {
	account_id: z.string().min(1).optional(),
	/** PATCH: shown in the spec. */
	status: z.enum(['draft', 'scheduled', 'canceled']).optional(),
};
const guide = z.object({
	platform,
	content: z.object({ text: z.string().optional(), media }).passthrough(),
	scheduled_at: timestamp.optional(),
	...common,
});
/** `media` is ours: not shown for this shape. */
const quick = z.object({
	content: z.string(),
	platforms: z
		.array(platform)
		.min(1, 'names no platform')
		.refine((names) => new Set(names).size === names.length, 'names a platform twice'),
	schedule_at: timestamp.optional(),
	media,
	...common,
});

const FIXED = ['platform', 'platforms', 'account_id'];
const KNOWN = Object.keys({ ...guide.shape, ...quick.shape });
const READ_ONLY = ['id', 'workspace_id', 'brand_id', 'provider_post_id', 'created_at', 'published_at'];

type Body = Record<string, unknown>;

function shapeOf(body: Body): Post['shape'] {
	const isText = typeof body.content === 'string';
	const isQuick = isText || 'platforms' in body || 'schedule_at' in body;
	const isGuide = ('content' in body && !isText) || 'platform' in body || 'scheduled_at' in body;
	if (isQuick && isGuide) {
		throw bodyInvalid(
			'The body mixes two shapes: platform, content{text, media} and scheduled_at belong together, and so do platforms, content (string) and schedule_at.',
		);
	}
	return isQuick ? 'quickStart' : 'integrationGuide';
}

/** A body of either shape. `isPart`: only what is to change. */
function read(context: Context, isPart: boolean) {
	const body = context.body as Body;
	const shape = shapeOf(body);
	const readOnly = READ_ONLY.find((name) => name in body);
	if (readOnly) throw bodyInvalid(`${readOnly}: is set by the service`);
	let given;
	if (shape === 'quickStart') {
		const one = parseBody(isPart ? quick.partial() : quick, body);
		given = { ...one, text: one.content, time: one.schedule_at };
	} else {
		const one = parseBody(isPart ? guide.partial() : guide, body);
		const { text, media: urls } = one.content ?? {};
		given = { ...one, text, media: urls, time: one.scheduled_at, platforms: one.platform && [one.platform] };
	}
	const { text, media: urls, platforms, time, account_id: accountId, status } = given;
	checkFuture(context, time);
	checkMedia(context, urls);
	return { shape, extra: omit(body, KNOWN), text, urls, platforms, time, accountId, status };
}

/** Spec: "`scheduled_at` (`<timestamp>`, in the future)". */
function checkFuture({ service }: Context, time: string | undefined): void {
	if (time !== undefined && Date.parse(time) <= service.clock.now()) {
		throw bodyInvalid('scheduled_at: has to be in the future');
	}
}

function checkContent(text: string, urls: string[]): void {
	if (text.trim() === '' && urls.length === 0) throw bodyInvalid('content: has neither text nor media');
}

/** Spec: "`media` list of values taken from `read_url` of an upload". */
function checkMedia({ service, workspace }: Context, urls: string[] = []): void {
	for (const url of urls) {
		const known = service.store.mediaByUrl.get(url);
		if (known?.workspaceId !== workspace.id) {
			throw bodyInvalid('media: is not a read_url of an upload to this workspace');
		}
		if (!known.uploaded) throw bodyInvalid('media: the bytes of this upload have not arrived');
	}
}

/** The workspace has to have an account on each platform; `account_id` has to be one of them. */
function checkAccounts({ service, workspace }: Context, platforms: Platform[], accountId?: string) {
	const accounts = ofWorkspace(service.store.accounts, workspace).filter((one) => one.status === 'connected');
	for (const name of platforms) {
		if (!accounts.some((account) => account.platform === name)) {
			throw bodyInvalid(`platform: the workspace has no connected account on ${name}`);
		}
	}
	if (accountId === undefined) return undefined;
	const account = accounts.find(({ id }) => id === accountId);
	if (!account) throw bodyInvalid('account_id: is not a connected account of the workspace');
	if (!platforms.includes(account.platform)) {
		throw bodyInvalid(`account_id: is an account on ${account.platform}`);
	}
	return account;
}

function create(context: Context) {
	const { service, workspace } = context;
	const { shape, extra, text = '', urls = [], platforms = [], ...given } = read(context, false);
	if (given.status) throw bodyInvalid('status: is set by the service');
	checkContent(text, urls);
	const account = checkAccounts(context, platforms, given.accountId);
	const { post, refused } = service.lifecycle.create({
		...{ shape, extra, text, platforms, media: urls, scheduledAt: given.time, accountId: account?.id },
		workspaceId: workspace.id,
		brandId: account?.brandId ?? workspace.brands[0]!.id,
	});
	if (!refused) return created(present(post));
	// The post is there, so the answer is remembered with the key.
	return { status: 422, error: { code: refused.code, message: refused.message }, data: present(post, true) };
}

/** Spec: "PATCH changes only the fields sent". Drafts and scheduled posts only (the rules are not shown). */
function update(context: Context) {
	const { lifecycle, clock } = context.service;
	const post = find(context);
	const body = context.body as Body;
	if (Object.keys(body).length === 0) throw bodyInvalid('The body has no field to change.');
	const fixed = FIXED.find((name) => name in body);
	if (fixed) throw bodyInvalid(`${fixed}: cannot be changed`);
	const changes = read(context, true);
	const { text = post.text, urls = post.media, time = post.scheduledAt } = changes;
	checkContent(text, urls);
	if (changes.status === 'canceled') {
		lifecycle.cancel(post);
		return ok(present(post));
	}
	const { status } = post;
	if (status !== 'draft' && status !== 'scheduled') {
		const message = `The post is ${status} and cannot be changed.`;
		throw new ApiError('PUBLIC_API_POST_CANCEL_INVALID_STATE', message);
	}
	const wanted = changes.status ?? status;
	if (status === 'draft' && wanted === 'scheduled') checkFuture(context, time);
	const extra = { ...post.extra, ...changes.extra };
	Object.assign(post, { text, media: urls, extra, updatedAt: clock.iso() });
	lifecycle.reschedule(post, wanted, time);
	return ok(present(post));
}

const moment = timestamp.transform(Date.parse).optional();
const listQuery = z
	.object({
		from: moment,
		to: moment,
		scheduled_after: moment,
		limit: limit(limits['/posts']),
		status: z.enum(POST_STATUSES).optional(),
		platform: platform.optional(),
	})
	.strict();

/** Spec, "Pagination": time filters only, no page, no cursor. Newest first, filtered on scheduled, else created time. */
function list({ service: { store, speaker }, workspace, query }: Context) {
	const filter = parseQuery(listQuery, query);
	const { scheduled_after: after, status } = filter;
	const known = (ms: number) => Math.floor(ms / speaker.precisionMs) * speaker.precisionMs;
	const [from, to] = [known(filter.from ?? -Infinity), known(filter.to ?? Infinity)];
	checkOrder(from, to);
	const isExclusive = speaker.dialect.range.includes('exclusive');
	const items = store
		.feed(workspace.id)
		.filter(
			(post) =>
				known(post.at) >= from &&
				known(post.at) <= to &&
				!(isExclusive && (known(post.at) === from || known(post.at) === to)) &&
				(status === undefined || post.status === status) &&
				(!filter.platform || post.platforms.some((state) => state.platform === filter.platform)) &&
				(after === undefined || (post.scheduledAt !== undefined && post.at > after)),
		)
		.slice(0, filter.limit)
		.map((post) => present(post));
	return ok({ items, count: items.length });
}

export const find = (context: Context): Post =>
	ofPath(
		context.service.store.posts,
		context,
		new ApiError('PUBLIC_API_POST_NOT_FOUND', 'The post is missing or inaccessible.'),
	);

/** The record as answered; `single`: with the state on each platform, as only GET /posts/{id} and a 422 have it. */
export function present(post: Post, single = false) {
	const quick = post.shape === 'quickStart';
	return {
		...post.extra,
		id: post.id,
		workspace_id: post.workspaceId,
		brand_id: post.brandId,
		status: post.status,
		content: quick ? post.text : { text: post.text, media: post.media },
		text: post.text,
		media: quick ? post.media : undefined,
		platform: post.platforms.length === 1 ? post.platforms[0]!.platform : undefined,
		platforms: single ? post.platforms : post.platforms.map((state) => state.platform),
		account_id: post.accountId,
		scheduled_at: post.scheduledAt ?? null,
		schedule_at: quick ? (post.scheduledAt ?? null) : undefined,
		created_at: post.createdAt,
		updated_at: post.updatedAt,
		published_at: post.publishedAt,
		provider_post_id: post.providerPostId,
		error: post.error,
	};
}

function get(context: Context) {
	parseQuery(noQuery, context.query);
	return ok(present(find(context), true));
}

function remove(context: Context) {
	context.service.lifecycle.remove(find(context));
	return noContent;
}

function cancel(context: Context) {
	const post = find(context);
	context.service.lifecycle.cancel(post);
	return ok(present(post));
}

export const posts: Route[] = [
	{ method: 'POST', path: '/posts', scope: 'posts:write', handle: create },
	{ method: 'GET', path: '/posts', scope: 'posts:read', handle: list },
	{ method: 'GET', path: '/posts/:id', scope: 'posts:read', handle: get },
	{ method: 'PATCH', path: '/posts/:id', scope: 'posts:write', handle: update },
	{ method: 'DELETE', path: '/posts/:id', scope: 'posts:write', handle: remove },
	{ method: 'POST', path: '/posts/:id/cancel', scope: 'posts:write', body: 'optional', handle: cancel },
];
