import isEmpty from 'lodash/isEmpty';
import isUndefined from 'lodash/isUndefined';
import map from 'lodash/map';
import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';
import omitBy from 'lodash/omitBy';
import pick from 'lodash/pick';
import uniq from 'lodash/uniq';
import type { IDataObject } from 'n8n-workflow';

import { platforms as knownPlatforms, type PostFormat } from '../../../api/contract';
import { Failure, refusal, toFailure } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { canonicalPlatform, titleOf } from '../../../api/platforms';
import { readPost } from '../../../api/records';
import { sharePageOf } from '../../../api/sharePages';
import type { Item } from '../../engine/item';
import type { Params, Plan } from '../../engine/operation';
import type { CommonOptions } from '../../engine/options';
import { textOf } from '../../lookups/locatorValue';
import { addresses, filesOf } from '../../media/fields';
import type { PlannedFile, Uploaded } from '../../media/uploads';
import { customKey, targetIn, timeFields } from '../../writes/key';
import { withFields, type Sent, type Write } from '../../writes/write';
import { refusePast } from '../time';
import { approvalCode, refuseUnapproved } from './approval';
import type { fields, options } from './createFields';
import { mediaWarnings, textWarning } from './networks';
import { queueOf } from './queue';
import { parseSlots, type WeeklySlots } from './slots';
import { accountName, groupTargets, refuseRegrouped, resolveTargets, type Target } from './targets';
import { scheduleOf, type Schedule } from './when';

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
}

/** A file of a post; before its upload it has no URL. */
export type PostFile = Partial<Pick<Uploaded, 'readUrl'>> & Pick<Uploaded, 'identity'>;

type CreateParams = Params<typeof fields> & { options: Partial<Params<typeof options>> & CommonOptions };

/** Several mistakes of a row are all listed. */
class Problems {
	private readonly failures: Failure[] = [];

	/** @param warnings where it stands instead, if it is to be no mistake */
	add(error: unknown, warnings?: string[]): void {
		const failure = toFailure(error);
		if (warnings) warnings.push(failure.details.message);
		else this.failures.push(failure);
	}

	/** What `make` gives, unless it throws. */
	of<T>(make: () => T, warnings?: string[]): T | undefined {
		try {
			return make();
		} catch (error) {
			this.add(error, warnings);
			return undefined;
		}
	}

	/** @throws Failure of all of them */
	throwIfAny(): void {
		const [first] = this.failures;
		if (!first) return;
		const all = map(this.failures, 'details');
		throw first.with({
			message: uniq(map(all, 'message')).join('. '),
			hint: uniq(map(all, 'hint')).join(' '),
		});
	}
}

/** What the requests of an item have in common. */
interface Row extends Pick<PostPlan, 'files' | 'media'> {
	item: Item;
	params: CreateParams;
	schedule?: Schedule;
	slots?: WeeklySlots;
	/** Of some platforms, by platform. */
	fields?: Map<string, { fields: IDataObject }>;
}

/** One request: in the quick start's form for several posts. */
export class PlannedRequest {
	/** When it goes out, as the request says it; undefined for at once. */
	dueAt?: string;
	/** What an earlier try sent of it, or may have. */
	readonly sent?: Sent;
	/** What a network is known to refuse, and what else a person may want to know before. */
	readonly warnings: string[];
	approvalCode?: string;

	constructor(
		private readonly row: Row,
		readonly posts: PlannedPost[],
	) {
		const { item, files, media } = row;
		const write = this.writeWith(media);
		const { content, ...body } = write.body!;
		this.dueAt = readPost(body).scheduledAt ?? undefined;
		// The user's own fields may have another text.
		const { text, media: urls = body.media } = isRecord(content) ? content : { text: content };
		for (const post of posts) post.text = textOf(text);
		if (item.keyMode === 'custom') customKey(item.options.idempotencyKey ?? '', targetIn(body));
		// Where bytes decide, only the name shows what was sent.
		this.sent = media.length < files.length ? posts.find(({ sent }) => sent)?.sent : item.known(write);
		this.warnings = this.sent ? [] : warningsOf(row, posts, [urls ?? []].flat().map(textOf));
		for (const post of posts) post.isSent = this.sent !== undefined && !this.sent.isRerun;
	}

	/** Whether *Fields per Platform* are part of it. */
	get hasOwnFields(): boolean {
		return this.row.fields?.has(this.posts[0]!.platform) === true;
	}

	/** The write, once its files are uploaded. */
	writeWith(media: PostFile[]): Write {
		const { item, params, schedule, slots, fields } = this.row;
		const { platform, accountId, isAccountNamed, text } = this.posts[0]!;
		const [platforms, names] = [map(this.posts, 'platform'), map(this.posts, 'name')];
		const [name, ...otherNames] = names.length > 1 ? ['', ...names] : names;
		const bodyWith = (listed: string[], files: string[], scheduledAt?: string): IDataObject => {
			const own = {
				...(item.postFormat === 'quickStart' ? { platforms: listed } : { platform }),
				...(isAccountNamed ? { account_id: accountId } : {}),
				...contentBody(item.postFormat, { text: text || undefined, media: files, scheduledAt }),
			};
			return withFields(withFields(own, params.options.additionalFields), fields?.get(platform)?.fields);
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
				...this.posts.flatMap((one) => (one.accountId ? accountName(one.platform, one.accountId) : [])),
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
		refuseLate(this.row, scheduledAt!);
		return omit(planned, timeFields);
	}
}

/** Refuses a time that has passed, naming the parameter that it comes from. */
function refuseLate({ item, schedule }: Row, dueAt: string | undefined): void {
	const label = dueAt === schedule?.utc ? schedule?.label : 'Additional Fields (JSON)';
	if (dueAt !== undefined) refusePast(dueAt, item.zone, label!, item.now);
}

/**
 * Everything that one item is going to send: where, what and when.
 * @throws Failure with all that is wrong with the row
 */
export async function planPosts(params: CreateParams, item: Item): Promise<PostPlan> {
	const { options, text, when, mediaFrom } = params;
	const problems = new Problems();
	const targets = await resolveTargets(item, params).catch((error: unknown) => {
		problems.add(error);
		return [];
	});
	const isFixed = item.isFixed(params.postTo) && targets.length > 0;
	const chosen = [...(isFixed ? [] : knownPlatforms), ...map(targets, 'platform')];
	// Empty texts count as not there.
	const ownTexts = options.platformText?.texts?.filter((own) => own.text);
	const texts = problems.of(() => byPlatform(ownTexts, 'Text per Platform', chosen));
	const fields = problems.of(() => byPlatform(options.platformFields?.fields, 'Fields per Platform', chosen));
	const schedule = problems.of(() => scheduleOf(params, item));
	const slots = problems.of(() =>
		when === 'nextSlot' ? parseSlots(params.slotDays, params.slotTimes) : undefined,
	);
	const files = problems.of(() => filesOf(params)) ?? [];
	const urls = problems.of(() => (mediaFrom === 'readUrls' ? addresses(params.mediaUrls) : [])) ?? [];
	// Whether a failed run by hand sent the same, only the bytes of the files tell.
	const isRerun = targets.some(({ sent }) => sent?.isRerun);
	const identities = await Promise.all(files.map(async (file) => await item.uploads.identity(file, isRerun)));
	const media: PostFile[] = [
		...urls.map((url) => ({ readUrl: url, identity: url })),
		...identities.flatMap((identity) => (identity ? { identity } : [])),
	];

	const posts = targets.map((target) => ({
		...target,
		text: texts?.get(target.platform)?.text ?? text,
		isSent: false,
	}));
	const isShared = ({ platform, isAccountNamed }: Target): boolean =>
		item.postFormat === 'quickStart' &&
		item.keyMode === 'execution' &&
		!isAccountNamed &&
		!texts?.has(platform) &&
		!fields?.has(platform);
	const groups = groupTargets(posts, isShared);
	problems.of(() => refuseRegrouped(item, groups));
	const row = { item, params, schedule, slots, fields, files, media };
	const requests = groups.map((group) => new PlannedRequest(row, group));

	for (const request of requests) {
		if (request.sent) continue;
		const onlyWarned = item.previewOnly ? request.warnings : undefined;
		for (const { problem } of request.posts) if (problem) problems.add(problem, onlyWarned);
		if (mediaFrom === 'none' && request.posts.some((one) => one.text === ''))
			problems.add(refusal('PARAMETER_EMPTY', "'Text' is empty", 'Enter a text or add media.'));
		problems.of(() => refuseLate(row, request.dueAt), onlyWarned);
		for (const file of files) problems.of(() => item.uploads.requireFile(file));
		if (options.onWarnings === 'stop' && !item.previewOnly)
			for (const warning of request.warnings) problems.add(refusal('WARNINGS', warning, heedWarnings));
	}
	// Without targets there is no request whose time could be judged.
	if (targets.length === 0 && !item.previewOnly) problems.of(() => refuseLate(row, schedule?.utc));
	problems.throwIfAny();
	if (slots) await takeSlots(item, requests, slots);
	// What was sent needs no code: its files may be gone.
	const approved = requests.some(({ sent }) => !sent) && options.approvedCode;
	if (item.previewOnly || approved) await addApprovalCodes(row, requests);
	if (approved) refuseUnapproved(approved, requests);
	return { posts, requests, files, media, when };
}

const heedWarnings = "Correct the row. To send it anyway, set 'On Warnings' to 'Send'.";

/** Slots go to the rows in their order; what was sent has its slot, and a time of the user's needs none. */
async function takeSlots(item: Item, requests: PlannedRequest[], slots: WeeklySlots): Promise<void> {
	for (const request of requests) {
		if (request.dueAt !== undefined || request.sent) continue;
		const queue = await queueOf(item);
		if (queue instanceof Failure) throw queue;
		request.dueAt = queue.take(request.posts, slots);
	}
}

/** What networks are known to refuse, and links that lead to a page instead of a file. */
function warningsOf({ item, files }: Row, group: PlannedPost[], urls: string[]): string[] {
	const known = [...files.map((file) => item.uploads.describe(file)), ...urls.map((name) => ({ name }))];
	const pages = files.flatMap(({ isBinary, source }) => (isBinary ? [] : (sharePageOf(source) ?? [])));
	return [
		...group.flatMap(({ platform, text }) => textWarning(platform, text) ?? []),
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
	{ text, media, scheduledAt }: { text?: string; media?: string[]; scheduledAt?: string },
): IDataObject {
	const files = isEmpty(media) ? undefined : media;
	const time = scheduledAt || undefined;
	if (format === 'quickStart') return omitBy({ content: text, media: files, schedule_at: time }, isUndefined);
	const content = omitBy({ text, media: files }, isUndefined);
	return omitBy({ content: isEmpty(content) ? undefined : content, scheduled_at: time }, isUndefined);
}

/**
 * Entries of some platforms, by platform.
 * @param chosen the platforms that an entry may be for
 * @throws Failure naming the platform
 */
function byPlatform<One extends { platform?: string }>(
	entries: One[] = [],
	label: string,
	chosen: readonly string[],
): Map<string, One> {
	const found = new Map<string, One>();
	for (const entry of entries) {
		const platform = canonicalPlatform(textOf(entry.platform));
		if (found.has(platform))
			throw refusal(
				'PLATFORM_TEXT',
				`'${label}' has two entries for ${titleOf(platform)}`,
				`Keep one of them in '${label}'; twitter and x are one platform.`,
			);
		if (!chosen.includes(platform))
			throw refusal(
				'PLATFORM_TEXT',
				`'${label}' has an entry for ${titleOf(platform) || 'no platform'}, which the post doesn't go to`,
				`Choose the platform for the post, too, or delete its entry in '${label}'.`,
			);
		found.set(platform, entry);
	}
	return found;
}
