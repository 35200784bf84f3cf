import { pick, sortBy } from 'lodash';
import { createHash } from 'node:crypto';
import type { Timer } from './clock';
import type { Deliveries } from './deliveries';
import { ApiError, newId } from './envelope';
import { refusalOf } from './networks';
import type { Store } from './store';
import {
	TERMINAL,
	type ApprovalBatch,
	type InboxItem,
	type OfBrand,
	type Platform,
	type Post,
	type PostStatus,
} from './types';

/** A text with this in it fails at publication. */
const FAILS = '[[fail]]';
/** POST /posts answers PUBLIC_API_PUBLISH_FAILED, the post is stored as failed. */
const IS_REFUSED = '[[422]]';

type Given = 'shape' | 'text' | 'media' | 'accountId' | 'scheduledAt' | 'extra' | 'workspaceId' | 'brandId';
type NewPost = Pick<Post, Given> & { platforms: Platform[] };

/** Spec, "States and transitions": every change of a post's state, an approval or an inbox item, with its events. */
export class Lifecycle {
	private readonly timers = new Map<string, Timer>();

	constructor(
		private readonly store: Store,
		private readonly deliveries: Deliveries,
	) {}

	/** Returns the stored post; `refused` where the platform said no at once (422). */
	create(input: NewPost): { post: Post; refused?: ApiError } {
		const createdAt = this.store.clock.iso();
		// No schedule time: "as soon as possible", which is scheduled for now (the spec shows only the scheduled case).
		const { scheduledAt = createdAt } = input;
		const post: Post = {
			...input,
			id: newId('post'),
			status: 'scheduled',
			platforms: input.platforms.map((platform) => ({ platform, status: 'scheduled' })),
			scheduledAt,
			createdAt,
			updatedAt: createdAt,
			at: Date.parse(scheduledAt),
		};
		this.store.posts.set(post.id, post);
		this.emit(post, 'post.created');
		if (!post.text.includes(IS_REFUSED)) {
			this.schedule(post);
			return { post };
		}
		const refused = new ApiError('PUBLIC_API_PUBLISH_FAILED', 'The platform refused the post.');
		this.fail(post, refused.message);
		return { post, refused };
	}

	/** Puts a post into the store as it is: history of the seed, without events. */
	insert(post: Post): void {
		this.store.posts.set(post.id, post);
		if (post.status === 'scheduled') this.arm(post);
	}

	/** Spec: any non-terminal state → canceled; terminal → 409. */
	cancel(post: Post): void {
		if (TERMINAL.has(post.status)) {
			throw new ApiError('PUBLIC_API_POST_CANCEL_INVALID_STATE', `The post is already ${post.status}.`);
		}
		this.end(post, 'canceled');
	}

	/** Spec: canceled and removed. */
	remove(post: Post): void {
		this.cancel(post);
		this.store.posts.delete(post.id);
	}

	/** To `draft` or `scheduled`, or a new time for a scheduled post. */
	reschedule(post: Post, status: 'draft' | 'scheduled', scheduledAt: string | undefined): void {
		const isNew = scheduledAt !== post.scheduledAt || post.status !== 'scheduled';
		const due = status === 'scheduled' ? (scheduledAt ?? this.store.clock.iso()) : scheduledAt;
		Object.assign(post, { scheduledAt: due, at: Date.parse(due ?? post.createdAt) });
		if (status === 'draft') this.disarm(post);
		this.enter(post, status);
		if (status === 'scheduled' && isNew) this.schedule(post);
	}

	/** Each platform takes the post, or refuses it: by its rules, or where the text says so. */
	publish(post: Post): void {
		if (TERMINAL.has(post.status)) return;
		const { text, platforms } = post;
		const refusals = platforms.map(({ platform }) =>
			text.includes(FAILS)
				? 'The platform did not take the post.'
				: refusalOf(platform, post, this.store.mediaByUrl),
		);
		if (!refusals.includes('')) return this.fail(post, ...refusals);
		platforms.forEach((state, index) => {
			const error = refusals[index];
			if (error) return Object.assign(state, { status: 'failed', error });
			Object.assign(state, { status: 'completed', provider_post_id: providerId(post.id, state.platform) });
			post.providerPostId ??= state.provider_post_id;
		});
		post.publishedAt = this.store.clock.iso();
		this.end(post, 'completed', { provider_post_id: post.providerPostId });
	}

	/** Publishes what is due within `ms`, in order, at once: the clock stays, so that other times keep their meaning. */
	publishDue(ms: number): number {
		const until = this.store.clock.now() + ms;
		const due = [...this.store.posts.values()].filter(
			(post) => post.status === 'scheduled' && post.at <= until,
		);
		for (const post of sortBy(due, 'at')) this.publish(this.dueNow(post));
		return due.length;
	}

	/** A post of the future that a person publishes or fails now: otherwise it would be due after its end, and no list up to now had it. */
	dueNow(post: Post): Post {
		const { clock } = this.store;
		if (post.at > clock.now() && !TERMINAL.has(post.status))
			Object.assign(post, { scheduledAt: clock.iso(), at: clock.now() });
		return post;
	}

	/** Fails the post, with a message for each platform or one for all of them. */
	fail(post: Post, ...messages: string[]): void {
		if (TERMINAL.has(post.status)) return;
		const [message = ''] = messages;
		post.error = { code: 'PROVIDER_REJECTED', message };
		post.platforms.forEach((state, index) => (state.error = messages[index] ?? message));
		this.end(post, 'failed', { error: post.error });
	}

	/** Spec: "Team approval may hold a post until an approver signs off." */
	hold(post: Post): void {
		if (post.status !== 'scheduled') return;
		this.disarm(post);
		this.enter(post, 'pending_approval');
		const batch: ApprovalBatch = {
			...pick(post, ['workspaceId', 'brandId', 'createdAt', 'updatedAt']),
			id: newId('batch'),
			status: 'pending',
			items: [{ id: newId('apr'), post_id: post.id, status: 'pending' }],
		};
		this.store.approvals.set(batch.id, batch);
		this.emitApproval(batch, 'approval.batch_created');
	}

	/** The approver signs off: the post goes on, at once where its time has passed. */
	approve(post: Post): void {
		if (post.status !== 'pending_approval') return;
		this.closeApproval(post, 'approved');
		this.enter(post, 'scheduled');
		this.schedule(post);
	}

	receive(item: InboxItem): void {
		this.store.inbox.set(item.id, item);
		const data = { ...itemData(item), item_type: item.type, author: item.author };
		this.emitOf(item, 'inbox.item.created', data);
		this.emitOf(item, 'inbox.message_received', data);
	}

	/** Every call is one more reply: that is what a repeated write would look like to the customer. */
	reply(item: InboxItem, text: string) {
		const reply = { id: newId('rep'), text, created_at: this.store.clock.iso() };
		item.replies.push(reply);
		item.status = 'replied';
		this.emitOf(item, 'inbox.message_responded', { ...itemData(item), reply_id: reply.id, text });
		return reply;
	}

	reset(): void {
		for (const handle of this.timers.values()) this.store.clock.clear(handle);
		this.timers.clear();
	}

	private schedule(post: Post): void {
		this.arm(post);
		this.emit(post, 'post.scheduled', { scheduled_at: post.scheduledAt });
	}

	private arm(post: Post): void {
		this.disarm(post);
		const { clock, publishDelayMs } = this.store;
		const wait = Math.max(post.at - clock.now(), publishDelayMs);
		this.timers.set(
			post.id,
			clock.setTimeout(() => this.publish(post), wait),
		);
	}

	private disarm(post: Post): void {
		const handle = this.timers.get(post.id);
		if (handle) this.store.clock.clear(handle);
		this.timers.delete(post.id);
	}

	private end(post: Post, status: 'completed' | 'failed' | 'canceled', more: object = {}): void {
		const isPublished = status === 'completed';
		this.disarm(post);
		// Of a published post each platform has a status of its own.
		this.enter(post, status, !isPublished);
		this.closeApproval(post, isPublished ? 'approved' : 'rejected');
		this.emit(post, isPublished ? 'post.published' : `post.${status}`, more);
	}

	private enter(post: Post, status: PostStatus, platforms = true): void {
		post.status = status;
		if (platforms) for (const state of post.platforms) state.status = status;
		post.updatedAt = this.store.clock.iso();
	}

	/** Each batch has one post. */
	private closeApproval(post: Post, outcome: 'approved' | 'rejected'): void {
		for (const batch of this.store.approvals.values()) {
			const [item] = batch.items;
			if (item?.post_id !== post.id || batch.status !== 'pending') continue;
			item.status = outcome;
			batch.updatedAt = this.store.clock.iso();
			this.emitApproval(batch, `approval.item_${outcome}`, { item_id: item.id, post_id: post.id });
			batch.status = outcome;
			if (outcome === 'approved') this.emitApproval(batch, 'approval.batch_approved');
		}
	}

	/** Spec, "Events": post events carry `post_id` and `status`. */
	private emit(post: Post, type: string, more: object = {}): void {
		const { id: post_id, status } = post;
		const platforms = post.platforms.map(({ platform }) => platform);
		this.emitOf(post, type, { post_id, status, platforms, ...more });
	}

	private emitApproval(batch: ApprovalBatch, type: string, more: object = {}): void {
		const { id: batch_id, status } = batch;
		const post_ids = batch.items.map(({ post_id }) => post_id);
		this.emitOf(batch, type, { batch_id, status, post_ids, ...more });
	}

	private emitOf(record: OfBrand, type: string, data: Record<string, unknown>): void {
		const { workspaceId, brandId, id: resource } = record;
		this.deliveries.emit({ type, workspaceId, brandId, resource, data });
	}
}

const itemData = ({ id: item_id, conversationId: conversation_id, platform, text }: InboxItem) => ({
	item_id,
	conversation_id,
	platform,
	text,
});

/** The platform's own id of a post: the same each time, looks like a number. */
export const providerId = (postId: string, platform: string) =>
	`${platform}_${createHash('sha256').update(`${postId}${platform}`).digest().readBigUInt64BE().toString()}`;
