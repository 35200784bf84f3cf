import type { IDataObject } from 'n8n-workflow';

import { terminalStatuses } from '../../api/contract';
import { Failure, toFailure } from '../../api/failure';
import { inDetails } from '../../api/failureTexts';
import { isRecord } from '../../api/lists';
import type { Pace } from '../../api/pace';
import { readPost } from '../../api/records';

/** Waiting for posts to reach a state: one place for `post.create` and `post.waitForStatus`. */

export type WaitFor = 'completed' | 'terminal';

export interface PollRequest {
	/** The post's ID. */
	id: string;
	waitFor: WaitFor;
	/** In ms. */
	timeout: number;
	/** When the post is to be published, as far as it is known; ISO 8601. */
	scheduledAt?: string;
	/** The post as it is known, if it is. */
	known?: IDataObject;
	/** `GET /posts/{id}`, tried again for so many ms. */
	get: (withinMs: number) => Promise<unknown>;
}

/** First pause between two looks at a post, in ms; grows by half each time. */
const FIRST_LOOK = 1_000;
const LONGEST_LOOK = 30_000;
/** Share of the read limit that all waiting posts of a run use together. */
const SHARE = 0.5;
/** Least time between two looks of a run where the service has not said its limit, in ms. */
const UNTOLD_GAP = 100;
/** How often a completed post without `provider_post_id` is looked at again (spec: both confirm publication). */
const LATE_ID_LOOKS = 3;

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
	async until(request: PollRequest): Promise<IDataObject> {
		const { id, timeout, get } = request;
		const deadline = this.now() + timeout;
		this.waiting++;
		try {
			let post = request.known;
			let looks = LATE_ID_LOOKS;
			for (let pause = FIRST_LOOK; ; pause = Math.min(LONGEST_LOOK, pause * 1.5)) {
				if (post) {
					if (isSettled(post) && (hasProviderId(post) || post.status !== 'completed' || looks-- <= 0))
						return settle(post, request);
					if (isLater(post, request, deadline)) return later(post, request);
					const left = deadline - this.now();
					if (left <= 0) throw timedOut(post, id, timeout);
					await this.pace.wait(Math.min(left, this.share(pause)));
				}
				// The last look may come when the time is up.
				const last: IDataObject | undefined = post;
				const seen = await get(Math.max(deadline - this.now(), FIRST_LOOK)).catch((error: unknown) => {
					throw this.now() < deadline ? toFailure(error) : inTrouble(toFailure(error), last, request);
				});
				// Whatever comes is waited for with pauses, and not longer than the caller said.
				post = isRecord(seen) ? seen : (last ?? {});
			}
		} finally {
			this.waiting--;
		}
	}

	/** The pause before a post is looked at again: its own, or longer where many posts share the read limit. */
	private share(pause: number): number {
		const limit = this.pace.limitOf('read');
		const gap = limit ? 60_000 / (limit * SHARE) : UNTOLD_GAP;
		const fair = Math.max(pause, this.waiting * gap);
		// Not all at the same moment.
		return fair * (0.9 + Math.random() * 0.2);
	}
}

/** The service has trouble and time is up: the last known state says more. */
const inTrouble = (failure: Failure, last: IDataObject | undefined, { id, timeout }: PollRequest): Failure =>
	last && failure.details.retryable ? timedOut(last, id, timeout) : failure;

const statusOf = ({ status }: IDataObject): string =>
	typeof status === 'string' && status !== '' ? status.slice(0, 100) : 'unknown';

const isSettled = (post: IDataObject): boolean =>
	(terminalStatuses as readonly string[]).includes(statusOf(post));

/** `provider_post_id` of the post, or of one of its platforms. */
const hasProviderId = (post: IDataObject): boolean => JSON.stringify(post).includes('"provider_post_id":"');

/** Known to be published only after the wait is over. */
const isLater = (post: IDataObject, request: PollRequest, deadline: number): boolean =>
	statusOf(post) === 'scheduled' && Date.parse(dueAt(post, request)) > deadline;

const dueAt = (post: IDataObject, { scheduledAt }: PollRequest): string =>
	String(readPost(post).scheduledAt ?? scheduledAt ?? '');

/** @throws Failure unless any end is waited for, of which this is none: the item says so */
function later(post: IDataObject, request: PollRequest): IDataObject {
	const { id, waitFor, timeout } = request;
	const due = `due ${dueAt(post, request)}, after the wait timeout of ${Math.round(timeout / 1000)} s`;
	if (waitFor === 'terminal') return { ...post, not_waited_for: `Not published yet: ${due}` };
	throw new Failure({
		code: 'NODE_NOT_YET_PUBLISHED',
		message: `Not published yet: ${due} (post ID: ${id})`,
		hint: "The post itself is fine. To go on after it is out, put n8n's Wait node with 'scheduled_at' before this one, or start a second workflow from the Social Publishing Trigger.",
		post,
	});
}

function settle(post: IDataObject, { id, waitFor }: PollRequest): IDataObject {
	const status = statusOf(post);
	if (status === 'completed' || waitFor === 'terminal') return post;
	if (status === 'failed')
		throw new Failure({
			code: 'NODE_POST_FAILED',
			message: `The post was accepted, but publishing it failed${reason(post)} (post ID: ${id})`,
			hint: `Correct the content or reconnect the account in the service, then create a new post. For all that the service says of this one, ${inDetails}.`,
			post,
		});
	throw new Failure({
		code: 'NODE_POST_CANCELED',
		message: `The post was canceled before it was published (post ID: ${id})`,
		hint: "Somebody, or another workflow, canceled it. If that is fine, set 'Wait For' to 'Any Final Status', or handle this error.",
		post,
	});
}

/** What the service says of a failure, where it does. */
function reason(post: IDataObject): string {
	const said = post.error ?? post.failure_reason ?? post.error_message;
	const text = typeof said === 'object' && said !== null ? (said as IDataObject).message : said;
	return typeof text === 'string' && text !== '' ? `: ${text.replace(/\.$/, '')}` : '';
}

/** The spec does not show what a post under approval says: any state or field that speaks of approval counts. */
function isHeld(post: IDataObject): boolean {
	if (isSettled(post)) return false;
	const words = [post.status, post.approval_status, post.approval_state, post.hold_reason];
	return words.some((word) => typeof word === 'string' && /approv|review|\bheld\b|hold/i.test(word));
}

function timedOut(post: IDataObject, id: string, timeout: number): Failure {
	const status = statusOf(post);
	const seconds = Math.round(timeout / 1000);
	if (isHeld(post))
		return new Failure({
			code: 'NODE_WAIT_APPROVAL',
			message: `The post still waits for approval after ${seconds} s: its state is '${status}' (post ID: ${id})`,
			hint: 'Ask an approver to sign it off in the service. To go on as soon as that is done, start a second workflow from the Social Publishing Trigger instead of waiting here.',
			post,
		});
	return new Failure({
		code: 'NODE_WAIT_TIMEOUT',
		message: `Waited ${seconds} s, but the post's status is still '${status}' (post ID: ${id})`,
		hint: "The post itself is fine and may still be published. Raise 'Wait Timeout (Seconds)', or start a second workflow from the Social Publishing Trigger instead of waiting here.",
		post,
	});
}
