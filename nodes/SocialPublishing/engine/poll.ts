import type { IDataObject } from 'n8n-workflow';

import { refusal, toFailure, type Failure } from '../../api/failure';
import { inDetails } from '../../api/failureTexts';
import { isRecord } from '../../api/lists';
import { readPost } from '../../api/records';
import type { Pace } from '../../api/pace';

/** Waiting for posts to reach a state: one place for `post.create` and `post.waitForStatus`. */

/** What is waited for. */
export interface PollOptions {
	waitFor: 'completed' | 'terminal';
	timeoutMs: number;
	/** The post as it is known already. */
	known?: IDataObject;
}

/** … of the post with this ID. */
type PollRequest = PollOptions & { id: string };

/** First pause between two polls of a post; grows by half each time. */
const FIRST_POLL_MS = 1_000;
const LONGEST_POLL_MS = 30_000;
/** Share of the read limit that all waiting posts of a run use together. */
const SHARE = 0.5;
/** Least time between two polls of a run while the service's limit is unknown. */
const DEFAULT_POLL_GAP_MS = 100;
/** Polls of a completed post that has no `provider_post_id` yet (spec: both confirm publication). */
const EXTRA_POLLS_FOR_PROVIDER_ID = 3;

/** All posts that a run waits for: they share the pace and the read limit. */
export class PostPoller {
	private waiting = 0;

	constructor(
		private readonly pace: Pace,
		private readonly now: () => number = Date.now,
	) {}

	/**
	 * Waits until the post is where it is waited for; not at all where it is scheduled later than the wait lasts: that is
	 * a failure, or for `terminal` an item that says so.
	 * @returns the post
	 * @throws Failure naming the last state and the post's ID where it failed, was canceled or time is up
	 */
	async until(
		id: string,
		options: PollOptions,
		get: (withinMs: number) => Promise<unknown>,
	): Promise<IDataObject> {
		const request = { id, ...options };
		const deadline = this.now() + options.timeoutMs;
		this.waiting++;
		try {
			let post = options.known;
			let extraPolls = EXTRA_POLLS_FOR_PROVIDER_ID;
			for (let pause = FIRST_POLL_MS; ; pause = Math.min(LONGEST_POLL_MS, pause * 1.5)) {
				if (post) {
					const { isFinal, hasProviderId, status, dueAt = 0 } = readPost(post);
					if (isFinal && (hasProviderId || status !== 'completed' || extraPolls-- <= 0))
						return settle(post, request);
					// Known to be published only after the wait is over.
					if (status === 'scheduled' && dueAt > deadline) return later(post, request);
					const left = deadline - this.now();
					if (left <= 0) throw timedOut(post, request);
					await this.pace.wait(Math.min(left, this.share(pause)));
				}
				// The last poll may come when the time is up.
				const last: IDataObject | undefined = post;
				const seen = await get(Math.max(deadline - this.now(), FIRST_POLL_MS)).catch((error: unknown) => {
					const failure = toFailure(error);
					// The service has trouble and time is up: the last known state says more.
					const saysMore = last && failure.details.retryable && this.now() >= deadline;
					throw saysMore ? timedOut(last, request) : failure;
				});
				// Whatever comes is polled with pauses, and only until the deadline.
				post = isRecord(seen) ? seen : (last ?? {});
			}
		} finally {
			this.waiting--;
		}
	}

	/** The pause before a post is polled again: its own, or longer where many posts share the read limit. */
	private share(pause: number): number {
		const limit = this.pace.limitOf('read');
		const gap = limit ? 60_000 / (limit * SHARE) : DEFAULT_POLL_GAP_MS;
		const fair = Math.max(pause, this.waiting * gap);
		// Not all at the same moment.
		return fair * (0.9 + Math.random() * 0.2);
	}
}

const seconds = (ms: number): number => Math.round(ms / 1000);

/** @throws Failure unless any end is waited for, of which this is none: the item says so */
function later(post: IDataObject, { id, waitFor, timeoutMs }: PollRequest): IDataObject {
	const { scheduledAt } = readPost(post);
	const due = `due ${scheduledAt}, after the wait timeout of ${seconds(timeoutMs)} s`;
	if (waitFor === 'terminal') return { ...post, not_waited_for: `Not published yet: ${due}` };
	throw refusal(
		'NOT_YET_PUBLISHED',
		`Not published yet: ${due} (post ID: ${id})`,
		"The post itself is fine. To go on after it is out, put n8n's Wait node with 'scheduled_at' before this one, or start a second workflow from the Social Publishing Trigger.",
	).with({ post });
}

function settle(post: IDataObject, { id, waitFor }: PollRequest): IDataObject {
	const { status, failureReason } = readPost(post);
	if (status === 'completed' || waitFor === 'terminal') return post;
	if (status === 'failed')
		throw refusal(
			'POST_FAILED',
			`The post was accepted, but publishing it failed${failureReason ? `: ${failureReason}` : ''} (post ID: ${id})`,
			`Correct the content or reconnect the account in the service, then create a new post. For all that the service says of this one, ${inDetails}.`,
		).with({ post });
	throw refusal(
		'POST_CANCELED',
		`The post was canceled before it was published (post ID: ${id})`,
		"Somebody, or another workflow, canceled it. If that is fine, set 'Wait For' to 'Any Final Status', or handle this error.",
	).with({ post });
}

function timedOut(post: IDataObject, { id, timeoutMs }: PollRequest): Failure {
	const { status, awaitsApproval } = readPost(post);
	if (awaitsApproval)
		return refusal(
			'WAIT_APPROVAL',
			`The post still waits for approval after ${seconds(timeoutMs)} s: its state is '${status.slice(0, 100)}' (post ID: ${id})`,
			'Ask an approver to sign it off in the service. To go on as soon as that is done, start a second workflow from the Social Publishing Trigger instead of waiting here.',
		).with({ post });
	return refusal(
		'WAIT_TIMEOUT',
		`Waited ${seconds(timeoutMs)} s, but the post's status is still '${status.slice(0, 100)}' (post ID: ${id})`,
		"The post itself is fine and may still be published. Raise 'Wait Timeout (Seconds)', or start a second workflow from the Social Publishing Trigger instead of waiting here.",
	).with({ post });
}
