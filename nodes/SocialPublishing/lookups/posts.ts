import partition from 'lodash/partition';
import sortBy from 'lodash/sortBy';
import upperFirst from 'lodash/upperFirst';
import { DateTime } from 'luxon';
import type {
	IDataObject,
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { listNames } from '../../api/contract';
import { titleOf } from '../../api/platforms';
import { iso, postsByTime, wholeRange, type AskPosts } from '../../api/postRange';
import { readPost, type Post } from '../../api/records';
import { locator } from '../../shared/locator';
import { asNodeError, askFor, LOOKUP_TIMEOUT_MS, matching } from '../../shared/search';
import { chosenWorkspace, excerpt, filled } from './source';

const post = {
	label: 'Post',
	name: 'postId',
	exampleId: 'post_8f3k2m',
	hint: "The post's URL works, too",
} as const;

export const postId = locator({
	...post,
	description: 'The post to use',
	searchListMethod: 'searchPosts',
});

/** For operations on posts that are not published yet: the list has no others. */
export const openPostId = locator({
	...post,
	description: 'The post to change. The list shows posts that are not published yet.',
	searchListMethod: 'searchOpenPosts',
});

/** For what only published posts have: the list has no others. */
export const publishedPostId = locator({
	...post,
	description: 'The post to use. The list has published posts; choose By ID for others.',
	searchListMethod: 'searchPublishedPosts',
});

/** Statuses in other words; `scheduled` is what the time says. */
const statusNames: Readonly<Record<string, string>> = {
	scheduled: '',
	completed: 'published',
	pending_approval: 'waiting for approval',
	unknown: '',
};

/** How many posts a page of the list has, at least. */
const PAGE_SIZE = 100;

/** What a person sees of a post: "Plum jam is back · LinkedIn · 24 Dec 18:00"; its time in `zone`. */
export function postLabel(record: IDataObject, zone: string): string {
	const { text, id, platforms, status, listedAt = NaN } = readPost(record);
	const time = DateTime.fromMillis(listedAt, { zone });
	const isThisYear = time.year === DateTime.local({ zone }).year;
	return filled([
		excerpt(text) || id,
		platforms.map(titleOf).join(', '),
		time.isValid ? time.toFormat(isThisYear ? 'd LLL HH:mm' : 'd LLL yyyy HH:mm', { locale: 'en' }) : '',
		statusNames[status] ?? status,
	]).join(' · ');
}

/**
 * Posts, a page at a time from the latest on; in a page those still to come first, next due first. The page's token has the
 * time from which on all were listed, and which of the earlier ones were: pages overlap, see postsByTime.
 */
const searchOf = (isWanted: (post: Post) => boolean) =>
	async function (this: ILoadOptionsFunctions, filter = '', token?: string): Promise<INodeListSearchResult> {
		return await asNodeError(this, async () => {
			const now = Date.now();
			const start = performance.now();
			const ask = await askFor(this, chosenWorkspace(this));
			const [to, ...listed] = (token === undefined ? [] : JSON.parse(token)) as string[];
			const range = wholeRange(to === undefined ? {} : { to }, now);
			const label = (record: IDataObject) => postLabel(record, this.getTimezone());
			const read: AskPosts = async (qs) => await ask({ path: '/posts', listNames: listNames.posts }, qs);
			const found = new Map<unknown, { item: INodeListSearchItems; at: number }>();
			let paginationToken: string | undefined;
			for await (const part of postsByTime(read, range)) {
				for (const record of part.items) {
					const post = readPost(record);
					const at = post.listedAt ?? NaN;
					if (listed.includes(String(record.id)) || !isWanted(post)) continue;
					for (const item of matching([record], label, filter)) found.set(item.value, { item, at });
				}
				const isLate = performance.now() - start > LOOKUP_TIMEOUT_MS / 2;
				if (part.start <= range.from || found.size < (isLate ? 1 : PAGE_SIZE)) continue;
				const earlier = [...found.values()].filter(({ at }) => !(at > part.start));
				const values = [...listed, ...earlier.map(({ item }) => item.value)];
				paginationToken = JSON.stringify([iso(part.start), ...values]);
				break;
			}
			const [ahead, rest] = partition([...found.values()], ({ at }) => at >= now);
			return { results: [...sortBy(ahead, 'at'), ...rest].map(({ item }) => item), paginationToken };
		});
	};

export const searchPosts = searchOf(() => true);

/** Posts that can still be changed. */
export const searchOpenPosts = searchOf(({ isFinal }) => !isFinal);

/** Posts that went out, at least on one platform. */
export const searchPublishedPosts = searchOf(
	({ status, hasProviderId }) => status === 'completed' || hasProviderId,
);

/** The statuses that the spec names, for a filter. */
export const searchPostStatuses = async (): Promise<INodeListSearchResult> => ({
	results: ['canceled', 'draft', 'failed', 'completed', 'scheduled'].map((value) => ({
		name: upperFirst(statusNames[value] || value),
		value,
	})),
});
