import { orderBy } from 'lodash';
import { DateTime } from 'luxon';
import type { IDataObject, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { lists, titleOf } from '../../api/contract';
import { refusal } from '../../api/failure';
import { postsByTime, wholeRange, type AskPosts } from '../../api/postRange';
import { readPost, type Post } from '../../api/records';
import { excerpt, filled } from '../../api/texts';
import { locator, lookUp, LOOKUP_TIMEOUT_MS, matching, MAX_SEARCHED } from '../../shared/locator';
import { timeZoneOf } from '../../shared/timeZone';

const postLocator = (description: string, searchListMethod: string) =>
	locator({ label: 'Post', name: 'postId', exampleId: 'post_8f3k2m', description, searchListMethod });

export const postId = postLocator('The post to use', 'searchPosts');

/** For operations on posts that are not published yet: the list has no others. */
export const openPostId = postLocator(
	'The post to change. The list shows posts that are not published yet.',
	'searchOpenPosts',
);

/** For what only published posts have: the list has no others. */
export const publishedPostId = postLocator(
	'The post to use. The list has published posts; choose By ID for others.',
	'searchPublishedPosts',
);

/** Statuses in other words; `scheduled` is what the time says. */
const statusNames: Readonly<Record<string, string>> = {
	scheduled: '',
	completed: 'published',
	unknown: '',
};

/** As many posts, or a little more, are listed; others are found by what they say. */
const ENOUGH_POSTS = 100;

/** A time in ms, in `zone`: "24 Dec 18:00", with the year where it is another one; '' where there is none. */
export function shortTime(ms: number, zone: string): string {
	const time = DateTime.fromMillis(ms, { zone });
	const isThisYear = time.year === DateTime.local({ zone }).year;
	return time.isValid ? time.toFormat(isThisYear ? 'd LLL HH:mm' : 'd LLL yyyy HH:mm', { locale: 'en' }) : '';
}

/** What a person sees of a post: "Plum jam is back · LinkedIn · 24 Dec 18:00"; its time in `zone`. */
export function postLabel(record: IDataObject, zone: string): string {
	const { text, id, platforms, status, listedAt = NaN, publishedAt = listedAt } = readPost(record);
	return filled([
		excerpt(text) || id,
		platforms.map(titleOf).join(', '),
		shortTime(publishedAt, zone),
		statusNames[status] ?? status.replaceAll('_', ' '),
	]).join(' · ');
}

/** The latest posts that say what is looked for: those still to come first, next due first, then the newest first. */
const searchOf = (isWanted: (post: Post) => boolean) =>
	async function (this: ILoadOptionsFunctions, filter = ''): Promise<INodeListSearchResult> {
		return await lookUp(this, async (ask) => {
			const now = Date.now();
			const start = performance.now();
			const read: AskPosts = async (qs) => await ask({ ...lists.posts, qs });
			const label = (record: IDataObject) => postLabel(record, timeZoneOf(this));
			// A label has the beginning of the text alone.
			const whole = (record: IDataObject) => `${label(record)} ${readPost(record).text ?? ''}`;
			const isMeant = (one: IDataObject) =>
				isWanted(readPost(one)) && matching([one], whole, filter).length > 0;
			const found: IDataObject[] = [];
			let searched = 0;
			let isPart = false;
			for await (const { records, tooFull } of postsByTime(read, wholeRange({}, now))) {
				found.push(...records.filter(isMeant));
				searched += records.length;
				isPart ||= searched >= MAX_SEARCHED || tooFull !== undefined;
				const isLate = performance.now() - start > LOOKUP_TIMEOUT_MS;
				if (searched >= MAX_SEARCHED || found.length >= (isLate ? 1 : ENOUGH_POSTS)) break;
			}
			// An empty list would say that there is none.
			if (isPart && found.length === 0)
				throw refusal(
					'NOT_AMONG_LATEST',
					`None of the latest ${searched} posts match`,
					'To choose another one, set the field to By ID and enter its ID.',
				);
			const timeOf = (one: IDataObject) => readPost(one).listedAt ?? 0;
			const dueAt = (one: IDataObject) => (timeOf(one) >= now ? timeOf(one) : Infinity);
			return { results: matching(orderBy(found, [dueAt, timeOf], ['asc', 'desc']), label, '') };
		});
	};

export const searchPosts = searchOf(() => true);

export const searchOpenPosts = searchOf(({ isFinal }) => !isFinal);

/** Posts that went out, at least on one platform. */
export const searchPublishedPosts = searchOf(
	({ status, hasProviderId }) => status === 'completed' || hasProviderId,
);
