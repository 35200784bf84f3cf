import { sumBy } from 'lodash';
import type { Clock } from './clock';
import { Idempotency } from './idempotency';
import type {
	Account,
	ApiKey,
	ApprovalBatch,
	InboxItem,
	Insight,
	Media,
	Post,
	Webhook,
	Workspace,
} from './types';

/** Uploaded bytes kept for the page, in all; the oldest go first. */
const KEPT_BYTES = 256 * 1024 * 1024;

/** Everything the service knows, in memory, and the switches for what the spec leaves open. */
export class Store {
	readonly workspaces = new Map<string, Workspace>();
	readonly keys = new Map<string, ApiKey>();
	readonly accounts = new Map<string, Account>();
	readonly posts = new Map<string, Post>();
	readonly media = new Map<string, Media>();
	readonly mediaByUrl = new Map<string, Media>();
	readonly approvals = new Map<string, ApprovalBatch>();
	readonly inbox = new Map<string, InboxItem>();
	/** Newest first. */
	readonly insights = new Map<string, Insight>();
	readonly webhooks = new Map<string, Webhook>();
	readonly idempotency = new Idempotency();

	/** Do `from` and `to` of GET /posts take in their own instant? */
	rangeEnds: 'inclusive' | 'exclusive' = 'inclusive';
	/** How exactly times of posts are known, in ms. */
	precisionMs = 1;
	/** Does POST /webhooks take the caller's own `secret`? Refused (400) where not. */
	acceptCallerSecret = true;
	/** From the time that a post without a schedule was taken to its publication. */
	publishDelayMs = 1000;

	/** Per workspace, newest first; made again after a change of times. */
	private readonly feeds = new Map<string, Post[]>();
	constructor(readonly clock: Clock) {}

	addPost(post: Post): void {
		this.posts.set(post.id, post);
		this.feeds.delete(post.workspaceId);
	}

	removePost(post: Post): void {
		this.posts.delete(post.id);
		this.feeds.delete(post.workspaceId);
	}

	/** After a change of what the list is ordered by. */
	reschedulePost(post: Post, scheduledAt: string | undefined): void {
		post.scheduledAt = scheduledAt;
		post.at = Date.parse(scheduledAt ?? post.createdAt);
		this.feeds.delete(post.workspaceId);
	}

	/** The posts of a workspace, newest (by scheduled, else created time) first. */
	feed(workspaceId: string): Post[] {
		let feed = this.feeds.get(workspaceId);
		if (!feed) {
			feed = [...this.posts.values()]
				.filter((post) => post.workspaceId === workspaceId)
				.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));
			this.feeds.set(workspaceId, feed);
		}
		return feed;
	}

	/** Keeps the bytes of an upload, and drops those of old ones where it gets too much. */
	keepBytes(media: Media, bytes: Buffer | undefined): void {
		media.bytes = bytes;
		let kept = sumBy([...this.media.values()], 'bytes.length');
		for (const old of this.media.values()) {
			if (kept <= KEPT_BYTES) return;
			kept -= old.bytes?.length ?? 0;
			old.bytes = undefined;
		}
	}

	/** Everything but the switches. */
	clear(): void {
		for (const map of Object.values(this)) if (map instanceof Map) map.clear();
		this.idempotency.reset();
	}
}
