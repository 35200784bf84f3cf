import { isNil, omitBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { limits, lists } from './contract';
import type { Listed } from './pages';
import { iso, posts, type AskPosts } from './postRange';
import { postIdIn, readPost, timeIn } from './records';

/** In each state, the newest: a service of the lowest plan answers 60 reads a minute. */
const MAX_POSTS = 10 * limits.postsPerRequest;

/** An event that did not come with a delivery of its own, marked as such. */
export type RecoveredEvent = IDataObject & { id: string; recovered: true };

type ListPosts = (request: typeof lists.posts & { qs: IDataObject }) => Promise<Listed>;

/** Spec, "Post status": the states that end a post, each with its event. A post ends once, so it has one of them. */
const endStates: ReadonlyMap<unknown, string> = new Map([
	['post.published', 'completed'],
	['post.failed', 'failed'],
	['post.canceled', 'canceled'],
]);

/** The ID of the event that is made from the post whose end an event is about; undefined for any other event. */
export function postEndOf(event: IDataObject): string | undefined {
	const postId = postIdIn(event);
	return postId !== undefined && endStates.has(event.type) ? `${String(event.type)}:${postId}` : undefined;
}

/**
 * The events of posts that ended (spec, "Delivery and retry rules" 4: "the receiver reconciles by re-fetching the resource").
 * @param since in ms; a post without a time of its end counts by the time that the service lists it under
 */
export async function endedPosts(list: ListPosts, types: readonly string[], since: number) {
	const found: RecoveredEvent[] = [];
	for (const type of types) {
		const status = endStates.get(type);
		if (status === undefined) continue;
		const ask: AskPosts = async (part) => await list({ ...lists.posts, qs: { ...part, status } });
		const records = await posts(ask, { from: iso(since) }, Date.now(), MAX_POSTS);
		for (const record of records) {
			const post = readPost(record);
			if (post.id === undefined || post.status !== status || (timeIn(post.endedAt) ?? since) < since)
				continue;
			const { provider_post_id, workspace_id = null, brand_id = null } = record;
			const data = omitBy({ post_id: post.id, status, provider_post_id }, isNil) as IDataObject;
			const facts = { type, occurred_at: post.endedAt ?? null, workspace_id, brand_id, data };
			found.push({ id: `${type}:${post.id}`, ...facts, recovered: true, recovered_from: 'post' });
		}
	}
	return found;
}
