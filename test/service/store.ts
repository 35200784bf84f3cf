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
	/** From the time that a post without a schedule was taken to its publication. */
	publishDelayMs = 1000;

	constructor(readonly clock: Clock) {}

	/** The posts of a workspace, newest (by scheduled, else created time) first. */
	feed(workspaceId: string): Post[] {
		return [...this.posts.values()]
			.filter((post) => post.workspaceId === workspaceId)
			.sort((a, b) => b.at - a.at || (a.id < b.id ? -1 : 1));
	}

	clear(): void {
		for (const map of Object.values(this)) if (map instanceof Map) map.clear();
		this.idempotency.reset();
	}
}
