import omit from 'lodash/omit';
import { z } from 'zod';
import { limits } from '../../support/specification';
import { checkOrder, limit, noQuery, parseBody, parseQuery, platform, timestamp } from '../check';
import { ApiError, bodyInvalid } from '../errors';
import { created, noContent, ok, type Context, type Route } from '../pipeline';
import { POST_STATUSES, type Platform, type Post } from '../types';
import { ofPath, ofWorkspace } from './lists';

const media = z.array(z.string().min(1));
const content = z.object({ text: z.string().optional(), media: media.optional() }).passthrough();
const common = { account_id: z.string().min(1).optional(), draft: z.boolean().default(false) };

/** Spec, "Post (input on create)", integration guide. Unknown fields are kept: the spec does not close the list. */
const guideShape = z
	.object({ platform, content, scheduled_at: timestamp.optional(), ...common })
	.transform((body) => ({
		text: body.content.text ?? '',
		media: body.content.media ?? [],
		platforms: [body.platform],
		scheduledAt: body.scheduled_at,
		accountId: body.account_id,
		draft: body.draft,
	}));

/** Spec, "Post (input on create)", quick start. (`media` is ours: not shown for this shape.) */
const quickShape = z
	.object({
		content: z.string(),
		platforms: z
			.array(platform)
			.min(1, 'names no platform')
			.refine((names) => new Set(names).size === names.length, 'names a platform twice'),
		schedule_at: timestamp.optional(),
		media: media.default([]),
		...common,
	})
	.transform((body) => ({
		text: body.content,
		media: body.media,
		platforms: body.platforms,
		scheduledAt: body.schedule_at,
		accountId: body.account_id,
		draft: body.draft,
	}));

/** PATCH: `status` is shown in the spec; text and time in the shape of create are ours. */
const status = z.enum(['draft', 'scheduled', 'canceled']).optional();
const guidePatch = z
	.object({ status, content: content.default({}), scheduled_at: timestamp.optional() })
	.transform((body) => ({
		status: body.status,
		text: body.content.text,
		media: body.content.media,
		time: body.scheduled_at,
	}));
const quickPatch = z
	.object({
		status,
		content: z.string().optional(),
		media: media.optional(),
		schedule_at: timestamp.optional(),
	})
	.transform((body) => ({
		status: body.status,
		text: body.content,
		media: body.media,
		time: body.schedule_at,
	}));

/** What PATCH cannot change. */
const FIXED = ['platform', 'platforms', 'account_id', 'draft'];
const KNOWN = [...FIXED, 'content', 'scheduled_at', 'schedule_at', 'media', 'status'];
/** Fields of the record that a body cannot set. */
const READ_ONLY = ['id', 'workspace_id', 'brand_id', 'provider_post_id', 'created_at', 'published_at'];

type Body = Record<string, unknown>;

/** Which of the two shapes a body has; a mixture is refused. */
function shapeOf(body: Body): Post['shape'] {
	const isText = typeof body.content === 'string';
	const quick = isText || 'platforms' in body || 'schedule_at' in body;
	const guide = ('content' in body && !isText) || 'platform' in body || 'scheduled_at' in body;
	if (quick && guide) {
		throw bodyInvalid(
			'The body mixes two shapes: platform, content{text, media} and scheduled_at belong together, and so do platforms, content (string) and schedule_at.',
		);
	}
	return quick ? 'quickStart' : 'integrationGuide';
}

/** Unknown fields, which the record keeps. */
function extraOf(body: Body): Body {
	const readOnly = READ_ONLY.find((name) => name in body);
	if (readOnly) throw bodyInvalid(`${readOnly}: is set by the service`);
	return omit(body, KNOWN);
}

/** Spec: "`scheduled_at` (`<timestamp>`, in the future)". */
function checkFuture({ service }: Context, time: string | undefined, name = 'scheduled_at'): void {
	if (time !== undefined && Date.parse(time) <= service.clock.now()) {
		throw bodyInvalid(`${name}: has to be in the future`);
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
	const { service, workspace, brand } = context;
	const body = context.body as Body;
	const shape = shapeOf(body);
	const isQuick = shape === 'quickStart';
	const input = isQuick ? parseBody(quickShape, body) : parseBody(guideShape, body);
	checkFuture(context, input.scheduledAt, isQuick ? 'schedule_at' : 'scheduled_at');
	if ('status' in body) throw bodyInvalid('status: is set by the service; a draft has "draft": true');
	checkContent(input.text, input.media);
	checkMedia(context, input.media);
	const account = checkAccounts(context, input.platforms, input.accountId);
	const { post, refused } = service.lifecycle.create({
		...input,
		shape,
		workspaceId: workspace.id,
		brandId: brand?.id ?? account?.brandId ?? workspace.brands[0]!.id,
		extra: extraOf(body),
	});
	if (!refused) return created(present(post));
	// The post is there, so the answer is remembered with the key.
	return { status: 422, error: { code: refused.code, message: refused.message }, data: present(post) };
}

/** Spec: "PATCH changes only the fields sent". Drafts and scheduled posts only (the rules are not shown). */
function update(context: Context) {
	const { lifecycle, clock } = context.service;
	const post = find(context);
	const body = context.body as Body;
	if (Object.keys(body).length === 0) throw bodyInvalid('The body has no field to change.');
	const fixed = FIXED.find((name) => name in body);
	if (fixed) throw bodyInvalid(`${fixed}: cannot be changed`);
	const changes = shapeOf(body) === 'quickStart' ? parseBody(quickPatch, body) : parseBody(guidePatch, body);
	const extra = extraOf(body);
	checkFuture(context, changes.time);
	const { text = post.text, media: urls = post.media, time = post.scheduledAt } = changes;
	checkContent(text, urls);
	checkMedia(context, changes.media);

	if (changes.status === 'canceled') {
		lifecycle.cancel(post);
		return ok(present(post));
	}
	if (post.status !== 'draft' && post.status !== 'scheduled') {
		throw new ApiError(
			'PUBLIC_API_POST_CANCEL_INVALID_STATE',
			`The post is ${post.status} and cannot be changed.`,
		);
	}
	const wanted = changes.status ?? post.status;
	if (post.status === 'draft' && wanted === 'scheduled') checkFuture(context, time);
	Object.assign(post, { text, media: urls, extra: { ...post.extra, ...extra }, updatedAt: clock.iso() });
	lifecycle.reschedule(post, wanted, time);
	return ok(present(post));
}

const listQuery = z
	.object({
		from: timestamp.optional(),
		to: timestamp.optional(),
		scheduled_after: timestamp.optional(),
		limit: limit(limits['/posts']),
		status: z.enum(POST_STATUSES).optional(),
		platform: platform.optional(),
	})
	.strict();

/** Spec, "Pagination": time filters only, no page, no cursor. Newest first, filtered on scheduled, else created time. */
function list({ service: { store }, workspace, query }: Context) {
	const filter = parseQuery(listQuery, query);
	const from = filter.from === undefined ? -Infinity : Date.parse(filter.from);
	const to = filter.to === undefined ? Infinity : Date.parse(filter.to);
	checkOrder(from, to);
	const after = filter.scheduled_after === undefined ? undefined : Date.parse(filter.scheduled_after);
	const inclusive = store.rangeEnds === 'inclusive';
	const items = [];
	for (const post of store.feed(workspace.id)) {
		if (items.length >= filter.limit || post.at < from) break;
		if (post.at > to || (!inclusive && (post.at === to || post.at === from))) continue;
		if (filter.status !== undefined && post.status !== filter.status) continue;
		if (filter.platform !== undefined && !post.platforms.some((state) => state.platform === filter.platform))
			continue;
		if (after !== undefined && !(post.scheduledAt !== undefined && post.at > after)) continue;
		items.push(present(post));
	}
	return ok({ items, count: items.length });
}

export const find = (context: Context): Post =>
	ofPath(
		context.service.store.posts,
		context,
		new ApiError('PUBLIC_API_POST_NOT_FOUND', 'The post is missing or inaccessible.'),
	);

/** The record as answered; `single`: with the state on each platform, as only GET /posts/{id} has it. */
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
