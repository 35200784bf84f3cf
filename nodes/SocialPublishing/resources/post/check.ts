import { compact, map, min, omit, partition, reject, sortBy, uniqBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { inTurn } from '../../../api/concurrency';
import { refusal, toFailure, type Failure } from '../../../api/failure';
import type { Sent } from '../../writes/journal';
import { canonical, timeFields } from '../../writes/key';
import { saysOf } from '../../writes/write';
import { leftOf, linksOf, noting, PlannedRequest, refusedWarnings, throwAll, type PostPlan } from './plan';
import { queueIn, takeSlot } from './queue';
import type { Target } from './targets';
import { isPast, longWait } from './when';

/** Each row meets what was begun of it; what is left is judged, and gets its slot. */
export async function checkPosts(plans: readonly PostPlan[]): Promise<void> {
	const each = async (check: (plan: PostPlan) => Promise<void>) =>
		await inTurn(reject(plans, 'failure'), async (plan) => {
			await check(plan).catch((error: unknown) => (plan.failure = toFailure(error)));
		});
	await each(meetPast);
	const sentBefore = plans[0]?.item.writer.sent('all') ?? [];
	const slotted = plans.filter((plan) => slotless(plan).length > 0).map(({ item }) => item.workspaceId);
	// A time of the user's takes its slot before the slots go to the rows.
	for (const plan of plans.filter(({ failure, item }) => !failure && slotted.includes(item.workspaceId)))
		for (const { dueAt, target } of leftOf(plan))
			if (dueAt !== undefined) (await queueIn(plan.item).catch(() => undefined))?.occupy(target, dueAt);
	await each(takeSlots);
	limitPosts(reject(plans, 'failure'), sentBefore);
}

/** A post's request without its files, which were not read, and without time and account. */
const wordsOf = (body?: IDataObject) =>
	canonical(omit(body, 'media', 'content.media', 'account_id', ...timeFields));

/** Makes the requests of a row, and throws all that is wrong with what is left to send of it. */
async function meetPast(plan: PostPlan): Promise<void> {
	const { item, params, targets, files } = plan;
	const { begun, left } = item.writer.continued(item, plan.asked!, targets);
	const wrong: Failure[] = [];
	/** As it was; what the service has refused since, as the row says it now. */
	const resumed = ([sent, [target]]: [Sent, Target[]]): PlannedRequest => {
		if (sent.wasRefused) {
			const now = new PlannedRequest(plan, target!, undefined, sent);
			const write = now.writeWith(plan.media);
			// Where it's only too late, or what is late is not to stop the rows, the service may still know what was said in time.
			const isSame = () =>
				plan.asked!.isUnread
					? wordsOf(sent.body) === wordsOf(write.body)
					: item.writer.saysSame(item, sent, write);
			const isKept = () => params.options.ifPast === 'skip' || isSame();
			if (item.writer.mayCorrect(item, sent, write) && !(now.lateness() && isKept())) return now;
		}
		return new PlannedRequest(plan, target!, sent);
	};
	const requests = [
		...compact([...begun].map((one) => noting(wrong, () => resumed(one)))),
		...compact(left.map((target) => noting(wrong, () => new PlannedRequest(plan, target)))),
	];
	plan.requests = sortBy(requests, (request) => targets.indexOf(request.target));
	for (const request of plan.requests) if (!request.sent) wrong.push(...problemsOf(request));
	// Of what is skipped, nothing else matters.
	if (leftOf(plan).length > 0 || wrong.length > 0) wrong.unshift(...plan.wrong);
	if (leftOf(plan).length > 0)
		for (const file of files)
			await item.uploads.requireFile(file).catch((error: unknown) => wrong.push(toFailure(error)));
	throwAll(wrong);
}

/** What is wrong with a request; of much of it a preview only warns. */
function problemsOf(request: PlannedRequest): Failure[] {
	const { plan, text, dueAt, warnings, hasMedia } = request;
	const { item, params } = plan;
	const late = request.lateness();
	const isSkip = params.options.ifPast === 'skip' && isPast(late);
	if (isSkip) {
		request.skipped = late;
		if (item.isPreview) warnings.splice(0, Infinity, `Would be skipped: ${late!.message}`);
		return [];
	}
	const refused = compact([late, longWait(params, dueAt, item)]);
	// What is refused anyway takes no ID from another row. Files count by their links, or by what n8n knows of them.
	if (item.ownKey !== undefined && refused.length === 0) {
		const write = request.writeWith(plan.media);
		const files = plan.files.map((file) => item.uploads.describe(file));
		const links = linksOf(plan.files);
		const shared = item.writer.sharedId(item, { ...write, says: [...saysOf(write), { files, links }] });
		if (shared) refused.push(shared);
	}
	if (item.isPreview) request.warnOf(...refused.splice(0));
	if (params.mediaFrom === 'none' && !hasMedia && text === '')
		refused.push(refusal('PARAMETER_EMPTY', "'Text' is empty", 'Enter a text or add media.'));
	return [...refused, ...refusedWarnings(plan, warnings)];
}

/** What is left to send of a row and has no time yet: it needs a slot. */
export const slotless = (plan: PostPlan): PlannedRequest[] =>
	plan.slots ? leftOf(plan).filter(({ dueAt }) => dueAt === undefined) : [];

/** Slots go to the rows in their order; a post with a time of its own needs none. */
async function takeSlots(plan: PostPlan): Promise<void> {
	const { item } = plan;
	// What an earlier execution may have sent gets its slot when it is sent: then it may need none.
	if (item.keyMode !== 'execution' && !item.isPreview) return;
	for (const request of slotless(plan)) takeSlot(request, await queueIn(item));
}

/** Option *Max Posts per Execution*: posts of all rounds of a loop and all calls of a tool in this execution. */
function limitPosts(plans: PostPlan[], sentBefore: Sent[]): void {
	const limitOf = ({ params }: PostPlan) => params.options.maxPosts;
	// Rows without a limit (0) neither count nor are limited.
	const [limited, unlimited] = partition(plans, limitOf);
	if (limited.length === 0) return;
	// What is corrected is asked for anew.
	const uncounted = [
		...unlimited.flatMap(({ requests }) => map(requests, 'sent.key')),
		...plans.flatMap(({ requests }) => map(requests, 'corrects.key')),
	];
	const earlier = sentBefore.filter(
		({ path, isRerun, key }) => path === '/posts' && !isRerun && !uncounted.includes(key),
	);
	const before = uniqBy(earlier, 'key').length;
	for (const posting of partition(limited, 'item.isPreview')) {
		const most = min(map(posting, limitOf)) ?? Infinity;
		const asked = posting
			.flatMap(({ requests }) => requests)
			.filter(({ sent, skipped }) => !skipped && (!sent || sent.isRerun));
		const wanted = asked.length;
		if (before + wanted <= most) continue;
		const failure = refusal(
			'MAX_POSTS',
			`'Max Posts per Execution' is ${most}: this execution has sent ${before} and asks for ${wanted} more`,
			"Request fewer posts, or raise 'Max Posts per Execution' in the node's options.",
		);
		for (const plan of posting)
			if (!plan.item.isPreview) plan.failure = failure;
			else for (const request of leftOf(plan)) request.warnOf(failure);
	}
}
