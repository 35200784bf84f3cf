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
import { asNodeError, askFor, LONGEST_LOOKUP, matching } from './search';
import { excerpt, filled } from './source';

export const postId = {
	displayName: 'Post',
	name: 'postId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The post to work on',
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
			hint: 'A pasted address of the post works too',
		},
	],
} as const satisfies INodeProperties;

/** For operations on posts that are not published yet: the list has no others. */
export const openPostId = {
	...postId,
	description: 'The post to work on: one that is not published yet',
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

/** Spec: `GET /posts`. */
const posts = { path: '/posts', listNames: listNames.posts };

/** How many posts a page of the list has, at least. */
const PAGE = 50;

/** What a person sees of a post; its time in `zone`. The text comes last: lists cut it. */
export function postLabel(post: IDataObject, zone: string): string {
	const { text, content, status, platform, platforms } = post;
	const words = text ?? (typeof content === 'object' ? (content as IDataObject | null)?.text : content);
	const named =
		platform ?? (Array.isArray(platforms) ? platforms.filter((one) => typeof one === 'string') : []);
	const time = DateTime.fromMillis(timeOf(post), { zone });
	return filled([
		time.isValid ? time.toFormat('yyyy-LL-dd HH:mm') : '',
		titleOf([named].flat().join(', ')),
		status,
		excerpt(words) || String(post.id),
	]).join(' · ');
}

/** Posts, newest first, a page at a time; the page's token is the time from which on all have been shown. */
const searchIn = (isWanted: (post: IDataObject) => boolean) =>
	async function (this: ILoadOptionsFunctions, filter = '', token?: string): Promise<INodeListSearchResult> {
		return await asNodeError(this, async () => {
			const start = Date.now();
			const ask = await askFor(this);
			const before = token === undefined ? Infinity : Number(token);
			const range = wholeRange(token === undefined ? {} : { to: new Date(before).toISOString() }, start);
			const results = new Map<unknown, INodeListSearchItems>();
			const parts = postsByTime(async (qs) => await ask(posts, qs), range);
			for await (const { items, end } of parts) {
				const fresh = items.filter((post) => !wasShown(post, before) && isWanted(post));
				for (const one of matching(fresh, (post) => postLabel(post, this.getTimezone()), filter))
					results.set(one.value, one);
				const late = Date.now() - start > LONGEST_LOOKUP / 2;
				const enough = results.size >= PAGE || (results.size > 0 && late);
				if (end > range.from && enough)
					return { results: [...results.values()], paginationToken: String(end) };
			}
			return { results: [...results.values()] };
		});
	};

export const searchPosts = searchIn(() => true);

/** Posts that can still be changed. */
export const searchOpenPosts = searchIn(
	({ status }) => !(terminalStatuses as readonly unknown[]).includes(status),
);

/** Pages overlap by a second, see {@link postsByTime}. */
const wasShown = (post: IDataObject, before: number): boolean =>
	timeOf(post) >= before - 1000 && timeOf(post) <= before;
