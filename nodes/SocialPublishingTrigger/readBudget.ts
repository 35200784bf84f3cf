import type { Listed } from '../api/pages';
import { LruMap } from '../shared/lruMap';

const BUDGET_WINDOW_MS = 60_000;
const READS_A_MINUTE = 12;
/** Reads beyond the average: never more than 20 in any minute. */
const BURST_READS = 8;
/** Reads that have to be left for a check: the first one takes four, later ones let those go first. */
const READS_LEFT = { first: 4, later: 6 };
/** Longest that a listing serves other triggers of the same key and workspace. */
export const MAX_LISTING_AGE_MS = 5 * 60_000;

/** What the triggers of a process with the same API key share: a budget of reads (a token bucket), and listings. */
export class ReadBudget {
	private readonly listings = new LruMap<string, { at: number; list: Promise<Listed> }>(100);
	private tokens = BURST_READS;
	private filledAt = performance.now();
	private isChecking = false;

	/** Counts a GET; those that can't wait delay the checks after them by a minute at most. */
	countRead(): void {
		this.tokens = Math.max(this.left() - 1, -READS_A_MINUTE);
	}

	left(): number {
		const now = performance.now();
		const filled = this.tokens + ((now - this.filledAt) / BUDGET_WINDOW_MS) * READS_A_MINUTE;
		this.filledAt = now;
		return (this.tokens = Math.min(BURST_READS, filled));
	}

	/** Runs a check if the budget has room for it and no other one is running; returns whether it ran. */
	async runCheck(run: () => Promise<void>, isFirst: boolean): Promise<boolean> {
		if (this.isChecking || this.left() < READS_LEFT[isFirst ? 'first' : 'later']) return false;
		this.isChecking = true;
		await run().finally(() => (this.isChecking = false));
		return true;
	}

	/** The subscriptions of a workspace: a listing that is recent enough, or else a new one. */
	async list(workspaceId: string, maxAgeMs: number, read: () => Promise<Listed>): Promise<Listed> {
		const known = this.listings.get(workspaceId);
		const now = performance.now();
		if (known && now - known.at < Math.min(MAX_LISTING_AGE_MS, maxAgeMs)) return await known.list;
		const list = read();
		this.listings.set(workspaceId, { at: now, list });
		list.catch(() => this.listings.get(workspaceId)?.list === list && this.listings.delete(workspaceId));
		return await list;
	}

	/** Listings don't have what was created since. */
	forgetListings(): void {
		this.listings.clear();
	}
}
