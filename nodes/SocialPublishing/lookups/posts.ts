import partition from 'lodash/partition';
import sortBy from 'lodash/sortBy';
import { DateTime } from 'luxon';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodeProperties,
} from 'n8n-workflow';

import { listNames, terminalStatuses } from '../../api/contract';
import { postsByTime, timeOf, wholeRange } from '../../api/postRange';
import { titleOf } from '../../api/platforms';
import { platformsOf, textOf } from '../../api/posts';
import { readPost } from '../../api/records';
import { asNodeError, askFor, LONGEST_LOOKUP, matching } from './search';
import { excerpt, filled } from './source';

export const postId = {
	displayName: 'Post',
	name: 'postId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The post to use',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchPosts', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. post_8f3k2m',
			hint: "The post's URL works, too",
		},
	],
} as const satisfies INodeProperties;

/** For operations on posts that are not published yet: the list has no others. */
export const openPostId = {
	...postId,
	description: 'The post to change. The list shows posts that are not published yet.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchOpenPosts', searchable: true },
		},
		postId.modes[1],
	],
} as const satisfies INodeProperties;

/** For what only published posts have: the list has no others. */
export const publishedPostId = {
	...postId,
	description: 'The post to use. The list has published posts; choose By ID for others.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchPublishedPosts', searchable: true },
		},
		postId.modes[1],
	],
} as const satisfies INodeProperties;

/** Spec: `GET /posts`. */
const posts = { path: '/posts', listNames: listNames.posts };

/** Statuses that a person would say otherwise; `scheduled` is what the time says. */
const statusNames: Readonly<Record<string, string>> = {
	scheduled: '',
	completed: 'published',
	pending_approval: 'waiting for approval',
};

/** How many posts a page of the list has, at least. */
const PAGE = 100;

/** What a person sees of a post: "Plum jam is back · LinkedIn · 24 Dec 18:00"; its time in `zone`. */
export function postLabel(post: IDataObject, zone: string): string {
	const { status } = post;
	const time = DateTime.fromMillis(timeOf(post), { zone });
	const isThisYear = time.year === DateTime.local({ zone }).year;
	return filled([
		excerpt(textOf(post)) || String(post.id),
		platformsOf(post).map(titleOf).join(', '),
		time.isValid ? time.toFormat(isThisYear ? 'd LLL HH:mm' : 'd LLL yyyy HH:mm', { locale: 'en' }) : '',
		statusNames[String(status)] ?? status,
	]).join(' · ');
}

/**
 * Posts, a page at a time from the latest on; in a page those still to come first, next due first. The page's token is the
 * time from which on all have been shown.
 */
const searchIn = (isWanted: (post: IDataObject) => boolean) =>
	async function (this: ILoadOptionsFunctions, filter = '', token?: string): Promise<INodeListSearchResult> {
		return await asNodeError(this, async () => {
			const start = Date.now();
			const ask = await askFor(this);
			const before = token === undefined ? Infinity : Number(token);
			const range = wholeRange(token === undefined ? {} : { to: new Date(before).toISOString() }, start);
			const results = new Map<unknown, INodeListSearchItems & { at: number }>();
			const parts = postsByTime(async (qs) => await ask(posts, qs), range);
			for await (const { items, start: end } of parts) {
				const fresh = items.filter((post) => !wasShown(post, before) && isWanted(post));
				const times = new Map(fresh.map((post) => [String(post.id), timeOf(post)]));
				for (const one of matching(fresh, (post) => postLabel(post, this.getTimezone()), filter))
					results.set(one.value, { ...one, at: times.get(String(one.value)) ?? NaN });
				const late = Date.now() - start > LONGEST_LOOKUP / 2;
				const enough = results.size >= PAGE || (results.size > 0 && late);
				if (end > range.from && enough)
					return { results: nextDueFirst([...results.values()], start), paginationToken: String(end) };
			}
			return { results: nextDueFirst([...results.values()], start) };
		});
	};

function nextDueFirst(
	list: Array<INodeListSearchItems & { at: number }>,
	nowMs: number,
): INodeListSearchItems[] {
	const [ahead, rest] = partition(list, ({ at }) => at >= nowMs);
	return [...sortBy(ahead, 'at'), ...rest].map(({ name, value }) => ({ name, value }));
}

export const searchPosts = searchIn(() => true);

/** Posts that can still be changed. */
export const searchOpenPosts = searchIn(
	({ status }) => !(terminalStatuses as readonly unknown[]).includes(status),
);

/** Posts that went out, at least on one platform. */
export const searchPublishedPosts = searchIn((record) => {
	const { status, hasProviderId } = readPost(record);
	return status === 'completed' || hasProviderId;
});

/** Pages overlap by a second, see {@link postsByTime}. */
const wasShown = (post: IDataObject, before: number): boolean =>
	timeOf(post) >= before - 1000 && timeOf(post) <= before;
