import { compact, intersection, isEmpty, map, omit, omitBy, partition } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { canonicalPlatform, isPlatform, titleOf, type PostFormat } from '../../../api/contract';
import { refusal, type Failure } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { textOf } from '../../../api/texts';
import type { Item } from '../../engine/item';
import type { Plan } from '../../engine/operation';
import { apiFieldsOf } from '../../engine/options';
import { withFields } from '../../writes/body';
import { addresses, filesOf } from '../../media/fields';
import { checkedAddress, type PlannedFile } from '../../media/files';
import { timeFields, scheduledAtIn } from '../../writes/key';
import type { Write } from '../../writes/write';
import { pastTime, withUtcTimes } from '../time';
import type { CreateParams } from './createFields';
import { parseSlots, type WeeklySlots } from './slots';
import { accountsOf, resolveTargets, type Target } from './targets';
import { scheduleOf, type Schedule } from './when';

/** All that a row of *Post: Create* asks for; what was sent of it is none of its business, see `check.ts`. */
export interface PostPlan extends Plan {
	readonly params: CreateParams;
	readonly schedule?: Schedule;
	readonly slots?: WeeklySlots;
	/** To be uploaded. */
	readonly files: readonly PlannedFile[];
	/** Files that were uploaded elsewhere. */
	readonly urls: readonly string[];
	readonly posts: readonly PlannedPost[];
}

/** One post for one platform or account: one request. */
export interface PlannedPost {
	readonly target: Target;
	readonly write: Write;
	readonly text: string;
	/** Files that it names already, those in *API Fields* among them. */
	readonly media: readonly string[];
	/** When it goes out, as the request says it, in UTC; undefined for at once, and for a slot. */
	readonly dueAt?: string;
	/** Given by `check.ts`, or in the modes in which an earlier execution may have sent it, right before it is sent. */
	slot?: string;
	/** Why it isn't sent: its time has passed, and the user wants it skipped. Found by `check.ts`. */
	skipped?: Failure;
	/** What its network is known to refuse, and what else a person may want to know before. Found by `check.ts`. */
	warnings: readonly string[];
}

const timeDiffers =
	"'Same Text and Time' can't recognize a post of an earlier run here: its time counts from now, so it differs in each run. Set 'When' to 'At a Time', or 'Avoid Duplicates' to 'My Own ID'.";

/** Everything that one item asks for: where, what and when. @throws Failure naming the parameter that is wrong */
export async function planPosts(params: CreateParams, item: Item): Promise<PostPlan> {
	const { when, mediaFrom, mediaUrls, slotDays, slotTimes } = params;
	const targets = resolveTargets(params.platforms, await accountsOf(item));
	apiFieldsOf(params.options, '', (message) => item.hint(message));
	const schedule = scheduleOf(params, item);
	if (schedule?.isRelative && item.keyMode === 'content') item.hint(timeDiffers);
	const row = {
		...{ item, params, schedule },
		slots: when === 'nextSlot' ? parseSlots(slotDays, slotTimes) : undefined,
		files: filesOf(params),
		urls: mediaFrom === 'readUrls' ? addresses(mediaUrls).filter(checkedAddress) : [],
	};
	const texts = textsOf(params, targets, item);
	const fileTargets = item.uploads.targetsOf(row.files);
	const posts = targets.map((target): PlannedPost => {
		const ofTarget = { ...row, target, text: texts.get(target.platform) ?? params.text };
		const body = bodyOf(ofTarget, row.urls, schedule?.utc);
		const dueAt = scheduledAtIn(body);
		const isOwnTime = dueAt !== undefined && dueAt !== schedule?.utc;
		const write = {
			path: '/posts',
			target: target.name,
			says: bodyOf(ofTarget, [...row.urls, ...fileTargets]),
			time: dueAt ?? (row.slots && 'slot'),
			isRelative: !isOwnTime && (row.slots !== undefined || schedule?.isRelative === true),
		};
		return { target, write, ...wordsIn(body), dueAt, warnings: [] };
	});
	// Rows that an earlier execution may have sent take their slots one after another, when they prove to be new.
	const isInOrder = when === 'now' || (when === 'nextSlot' && item.keyMode !== 'execution');
	return { ...row, posts, writes: map(posts, 'write'), isInOrder };
}

/** What is left to send of a row: not what an earlier try began, nor what is skipped. */
export const leftOf = ({ item, posts }: PostPlan): PlannedPost[] =>
	posts.filter(({ write, skipped }) => !skipped && !item.writer.known(write));

/** The request of a post whose files are uploaded. */
export const requestOf = (plan: PostPlan, post: PlannedPost, uploaded: readonly string[]): IDataObject =>
	bodyOf(
		{ ...plan, target: post.target, text: post.text },
		[...plan.urls, ...uploaded],
		plan.schedule?.utc ?? post.slot,
	);

/** The body right before it is sent: a time that has come by then is left out, so that the post goes out at once. */
export function inTime(plan: PostPlan, planned: IDataObject): IDataObject {
	const time = scheduledAtIn(planned);
	if (!time || Date.parse(time) > Date.now()) return planned;
	// Late can be worse than never.
	const late = lateness(plan, time, plan.params.options.ifPast === 'skip' ? Date.now() : plan.item.now);
	if (late) throw late;
	return omit(planned, timeFields);
}

/** What is wrong with a time that has passed, naming the parameter that it comes from. */
export function lateness(plan: PostPlan, dueAt?: string, now = plan.item.now): Failure | undefined {
	const { item, params, schedule } = plan;
	if (dueAt === undefined || (params.options.ifPast === 'publish' && Date.parse(dueAt) <= now))
		return undefined;
	return pastTime(dueAt, item.zone, dueAt === schedule?.utc ? schedule.label : 'API Fields', now);
}

/** The body of a post. @throws Failure for fields of the user's own that it can't have */
function bodyOf(
	{ item, params, target, text }: Pick<PostPlan, 'item' | 'params'> & { target: Target; text: string },
	media: readonly string[],
	scheduledAt?: string,
): IDataObject {
	const { postFormat } = item;
	const { platform, accountId } = target;
	const own = {
		...(postFormat === 'quickStart' ? { platforms: [platform] } : { platform }),
		...(accountId === undefined ? {} : { account_id: accountId }),
		...contentBody(postFormat, { text, media, scheduledAt }),
	};
	const body = withFields(own, apiFieldsOf(params.options, platform));
	refuseLostText(own, body);
	return withUtcTimes(body, item, 'API Fields');
}

/** Text and files of a body, in either form: the user's own fields may have others. */
export function wordsIn({ content, media: beside }: IDataObject): { text: string; media: string[] } {
	const { text, media = beside } = isRecord(content) ? content : { text: content };
	return { text: textOf(text), media: compact([media ?? []].flat().map(textOf)) };
}

/** A post in either body shape of the spec ("Post (input on create)"); for media in the quick-start shape see row 15 of docs/spec-gaps.md. */
export function contentBody(
	format: PostFormat,
	{ text, media, scheduledAt }: { text?: string; media?: readonly string[]; scheduledAt?: string },
): IDataObject {
	const body: IDataObject =
		format === 'quickStart'
			? { content: text, media: media && [...media], schedule_at: scheduledAt }
			: { content: omitBy({ text, media: media && [...media] }, isEmpty), scheduled_at: scheduledAt };
	// The quick start's shape has a text, if an empty one.
	return omitBy(body, (value) => value !== '' && isEmpty(value));
}

/** @throws Failure where fields of the user's own inside `content` replace the text that it is in the quick start's shape */
export function refuseLostText({ content: text }: IDataObject, { content }: IDataObject = {}): void {
	if (typeof text === 'string' && text && isRecord(content) && !content.text)
		throw refusal(
			'CONTENT_IS_TEXT',
			"In the format 'Quick Start', 'content' is the text of the post, and 'API Fields' inside 'content' would replace it",
			"Name a field beside 'content'. If your service accepts fields inside it, set 'Post Format' in the credential to 'Integration Guide'.",
		);
}

/** *Text per Platform*, by platform; other rows may go to other ones. @throws Failure naming the platform */
function textsOf(
	{ options }: CreateParams,
	targets: Target[],
	item: Pick<Item, 'hint'>,
): Map<string, string> {
	const [entries, empty] = partition(options.platformText?.texts, 'text');
	const chosen = map(targets, 'platform');
	const textless = empty.map(({ platform }) => canonicalPlatform(platform));
	for (const platform of intersection(chosen, textless))
		item.hint(`'Text per Platform' has no text for ${titleOf(platform)}: 'Text' is used there`);
	const found = new Map<string, string>();
	for (const { platform: given, text } of entries) {
		const platform = canonicalPlatform(given);
		const isTwice = found.has(platform);
		if (isTwice || !(isPlatform(platform) || chosen.includes(platform)))
			throw refusal(
				'PLATFORM_TEXT',
				`'Text per Platform' has ${isTwice ? 'two entries' : 'an entry'} for ${titleOf(platform) || 'no platform'}`,
				"Keep one entry for each platform in 'Text per Platform'.",
			);
		if (!chosen.includes(platform))
			item.hint(`'Text per Platform' has an entry for ${titleOf(platform)}, but this post doesn't go there`);
		found.set(platform, text);
	}
	return found;
}
