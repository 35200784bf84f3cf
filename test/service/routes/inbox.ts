import { matches } from 'lodash';
import { z } from 'zod';
import { int, parseBody, parseQuery } from '../check';
import { notFound } from '../envelope';
import { created, ok, type Context, type Route } from '../pipeline';
import { ofPath, ofWorkspace, present } from './lists';

/** Parameters: not shown. These are understood and checked, all others are ignored. */
const filters = z
	.object({
		limit: int(100),
		status: z.enum(['open', 'replied']),
		type: z.enum(['comment', 'direct_message']),
		platform: z.string(),
	})
	.partial();

/** Body: not shown; the name `text` is ours. */
const replyBody = z.object({ text: z.string().refine((text) => text.trim() !== '', 'is empty') });

/** Newest first. */
function list({ service: { store }, workspace, query }: Context) {
	const { limit, ...filter } = parseQuery(filters, query);
	const found = ofWorkspace(store.inbox, workspace).filter(matches(filter)).reverse().slice(0, limit);
	return ok({ items: found.map(present), count: found.length });
}

function reply(context: Context) {
	const { store, lifecycle } = context.service;
	const { text } = parseBody(replyBody, context.body);
	const item = ofPath(store.inbox, context, notFound('There is no such inbox item.'));
	return created({ ...lifecycle.reply(item, text), inbox_item_id: item.id, status: 'sent' });
}

/** Spec: "Reads comments and direct messages", "Replies to a comment or message". */
export const inbox: Route[] = [
	{ method: 'GET', path: '/inbox', scope: 'inbox:read', handle: list },
	{ method: 'POST', path: '/inbox/:id/reply', scope: 'inbox:write', handle: reply },
];
