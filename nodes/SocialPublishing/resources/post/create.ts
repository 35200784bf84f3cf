import { Failure, toFailure, type Outcome } from '../../../api/failure';
import { readPost } from '../../../api/records';
import type { Item } from '../../engine/item';
import { operation } from '../../engine/operation';
import { inOrder } from './columns';
import { fields, options, waitTimeout } from './createFields';
import { namesOf, planPosts, type PlannedRequest, type PostFile, type PostPlan } from './plan';
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
	plan: planPosts,
	send: async (plan, item) => {
		const media = await mediaOf(plan, item);
		return await Promise.all(plan.requests.map(async (request) => await sendPost(item, request, media)));
	},
	preview: previewPosts,
	after: async (item, outcomes, { when, options: { waitForPublication: wait, waitTimeout: seconds } }) => {
		if (wait) return await Promise.all(outcomes.map(async (one) => await published(item, one, seconds)));
		const isPending = (one: Outcome): boolean => !(one instanceof Failure) && !readPost(one).isFinal;
		if (when === 'now' && outcomes.some(isPending)) item.inform(accepted);
		return outcomes;
	},
});

const accepted =
	"Accepted by the service. Publication follows in a moment. To wait for the result, turn on the option 'Wait for Publication'.";

/** The media of all requests: what was sent before is sent, or reported, as it was, since its files may be gone. */
async function mediaOf({ posts, files, media }: PostPlan, item: Item): Promise<PostFile[]> {
	const isAllSent = posts.every(({ isSent }) => isSent);
	return files.length === 0 || isAllSent ? media : await item.uploads.attached(files);
}

/** One request; what fails names its platforms. */
async function sendPost(item: Item, request: PlannedRequest, media: PostFile[]): Promise<Outcome> {
	const { posts, dueAt, sent, warnings } = request;
	const { platform, account } = namesOf(posts);
	try {
		const { body = {}, response } = await item.write(request.writeWith(media));
		const { platforms, scheduledAt, text } = readPost(body);
		for (const warning of warnings) item.warn(warning);
		if (!sent && !scheduledAt && dueAt && Date.parse(dueAt) > item.now)
			item.warn('The post came due during the run, so it was published immediately');
		return inOrder({
			platform: platforms.join(', ') || platform,
			account,
			text,
			...response,
			...times(response.scheduled_at ?? scheduledAt, item.zone),
		});
	} catch (error) {
		return toFailure(error).with({ platform, account: posts[0]!.isAccountNamed ? account : undefined });
	}
}

/** The post once it is published, or what became of it instead. */
async function published(
	item: Item,
	outcome: Outcome,
	timeoutS: number = waitTimeout.default,
): Promise<Outcome> {
	if (outcome instanceof Failure) return outcome;
	const { platform, idempotency_key: key } = outcome;
	const { id } = readPost(outcome);
	try {
		if (id === undefined)
			throw new Failure({
				code: 'NODE_POST_ID_MISSING',
				message: "Can't wait for publication: the service accepted the post but returned no ID",
				hint: "Remove 'Wait for Publication', or start a second workflow from the Social Publishing Trigger.",
				post: outcome,
			});
		const timeoutMs = timeoutS * 1000;
		return { ...outcome, ...(await item.waitFor(id, { waitFor: 'completed', timeoutMs, known: outcome })) };
	} catch (error) {
		return toFailure(error).with({ platform: String(platform), idempotency_key: key as string });
	}
}
