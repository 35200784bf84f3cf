import type { IDataObject } from 'n8n-workflow';

import { terminalStatuses } from '../../../api/contract';
import { Failure, toFailure, type Outcome } from '../../../api/failure';
import { readPost } from '../../../api/records';
import type { Item } from '../../engine/item';
import { operation } from '../../engine/operation';
import { inOrder } from './columns';
import { DEFAULT_WAIT_S, fields, options } from './createFields';
import { planPosts, type PlannedRequest, type PostMedia, type PostPlan } from './plan';
import { previewPosts } from './preview';
import { times } from './when';

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
	plan: async (params, item) => await planPosts(params, item),
	send: async (plan, item) => {
		const media = await mediaOf(plan, item);
		return await Promise.all(plan.requests.map(async (request) => await sendPost(item, request, media)));
	},
	preview: previewPosts,
	after: async (item, outcomes, { when, options: { waitForPublication: wait, waitTimeout: seconds } }) => {
		if (wait) return await Promise.all(outcomes.map(async (one) => await published(item, one, seconds)));
		if (when === 'now' && outcomes.some(isPending)) item.inform(accepted);
		return outcomes;
	},
});

const accepted =
	"Accepted by the service. Publication follows in a moment. To wait for the result, turn on the option 'Wait for Publication'.";

/** The media of all requests: what was sent before is sent, or reported, as it was, since its files may be gone. */
async function mediaOf({ requests, files, media }: PostPlan, item: Item): Promise<PostMedia> {
	if (files.length === 0 || requests.every(({ sent }) => sent && !sent.isRerun)) return media;
	const uploaded = await item.uploads.attached(files);
	return {
		urls: uploaded.map(({ readUrl }) => readUrl),
		identities: uploaded.map(({ identity }) => identity),
	};
}

/** One request; what fails names its platforms. */
async function sendPost(item: Item, request: PlannedRequest, media: PostMedia): Promise<Outcome> {
	const { posts, dueAt, sent, warnings, writeWith } = request;
	const platform = posts.map((one) => one.platform).join(', ');
	try {
		const { body = {}, response } = await item.write(writeWith(media));
		const { platforms, scheduledAt, text } = readPost(body);
		for (const warning of warnings) item.warn(warning);
		if (!sent && !scheduledAt && dueAt && Date.parse(dueAt) > item.now)
			item.warn('came due during the run, so the post was published immediately');
		return inOrder({
			platform: platforms.join(', ') || platform,
			account: posts.flatMap(({ account }) => account ?? []).join(', '),
			text,
			...response,
			...times(response.scheduled_at ?? scheduledAt, item.zone),
		});
	} catch (error) {
		return toFailure(error).with({ platform });
	}
}

/** Whether the service took a post and has not published it yet. */
const isPending = (outcome: Outcome): boolean =>
	!(outcome instanceof Failure) && !(terminalStatuses as readonly unknown[]).includes(outcome.status);

/** The post once it is published, or what became of it instead. */
async function published(item: Item, outcome: Outcome, timeoutS = DEFAULT_WAIT_S): Promise<Outcome> {
	if (outcome instanceof Failure) return outcome;
	const { platform, idempotency_key: key } = outcome;
	const { id } = readPost(outcome);
	try {
		if (id === undefined) throw noId(outcome);
		const known = await item.waitFor(id, {
			waitFor: 'completed',
			timeoutMs: timeoutS * 1000,
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
		message: "Can't wait for publication: the service accepted the post but returned no ID",
		hint: "Remove 'Wait for Publication', or start a second workflow from the Social Publishing Trigger.",
		post,
	});
