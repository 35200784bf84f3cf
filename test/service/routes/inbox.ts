import { z } from 'zod';
import { int, parseBody, parseQuery } from '../check';
import { notFound } from '../errors';
import { created, ok, type Route } from '../pipeline';
import { ofPath, ofWorkspace, present } from './lists';

/** Parameters: not shown. These are understood and checked, all others are ignored. */
const filters = z
	.object({
		limit: int(100).optional(),
		status: z.enum(['open', 'replied']).optional(),
		type: z.enum(['comment', 'direct_message']).optional(),
		platform: z.string().optional(),
	})
	.passthrough();

/** Body: not shown; the name `text` is ours. */
const replyBody = z
	.object({ text: z.string().refine((text) => text.trim() !== '', 'is empty') })
	.passthrough();

/** Spec: "Reads comments and direct messages", "Replies to a comment or message". Newest first. */
export const inbox: Route[] = [
	{
		method: 'GET',
		path: '/inbox',
		scope: 'inbox:read',
		handle({ service: { store }, workspace, query }) {
			const { limit, status, type, platform } = parseQuery(filters, query);
			const items = ofWorkspace(store.inbox, workspace)
				.filter(
					(item) =>
						(status === undefined || item.status === status) &&
						(type === undefined || item.type === type) &&
						(platform === undefined || item.platform === platform),
				)
				.reverse()
				.slice(0, limit)
				.map(present);
			return ok(store.listShape === 'array' ? items : { items, count: items.length });
		},
	},
	{
		method: 'POST',
		path: '/inbox/:id/reply',
		scope: 'inbox:write',
		handle(context) {
			const { store, lifecycle } = context.service;
			const { text } = parseBody(replyBody, context.body);
			const item = ofPath(store.inbox, context, notFound('There is no such inbox item.'));
			return created({ ...lifecycle.reply(item, text), inbox_item_id: item.id, status: 'sent' });
		},
	},
];
