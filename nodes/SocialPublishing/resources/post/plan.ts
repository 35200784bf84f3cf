import compact from 'lodash/compact';
import difference from 'lodash/difference';
import groupBy from 'lodash/groupBy';
import isEmpty from 'lodash/isEmpty';
import isUndefined from 'lodash/isUndefined';
import map from 'lodash/map';
import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';
import omitBy from 'lodash/omitBy';
import partition from 'lodash/partition';
import pick from 'lodash/pick';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { platforms as knownPlatforms, type PostFormat } from '../../../api/contract';
import { refusal, toFailure, type Failure } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { canonicalPlatform, titleOf } from '../../../api/platforms';
import { readPost } from '../../../api/records';
import { sharePageOf } from '../../../api/sharePages';
import { textOf } from '../../../api/texts';
import type { Item } from '../../engine/item';
import type { Plan } from '../../engine/operation';
import { fieldsFrom } from '../../engine/options';
import { addresses, filesOf } from '../../media/fields';
import { checkedAddress, type PlannedFile } from '../../media/files';
import type { Uploaded } from '../../media/uploads';
import { customKey, targetIn, timeFields } from '../../writes/key';
import { withFields, type Sent, type Write } from '../../writes/write';
import { refusePast, withUtcTimes } from '../time';
import { approvalCode, refuseUnapproved } from './approval';
import type { CreateParams } from './createFields';
import { mediaWarnings, textWarnings } from './networks';
import { queueOf } from './queue';
import { parseSlots, type WeeklySlots } from './slots';
import { accountName, refuseRegrouped, resolveTargets, type Target } from './targets';
import { refuseLongWait, scheduleOf, type Schedule } from './when';

/** What one platform or account gets. */
export interface PlannedPost extends Target {
	text: string;
	isSent: boolean;
}

/** Where posts go, for people. */
export const namesOf = (posts: PlannedPost[]) => ({
	platform: map(posts, 'platform').join(', '),
	account: posts.flatMap(({ account }) => account ?? []).join(', '),
});

/** All that an item of *Post: Create* is going to send. */
export interface PostPlan extends Plan {
	posts: PlannedPost[];
	requests: PlannedRequest[];
	/** To be uploaded. */
	files: PlannedFile[];
	/** What is known of the files before that, or files that were uploaded elsewhere. */
	media: PostFile[];
	when: CreateParams['when'];
	/** It goes out at once, and nobody waits for it. */
	isUnattended: boolean;
}

/** A file of a post; before its upload it has no URL. */
export type PostFile = Partial<Pick<Uploaded, 'readUrl'>> & Pick<Uploaded, 'identity' | 'facts'>;

/** What `make` gives; what it throws is noted. */
function noting<T>(noted: Failure[], make: () => T): T | undefined {
	try {
		return make();
	} catch (error) {
		noted.push(toFailure(error));
		return undefined;
	}
}

/** What the requests of an item have in common. */
interface Row extends Pick<PostPlan, 'files' | 'media'> {
	item: Item;
	params: CreateParams;
	schedule?: Schedule;
	slots?: WeeklySlots;
	/** Of some platforms, by platform. */
	texts?: Map<string, { text: string }>;
	fields?: Map<string, { fields: IDataObject }>;
}

/** One request: in the quick start's form for several posts. */
export class PlannedRequest {
	/** When it goes out, as the request says it; undefined for at once. */
	dueAt?: string;
	/** Why it isn't sent: its time has passed, and the user wants it skipped. */
	skipped?: Failure;
	/** What an earlier try sent of it, or may have. */
	readonly sent?: Sent;
	/** What a network is known to refuse, and what else a person may want to know before. */
	readonly warnings: string[];
	approvalCode?: string;
	/** Whether it names files that are uploaded already, the user's own fields among them. */
	readonly hasMedia: boolean;
	/** Whether *Fields per Platform* are part of it. */
	readonly hasOwnFields: boolean;

	readonly posts: PlannedPost[];

	constructor(
		private readonly row: Row,
		private readonly targets: Target[],
	) {
		const { item, files, media, fields } = row;
		this.hasOwnFields = fields?.has(targets[0]!.platform) ?? false;
		const write = this.writeWith(media);
		const { content, ...body } = write.body!;
		this.dueAt = readPost(body).scheduledAt ?? undefined;
		// The user's own fields may have another text.
		const { text, media: urls = body.media } = isRecord(content) ? content : { text: content };
		if (item.ownKey !== undefined) customKey(item.ownKey, targetIn(body));
		// Where bytes decide, only the name shows what was sent.
		this.sent = media.length < files.length ? map(targets, 'sent').find(Boolean) : item.known(write);
		const isSent = this.sent !== undefined && !this.sent.isRerun;
		this.posts = targets.map((target) => ({ ...target, text: textOf(text), isSent }));
		const named = compact([urls ?? []].flat().map(textOf));
		this.hasMedia = named.length > 0;
		this.warnings = this.sent ? [] : warningsOf(row, this.posts, named);
	}

	get skipsPast(): boolean {
		return this.row.params.options.ifPast === 'skip';
	}

	/** Judges its files again by what arrived. @throws Failure where a new warning stops the row */
	judge(media: PostFile[]): void {
		const { item, params } = this.row;
		const opened = media.flatMap(({ facts }) => facts ?? []);
		if (this.sent || opened.length === 0) return;
		const found = this.posts.flatMap(({ platform }) => mediaWarnings(platform, opened));
		const added = difference(found, this.warnings);
		if (added[0] && params.options.onWarnings === 'stop' && !item.previewOnly)
			throw refusal('WARNINGS', added.join('. '), heedWarnings).withNotProcessed(true);
		this.warnings.push(...added);
	}

	/** The write, once its files are uploaded. */
	writeWith(media: PostFile[]): Write {
		const { item, params, schedule, slots, texts, fields } = this.row;
		const { platform, accountId, isAccountNamed } = this.targets[0]!;
		const text = texts?.get(platform)?.text ?? params.text;
		const [platforms, names] = [map(this.targets, 'platform'), map(this.targets, 'name')];
		const [name, ...otherNames] = names.length > 1 ? ['', ...names] : names;
		const bodyWith = (listed: string[], files: string[], scheduledAt?: string): IDataObject => {
			const own = {
				...(item.postFormat === 'quickStart' ? { platforms: listed } : { platform }),
				...(isAccountNamed ? { account_id: accountId } : {}),
				...contentBody(item.postFormat, { text: text || undefined, media: files, scheduledAt }),
			};
			const added = fields?.get(platform)?.fields;
			const body = withFields(withFields(own, params.options.additionalFields), added);
			return withUtcTimes(body, item, ownTimeLabel(added));
		};
		const urls = media.flatMap(({ readUrl }) => readUrl ?? []);
		// *Same Text and Time* takes the time at its word.
		const isTimeContent = !schedule?.relativeTo || item.keyMode === 'content';
		const time = isTimeContent ? schedule?.utc : undefined;
		return {
			path: '/posts',
			body: bodyWith(platforms, urls, schedule?.utc ?? this.dueAt),
			name,
			alsoNamed: [
				...otherNames,
				...this.targets.flatMap((one) => (one.accountId ? accountName(one.platform, one.accountId) : [])),
			],
			sameAs: {
				// In another order they are the same platforms.
				...bodyWith([...platforms].sort(), map(media, 'identity'), time),
				...(slots ? { slot: true } : {}),
			},
			finish: (body) => this.finish(body),
		};
	}

	/** The body right before it is sent: a time that has come by then is left out, so that the post goes out at once. */
	private finish(planned: IDataObject): IDataObject {
		const { dueAt, scheduledAt } = readPost(planned);
		if (dueAt === undefined || dueAt > Date.now()) return planned;
		// Late can be worse than never.
		const now = this.skipsPast ? Date.now() : this.row.item.now;
		refuseLate(this.row, scheduledAt!, this.targets[0]!.platform, now);
		return omit(planned, timeFields);
	}
}

/** Refuses a time that has passed, naming the parameter that it comes from. */
function refuseLate(
	{ item, params, schedule, fields }: Row,
	dueAt: string | undefined,
	platform = '',
	now = item.now,
): void {
	if (dueAt === undefined || (params.options.ifPast === 'publish' && Date.parse(dueAt) <= now)) return;
	const label = ownTimeLabel(fields?.get(platform)?.fields);
	const isOwn = label === ownTimeLabel({}) && dueAt === schedule?.utc;
	refusePast(dueAt, item.zone, isOwn ? schedule!.label : label, now);
}

/** Where a time comes from that is none of the node's own, by the fields of the platform. */
const ownTimeLabel = (fields: IDataObject = {}): string =>
	readPost(fields).scheduledAt ? 'Fields per Platform' : 'Additional Fields (JSON)';

/**
 * Everything that one item is going to send: where, what and when.
 * @throws Failure with all that is wrong with the row
 */
export async function planPosts(params: CreateParams, item: Item): Promise<PostPlan> {
	const { options, when, mediaFrom } = params;
	const wrong: Failure[] = [];
	const targets = await resolveTargets(item, params).catch((error: unknown) => {
		wrong.push(toFailure(error));
		return [];
	});
	const [ownTexts, noTexts] = partition(options.platformText?.texts, 'text');
	for (const { platform } of noTexts)
		item.hint(`'Text per Platform' has no text for ${titleOf(platform)}: 'Text' is used there`);
	const texts = noting(wrong, () => byPlatform(ownTexts, 'Text per Platform', targets, item));
	const { fields: ownFields = [], values } = options.platformFields ?? {};
	const byRows = map(groupBy(values, 'platform'), (some, platform) => ({
		platform,
		fields: fieldsFrom(some),
	}));
	const fields = noting(wrong, () =>
		byPlatform([...ownFields, ...byRows], 'Fields per Platform', targets, item),
	);
	const schedule = noting(wrong, () => scheduleOf(params, item));
	const slots = noting(wrong, () =>
		when === 'nextSlot' ? parseSlots(params.slotDays, params.slotTimes) : undefined,
	);
	const files = noting(wrong, () => filesOf(params)) ?? [];
	const urls =
		noting(wrong, () => (mediaFrom === 'readUrls' ? addresses(params.mediaUrls).map(checkedAddress) : [])) ??
		[];
	// Whether a failed run by hand sent the same, only the bytes of the files tell.
	const isRerun = targets.some(({ sent }) => sent?.isRerun);
	const identities = await Promise.all(files.map(async (file) => await item.uploads.identity(file, isRerun)));
	const media: PostFile[] = [
		...urls.map((url) => ({ readUrl: url, identity: url })),
		...compact(identities).map((identity) => ({ identity })),
	];

	// The quick start's form: those without a text, fields or account of their own share a request.
	const isShared = ({ platform, isAccountNamed }: Target): boolean =>
		item.postFormat === 'quickStart' &&
		item.keyMode === 'execution' &&
		!isAccountNamed &&
		!texts?.has(platform) &&
		!fields?.has(platform);
	const groups = Object.values(groupBy(targets, (one) => (isShared(one) ? 'shared' : `own ${one.name}`)));
	noting(wrong, () => refuseRegrouped(item, groups));
	const row = { item, params, schedule, slots, texts, fields, files, media };
	const requests = groups.map((group) => new PlannedRequest(row, group));

	for (const request of requests) {
		const { posts: group, sent, dueAt, warnings, hasMedia } = request;
		if (sent) continue;
		const late: Failure[] = [];
		noting(late, () => refuseLate(row, dueAt, group[0]!.platform));
		noting(late, () => refuseLongWait(params, dueAt, item));
		if (options.ifPast === 'skip' && isPast(late[0])) {
			if (item.previewOnly) warnings.push(`Would be skipped: ${late[0]!.message}`);
			else request.skipped = late[0];
			continue;
		}
		const refused = [...group.flatMap(({ problem }) => problem ?? []), ...late];
		if (item.previewOnly) warnings.push(...map(refused, 'message'));
		else wrong.push(...refused);
		if (mediaFrom === 'none' && !hasMedia && group.some((one) => one.text === ''))
			wrong.push(refusal('PARAMETER_EMPTY', "'Text' is empty", 'Enter a text or add media.'));
		for (const file of files) noting(wrong, () => item.uploads.requireFile(file));
		if (options.onWarnings === 'stop' && !item.previewOnly)
			wrong.push(...warnings.map((warning) => refusal('WARNINGS', warning, heedWarnings)));
	}
	// Without targets there is no request whose time could be judged.
	if (targets.length === 0 && !item.previewOnly) noting(wrong, () => refuseLate(row, schedule?.utc));
	const message = uniq(map(wrong, 'message')).join('. ');
	if (wrong[0]) throw wrong[0].with({ message, hint: uniq(map(wrong, 'details.hint')).join(' ') });
	if (slots) await takeSlots(row, requests, slots);
	// What was sent needs no code: its files may be gone.
	const going = requests.filter(({ skipped }) => !skipped);
	const approved = going.some(({ sent }) => !sent) && options.approvedCode;
	if (item.previewOnly || approved) await addApprovalCodes(row, going);
	if (approved) refuseUnapproved(approved, going);
	return {
		posts: going.flatMap(({ posts }) => posts),
		requests,
		files,
		media,
		when,
		isUnattended: when === 'now' && !options.waitForPublication,
	};
}

export const isPast = (failure: Failure | undefined): boolean => failure?.details.code === 'NODE_TIME_PAST';

const heedWarnings = "Correct the row. To send it anyway, set 'On Warnings' to 'Send'.";

/** Slots go to the rows in their order; what was sent has its slot, and a time of the user's needs none. */
async function takeSlots({ item, params }: Row, requests: PlannedRequest[], slots: WeeklySlots) {
	for (const request of requests) {
		if (request.dueAt !== undefined || request.sent) continue;
		request.dueAt = (await queueOf(item)).take(request.posts, slots);
		refuseLongWait(params, request.dueAt, item);
	}
}

/** What networks are known to refuse, and links that lead to a page instead of a file. */
function warningsOf({ item, files }: Row, group: PlannedPost[], urls: string[]): string[] {
	const known = [...files.map((file) => item.uploads.describe(file)), ...urls.map((name) => ({ name }))];
	const links = [...urls, ...files.flatMap(({ isBinary, source }) => (isBinary ? [] : source))];
	const pages = links.flatMap((link) => sharePageOf(link) ?? []);
	return [
		...group.flatMap(({ warning }) => warning ?? []),
		...group.flatMap(({ platform, text }) => textWarnings(platform, text)),
		...group.flatMap(({ platform }) => mediaWarnings(platform, known)),
		...pages.map((page) => `A link to a page of ${page} is no file: use the address of the file itself`),
	];
}

async function addApprovalCodes(
	{ item, schedule, files, media }: Row,
	requests: PlannedRequest[],
): Promise<void> {
	const previews = files.map(async (file) => await item.uploads.preview(file, true));
	const known = files.length > 0 ? await Promise.all(previews) : media;
	const identities = known.map(({ identity }) => ({ identity, readUrl: identity }));
	for (const request of requests) {
		request.judge(known);
		const body = request.writeWith(identities).body!;
		// A time that only counts from now is approved as the user gave it.
		const asGiven = (time: unknown) => (time === schedule?.utc && schedule?.relativeTo) || time;
		const times = mapValues(pick(body, timeFields), asGiven);
		request.approvalCode = approvalCode(item.workspaceId, request.posts, body, times);
	}
}

/**
 * A post as the service takes it, in either body shape of the spec ("Post (input on create)"); only what is given is sent.
 * The quick-start shape has no field for media: row 15 of docs/spec-gaps.md.
 * @param content with `read_url`s of uploads, and a time in UTC, ending in `Z`
 */
export function contentBody(
	format: PostFormat,
	{ text, media = [], scheduledAt }: { text?: string; media?: string[]; scheduledAt?: string },
): IDataObject {
	const said = omitBy({ text, media: media.length > 0 ? media : undefined }, isUndefined);
	const time = scheduledAt || undefined;
	const body =
		format === 'quickStart'
			? { content: said.text, media: said.media, schedule_at: time }
			: { content: isEmpty(said) ? undefined : said, scheduled_at: time };
	return omitBy(body, isUndefined);
}

/**
 * Entries of some platforms, by platform: known ones, or what the post goes to. Other rows may go to others.
 * @throws Failure naming the platform
 */
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
		if (isTwice || ![...knownPlatforms, ...chosen].includes(platform))
			throw refusal(
				'PLATFORM_TEXT',
				`'${label}' has ${isTwice ? 'two entries' : 'an entry'} for ${titleOf(platform) || 'no platform'}`,
				`Keep one entry for each platform in '${label}', and only for platforms that the post goes to.`,
			);
		if (!chosen.includes(platform))
			item.hint(`'${label}' has an entry for ${titleOf(platform)}, where this post doesn't go`);
		found.set(platform, entry);
	}
	return found;
}
