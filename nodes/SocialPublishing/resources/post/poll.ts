import { lowerFirst } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import type { Client } from '../../../api/client';
import { limitConcurrency } from '../../../api/concurrency';
import { Failure, refusal, toFailure } from '../../../api/failure';
import { titleOf } from '../../../api/contract';
import { iso } from '../../../api/postRange';
import { readPost, type Post } from '../../../api/records';
import { isTemporary } from '../../../api/retryPolicy';
import { shortened } from '../../../api/texts';
import type { Item } from '../../engine/item';
import { localTime } from '../time';

export interface PollOptions {
	waitFor: 'completed' | 'terminal';
	timeoutMs: number;
	known?: IDataObject;
}

/** First pause between two polls of a post; grows by half each time. */
const FIRST_POLL_MS = 1_000;
const LONGEST_POLL_MS = 30_000;
const FIRST_POLLS_AT_ONCE = 5;
/** Least time between two polls of a run: half of the lowest plan's limit (spec, "Rate limits"). */
const POLL_GAP_MS = 2_000;
/** Polls of a completed post that has no `provider_post_id` yet (spec: both confirm publication). */
const EXTRA_POLLS_FOR_PROVIDER_ID = 3;

const instead = 'or start a second workflow from the Social Publishing Trigger instead of waiting here.';
/** The field that a wait's length is in. */
const lengthOf = ({ known }: PollOptions): string =>
	known ? 'Wait for Publication (Seconds)' : 'Wait Timeout (Seconds)';

/** A post once it has reached the state; polls share the rate limit of the run and count as no retry. */
export async function waitForPost(item: Item, id: string, options: PollOptions): Promise<IDataObject> {
	const poller = item.shared('poller', (client) => new PostPoller(client, item.zone));
	const post = await poller.until(id, item.options.workspaceId, options);
	if (post.not_waited_for) item.hint(String(post.not_waited_for));
	return post;
}

/** All posts that a run waits for: they share the pace and the read limit. */
export class PostPoller {
	private waiting = 0;
	/** Of posts that nothing is known of: the first answers say how many more the limit takes. */
	private readonly first = limitConcurrency(FIRST_POLLS_AT_ONCE);

	constructor(
		private readonly client: Client,
		private readonly zone: string,
	) {}

	/** @throws Failure naming the last state and the post's ID where it failed, was canceled, is due later or time is up */
	async until(id: string, workspaceId: string | undefined, options: PollOptions): Promise<IDataObject> {
		const deadline = Date.now() + options.timeoutMs;
		const request = { method: 'GET', path: `/posts/${pathSegment(id, 'Post')}`, workspaceId } as const;
		// The post as it was known last; `lost`: when that was, and why it isn't known since.
		let look: { post?: IDataObject; readAt: number; lost?: string } = {
			post: options.known,
			readAt: Date.now(),
		};
		const poll = async (): Promise<typeof look> => {
			// The last poll may come when the time is up.
			const withinMs = Math.max(deadline - Date.now(), FIRST_POLL_MS);
			try {
				const { data } = await this.client.send({ ...request, expects: 'record' }, { withinMs });
				return { post: data as IDataObject, readAt: Date.now() };
			} catch (error) {
				const { message, status, retryable, code } = toFailure(error).details;
				const lost = `${iso(look.readAt)}; since then: ${lowerFirst(message)}`;
				// A post that was just accepted may not be there yet; one that was read is gone.
				const mayPass =
					status === 404
						? look.post && look.post === options.known
						: retryable || isTemporary(status) || code === 'NODE_UNEXPECTED_RESPONSE';
				if (mayPass && (look.post || Date.now() < deadline)) return { ...look, lost };
				// The general hint names an option that doesn't count here.
				throw toFailure(error).with(
					status === 429 ? { hint: `Raise '${lengthOf(options)}', ${instead}` } : {},
				);
			}
		};
		this.waiting++;
		try {
			// Those whose turn comes after the deadline don't wait for each other: the loop reads each once.
			if (!options.known) look = await this.first(async () => (Date.now() >= deadline ? look : await poll()));
			let extraPolls = EXTRA_POLLS_FOR_PROVIDER_ID;
			for (let pause = FIRST_POLL_MS; ; pause = Math.min(LONGEST_POLL_MS, pause * 1.5)) {
				const { post, lost } = look;
				const { isFinal, hasProviderId, status } = readPost(post ?? {});
				const isWhole = status !== 'completed' || hasProviderId || Date.now() >= deadline;
				const isDone = isFinal && (isWhole || extraPolls-- <= 0);
				const end =
					post && (isDone ? outcomeOf(post, options) : this.undecided(post, options, deadline, lost));
				if (end instanceof Failure) throw end.with({ message: `${end.message} (post ID: ${id})`, post });
				if (end) return end;
				await this.client.pace.wait(Math.min(deadline - Date.now(), this.share(pause)));
				look = await poll();
			}
		} finally {
			this.waiting--;
		}
	}

	/** How the wait for another post ends: it is due only later, or time is up. */
	private undecided(post: IDataObject, options: PollOptions, deadline: number, lost = '') {
		const { waitFor, timeoutMs, known } = options;
		const { status, dueAt = 0 } = readPost(post);
		const seconds = Math.round(timeoutMs / 1000);
		if (status === 'scheduled' && dueAt > deadline) {
			const due = `Not published yet: due ${localTime(dueAt, this.zone)} (${this.zone}), after the wait timeout of ${seconds} s`;
			if (waitFor === 'terminal') return { ...post, not_waited_for: due };
			return refusal(
				'NOT_YET_PUBLISHED',
				due,
				`The post itself is fine. To go on after it is out, put n8n's Wait node with 'scheduled_at' ${known ? "and 'Wait for Status' after" : 'before'} this one, or start a second workflow from the Social Publishing Trigger.`,
			);
		}
		if (Date.now() < deadline) return undefined;
		return refusal(
			'WAIT_TIMEOUT',
			`Waited ${seconds} s, but the post's status is still '${shortened(status)}'${lost ? `, as last read at ${lost}` : ''}`,
			status === 'draft'
				? 'A draft is published only once it is scheduled, for example with the operation Update.'
				: `The post may still be published. Raise '${lengthOf(options)}', ${instead}`,
		);
	}

	/** The pause before a post is polled again: its own, or longer where many posts share the read limit. */
	private share(pause: number): number {
		// Not all at the same moment.
		return Math.max(pause, (this.waiting - 1) * POLL_GAP_MS) * (0.9 + Math.random() * 0.2);
	}
}

/** Where publishing failed, and why. */
export const failedOn = (failures: Post['failures']): string =>
	failures
		.map(({ platform, reason }) => ` on ${titleOf(platform) || 'a platform'}${reason ? `: ${reason}` : ''}`)
		.join(';');

/** What becomes of the wait for a post in its final state. */
function outcomeOf(post: IDataObject, { waitFor, known }: PollOptions): IDataObject | Failure {
	const { status, failureReason, failures } = readPost(post);
	const isFailed = status === 'failed' || (status === 'completed' && failures.length > 0);
	if (waitFor === 'terminal' || (status === 'completed' && !isFailed)) return post;
	const where = failedOn(failures);
	const why = where || (failureReason ? `: ${failureReason}` : '');
	if (isFailed)
		return refusal(
			'POST_FAILED',
			`The post was accepted, but publishing it failed${why}`,
			`Correct the content or reconnect the account in the service${known ? '' : ', then create a new post for what failed'}.`,
		);
	return refusal(
		'POST_CANCELED',
		'The post was called off before it was published',
		`Its status is 'canceled': somebody, or another workflow, canceled it. If that is fine, ${known ? '' : "set 'Wait For' to 'Any Final Status', or "}set 'On Error' in the node's settings to continue.`,
	);
}
