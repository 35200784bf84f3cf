import clamp from 'lodash/clamp';

import type { RemoteSubscription } from '../shared/webhooks';

/** How long a listing serves all triggers of a key at most, in ms. */
export const LISTING_MS = 5 * 60_000;
/** Time for each read of checks, in ms: less than five reads a minute; after a start a third of the lowest plan's. */
const READ_MS = 13_000;
const READ_AT_START_MS = 3_000;
/** Most reads that count, of a check or of workflows: the next turn is never further away. */
const MOST_READS = 4;
/** How many keys this process remembers; the one that was unused longest goes first. */
const MOST_GROUPS = 200;

/** How long somebody waits for a turn who no longer asks for it: a trigger that n8n has stopped, in ms. */
const WAITING_MS = 10_000;

/** Somebody who waits for a turn. */
export interface Waiting {
	/** Since when it is due, in ms. */
	nextAt: number;
}

/**
 * The triggers of this process that use the same key in the same workspace: they share one listing of the
 * subscriptions, and take turns with their checks, so that the service's limit is left to the workflows.
 */
export class KeyGroup {
	/** Who waits for a turn, and when they last asked for it, in ms. */
	private readonly waiting = new Map<Waiting, number>();

	private listing?: { at: number; list: Promise<RemoteSubscription[]> };

	/** The last one that was taken: when, in ms, how many reads were sent since, and the time for each. */
	private turn = { at: -Infinity, reads: 0, readMs: READ_MS };

	/**
	 * Whether it is somebody's turn, which then counts as taken: the one that is due longest comes first.
	 * @param isStart whether n8n has just started: there is most to catch up then
	 */
	takesTurn(one: Waiting, now: number, isStart = false): boolean {
		this.waiting.set(one, now);
		const { at, reads, readMs } = this.turn;
		// Also where the clock was set back.
		if (Math.abs(now - at) < readMs * clamp(reads, 1, MOST_READS)) return false;
		for (const [other, askedAt] of this.waiting)
			if (Math.abs(now - askedAt) > WAITING_MS) this.waiting.delete(other);
			else if (other.nextAt < one.nextAt) return false;
		this.waiting.delete(one);
		this.turn = { at: now, reads: 0, readMs: isStart ? READ_AT_START_MS : READ_MS };
		return true;
	}

	/** A GET is sent: the more of them, the later the next turn. */
	countRead(): void {
		this.turn.reads++;
	}

	/** The subscriptions of the workspace: as they were read last, unless that was too long ago. */
	async list(read: () => Promise<RemoteSubscription[]>, maxAgeMs: number): Promise<RemoteSubscription[]> {
		const age = Math.abs(Date.now() - (this.listing?.at ?? Infinity));
		if (age < Math.min(LISTING_MS, maxAgeMs)) return await this.listing!.list;
		const listing = { at: Date.now(), list: read() };
		this.listing = listing;
		listing.list.catch(() => {
			if (this.listing === listing) this.listing = undefined;
		});
		return await listing.list;
	}

	/** Something was created or deleted: what was read before, or is being read, does not show it. */
	forgetListing(): void {
		this.listing = undefined;
	}
}

/** Those of this process. */
export const groups = new Map<string, KeyGroup>();

export function keyGroupOf(key: string): KeyGroup {
	const group = groups.get(key) ?? new KeyGroup();
	// Last in the order of the map: used most recently.
	groups.delete(key);
	groups.set(key, group);
	if (groups.size > MOST_GROUPS) groups.delete(groups.keys().next().value!);
	return group;
}
