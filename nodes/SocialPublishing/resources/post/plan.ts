import {
	compact,
	difference,
	groupBy,
	intersection,
	isEmpty,
	map,
	omit,
	omitBy,
	partition,
	uniq,
	uniqBy,
} from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { canonicalPlatform, isPlatform, titleOf, type PostFormat } from '../../../api/contract';
import { refusal, toFailure, type Failure } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { readPost } from '../../../api/records';
import { sharePageOf } from '../../../api/transferRefusals';
import { textOf } from '../../../api/texts';
import type { Item } from '../../engine/item';
import type { Plan } from '../../engine/operation';
import { fieldsFrom, type CommonOptions } from '../../engine/options';
import { addresses, filesOf } from '../../media/fields';
import { checkedAddress, type FileFacts, type PlannedFile } from '../../media/files';
import type { Uploaded } from '../../media/uploads';
import { accountName } from '../../writes/continued';
import type { Sent } from '../../writes/journal';
import { customKey, keyWarnings, targetIn, timeFields } from '../../writes/key';
import { withFields, type Write } from '../../writes/write';
import { pastTime, withUtcTimes } from '../time';
import type { CreateParams } from './createFields';
import { mediaWarnings, textWarnings } from './networks';
import { parseSlots, type WeeklySlots } from './slots';
import { resolveTargets, type Target } from './targets';
import { scheduleOf, type Schedule } from './when';

interface PlannedPost extends Target {
	text: string;
}

/** Where posts go, for people. */
export const namesOf = (posts: PlannedPost[]) => ({
	platform: map(posts, 'platform').join(', '),
	account: uniq(posts.flatMap(({ account }) => account ?? [])).join(', '),
});

/** All that an item of *Post: Create* asks for; what was sent of it is none of its business, see `check.ts`. */
export interface PostPlan extends Plan {
	params: CreateParams;
	/** Wrong with it as it is, unless all of it was sent. */
	wrong: Failure[];
	targets: Target[];
	/** Of some platforms, by platform. */
	texts?: Map<string, { text: string }>;
	fields?: Map<string, IDataObject>;
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

/** Judges the files of requests by what arrived. @throws Failure where a new warning of any of them stops the row */
export function judgeFiles(plan: PostPlan, media: PostFile[]): void {
	const opened = media.flatMap(({ facts }) => facts ?? []);
	if (opened.length === 0) return;
	// Before, their addresses, names and announced types were all that was known.
	const files = opened.length < media.length ? [] : plan.files;
	const guessed = files.map((one) => plan.item.uploads.describe(one));
	const added = leftOf(plan).flatMap(({ posts, warnings }) => {
		const judged = (some: FileFacts[]) => posts.flatMap(({ platform }) => mediaWarnings(platform, some));
		const found = judged(opened);
		const unsaid = difference(found, warnings);
		const refuted = difference([...judged(guessed), ...pageWarnings(linksOf(files))], found);
		warnings.splice(0, Infinity, ...difference(warnings, refuted), ...unsaid);
		return unsaid;
	});
	throwAll(refusedWarnings(plan, added));
}

/** One request: in the quick start's form for several posts. */
export class PlannedRequest {
	/** When it goes out, as the request says it; undefined for at once. */
	dueAt?: string;
	/** Why it isn't sent: its time has passed, and the user wants it skipped. */
	skipped?: Failure;
	/** What a network is known to refuse, and what else a person may want to know before. */
	readonly warnings: string[];
	approvalCode?: string;
	/** Whether it names files that are uploaded already, the user's own fields among them. */
	readonly hasMedia: boolean;
	readonly posts: PlannedPost[];
	/** It has a slot, or a time that counts from now. */
	private readonly isRelative: boolean;

	/**
	 * @param sent what an earlier try sent of it, or may have: it stays as it was
	 * @param corrects what may have been sent, and was refused since: this goes out under its key
	 */
	constructor(
		readonly plan: PostPlan,
		readonly targets: Target[],
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
		// What was sent may be asked for by two names of its account.
		this.posts = uniqBy(targets, 'platform').map((target) => ({ ...target, text: textOf(text) }));
		const named = compact([media ?? []].flat().map(textOf));
		this.hasMedia = named.length > 0;
		this.warnings = sent ? [] : warningsOf(plan, this.posts, named);
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
		const { plan, targets } = this;
		const urls = media.flatMap(({ readUrl }) => readUrl ?? []);
		return {
			path: '/posts',
			body: bodyOf(plan, targets, urls, plan.schedule?.utc ?? this.dueAt),
			name: targets.length > 1 ? '' : targets[0]!.name,
			names: [
				...map(targets, 'name'),
				...targets.flatMap((one) => (one.accountId ? accountName(one.platform, one.accountId) : [])),
			],
			says: targets.map((one) => saidOf(plan, one, media)),
			fixedTime: fixedTimeOf(plan),
			approvalCode: this.approvalCode,
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
		const { item, params, schedule, fields } = this.plan;
		const { ifPast } = params.options;
		if (dueAt === undefined || (ifPast === 'publish' && Date.parse(dueAt) <= now)) return undefined;
		const own = ownTimeLabel(fields?.get(this.targets[0]!.platform), params.options);
		return pastTime(dueAt, item.zone, dueAt === schedule?.utc ? schedule.label : own, now);
	}

	/** A preview tells what stops the run from what only may go wrong. */
	warnOf(...refused: Failure[]): void {
		this.warnings.push(...refused.map(({ message }) => `Would be refused: ${message}`));
	}
}

function bodyOf(
	{ item, params: { text, options }, texts, fields }: PostPlan,
	targets: Target[],
	media: string[],
	scheduledAt?: string,
): IDataObject {
	const { postFormat } = item;
	const { platform, accountId, sentId = accountId, isAccountNamed } = targets[0]!;
	const own = {
		...(postFormat === 'quickStart' ? { platforms: map(targets, 'platform') } : { platform }),
		...(isAccountNamed ? { account_id: sentId } : {}),
		...contentBody(postFormat, {
			text: texts?.get(platform)?.text ?? text,
			media,
			scheduledAt,
		}),
	};
	const added = fields?.get(platform);
	const body = withFields(withFields(own, options.additionalFields), added);
	refuseLostText(own, body);
	return withUtcTimes(body, item, ownTimeLabel(added, options));
}

/** What tells a request from others: files by what identifies them, without a time that only counts from now. */
function saidOf(plan: PostPlan, target: Target, media: PostFile[]): IDataObject {
	const { item, schedule, slots } = plan;
	// *Same Text and Time* takes the time at its word.
	const time = !schedule?.relativeTo || item.keyMode === 'content' ? schedule?.utc : undefined;
	// An ID is the same whether the service's list was read or not.
	const body = bodyOf(plan, [omit(target, 'sentId')], map(media, 'identity'), time);
	return slots ? { ...body, slot: true } : body;
}

/** The time that the user gave, in *When* or in a field of the user's own. */
const fixedTimeOf = ({ schedule, params }: PostPlan): string | undefined =>
	(schedule?.relativeTo ? undefined : schedule?.utc) ??
	readPost(params.options.additionalFields ?? {}).scheduledAt ??
	undefined;

/** Where a time comes from that is none of the node's own, by the fields of the platform. */
export function ownTimeLabel(fields: IDataObject = {}, { additionalFieldRows: rows }: CommonOptions): string {
	const isTime = (name: string): boolean => (timeFields as readonly string[]).includes(name);
	if (Object.keys(fields).some(isTime)) return 'Fields per Platform';
	return map(rows?.fields, 'name').some(isTime) ? 'Additional Fields' : 'Additional Fields (JSON)';
}

const timeDiffers =
	"'Same Text and Time' can't recognize a post of an earlier run here: its time counts from now, so it differs in each run. Set 'When' to 'At a Time', or 'Avoid Duplicates' to 'My Own ID'.";

/** Everything that one item asks for: where, what and when. @throws Failure where the key is refused */
export async function planPosts(params: CreateParams, item: Item): Promise<PostPlan> {
	const { options, when, mediaFrom, mediaUrls } = params;
	const wrong: Failure[] = [];
	const noted = <T>(make: () => T): T | undefined => noting(wrong, make);
	const targets = await resolveTargets(item, params);
	const [ownTexts, noTexts] = partition(options.platformText?.texts, 'text');
	const textless = noTexts.map(({ platform }) => canonicalPlatform(platform));
	for (const platform of intersection(map(targets, 'platform'), textless))
		item.hint(`'Text per Platform' has no text for ${titleOf(platform)}: 'Text' is used there`);
	const texts = noted(() => byPlatform(ownTexts, 'Text per Platform', targets, item));
	const fields = noted(() => ownFields(params, targets, item));
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
	const plan = { item, params, wrong, targets, texts, fields, schedule, slots, files, media, requests: [] };
	const asked = {
		path: '/posts',
		parts: targets.map((one) => saidOf(plan, one, media)),
		bare: files.length > 0 ? targets.map((one) => saidOf(plan, one, [])) : undefined,
		fixedTime: fixedTimeOf(plan),
		isUnread: media.length < files.length,
	};
	return { ...plan, asked, names: map(targets, 'name') };
}

/** The warnings that stop a row, as *On Warnings* says. */
export const refusedWarnings = ({ item, params }: PostPlan, warnings: string[]): Failure[] =>
	params.options.onWarnings === 'stop' && !item.previewOnly
		? warnings.map((warning) =>
				refusal('WARNINGS', warning, "Correct the row. To send it anyway, set 'On Warnings' to 'Send'."),
			)
		: [];

/** What networks are known to refuse, and links that lead to a page instead of a file. */
function warningsOf({ item, files }: PostPlan, group: PlannedPost[], urls: string[]): string[] {
	const known = [...files.map((file) => item.uploads.describe(file)), ...urls.map((name) => ({ name }))];
	return [
		...compact(map(group, 'warning')),
		...keyWarnings(item.ownKey),
		...group.flatMap(({ platform, text }) => textWarnings(platform, text)),
		...group.flatMap(({ platform }) => mediaWarnings(platform, known)),
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
			"In the format 'Quick Start', 'content' is the text of the post, and additional fields inside 'content' would replace it",
			"Name a field beside 'content'. If your service accepts fields inside it, set 'Post Format' in the credential to 'Integration Guide'.",
		);
}

/** *Fields per Platform*: the names and values of each, and its JSON over them. Entries without any say nothing. */
function ownFields({ options }: CreateParams, targets: Target[], item: Item): PostPlan['fields'] {
	const label = 'Fields per Platform';
	const { fields: asJson = [], values } = options.platformFields ?? {};
	const rows = groupBy(values, ({ platform }) => canonicalPlatform(platform));
	const named = map(rows, (some, platform) => ({
		platform,
		fields: fieldsFrom(some, label, (message) => item.hint(message)),
	}));
	const all = new Map<string, IDataObject>();
	for (const list of [named, asJson]) {
		const entries = list.filter(({ fields }) => !isEmpty(fields));
		for (const [platform, { fields }] of byPlatform(entries, label, targets, item))
			all.set(platform, withFields(all.get(platform), fields));
	}
	return all;
}

/** Entries of some platforms, by platform; other rows may go to other ones. @throws Failure naming the platform */
function byPlatform<One extends { platform: string }>(
	entries: One[],
	label: string,
	targets: Target[],
	item: Pick<Item, 'hint'>,
): Map<string, One> {
	const chosen = map(targets, 'platform');
	const found = new Map<string, One>();
	for (const entry of entries) {
		const platform = canonicalPlatform(entry.platform);
		const isTwice = found.has(platform);
		if (isTwice || !(isPlatform(platform) || chosen.includes(platform)))
			throw refusal(
				'PLATFORM_TEXT',
				`'${label}' has ${isTwice ? 'two entries' : 'an entry'} for ${titleOf(platform) || 'no platform'}`,
				`Keep one entry for each platform in '${label}', and only for platforms that the post goes to.`,
			);
		if (!chosen.includes(platform))
			item.hint(`'${label}' has an entry for ${titleOf(platform)}, but this post doesn't go there`);
		found.set(platform, entry);
	}
	return found;
}
