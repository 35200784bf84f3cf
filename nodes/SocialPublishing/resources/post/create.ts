import { isNil, lowerFirst, omit, pick, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { Failure, refusal, toFailure, type Outcome } from '../../../api/failure';
import { readPost } from '../../../api/records';
import type { Item } from '../../engine/item';
import { isConflict } from '../../writes/write';
import { operation } from '../../engine/operation';
import { canonical, timeFields } from '../../writes/key';
import { asRow, inOrder } from './columns';
import { fields, options } from './createFields';
import { checkPosts, slotless } from './check';
import { leftOf, planPosts, type PlannedRequest, type PostFile } from './plan';
import { failedOn, waitForPost } from './poll';
import { previewPosts } from './preview';
import { queueIn } from './queue';
import { isPast, times } from './when';

/** Spec: `POST /posts` for each platform or account. */
export const create = operation({
	name: 'Create',
	value: 'create',
	action: 'Publish or schedule post',
	description: 'Publish or schedule a post on one or more platforms',
	method: 'POST',
	parallel: true,
	fields,
	options,
	plan: planPosts,
	check: checkPosts,
	send: async (plan) => {
		const { item, requests, files, params } = plan;
		// What was sent before is sent, or reported, as it was, since its files may be gone.
		const isKnown = files.length === 0 || leftOf(plan).length === 0;
		const uploading = isKnown ? plan.media : item.uploads.attached(files).catch(toFailure);
		const sendAll = async () => {
			const media = await uploading;
			if (media instanceof Failure) throw media;
			return await Promise.all(requests.map(async (one) => await sendPost(one, media)));
		};
		// Rows line up for their slots while their files are on the way: one with a slow file keeps its place.
		const isQueued = slotless(plan).length > 0;
		const outcomes = await (isQueued ? (await queueIn(item)).turn(sendAll) : sendAll());
		// A warning says that it may not be published.
		const isUnwarned = requests.every(({ warnings }) => warnings.length === 0);
		const isUnattended = params.when === 'now' && !params.options.waitForPublication;
		if (isUnattended && isUnwarned && outcomes.some(isOnItsWay)) item.hint(accepted, 'info');
		return outcomes;
	},
	preview: previewPosts,
	after: async (item, outcomes, { options: { waitForPublication: seconds } }) =>
		seconds
			? await Promise.all(outcomes.map(async (one) => await waitUntilPublished(item, one, seconds)))
			: outcomes,
});

/** An item without a post. */
const isUnsent = ({ skipped, reason }: IDataObject): boolean =>
	Boolean(skipped) || Object.values(sentBefore).includes(String(reason));

/** Neither published nor failed, held, a draft or due later. */
function isOnItsWay(one: Outcome): boolean {
	if (one instanceof Failure || one.skipped || one.sent_before) return false;
	const { isFinal, status, dueAt = 0 } = readPost(one);
	return !isFinal && status !== 'draft' && dueAt <= Date.now();
}

const accepted =
	"Accepted by the service. It may take a moment until it is published. To wait for the result, add the option 'Wait for Publication (Seconds)'.";

const sentBefore = {
	content: 'Sent before with the same text',
	// That it was sent isn't said: a service may remember an ID that it refused.
	custom: 'This ID was used before, with this or other content: check what became of that post',
};

async function sendPost(request: PlannedRequest, media: PostFile[]): Promise<Outcome> {
	const { target, text: ownText, sent, corrects, warnings } = request;
	const { item, params, slots } = request.plan;
	const { platform, account } = target;
	const skip = ({ message: reason }: Failure) =>
		inOrder({ platform, account, text: ownText, scheduled_at: request.dueAt, skipped: true, reason });
	if (request.skipped) return skip(request.skipped);
	const queue = slots && !sent && request.dueAt === undefined ? await queueIn(item) : undefined;
	const send = async () => {
		if (sent) return await item.writer.resume(item, sent);
		const write = request.writeWith(media);
		return await (corrects ? item.writer.resume(item, corrects, write) : item.write(write));
	};
	try {
		const { body = {}, response } = await (queue ? queue.send(request, send) : send());
		const { dueAt } = request;
		const { platforms, scheduledAt, text } = readPost(body);
		const said = readPost(response);
		for (const warning of warnings) item.hint(warning);
		// A wait for publication says it itself.
		if (said.failures.length > 0 && !params.options.waitForPublication)
			item.hint(`The post was accepted, but publishing it failed${failedOn(said.failures)}`);
		if (!sent && !scheduledAt && dueAt && Date.parse(dueAt) > item.now)
			item.hint('The post came due during the run, so it was sent for immediate publication');
		return inOrder({
			...response,
			platform: platforms.join(', ') || platform,
			account: response.account ?? account,
			text: said.text ?? text,
			...times(said.scheduledAt ?? response.scheduled_at ?? scheduledAt, item.zone),
		});
	} catch (error) {
		const failure = toFailure(error);
		// What may have been sent isn't skipped.
		if (params.options.ifPast === 'skip' && isPast(failure) && !corrects) return skip(failure);
		const { idempotency_key } = failure.details;
		const saidIn = (body?: IDataObject): string => canonical(omit(body, timeFields));
		// Another row of this execution says something else under the same ID: a mistake, not an earlier run.
		const isMistaken = (): boolean =>
			item.writer.sent('all').some(({ key, isRerun, body }) => {
				const isOwn = !isRerun && key === idempotency_key;
				return isOwn && saidIn(body) !== saidIn(request.writeWith(media).body);
			});
		if (isConflict(failure) && item.keyMode !== 'execution' && request.timeMoves && !isMistaken()) {
			const reason = sentBefore[item.keyMode];
			item.hint(reason, 'info');
			return inOrder({ platform, account, sent_before: true, reason, idempotency_key });
		}
		const where = { platform, account: target.accountId === undefined ? undefined : account };
		return failure.with(where);
	}
}

/** The post once it is published, or what became of it instead. */
async function waitUntilPublished(item: Item, outcome: Outcome, timeoutS: number): Promise<Outcome> {
	if (outcome instanceof Failure || isUnsent(outcome)) return outcome;
	const { platform, account, idempotency_key: key } = outcome as Record<string, string>;
	const { id } = readPost(outcome);
	try {
		if (id === undefined)
			throw refusal(
				'POST_ID_MISSING',
				"Can't wait for publication: the service accepted the post but returned no ID",
				"Remove the option 'Wait for Publication (Seconds)', or start a second workflow from the Social Publishing Trigger.",
			).with({ post: outcome });
		const timeoutMs = timeoutS * 1000;
		const post = await waitForPost(item, id, { waitFor: 'completed', timeoutMs, known: outcome });
		// What the service leaves empty (null) of it is what was sent.
		const sent = pick(outcome, ['platform', 'account', 'text', 'scheduled_at']);
		return asRow({ ...outcome, ...post, ...pickBy(sent, (_value, name) => isNil(post[name])) }, item.zone);
	} catch (error) {
		const about = { platform: String(platform), account: account || undefined, idempotency_key: key };
		const failure = toFailure(error).with(about);
		const { message, hint, post } = failure.details;
		const notRead = {
			message: `The service accepted the post, but waiting for its publication failed: ${lowerFirst(message)}`,
			hint: `${hint} To wait again, use the operation 'Wait for Status', or retry this execution if it failed: the post is not sent twice.`,
			post: outcome,
		};
		// A post that was read says itself what became of it.
		return failure.with(post ? {} : notRead, { processed: 'maybe' });
	}
}
