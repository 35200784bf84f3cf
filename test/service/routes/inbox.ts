import { z } from 'zod';
import { int, parseBody, parseQuery } from '../check';
import { notFound } from '../errors';
import { created, ok, type Route } from '../pipeline';
import type { InboxItem } from '../types';

/** Parameters: not shown. These are understood and checked, all others are ignored. */
const query = z
	.object({
		limit: int(1, 100).optional(),
		status: z.enum(['open', 'replied']).optional(),
		type: z.enum(['comment', 'direct_message']).optional(),
		platform: z.string().optional(),
	})
	.passthrough();

/** Body: not shown; the name `text` is ours. */
const replyBody = z
	.object({ text: z.string().refine((text) => text.trim() !== '', 'is empty') })
	.passthrough();

const present = (item: InboxItem) => ({
	id: item.id,
	type: item.type,
	platform: item.platform,
	status: item.status,
	conversation_id: item.conversationId,
	post_id: item.postId,
	text: item.text,
	author: item.author,
	replies: item.replies.map((reply) => ({ ...reply })),
	workspace_id: item.workspaceId,
	brand_id: item.brandId,
	created_at: item.createdAt,
});

/** Spec: "Reads comments and direct messages", "Replies to a comment or message". Newest first. */
export const inbox: Route[] = [
	{
		method: 'GET',
		path: '/inbox',
		scope: 'inbox:read',
		handle(context) {
			const { limit, status, type, platform } = parseQuery(query, context.query);
			const items = [...context.service.store.inbox.values()]
				.filter(
					(item) =>
						item.workspaceId === context.workspace.id &&
						(status === undefined || item.status === status) &&
						(type === undefined || item.type === type) &&
						(platform === undefined || item.platform === platform),
				)
				.reverse()
				.slice(0, limit)
				.map(present);
			const { listShape } = context.service.store;
			return ok(listShape === 'array' ? items : { items, count: items.length });
		},
	},
	{
		method: 'POST',
		path: '/inbox/:id/reply',
		scope: 'inbox:write',
		handle(context) {
			const { store, lifecycle } = context.service;
			const { text } = parseBody(replyBody, context.body);
			const item = store.inbox.get(context.params.id ?? '');
			if (item?.workspaceId !== context.workspace.id) throw notFound('There is no such inbox item.');
			const reply = lifecycle.reply(item, text);
			return created({ ...reply, inbox_item_id: item.id, status: 'sent' });
		},
	},
];
