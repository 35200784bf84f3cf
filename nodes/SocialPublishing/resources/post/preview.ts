import groupBy from 'lodash/groupBy';
import partition from 'lodash/partition';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { listNames } from '../../../api/contract';
import { toFailure, type Outcome } from '../../../api/failure';
import { titleOf } from '../../../api/platforms';
import { iso, posts, type AskPosts } from '../../../api/postRange';
import { readPost, type Post } from '../../../api/records';
import type { Item } from '../../engine/item';
import type { Planned } from '../../engine/operation';
import { meansNow } from '../time';
import { charactersOf } from './networks';
import type { PlannedPost, PlannedRequest, PostMedia, PostPlan } from './plan';
import { mayBeOn } from './queue';
import { times } from './when';

/** What would be sent, and what a person may want to know before. Only reads are sent for it. */

/** How close two posts of one account are a warning. */
const CLOSE_MS = 5 * 60_000;
/** How many rows a warning names. */
const MAX_ROWS = 5;
/** How many of the service's posts are compared. */
const MAX_COMPARED = 500;

type Rows = ReadonlyArray<Planned<PostPlan>>;

/** A request of a row that is previewed. */
interface Previewed {
	row: number;
	request: PlannedRequest;
	post: PlannedPost;
	at: number;
}

/** What *Post: Create* would send: one item a request. */
export async function previewPosts(rows: Rows): Promise<Outcome[][]> {
	const all = rows.flatMap(({ plan, item }) =>
		plan.requests.flatMap((request) =>
			request.posts.map((post) => ({ row: item.index, request, post, at: timeOf(request, item) })),
		),
	);
	const byPlatform = groupBy(all, ({ post }) => post.platform);
	const listed = await listedAround(rows, all);
	return await Promise.all(
		rows.map(async ({ plan, item }) => {
			const media = await previewedMedia(plan, item).catch(toFailure);
			if ('details' in media) return [media];
			return plan.requests.map((request) => {
				const own = all.filter((one) => one.request === request);
				const near = own.flatMap((one) => [
					...inThisRun(one, byPlatform[one.post.platform]!),
					...atTheService(one, listed, item.zone),
				]);
				return previewOf(item, plan, request, media, request.sent ? [] : near);
			});
		}),
	);
}

const timeOf = ({ dueAt }: PlannedRequest, { now }: Item): number =>
	Math.max(now, dueAt === undefined ? now : Date.parse(dueAt));

async function previewedMedia({ files, media }: PostPlan, item: Item): Promise<PostMedia> {
	if (files.length === 0) return media;
	const all = await Promise.all(files.map(async (file) => await item.uploads.preview(file)));
	return { urls: all.map(({ readUrl }) => readUrl), identities: all.map(({ identity }) => identity) };
}

/** The item of one request. */
function previewOf(
	item: Item,
	{ when }: PostPlan,
	{ posts: group, dueAt, warnings, approvalCode, writeWith }: PlannedRequest,
	media: PostMedia,
	near: string[],
): IDataObject {
	const { warnings: sent = [], ...preview } = item.preview(writeWith(media));
	const isNow = dueAt === undefined || meansNow(dueAt, item.now);
	const { scheduled_at, scheduled_at_local, time_zone } = times(
		isNow ? iso(Math.floor(item.now / 1000) * 1000) : dueAt,
		item.zone,
	);
	const all = [...(sent as string[]), ...warnings, ...near];
	const note = notes[when];
	return {
		platform: group.map(({ platform }) => platform).join(', '),
		// In every item, so that the table has no gaps.
		account: group.flatMap(({ account }) => account ?? []).join(', '),
		scheduled_at_local,
		text: group[0]!.text,
		characters: charactersIn(group),
		...(all.length > 0 ? { warnings: all } : {}),
		...(note ? { note } : {}),
		scheduled_at,
		time_zone,
		...(isNow ? { publishes: 'now' } : {}),
		...(approvalCode ? { approval_code: approvalCode } : {}),
		...preview,
	};
}

const charactersIn = (group: PlannedPost[]): string =>
	group
		.map(({ platform, text }) => [
			...(group.length > 1 ? [titleOf(platform)] : []),
			charactersOf(platform, text),
		])
		.map((words) => words.join(' '))
		.join(', ');

/** Why it may get another time when it is sent. */
const notes: Partial<Record<PostPlan['when'], string>> = {
	delay: 'The delay starts when the post is sent',
	nextSlot: 'The slot is chosen when the post is sent',
};

/** Rows of the same run that go to the same account at about the same time. */
function inThisRun(mine: Previewed, samePlatform: Previewed[]): string[] {
	const others = samePlatform.filter(
		({ row, post, at, request }) =>
			!request.sent && row !== mine.row && Math.abs(at - mine.at) <= CLOSE_MS && mayBeOn(post, mine.post),
	);
	const [same, near] = partition(others, ({ post, at }) => post.text === mine.post.text && at === mine.at);
	const title = titleOf(mine.post.platform);
	return [
		...(same.length > 0 ? [`${rowsOf(same)} of this run: the same text and time for ${title}`] : []),
		...(near.length > 0
			? [`${rowsOf(near)} of this run: a post within five minutes of this one for ${title}`]
			: []),
	];
}

function rowsOf(all: Previewed[]): string {
	const rows = [...new Set(all.map(({ row }) => row + 1))];
	const named = rows.slice(0, MAX_ROWS).join(', ') + (rows.length > MAX_ROWS ? ', …' : '');
	return `${rows.length === 1 ? 'Row' : 'Rows'} ${named}`;
}

/** The service's posts around the times of the run: read once, none where they can't be. */
async function listedAround(rows: Rows, all: Previewed[]): Promise<Post[]> {
	const [first] = rows;
	if (!first || all.length === 0) return [];
	const { item } = first;
	const at = all.map((one) => one.at);
	const range = { from: iso(Math.min(...at) - CLOSE_MS), to: iso(Math.max(...at) + CLOSE_MS) };
	const ask: AskPosts = async (qs) =>
		await item.list({ path: '/posts', qs: { ...qs }, listNames: listNames.posts });
	const found = await posts(ask, range, item.now, MAX_COMPARED).catch((): IDataObject[] => []);
	return found.map(readPost).filter(({ isOpen }) => isOpen);
}

/** Posts that the service has already, near in time to this one. */
function atTheService({ post, at }: Previewed, listed: Post[], zone: string): string[] {
	return listed
		.filter(({ dueAt, platforms, accountId }) =>
			dueAt !== undefined && Math.abs(dueAt - at) <= CLOSE_MS
				? platforms.some((platform) => mayBeOn({ platform, accountId }, post))
				: false,
		)
		.map((other) => {
			const when = DateTime.fromMillis(other.dueAt!, { zone }).toFormat('yyyy-LL-dd HH:mm');
			const isSame = other.text === post.text && other.dueAt === at;
			const what = isSame ? 'with the same text and time' : 'within five minutes of this one';
			return `${titleOf(post.platform)} has a post ${what} already: ${String(other.id)}, ${when}`;
		});
}
