import type { IDataObject } from 'n8n-workflow';

import { limits, listNames } from '../api/contract';
import { records } from '../api/lists';
import { posts } from '../api/postRange';
import type { Get, MissedEvent } from './missedEvents';

/** Spec, "Post status": the states that end a post, each with its event. A post ends once, so it has one of them. */
const ENDS: ReadonlyMap<string, string> = new Map([
	['post.published', 'completed'],
	['post.failed', 'failed'],
	['post.canceled', 'canceled'],
]);

/** Most posts that are read in each state, the newest: a service of the lowest plan answers 60 reads a minute. */
const MOST_POSTS = 10 * limits.postsPerRequest;

/**
 * What an event about the end of a post has in common with the one that is made from the post itself: its `id`.
 * @returns undefined for an event about anything else
 */
export function postEndOf({ type, data }: IDataObject): string | undefined {
	const postId = (data as IDataObject | null | undefined)?.post_id;
	const isEnd = typeof type === 'string' && ENDS.has(type) && typeof postId === 'string' && postId !== '';
	return isEnd ? `${type}:${postId}` : undefined;
}

/**
 * Spec, "Delivery and retry rules" 4: "the receiver reconciles by re-fetching the resource". The events of the posts
 * that have ended since a time, made from the posts.
 * @param types the events that are wanted; others than those of a post's end are not made
 * @param since in ms; a post that does not say when it ended counts by the time that the service lists it under
 */
export async function endedPosts(get: Get, types: readonly string[], since: number): Promise<MissedEvent[]> {
	const found: MissedEvent[] = [];
	for (const type of types) {
		const status = ENDS.get(type);
		if (status === undefined) continue;
		const ask = async (range: IDataObject) =>
			records(await get({ path: '/posts', qs: { ...range, status } }), listNames.posts);
		const from = new Date(since).toISOString();
		const list = await posts(ask, { from }, Date.now(), MOST_POSTS);
		found.push(...list.filter((post) => isEnded(post, status, since)).map((post) => eventOf(type, post)));
	}
	return found;
}

const isEnded = (post: IDataObject, status: string, since: number): boolean =>
	typeof post.id === 'string' && post.id !== '' && post.status === status && !(endOf(post) < since);

/** When a post ended, in ms; NaN where it does not say. Its fields are not shown in the spec. */
const endOf = (post: IDataObject): number => Date.parse(String(timeOf(post)));

const timeOf = ({ published_at, updated_at }: IDataObject): unknown => published_at ?? updated_at ?? null;

function eventOf(type: string, post: IDataObject): MissedEvent {
	const { id, status, provider_post_id, workspace_id = null, brand_id = null } = post;
	const data: IDataObject = {
		post_id: id,
		status,
		...(provider_post_id === undefined ? {} : { provider_post_id }),
	};
	return {
		id: `${type}:${String(id)}`,
		type,
		occurred_at: timeOf(post) as string | null,
		workspace_id,
		brand_id,
		data,
		recovered: true,
		recovered_from: 'post',
	};
}
