import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { terminalStatuses } from '../../../api/contract';
import { Failure, refusal, toFailure, type Outcome } from '../../../api/failure';
import { readPost } from '../../../api/records';
import { operation, type CommonOptions, type ItemContext } from '../../engine/operation';
import type { WriteRequest } from '../../writes/write';
import { checkMedia, countFiles, mediaOf, noMedia, type PostMedia } from '../../media/fields';
import { timeFields } from '../../writes/key';
import { meansNow } from '../time';
import { inOrder } from './columns';
import { contentBody } from './content';
import { fields, options } from './createFields';
import { comparePreviews, likelyRefusals, previewOf, type PlannedPost } from './preview';
import { nextSlot } from './queue';
import { refusePastSchedule, scheduleOf, times, type Schedule } from './schedule';
import { parseSlots, type WeeklySlots } from './slots';
import {
	accountNames,
	accountTargets,
	checkPlatforms,
	groupTargets,
	platformTargets,
	problemOf,
	refuseRegrouped,
	type Target,
} from './targets';
import { textsOf } from './texts';
import { DEFAULT_WAIT } from './wait';

/** Spec: `POST /posts`; one request a platform in the integration-guide shape, one for several in the quick-start shape. */
export const create = operation({
	name: 'Create',
	value: 'create',
	action: 'Publish or schedule post',
	description: 'Publish or schedule a post on one or more platforms',
	method: 'POST',
	parallel: true,
	fields,
	options,
	check: ({ postTo, platforms, text, options: { platformText, spacing, previewOnly }, ...rest }, context) => {
		const targets = postTo === 'platforms' ? platformTargets(platforms) : [];
		checkPlatforms(
			targets.map(({ platform }) => platform),
			'Platform Names or IDs',
		);
		const chosen = postTo === 'platforms' && context.isFixed('platforms') ? targets : undefined;
		const own = textsOf(
			platformText?.texts,
			chosen?.map(({ platform }) => platform),
		);
		const schedule = scheduleOf({ ...rest, spacing: spacing?.time }, context);
		const parts = targets.length > 0 ? targets.map(({ part }) => part) : rest.accounts;
		// A preview warns of it instead; what was sent before may lie in the past by now.
		if (!previewOnly && !parts.every((part) => context.wasSent('/posts', part)))
			refusePastSchedule(schedule, context);
		slotsOf(rest);
		checkMedia(rest, context.requireFile);
		refuseNoText(targets, own, text, rest.mediaFrom);
	},
	verify: async (item, { postTo, platforms, accounts, options, ...rest }, { isFixed, wasSent }) => {
		const targets = await targetsOf(item, { postTo, platforms, accounts });
		const own = textsOf(options.platformText?.texts);
		if (postTo === 'accounts' && isFixed('accounts'))
			textsOf(
				options.platformText?.texts,
				targets.map(({ platform }) => platform),
			);
		const groups = groupTargets(targets, sharing(item, options, own));
		refuseRegrouped(item, groups);
		const isSent = ({ part }: Target): boolean => wasSent('/posts', part);
		for (const target of item.previewOnly ? [] : targets) {
			const problem = isSent(target) ? undefined : await problemOf(item, target);
			if (problem) throw problem;
		}
		// Here, so that slots go to the rows in their order. A time in the additional fields needs none.
		const slots = readPost(options.additionalFields ?? {}).scheduledAt ? undefined : slotsOf(rest);
		if (slots) for (const group of groups) if (!group.some(isSent)) await nextSlot(item, group, slots);
	},
	countPosts: ({ postTo, platforms, accounts }) => countTargets({ postTo, platforms, accounts }),
	countRequests: ({ postTo, platforms, accounts, ...sources }, postFormat) =>
		countFiles(sources) +
		(postTo === 'platforms' && postFormat === 'quickStart'
			? 1
			: countTargets({ postTo, platforms, accounts })),
	run: async (item, { postTo, platforms, accounts, text, options, when, ...rest }) => {
		const targets = await targetsOf(item, { postTo, platforms, accounts });
		const own = textsOf(options.platformText?.texts);
		refuseNoText(targets, own, text, rest.mediaFrom);
		const schedule = scheduleOf({ when, ...rest, spacing: options.spacing?.time }, item);
		// What was sent before is sent, or reported, as it was: its files may be gone.
		const isKnown = targets.every(({ part }) => item.sentBefore('/posts', part));
		const media = isKnown ? noMedia : await mediaOf(item, rest);
		const groups = groupTargets(targets, sharing(item, options, own));
		const slots = slotsOf({ when, ...rest });
		return await Promise.all(
			groups.map(async (targets): Promise<Outcome> => {
				const group = targets.map((one) => ({
					...one,
					text: own.get(one.platform) ?? text,
					media: media.urls,
				}));
				const request = requestOf(item, group, media, { schedule, slots });
				return item.previewOnly
					? await previewOf(item, request, { group, schedule, when })
					: await send(item, request, group, { schedule, slots });
			}),
		);
	},
	compare: comparePreviews,
	after: async (item, outcomes, { when, options: { waitForPublication: wait, waitTimeout: seconds } }) => {
		if (wait) return await Promise.all(outcomes.map(async (one) => await published(item, one, seconds)));
		if (when === 'now' && outcomes.some(isPending)) item.inform(accepted);
		return outcomes;
	},
});

const accepted =
	"Accepted by the service. Publication follows in a moment. To wait for the result, turn on the option 'Wait for Publication'.";

/** Whether the service took a post and has not published it yet. */
const isPending = (outcome: Outcome): boolean =>
	!(outcome instanceof Failure) &&
	!outcome.preview &&
	!(terminalStatuses as readonly unknown[]).includes(outcome.status);

/** The post once it is published, or what became of it instead. */
async function published(item: ItemContext, outcome: Outcome, seconds = DEFAULT_WAIT): Promise<Outcome> {
	if (outcome instanceof Failure) return outcome;
	const { id, platform, idempotency_key: key } = outcome;
	try {
		if (typeof id !== 'string' && typeof id !== 'number') throw noId(outcome);
		const known = await item.waitFor(String(id), {
			waitFor: 'completed',
			timeout: seconds * 1000,
			known: outcome,
		});
		return { ...outcome, ...known };
	} catch (error) {
		return toFailure(error).with({ platform: String(platform), idempotency_key: key as string });
	}
}

const noId = (post: IDataObject): Failure =>
	new Failure({
		code: 'NODE_POST_ID_MISSING',
		message: "The post was accepted, but can't be waited for: the service returned no ID",
		hint: "Remove 'Wait for Publication', or start a second workflow from the Social Publishing Trigger.",
		post,
	});

interface Chosen {
	postTo: 'platforms' | 'accounts';
	platforms: string[];
	accounts: string[];
}

const targetsOf = async (item: ItemContext, { postTo, platforms, accounts }: Chosen): Promise<Target[]> =>
	postTo === 'accounts' ? await accountTargets(item, accounts) : platformTargets(platforms);

const countTargets = ({ postTo, platforms, accounts }: Chosen): number =>
	postTo === 'accounts' ? new Set(accounts).size : platformTargets(platforms).length;

function refuseNoText(targets: Target[], own: Map<string, string>, text: string, mediaFrom: string): void {
	if (mediaFrom === 'none' && targets.some(({ platform }) => (own.get(platform) ?? text) === ''))
		throw refusal('PARAMETER_EMPTY', "'Text' is empty", 'Enter a text or add media.');
}

/** In the quick start's form, platforms share a request; not where the promise spans executions: each is a post there. */
const sharing =
	(
		{ postFormat }: ItemContext,
		{ idempotencyKeyMode = 'execution' }: CommonOptions,
		own: Map<string, string>,
	) =>
	({ platform, accountId }: Target): boolean =>
		postFormat === 'quickStart' &&
		idempotencyKeyMode === 'execution' &&
		accountId === undefined &&
		!own.has(platform);

interface SlotParams {
	when: string;
	slotDays: string[];
	slotTimes: string;
}

const slotsOf = ({ when, slotDays, slotTimes }: SlotParams): WeeklySlots | undefined =>
	when === 'nextSlot' ? parseSlots(slotDays, slotTimes) : undefined;

/** When a request goes out: at a time, in the next of the slots, or now. */
interface Timing {
	schedule?: Schedule;
	slots?: WeeklySlots;
}

/** The request of a group of targets. */
function requestOf(
	item: ItemContext,
	group: PlannedPost[],
	{ identities }: PostMedia,
	timing: Timing,
): WriteRequest {
	const { schedule, slots } = timing;
	const { platform, accountId, part, text, media } = group[0]!;
	const isQuick = item.postFormat === 'quickStart';
	const platforms = group.map((post) => post.platform);
	const bodyWith = (files: string[], listed: string[]): IDataObject => ({
		...(isQuick ? { platforms: listed } : { platform }),
		...(accountId ? { account_id: accountId } : {}),
		...contentBody(item.postFormat, { text: text || undefined, media: files, scheduledAt: schedule?.utc }),
	});
	return {
		path: '/posts',
		body: bodyWith(media, platforms),
		// In another order they are the same platforms.
		content: bodyWith(identities, [...platforms].sort()),
		...(group.length > 1
			? { part: '', foundBy: group.map((post) => post.part) }
			: { part, target: accountId ? `${platform}:${accountId}` : platform }),
		relativeTime: schedule?.isRelative,
		...(slots ? { complete: async (body) => await inSlot(item, body, group, slots) } : {}),
		atSending: (body) => dueAtSending(item, body, timing),
	};
}

/** A body with the time of its slot; additional fields may have one. */
async function inSlot(
	item: ItemContext,
	body: IDataObject,
	group: Target[],
	slots: WeeklySlots,
): Promise<IDataObject> {
	if (readPost(body).scheduledAt) return body;
	const scheduledAt = await nextSlot(item, group, slots);
	return { ...body, ...contentBody(item.postFormat, { scheduledAt }) };
}

/** A time that has come by the time of sending is left out: the post goes out at once. */
function dueAtSending(item: ItemContext, body: IDataObject, { schedule, slots }: Timing): IDataObject {
	const due = slots ? readPost(body).scheduledAt : schedule?.utc;
	if (typeof due !== 'string' || Date.parse(due) > Date.now()) return body;
	if (item.previewOnly && !meansNow(due, item.now)) return body;
	refusePastSchedule(schedule, item);
	return omit(body, timeFields);
}

/** One request; what fails says for which platform. */
async function send(
	item: ItemContext,
	request: WriteRequest,
	group: PlannedPost[],
	{ schedule, slots }: Timing,
): Promise<Outcome> {
	const platform = group.map((one) => one.platform).join(', ');
	try {
		const { body = {}, response } = await item.write(request);
		const time = readPost(body).scheduledAt;
		for (const warning of group.flatMap(likelyRefusals)) item.warn(warning);
		if (!time && (slots || (schedule && Date.parse(schedule.utc) > item.now)))
			item.warn('came due during the run, so it was published immediately');
		const local = times(response.scheduled_at ?? time, item.zone);
		const sentTo = readPost(body).platforms.join(', ') || platform;
		const account = await accountNames(item, group);
		return inOrder({ platform: sentTo, account, text: readPost(body).text, ...response, ...local });
	} catch (error) {
		return toFailure(error).with({ platform });
	}
}
