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
import { readPost } from '../../../api/records';
import type { Item } from '../../engine/item';
import type { Planned } from '../../engine/operation';
import { postLabel } from '../../lookups/posts';
import { filled } from '../../lookups/source';
import { meansNow } from '../time';
import { countText } from './networks';
import { namesOf, type PlannedRequest, type PostFile, type PostPlan } from './plan';
import { mayBeOn, postsBetween } from './queue';
import { times } from './when';

/** What would be sent, and what a person may want to know before. Only reads are sent for it. */

/** How close two posts of one account are a warning. */
const CLOSE_MS = 5 * 60_000;
/** How many posts a warning names. */
const MAX_NAMED = 5;
/** How many of the service's posts, or of all posts close to one, are compared. */
const MAX_COMPARED = 500;

/** A post of a row that is previewed, or one that the service has already. */
interface Due {
	post: { platform: string; accountId?: string; text?: string };
	at: number;
	/** What a person knows it by. */
	label: string;
	item?: Item;
	request?: PlannedRequest;
}

/** What *Post: Create* would send: one item a request. */
export async function previewPosts(rows: ReadonlyArray<Planned<PostPlan>>): Promise<Outcome[][]> {
	const byRow = rows.map(({ plan, item }) => plan.requests.map((request) => dueOf(item, request)));
	const ofWorkspace = groupBy(sortBy(byRow.flat(2), 'at'), 'item.workspaceId');
	return await Promise.all(
		rows.map(async ({ plan, item }, row) => {
			const uploaded = plan.files.map(async (file) => await item.uploads.preview(file));
			const media = await Promise.all(uploaded).catch(toFailure);
			if ('details' in media) return [media];
			const known = plan.files.length > 0 ? media : plan.media;
			const calendar = await item.once('calendar', async () => {
				const own = ofWorkspace[item.workspaceId]!;
				return groupBy(sortBy([...own, ...(await listedAround(item, own))], 'at'), 'post.platform');
			});
			return plan.requests.map((request, position) => {
				const near = byRow[row]![position]!.flatMap((one) => warningsOf(one, calendar[one.post.platform]!));
				return previewOf(item, plan.when, request, known, request.sent ? [] : near);
			});
		}),
	);
}

function dueOf(item: Item, request: PlannedRequest): Due[] {
	const at = Math.max(item.now, request.dueAt ? Date.parse(request.dueAt) : 0);
	return request.posts.map((post) => ({
		post,
		at,
		label: `row ${item.index + 1} of this run`,
		item,
		request,
	}));
}

/** The service's posts around these, which are sorted by time; none where they can't be read. */
async function listedAround(item: Item, own: Due[]): Promise<Due[]> {
	const [fromMs, toMs] = [own[0]!.at - CLOSE_MS, own.at(-1)!.at + CLOSE_MS];
	const found = await postsBetween(item, fromMs, toMs, MAX_COMPARED).catch((): IDataObject[] => []);
	return found.flatMap((record) => {
		const { isOpen, dueAt: at, platforms, accountId, text } = readPost(record);
		if (!isOpen || at === undefined) return [];
		const label = postLabel(record, item.zone);
		return platforms.map((platform) => ({ post: { platform, accountId, text }, at, label }));
	});
}

/** Warns of posts that go to the same account at about the same time; `samePlatform` is sorted by time. */
function warningsOf({ item, post, at }: Due, samePlatform: Due[]): string[] {
	const start = sortedIndexBy<Pick<Due, 'at'>>(samePlatform, { at: at - CLOSE_MS }, 'at');
	const others = samePlatform
		.slice(start, start + MAX_COMPARED)
		.filter(
			(one) => !one.request?.sent && one.item !== item && one.at <= at + CLOSE_MS && mayBeOn(one.post, post),
		);
	const [same, close] = partition(others, (one) => one.post.text === post.text && one.at === at);
	const named = (found: Due[], what: string): string[] => {
		const labels = uniq(map(found, 'label'));
		const first = labels.slice(0, MAX_NAMED).join(', ') + (labels.length > MAX_NAMED ? ', …' : '');
		return first ? [`${titleOf(post.platform)} has another post ${what}: ${first}`] : [];
	};
	return [...named(same, 'with the same text and time'), ...named(close, 'within five minutes of this one')];
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
		const counted = countText(platform, text).characters;
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
