import groupBy from 'lodash/groupBy';
import isUndefined from 'lodash/isUndefined';
import map from 'lodash/map';
import omitBy from 'lodash/omitBy';
import partition from 'lodash/partition';
import sortBy from 'lodash/sortBy';
import sortedIndexBy from 'lodash/sortedIndexBy';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { toFailure, type Outcome } from '../../../api/failure';
import { titleOf } from '../../../api/platforms';
import { iso } from '../../../api/postRange';
import { readPost, type Post } from '../../../api/records';
import type { Item } from '../../engine/item';
import type { Planned } from '../../engine/operation';
import { postLabel } from '../../lookups/posts';
import { filled } from '../../lookups/source';
import { meansNow } from '../time';
import { charactersOf } from './networks';
import { namesOf, type PlannedPost, type PlannedRequest, type PostFile, type PostPlan } from './plan';
import { mayBeOn, postsBetween } from './queue';
import { times } from './when';

/** What would be sent, and what a person may want to know before. Only reads are sent for it. */

/** How close two posts of one account are a warning. */
const CLOSE_MS = 5 * 60_000;
/** How many rows a warning names. */
const MAX_ROWS = 5;
/** How many of the service's posts, or of the run's posts close to one, are compared. */
const MAX_COMPARED = 500;

/** A post of a row that is previewed. */
interface Previewed {
	item: Item;
	request: PlannedRequest;
	post: PlannedPost;
	at: number;
}

/** What *Post: Create* would send: one item a request. */
export async function previewPosts(rows: ReadonlyArray<Planned<PostPlan>>): Promise<Outcome[][]> {
	const previewed = rows.map(({ plan, item }) =>
		plan.requests.map((request) => {
			const at = Math.max(item.now, request.dueAt ? Date.parse(request.dueAt) : 0);
			return request.posts.map((post): Previewed => ({ item, request, post, at }));
		}),
	);
	const all = previewed.flat(2);
	const byPlatform = groupBy(sortBy(all, 'at'), platformOf);
	const ofWorkspace = groupBy(all, 'item.workspaceId');
	return await Promise.all(
		rows.map(async ({ plan, item }, row) => {
			const { files, when, requests } = plan;
			const uploaded = files.map(async (file) => await item.uploads.preview(file));
			const media = await Promise.all(uploaded).catch(toFailure);
			if ('details' in media) return [media];
			const times = () => map(ofWorkspace[item.workspaceId], 'at');
			const listed = await item.once('listed', async () => await listedAround(item, times()));
			return requests.map((request, position) => {
				const near = previewed[row]![position]!.flatMap((one) => [
					...inThisRun(one, byPlatform[platformOf(one)]!),
					...atTheService(one, listed),
				]);
				const known = files.length > 0 ? media : plan.media;
				return previewOf(item, when, request, known, request.sent ? [] : near);
			});
		}),
	);
}

/** The item of one request. */
function previewOf(
	item: Item,
	when: PostPlan['when'],
	request: PlannedRequest,
	media: PostFile[],
	near: string[],
): IDataObject {
	const { posts: group, dueAt, warnings, approvalCode } = request;
	const { warnings: sent = [], ...preview } = item.preview(request.writeWith(media));
	const isNow = dueAt === undefined || meansNow(dueAt, item.now);
	const { scheduled_at, scheduled_at_local, time_zone } = times(
		isNow ? iso(Math.floor(item.now / 1000) * 1000) : dueAt,
		item.zone,
	);
	const all = [...(sent as string[]), ...warnings, ...near];
	const characters = group.map(({ platform, text }) => {
		const counted = charactersOf(platform, text);
		return group.length > 1 ? `${titleOf(platform)} ${counted}` : counted;
	});
	const columns = {
		...namesOf(group),
		scheduled_at_local,
		text: group[0]!.text,
		characters: characters.join(', '),
		warnings: all.length > 0 ? all : undefined,
		note: filled([notes[when], request.hasOwnFields ? ownFieldsNote : undefined]).join('. ') || undefined,
		scheduled_at,
		time_zone,
		publishes: isNow ? 'now' : undefined,
		approval_code: approvalCode,
		...preview,
	};
	return omitBy(columns, isUndefined);
}

const ownFieldsNote = "The service may refuse 'Fields per Platform' that its specification does not show";

/** Why it may get another time when it is sent. */
const notes: Partial<Record<PostPlan['when'], string>> = {
	delay: 'The delay starts when the post is sent',
	nextSlot: 'The slot is chosen when the post is sent',
};

/** Each workspace has platforms of its own. */
const platformOf = ({ item, post }: Previewed): string => JSON.stringify([item.workspaceId, post.platform]);

/** Rows of the same run that go to the same account at about the same time; `samePlatform` is sorted by time. */
function inThisRun(mine: Previewed, samePlatform: Previewed[]): string[] {
	const start = sortedIndexBy(samePlatform, { ...mine, at: mine.at - CLOSE_MS }, 'at');
	const others = samePlatform
		.slice(start, start + MAX_COMPARED)
		.filter(
			({ item, post, at, request }) =>
				!request.sent && item !== mine.item && Math.abs(at - mine.at) <= CLOSE_MS && mayBeOn(post, mine.post),
		);
	const [same, close] = partition(others, ({ post, at }) => post.text === mine.post.text && at === mine.at);
	const named = (found: Previewed[], what: string): string[] => {
		const rows = uniq(map(sortBy(found, 'item.index'), 'item.index')).map((row) => row + 1);
		if (rows.length === 0) return [];
		const first = rows.slice(0, MAX_ROWS).join(', ') + (rows.length > MAX_ROWS ? ', …' : '');
		const title = titleOf(mine.post.platform);
		return [`${rows.length === 1 ? 'Row' : 'Rows'} ${first} of this run: ${what} for ${title}`];
	};
	return [
		...named(same, 'the same text and time'),
		...named(close, 'a post within five minutes of this one'),
	];
}

/** With what a person knows it by. */
type ListedPost = Post & { label: string };

/** The service's posts around these times; none where they can't be read. */
async function listedAround(item: Item, at: number[]): Promise<ListedPost[]> {
	const [fromMs, toMs] = [Math.min(...at) - CLOSE_MS, Math.max(...at) + CLOSE_MS];
	const found = await postsBetween(item, fromMs, toMs, MAX_COMPARED).catch((): IDataObject[] => []);
	const labeled = found.map((record) => ({ ...readPost(record), label: postLabel(record, item.zone) }));
	return labeled.filter(({ isOpen }) => isOpen);
}

/** Posts that the service has already, near in time to this one. */
function atTheService({ post, at }: Previewed, listed: ListedPost[]): string[] {
	return listed.flatMap(({ dueAt, platforms, accountId, text, label }) => {
		if (dueAt === undefined || Math.abs(dueAt - at) > CLOSE_MS) return [];
		if (!platforms.some((platform) => mayBeOn({ platform, accountId }, post))) return [];
		const isSame = text === post.text && dueAt === at;
		const what = isSame ? 'with the same text and time' : 'within five minutes of this one';
		return `${titleOf(post.platform)} has a post ${what} already: ${label}`;
	});
}
