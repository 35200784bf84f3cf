import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { platforms as knownPlatforms, type PostFormat } from '../../../api/contract';
import { Failure, refusal, toFailure } from '../../../api/failure';
import { canonicalPlatform, titleOf } from '../../../api/platforms';
import { readPost } from '../../../api/records';
import type { Item } from '../../engine/item';
import type { Plan } from '../../engine/operation';
import { addresses, filesOf, type MediaParams } from '../../media/fields';
import type { PlannedFile } from '../../media/uploads';
import { timeFields } from '../../writes/key';
import { withFields, type Sent, type Write } from '../../writes/write';
import { refusePast } from '../time';
import { approvalCode, refuseUnapproved } from './approval';
import { mediaWarnings, sharePageOf, textWarning } from './networks';
import { queueOf } from './queue';
import { parseSlots, type WeeklySlots } from './slots';
import {
	accountName,
	groupTargets,
	refuseRegrouped,
	resolveTargets,
	type Chosen,
	type Target,
} from './targets';
import { scheduleOf, type Schedule, type ScheduleParams } from './when';

/** What one platform or account gets. */
export interface PlannedPost extends Target {
	text: string;
	isSent: boolean;
}

/** One request: in the quick start's form for several posts. */
export interface PlannedRequest {
	posts: PlannedPost[];
	/** The write, once its files are uploaded. */
	writeWith: (media: PostMedia) => Write;
	/** When it goes out, as the request says it; undefined for at once. */
	dueAt?: string;
	/** Takes a slot for a request that no plan has chosen one for. */
	takeSlot?: () => string;
	/** What an earlier try sent of it, or may have. */
	sent?: Sent;
	/** What a network is known to refuse, and what else a person may want to know before. */
	warnings: string[];
	approvalCode?: string;
}

/** All that an item of *Post: Create* is going to send. */
export interface PostPlan extends Plan {
	posts: PlannedPost[];
	requests: PlannedRequest[];
	files: PlannedFile[];
	media: PostMedia;
	when: ScheduleParams['when'];
}

/** What posts refer to. */
export interface PostMedia {
	/** `read_url`s, in the order of the files; in a plan without those of files that are to be uploaded. */
	urls: string[];
	/** Of the files, where content decides: what is posted counts, not where it lies. */
	identities: string[];
}

interface TextFor {
	platform: string;
	text: string;
}

interface FieldsFor {
	platform: string;
	fields: IDataObject;
}

interface CreateParams extends Chosen, MediaParams, Omit<ScheduleParams, 'spacing'> {
	text: string;
	slotDays: string[];
	slotTimes: string;
	options: {
		platformText?: { texts?: TextFor[] };
		platformFields?: { fields?: FieldsFor[] };
		spacing?: { time?: ScheduleParams['spacing'] };
		additionalFields?: IDataObject;
		approvedCode?: string;
		onWarnings?: string;
	};
}

/** Several mistakes of a row are all listed. */
class Problems {
	private readonly failures: Failure[] = [];

	add(failure: Failure | undefined): void {
		if (failure) this.failures.push(failure);
	}

	/** What `make` gives, unless it throws. */
	of<T>(make: () => T): T | undefined {
		try {
			return make();
		} catch (error) {
			this.failures.push(toFailure(error));
			return undefined;
		}
	}

	/** @throws Failure of all of them */
	throwIfAny(): void {
		const [first, ...more] = this.failures;
		if (!first) return;
		if (more.length === 0) throw first;
		const [messages, hints] = (['message', 'hint'] as const).map((part) => [
			...new Set(this.failures.map(({ details }) => details[part])),
		]) as [string[], string[]];
		throw first.with({ message: messages.join('. '), hint: hints.join(' ') });
	}
}

/**
 * Everything that one item is going to send: where, what and when.
 * @throws Failure with all that is wrong with the row
 */
export async function planPosts(params: CreateParams, item: Item): Promise<PostPlan> {
	const { options, text, when } = params;
	const problems = new Problems();
	const targets = await resolveTargets(item, params).catch((error: unknown) => {
		problems.add(toFailure(error));
		return [];
	});
	const isFixed = item.isFixed(params.postTo) && targets.length > 0;
	const chosen = isFixed ? targets.map(({ platform }) => platform) : undefined;
	const texts = problems.of(() => textsOf(options.platformText?.texts, chosen)) ?? new Map<string, string>();
	const fields = problems.of(() => fieldsFor(options.platformFields?.fields, chosen));
	const schedule = problems.of(() => scheduleOf({ ...params, spacing: options.spacing?.time }, item));
	const slots = problems.of(() =>
		when === 'nextSlot' ? parseSlots(params.slotDays, params.slotTimes) : undefined,
	);
	const files = problems.of(() => filesOf(params)) ?? [];
	const urls = problems.of(() => (params.mediaFrom === 'readUrls' ? addresses(params.mediaUrls) : [])) ?? [];

	const posts = targets.map((target) => ({
		...target,
		text: texts.get(target.platform) ?? text,
		isSent: false,
	}));
	const isShared = ({ platform, isAccountNamed }: Target): boolean =>
		item.postFormat === 'quickStart' &&
		item.keyMode === 'execution' &&
		!isAccountNamed &&
		!texts.has(platform) &&
		!fields?.has(platform);
	const groups = groupTargets(posts, isShared);
	problems.of(() => refuseRegrouped(item, groups));
	const identities = files.map((file) => item.uploads.knownIdentity(file));
	const known = identities.flatMap((identity) => identity ?? []);
	const isComplete = known.length === files.length;
	const media = { urls, identities: [...urls, ...known] };
	const context = { item, params, schedule, slots, fields, files, media, isComplete };
	const requests = groups.map((group) => requestOf(context, group));

	for (const request of requests) {
		if (request.sent) continue;
		for (const { problem } of request.posts)
			if (item.previewOnly && problem) request.warnings.push(problem.details.message);
			else problems.add(problem);
		if (params.mediaFrom === 'none' && request.posts.some((one) => one.text === ''))
			problems.add(refusal('PARAMETER_EMPTY', "'Text' is empty", 'Enter a text or add media.'));
		problems.of(() => refuseLate(context, request));
		for (const file of files) problems.of(() => item.uploads.requireFile(file));
	}
	// Without targets there is no request whose time could be judged.
	if (targets.length === 0 && schedule && !item.previewOnly)
		problems.of(() => refusePast(schedule.utc, item.zone, schedule.label, item.now));
	problems.throwIfAny();
	if (slots) await takeSlots(item, requests, slots);
	if (item.previewOnly || options.approvedCode) await addApprovalCodes(context, requests);
	if (options.approvedCode) refuseUnapproved(options.approvedCode, requests);
	if (options.onWarnings === 'stop' && !item.previewOnly) refuseWarned(requests);
	return { posts, requests, files, media, when };
}

/** What the requests of an item have in common. */
interface PlanContext {
	item: Item;
	params: CreateParams;
	schedule?: Schedule;
	slots?: WeeklySlots;
	/** Fields of some platforms, by platform. */
	fields?: Map<string, IDataObject>;
	files: PlannedFile[];
	media: PostMedia;
	/** What its files are is known before they are read. */
	isComplete: boolean;
}

/** The request of a group of targets, and whether an earlier try sent it. */
function requestOf(context: PlanContext, group: PlannedPost[]): PlannedRequest {
	const { item, media, isComplete } = context;
	const request: PlannedRequest = {
		posts: group,
		writeWith: (files) => writeOf(context, request, files),
		warnings: [],
	};
	const write = request.writeWith(media);
	request.dueAt = readPost(write.body!).scheduledAt ?? undefined;
	// Where bytes decide, only the name shows what was sent.
	const known = item.known(write);
	request.sent = isComplete ? known : group.map(({ sent }) => sent).find((one) => one !== undefined);
	if (!request.sent) request.warnings = warningsOf(context, group);
	for (const post of group) post.isSent = request.sent !== undefined && !request.sent.isRerun;
	return request;
}

/** The write of a request, once its media are known. */
function writeOf(context: PlanContext, request: PlannedRequest, media: PostMedia): Write {
	const { item, params, schedule, slots, fields } = context;
	const group = request.posts;
	const { platform, accountId, isAccountNamed, name, text } = group[0]!;
	const platforms = group.map((post) => post.platform);
	const isQuick = item.postFormat === 'quickStart';
	const bodyWith = (urls: string[], listed: string[], scheduledAt?: string): IDataObject => {
		const own = {
			...(isQuick ? { platforms: listed } : { platform }),
			...(isAccountNamed ? { account_id: accountId } : {}),
			...contentBody(item.postFormat, { text: text || undefined, media: urls, scheduledAt }),
		};
		const added = [params.options.additionalFields, fields?.get(platform)];
		return added.reduce<IDataObject>((body, more) => (more ? withFields(body, more) : body), own);
	};
	// *Same Text and Time* takes the time at its word.
	const isTimeContent = schedule && (!schedule.relativeTo || item.keyMode === 'content');
	const accounts = group.flatMap((post) => (post.accountId ? [accountName(post.accountId)] : []));
	return {
		path: '/posts',
		body: bodyWith(media.urls, platforms, schedule?.utc ?? request.dueAt),
		name: group.length > 1 ? '' : name,
		alsoNamed: [...(group.length > 1 ? group.map((post) => post.name) : []), ...accounts],
		sameAs: {
			// In another order they are the same platforms.
			...bodyWith(media.identities, [...platforms].sort(), isTimeContent ? schedule.utc : undefined),
			...(slots ? { slot: true } : {}),
		},
		finish: (body) => finalBody(context, request, body),
	};
}

/** A body right before it is sent: a time that has come by then is left out, so that the post goes out at once. */
function finalBody(context: PlanContext, { takeSlot }: PlannedRequest, planned: IDataObject): IDataObject {
	const { item } = context;
	const isWithoutSlot = takeSlot && readPost(planned).scheduledAt === undefined;
	const body = isWithoutSlot
		? { ...planned, ...contentBody(item.postFormat, { scheduledAt: takeSlot() }) }
		: planned;
	const { dueAt, scheduledAt } = readPost(body);
	if (dueAt === undefined || dueAt > Date.now()) return body;
	refusePast(scheduledAt!, item.zone, labelOf(context, scheduledAt!), item.now);
	return omit(body, timeFields);
}

/** The parameter that a time comes from, as the user sees it. */
const labelOf = ({ schedule }: PlanContext, time: string): string =>
	time === schedule?.utc ? schedule.label : 'Additional Fields (JSON)';

/** Refuses a time that has passed: a preview only warns of it. */
function refuseLate(context: PlanContext, { dueAt, warnings }: PlannedRequest): void {
	const { item } = context;
	try {
		if (dueAt !== undefined) refusePast(dueAt, item.zone, labelOf(context, dueAt), item.now);
	} catch (error) {
		if (!item.previewOnly) throw toFailure(error);
		warnings.push(toFailure(error).details.message);
	}
}

/** Slots go to the rows in their order; what was sent has its slot, and a time of the user's needs none. */
async function takeSlots(item: Item, requests: PlannedRequest[], slots: WeeklySlots): Promise<void> {
	for (const request of requests) {
		if (request.dueAt !== undefined || (request.sent && !request.sent.isRerun)) continue;
		const queue = await queueOf(item);
		const takeSlot = (): string => {
			if (queue instanceof Failure) throw queue;
			return queue.take(request.posts, slots);
		};
		// A failed run by hand sent the row; if it says something else by now, it still needs a slot.
		if (request.sent) request.takeSlot = takeSlot;
		else request.dueAt = takeSlot();
	}
}

/** What networks are known to refuse, and links that lead to a page instead of a file. */
function warningsOf({ item, files, media }: PlanContext, group: PlannedPost[]): string[] {
	const known = [
		...files.map((file) => item.uploads.describe(file)),
		...media.urls.map((name) => ({ name })),
	];
	const pages = files.flatMap(({ isBinary, source }) => (isBinary ? [] : (sharePageOf(source) ?? [])));
	return [
		...group.flatMap(({ platform, text }) => textWarning(platform, text) ?? []),
		...group.flatMap(({ platform }) => mediaWarnings(platform, known)),
		...pages.map((page) => `A link to a page of ${page} is no file: use the address of the file itself`),
	];
}

function refuseWarned(requests: PlannedRequest[]): void {
	const warnings = [...new Set(requests.flatMap((request) => request.warnings))];
	if (warnings.length === 0) return;
	throw refusal(
		'WARNINGS',
		warnings.join('. '),
		"Correct the row. To send it all the same, set 'On Warnings' to 'Send'.",
	);
}

async function addApprovalCodes(
	{ item, schedule, files, media }: PlanContext,
	requests: PlannedRequest[],
): Promise<void> {
	const uploaded = await Promise.all(files.map(async (file) => await item.uploads.preview(file, true)));
	const identities = [...media.urls, ...uploaded.map(({ identity }) => identity)];
	for (const request of requests)
		request.approvalCode = approvalCode(
			request.posts,
			request.writeWith({ urls: [], identities: [] }).body!,
			{
				workspaceId: item.workspaceId,
				files: identities,
				time: request.dueAt === schedule?.utc ? (schedule?.relativeTo ?? request.dueAt ?? '') : request.dueAt,
			},
		);
}

/** What a post says, in either body shape of the spec ("Post (input on create)"); only what is given is sent. */
interface PostContent {
	text?: string;
	/** `read_url`s of uploads. */
	media?: string[];
	/** UTC, ending in `Z`. */
	scheduledAt?: string;
}

/** Text, media and time of a post as the service takes them. The quick-start shape has no field for media: row 15 of docs/spec-gaps.md. */
export function contentBody(format: PostFormat, { text, media = [], scheduledAt }: PostContent): IDataObject {
	const content = {
		...(text === undefined ? {} : { text }),
		...(media.length > 0 ? { media } : {}),
	};
	if (format === 'quickStart')
		return {
			...(text === undefined ? {} : { content: text }),
			...(media.length > 0 ? { media } : {}),
			...(scheduledAt ? { schedule_at: scheduledAt } : {}),
		};
	return {
		...(Object.keys(content).length > 0 ? { content } : {}),
		...(scheduledAt ? { scheduled_at: scheduledAt } : {}),
	};
}

/** Texts of some platforms, by platform; empty ones count as not there. */
function textsOf(given: TextFor[] = [], chosen?: string[]): Map<string, string> {
	const texts = given.filter(({ text = '' }) => text !== '');
	return byPlatform(texts, ({ text }) => text, 'Text per Platform', chosen);
}

function fieldsFor(given: FieldsFor[] = [], chosen?: string[]): Map<string, IDataObject> {
	return byPlatform(given, ({ fields }) => fields, 'Fields per Platform', chosen);
}

/**
 * Entries of some platforms, by platform.
 * @param chosen the platforms that the post goes to, where an entry for another one is a mistake
 * @throws Failure naming the platform
 */
function byPlatform<One extends { platform?: string }, T>(
	entries: One[],
	valueOf: (entry: One) => T,
	label: string,
	chosen?: string[],
): Map<string, T> {
	const found = new Map<string, T>();
	for (const entry of entries) {
		const platform = canonicalPlatform(entry.platform ?? '');
		if (found.has(platform))
			throw refusal(
				'PLATFORM_TEXT',
				`'${label}' has two entries for ${titleOf(platform)}`,
				`Keep one of them in '${label}'; twitter and x are one platform.`,
			);
		const isKnown = (knownPlatforms as readonly string[]).includes(platform);
		if (chosen ? !chosen.includes(platform) : !isKnown)
			throw refusal(
				'PLATFORM_TEXT',
				`'${label}' has an entry for ${titleOf(platform) || 'no platform'}, which the post doesn't go to`,
				`Choose the platform for the post, too, or delete its entry in '${label}'.`,
			);
		found.set(platform, valueOf(entry));
	}
	return found;
}
