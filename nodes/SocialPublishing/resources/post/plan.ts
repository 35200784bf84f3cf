import { compact, intersection, isEmpty, map, omit, omitBy, partition, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { canonicalPlatform, isPlatform, titleOf, type PostFormat } from '../../../api/contract';
import { refusal, toFailure, type Failure } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { readPost } from '../../../api/records';
import { sharePageOf } from '../../../api/transferRefusals';
import { textOf } from '../../../api/texts';
import type { Item } from '../../engine/item';
import type { Plan } from '../../engine/operation';
import { apiFieldsOf } from '../../engine/options';
import { addresses, filesOf } from '../../media/fields';
import { checkedAddress, type PlannedFile } from '../../media/files';
import type { Uploaded } from '../../media/uploads';
import { accountName } from '../../writes/continued';
import type { Sent } from '../../writes/journal';
import { customKey, keyWarnings, targetIn, timeFields } from '../../writes/key';
import { withFields, type Write } from '../../writes/write';
import { pastTime, withUtcTimes } from '../time';
import type { CreateParams } from './createFields';
import { addressWarnings, mediaWarnings, textWarnings } from './networks';
import { parseSlots, type WeeklySlots } from './slots';
import { accountsOf, resolveTargets, type Target } from './targets';
import { scheduleOf, type Schedule } from './when';

/** All that an item of *Post: Create* asks for; what was sent of it is none of its business, see `check.ts`. */
export interface PostPlan extends Plan {
	params: CreateParams;
	/** Wrong with it as it is, unless all of it was sent. */
	wrong: Failure[];
	targets: Target[];
	/** Of some platforms, by platform. */
	texts: Map<string, string>;
	schedule?: Schedule;
	slots?: WeeklySlots;
	/** To be uploaded. */
	files: PlannedFile[];
	/** What is known of the files before that, or files that were uploaded elsewhere. */
	media: PostFile[];
	requests: PlannedRequest[];
}

/** A file of a post; before its upload it has no URL. */
export type PostFile = Partial<Pick<Uploaded, 'readUrl'>> & Pick<Uploaded, 'identity' | 'facts'>;

/** What `make` gives; what it throws is noted. */
export function noting<T>(noted: Failure[], make: () => T): T | undefined {
	try {
		return make();
	} catch (error) {
		noted.push(toFailure(error));
		return undefined;
	}
}

export function throwAll(wrong: Failure[]): void {
	const [message, hint] = ['message', 'details.hint'].map((name) => map(uniqBy(wrong, name), name));
	if (wrong[0]) throw wrong[0].with({ message: message!.join('. '), hint: hint!.join(' ') });
}

/** What is sent: not what was sent already, nor what is skipped. */
export const leftOf = ({ requests }: PostPlan): PlannedRequest[] =>
	requests.filter(({ sent, skipped }) => !sent && !skipped);

/** One request: one post on one platform or account. */
export class PlannedRequest {
	/** When it goes out, as the request says it; undefined for at once. */
	dueAt?: string;
	/** Why it isn't sent: its time has passed, and the user wants it skipped. */
	skipped?: Failure;
	/** What a network is known to refuse, and what else a person may want to know before. */
	readonly warnings: string[];
	/** Whether it names files that are uploaded already, the user's own fields among them. */
	readonly hasMedia: boolean;
	readonly text: string;
	/** It has a slot, or a time that counts from now. */
	private readonly isRelative: boolean;

	/**
	 * @param sent what an earlier try sent of it, or may have: it stays as it was
	 * @param corrects what may have been sent, and was refused since: this goes out under its key
	 */
	constructor(
		readonly plan: PostPlan,
		readonly target: Target,
		readonly sent?: Sent,
		readonly corrects?: Sent,
	) {
		const { item, schedule, slots } = plan;
		const { content, ...body } = sent?.record ?? this.writeWith(plan.media).body!;
		const { scheduledAt } = readPost(body);
		this.dueAt = scheduledAt ?? undefined;
		const isOwnTime = !sent && scheduledAt && scheduledAt !== schedule?.utc;
		this.isRelative = !isOwnTime && Boolean(slots ?? schedule?.relativeTo);
		// The user's own fields may have another text.
		const { text, media = body.media } = isRecord(content) ? content : { text: content };
		this.text = textOf(text);
		const named = compact([media ?? []].flat().map(textOf));
		this.hasMedia = named.length > 0;
		this.warnings = sent ? [] : warningsOf(this, named);
		if (!sent && item.ownKey !== undefined) customKey(item.ownKey, targetIn(body));
	}

	/** Another run gives it another time: its key may be in use although nothing was changed. */
	get timeMoves(): boolean {
		return (
			!this.corrects &&
			(this.isRelative || (this.dueAt !== undefined && Date.parse(this.dueAt) <= Date.now()))
		);
	}

	writeWith(media: PostFile[]): Write {
		const { plan, target } = this;
		const { name, platform, accountId } = target;
		const urls = media.flatMap(({ readUrl }) => readUrl ?? []);
		return {
			path: '/posts',
			body: bodyOf(plan, target, urls, plan.schedule?.utc ?? this.dueAt),
			name,
			names: compact([name, accountId && accountName(platform, accountId)]),
			says: [saidOf(plan, target, media)],
			fixedTime: fixedTimeOf(plan),
			finish: (body) => this.finish(body),
		};
	}

	/** The body right before it is sent: a time that has come by then is left out, so that the post goes out at once. */
	private finish(planned: IDataObject): IDataObject {
		const { item, params } = this.plan;
		const { scheduledAt } = readPost(planned);
		if (!scheduledAt || Date.parse(scheduledAt) > Date.now()) return planned;
		// Late can be worse than never.
		const late = this.lateness(scheduledAt, params.options.ifPast === 'skip' ? Date.now() : item.now);
		if (late) throw late;
		return omit(planned, timeFields);
	}

	/** What is wrong with a time that has passed, naming the parameter that it comes from. */
	lateness(dueAt = this.dueAt, now = this.plan.item.now): Failure | undefined {
		const { item, params, schedule } = this.plan;
		const { ifPast } = params.options;
		if (dueAt === undefined || (ifPast === 'publish' && Date.parse(dueAt) <= now)) return undefined;
		return pastTime(dueAt, item.zone, dueAt === schedule?.utc ? schedule.label : 'API Fields', now);
	}

	/** A preview tells what stops the run from what only may go wrong. */
	warnOf(...refused: Failure[]): void {
		this.warnings.push(...refused.map(({ message }) => `Would be refused: ${message}`));
	}
}

function bodyOf(
	{ item, params: { text, options }, texts }: PostPlan,
	{ platform, accountId }: Target,
	media: string[],
	scheduledAt?: string,
): IDataObject {
	const { postFormat } = item;
	const own = {
		...(postFormat === 'quickStart' ? { platforms: [platform] } : { platform }),
		...(accountId === undefined ? {} : { account_id: accountId }),
		...contentBody(postFormat, { text: texts.get(platform) ?? text, media, scheduledAt }),
	};
	const body = withFields(own, apiFieldsOf(options, platform));
	refuseLostText(own, body);
	return withUtcTimes(body, item, 'API Fields');
}

/** What tells a request from others: files by what identifies them, without a time that only counts from now. */
function saidOf(plan: PostPlan, target: Target, media: PostFile[]): IDataObject {
	const { item, schedule, slots } = plan;
	// *Same Text and Time* takes the time at its word.
	const time = !schedule?.relativeTo || item.keyMode === 'content' ? schedule?.utc : undefined;
	const body = bodyOf(plan, target, map(media, 'identity'), time);
	return slots ? { ...body, slot: true } : body;
}

/** The time that the user gave, in *When* or in a field of the user's own. */
const fixedTimeOf = ({ schedule, params }: PostPlan): string | undefined =>
	(schedule?.relativeTo ? undefined : schedule?.utc) ??
	readPost(apiFieldsOf(params.options)).scheduledAt ??
	undefined;

const timeDiffers =
	"'Same Text and Time' can't recognize a post of an earlier run here: its time counts from now, so it differs in each run. Set 'When' to 'At a Time', or 'Avoid Duplicates' to 'My Own ID'.";

/** Everything that one item asks for: where, what and when. @throws Failure naming a platform or account that is none */
export async function planPosts(params: CreateParams, item: Item): Promise<PostPlan> {
	const { options, when, mediaFrom, mediaUrls } = params;
	const wrong: Failure[] = [];
	const noted = <T>(make: () => T): T | undefined => noting(wrong, make);
	const targets = resolveTargets(params.platforms, await accountsOf(item));
	const [ownTexts, noTexts] = partition(options.platformText?.texts, 'text');
	const textless = noTexts.map(({ platform }) => canonicalPlatform(platform));
	for (const platform of intersection(map(targets, 'platform'), textless))
		item.hint(`'Text per Platform' has no text for ${titleOf(platform)}: 'Text' is used there`);
	const texts = noted(() => textsOf(ownTexts, targets, item)) ?? new Map<string, string>();
	apiFieldsOf(options, '', (message) => item.hint(message));
	const schedule = noted(() => scheduleOf(params, item));
	if (schedule?.relativeTo && item.keyMode === 'content') item.hint(timeDiffers);
	const slots = noted(() =>
		when === 'nextSlot' ? parseSlots(params.slotDays, params.slotTimes) : undefined,
	);
	const files = noted(() => filesOf(params)) ?? [];
	const urls = noted(() => (mediaFrom === 'readUrls' ? addresses(mediaUrls).filter(checkedAddress) : []));
	const { mayRecognize } = item.writer;
	const identities = await Promise.all(
		files.map(async (file) => await item.uploads.identity(file, mayRecognize)),
	).catch((error: unknown) => (wrong.push(toFailure(error)), []));
	const media: PostFile[] = [
		...(urls ?? []).map((url) => ({ readUrl: url, identity: url })),
		...compact(identities).map((identity) => ({ identity })),
	];
	const plan = { item, params, wrong, targets, texts, schedule, slots, files, media, requests: [] };
	const asked = {
		path: '/posts',
		parts: targets.map((one) => saidOf(plan, one, media)),
		bare: files.length > 0 ? targets.map((one) => saidOf(plan, one, [])) : undefined,
		fixedTime: fixedTimeOf(plan),
		isUnread: media.length < files.length,
	};
	return { ...plan, asked, names: map(targets, 'name'), isInOrder: when === 'now' };
}

/** The warnings that stop a row, as *If a Platform Will Refuse It* says. */
export const refusedWarnings = ({ item, params }: PostPlan, warnings: string[]): Failure[] =>
	params.options.ifRefused === 'stop' && !item.isPreview
		? warnings.map((warning) =>
				refusal(
					'WARNINGS',
					warning,
					"Correct the row. To send it anyway, set 'If a Platform Will Refuse It' to 'Send'.",
				),
			)
		: [];

/** What networks are known to refuse, and links that lead to a page instead of a file. */
function warningsOf({ plan, target, text }: PlannedRequest, urls: string[]): string[] {
	const { item, files } = plan;
	const known = [...files.map((file) => item.uploads.describe(file)), ...urls.map((name) => ({ name }))];
	return [
		...keyWarnings(item.ownKey),
		...textWarnings(target.platform, text),
		...mediaWarnings(target.platform, known),
		...addressWarnings(urls, item.apiUrl),
		...pageWarnings([...urls, ...linksOf(files)]),
	];
}

export const linksOf = (files: PlannedFile[]) =>
	files.flatMap(({ isBinary, source }) => (isBinary ? [] : source));

const pageWarnings = (links: string[]): string[] =>
	compact(links.map(sharePageOf)).map(
		(page) => `A link to a page of ${page} isn't a file: use the address of the file itself`,
	);

/** A post in either body shape of the spec ("Post (input on create)"); for media in the quick-start shape see row 15 of docs/spec-gaps.md. */
export function contentBody(
	format: PostFormat,
	{ text, media, scheduledAt }: { text?: string; media?: string[]; scheduledAt?: string },
): IDataObject {
	const body: IDataObject =
		format === 'quickStart'
			? { content: text, media, schedule_at: scheduledAt }
			: { content: omitBy({ text, media }, isEmpty), scheduled_at: scheduledAt };
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
	entries: ReadonlyArray<{ platform: string; text: string }>,
	targets: Target[],
	item: Pick<Item, 'hint'>,
): Map<string, string> {
	const chosen = map(targets, 'platform');
	const found = new Map<string, string>();
	for (const { platform: given, text } of entries) {
		const platform = canonicalPlatform(given);
		const isTwice = found.has(platform);
		if (isTwice || !(isPlatform(platform) || chosen.includes(platform)))
			throw refusal(
				'PLATFORM_TEXT',
				`'Text per Platform' has ${isTwice ? 'two entries' : 'an entry'} for ${titleOf(platform) || 'no platform'}`,
				"Keep one entry for each platform in 'Text per Platform', and only for platforms that the post goes to.",
			);
		if (!chosen.includes(platform))
			item.hint(`'Text per Platform' has an entry for ${titleOf(platform)}, but this post doesn't go there`);
		found.set(platform, text);
	}
	return found;
}
