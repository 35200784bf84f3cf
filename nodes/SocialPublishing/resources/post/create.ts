import { isNil, lowerFirst, map, pick, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { Failure, refusal, toFailure, type Outcome } from '../../../api/failure';
import { readPost } from '../../../api/records';
import { operation } from '../../engine/operation';
import { scheduledAtIn } from '../../writes/key';
import { isConflict } from '../../writes/refusals';
import { answerHints, saysTime } from './answer';
import { checkPosts } from './check';
import { asRow, inOrder } from './columns';
import { fields, options } from './createFields';
import { inTime, leftOf, planPosts, requestOf, wordsIn, type PlannedPost, type PostPlan } from './plan';
import { failedOn, waitForPost } from './poll';
import { previewPosts } from './preview';
import { queueIn, takeSlot } from './queue';
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
	preview: previewPosts,
	send: async (plan) => {
		const { item, posts, files, params } = plan;
		// What was sent before is reported as it was, since its files may be gone.
		const left = leftOf(plan);
		const uploading = left.length > 0 ? item.uploads.attached(files, params.text) : [];
		const uploaded = await Promise.resolve(uploading).catch(toFailure);
		if (uploaded instanceof Failure) {
			const others = posts.filter((post) => !left.includes(post));
			return [...(await sendAll(plan, others, [])), uploaded];
		}
		const outcomes = await sendAll(plan, posts, map(uploaded, 'readUrl'));
		// A warning says that it may not be published.
		const isUnwarned = posts.every(({ warnings }) => warnings.length === 0);
		const isUnattended = params.when === 'now' && !params.options.waitForPublication;
		if (isUnattended && isUnwarned && outcomes.some(isOnItsWay)) item.hint(accepted, 'info');
		return outcomes;
	},
	wait: async (outcomes, { options: { waitForPublication: seconds } }, _item, plan) =>
		seconds ? await Promise.all(outcomes.map(async (one) => await waited(plan, one, seconds))) : outcomes,
});

const sendAll = async (plan: PostPlan, posts: readonly PlannedPost[], urls: readonly string[]) =>
	await Promise.all(posts.map(async (post) => await sendPost(plan, post, urls)));

/** Neither published nor failed, held, a draft or due later. */
function isOnItsWay(one: Outcome): boolean {
	if (one instanceof Failure || one.skipped || one.sent_before) return false;
	const { isFinal, status, dueAt = 0 } = readPost(one);
	return !isFinal && status !== 'draft' && dueAt <= Date.now();
}

const accepted =
	'Accepted by the service. It may take a moment until it is published. To wait for the result, add Options → Wait for Publication (Seconds).';

const sentBefore = {
	execution: 'Sent before with the same text',
	content: 'Sent before with the same text',
	// That it was sent isn't said: a service may remember an ID that it refused.
	custom: 'This ID was used before, with this or other content: check what became of that post',
};

/** Sends a post, or gives back what an earlier try sent. */
async function sendPost(plan: PostPlan, post: PlannedPost, uploaded: readonly string[]): Promise<Outcome> {
	const { item, params } = plan;
	const { platform, account, accountId } = post.target;
	if (post.skipped) return skippedPost(post, post.skipped);
	const isNew = !item.writer.known(post.write);
	try {
		const { body = {}, response } = await sendInSlot(plan, post, uploaded);
		return rowOf(plan, post, body, response, isNew);
	} catch (error) {
		const failure = toFailure(error);
		// What may have been sent isn't skipped.
		if (params.options.ifPast === 'skip' && isPast(failure) && isNew) return skippedPost(post, failure);
		const { idempotency_key } = failure.details;
		if (isConflict(failure) && failure.processed === 'no' && timeMoves(post)) {
			const reason = sentBefore[item.keyMode];
			item.hint(reason, 'info');
			return inOrder({ platform, account, sent_before: true, reason, idempotency_key });
		}
		return failure.with({ platform, account: accountId === undefined ? undefined : account });
	}
}

/** A post without a slot that needs one takes it now: if it proves to be sent already, the slot goes to the next. */
async function sendInSlot(plan: PostPlan, post: PlannedPost, uploaded: readonly string[]) {
	const { item, slots } = plan;
	const isWaiting = slots && !post.slot && post.dueAt === undefined && !item.writer.known(post.write);
	const queue = isWaiting ? await queueIn(item) : undefined;
	const tooLate = queue && takeSlot(plan, post, queue);
	if (tooLate) throw tooLate;
	const body = requestOf(plan, post, uploaded);
	const release = () => queue?.release(post.target, post.slot!);
	const sending = item.writer.send(item, post.write, { body: () => inTime(plan, body) });
	const outcome = await sending.catch(toFailure);
	const isUnused = outcome instanceof Failure ? outcome.processed === 'no' : outcome.response.sent_before;
	if (isUnused) release();
	return await sending;
}

const skippedPost = ({ target, text, dueAt }: PlannedPost, { message: reason }: Failure): IDataObject =>
	inOrder({
		...{ platform: target.platform, account: target.account, text },
		...{ scheduled_at: dueAt, skipped: true, reason },
	});

/** Another run gives it another time: its key may be in use although nothing was changed. */
const timeMoves = ({ write, dueAt }: PlannedPost): boolean =>
	write.isRelative === true || (dueAt !== undefined && Date.parse(dueAt) <= Date.now());

const sentAnyway =
	"It was sent anyway. To stop such posts, set Options → If a Platform Will Refuse It to 'Stop'.";

function rowOf(plan: PostPlan, post: PlannedPost, body: IDataObject, response: IDataObject, isNew: boolean) {
	const { item, params } = plan;
	const { target, warnings, dueAt = post.slot } = post;
	const said = readPost(response);
	const scheduledAt = scheduledAtIn(body);
	// What an earlier try sent stays in its workspace, whose accounts aren't those of the row by now.
	const isHere = item.writer.known(post.write)?.workspaceId === item.workspaceId;
	for (const warning of warnings) item.hint(`${warning}. ${sentAnyway}`);
	for (const hint of answerHints(body, response)) item.hint(hint);
	// A wait for publication says it itself.
	if (said.failures.length > 0 && !params.options.waitForPublication)
		item.hint(`The post was accepted, but publishing it failed${failedOn(said.failures)}`);
	if (isNew && !scheduledAt && dueAt && Date.parse(dueAt) > item.now)
		item.hint('The post came due during the run, so it was sent for immediate publication');
	return inOrder({
		...response,
		platform: target.platform,
		account: response.account ?? (isHere ? target.account : undefined),
		text: said.text ?? wordsIn(body).text,
		...times(saysTime(response) ? said.scheduledAt : scheduledAt, item.zone),
	});
}

/** The post once it is published, or what became of it instead: a post that failed is kept as failed. */
async function waited(plan: PostPlan, outcome: Outcome, seconds: number): Promise<Outcome> {
	if (outcome instanceof Failure || outcome.skipped) return outcome;
	const { item, posts } = plan;
	const { id } = readPost(outcome);
	if (outcome.sent_before && id === undefined) return outcome;
	try {
		if (id === undefined)
			throw refusal(
				'POST_ID_MISSING',
				"Can't wait for publication: the service accepted the post but returned no ID",
				"Remove the option 'Wait for Publication (Seconds)', or start a second workflow from the Social Publishing Trigger.",
			).with({ post: outcome });
		const options = { waitFor: 'completed', timeoutMs: seconds * 1000, known: outcome } as const;
		const post = await waitForPost(item, id, options);
		// What the service leaves empty (null) of it is what was sent.
		const sent = pick(outcome, ['platform', 'account', 'text', 'scheduled_at']);
		return asRow({ ...outcome, ...post, ...pickBy(sent, (_value, name) => isNil(post[name])) }, item.zone);
	} catch (error) {
		const { platform, account, idempotency_key } = outcome as Record<string, string>;
		const about = { platform, account: account || undefined, idempotency_key };
		const failure = toFailure(error).with(about, { processed: 'maybe' });
		const { message, hint, post, code } = failure.details;
		const itsPost = posts.find(({ write }) => item.writer.known(write)?.key === idempotency_key);
		if (itsPost && (code === 'NODE_POST_FAILED' || code === 'NODE_POST_CANCELED'))
			item.writer.keepAsFailed(itsPost.write, failure);
		if (post) return failure;
		return failure.with({
			message: `The service accepted the post, but waiting for its publication failed: ${lowerFirst(message)}`,
			hint: `${hint} To wait again, use the operation 'Wait for Status', or retry this execution if it failed: the post is not sent twice.`,
			post: outcome,
		});
	}
}
