import { sleep } from 'n8n-workflow';

import type { RemoteSubscription } from '../shared/webhooks';

/** How long a listing serves all triggers of a key at most, in ms. */
const LISTING_MS = 5 * 60_000;
/** Time for each read of checks that take turns, in ms: less than five reads a minute. */
const BETWEEN_READS_MS = 13_000;
/** Longest time to the next turn, in ms. */
const LONGEST_TURN_MS = 4 * BETWEEN_READS_MS;
/** Reads of all checks, those after a start, too: so many at once, then one every so often, in ms. */
const BURST_READS = 20;
const READ_EVERY_MS = 3_000;
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
 * subscriptions, and check one after another, so that the service's limit is left to the workflows.
 */
export class KeyGroup {
	/** Who waits for a turn, and when they last asked for it, in ms. */
	private readonly waiting = new Map<Waiting, number>();

	private turn: Promise<unknown> = Promise.resolve();

	private listing?: { at: number; list: Promise<RemoteSubscription[]> };

	private nextTurnAt = 0;

	private readsInTurn = 0;

	private readsLeft = BURST_READS;

	private readsCountedAt = 0;

	/** Whether it is somebody's turn, which then counts as taken: the one that is due longest comes first. */
	takesTurn(one: Waiting, now: number): boolean {
		this.waiting.set(one, now);
		for (const [other, askedAt] of this.waiting)
			if (Math.abs(now - askedAt) > WAITING_MS) this.waiting.delete(other);
		// A clock that was set back counts as a new start.
		const isFree = now >= this.nextTurnAt || this.nextTurnAt - now > LONGEST_TURN_MS;
		if (!isFree || [...this.waiting.keys()].some(({ nextAt }) => nextAt < one.nextAt)) return false;
		this.waiting.delete(one);
		this.nextTurnAt = now + BETWEEN_READS_MS;
		this.readsInTurn = 0;
		return true;
	}

	/** One after another. */
	async inTurn(work: () => Promise<void>): Promise<void> {
		const mine = this.turn.then(work);
		this.turn = mine.catch(() => undefined);
		await mine;
	}

	/** Waits until one more read is within what all triggers of the key may take together. */
	async paced<T>(read: () => Promise<T>): Promise<T> {
		for (;;) {
			const now = Date.now();
			const since = now - this.readsCountedAt;
			if (since < 0 || since >= BURST_READS * READ_EVERY_MS) this.readsLeft = BURST_READS;
			else this.readsLeft = Math.min(BURST_READS, this.readsLeft + since / READ_EVERY_MS);
			this.readsCountedAt = now;
			if (this.readsLeft >= 1) break;
			await sleep(READ_EVERY_MS);
		}
		this.readsLeft--;
		if (++this.readsInTurn > 1)
			this.nextTurnAt = Math.min(this.nextTurnAt + BETWEEN_READS_MS, Date.now() + LONGEST_TURN_MS);
		return await read();
	}

	/** The subscriptions of the workspace: as they were read last, unless that was too long ago. */
	async list(
		read: () => Promise<RemoteSubscription[]>,
		longestMs = LISTING_MS,
	): Promise<RemoteSubscription[]> {
		const { listing } = this;
		if (listing && Math.abs(Date.now() - listing.at) < Math.min(LISTING_MS, longestMs)) return await listing.list;
		return await this.listAnew(read);
	}

	async listAnew(read: () => Promise<RemoteSubscription[]>): Promise<RemoteSubscription[]> {
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

const groups = new Map<string, KeyGroup>();

export function keyGroupOf(key: string): KeyGroup {
	const group = groups.get(key) ?? new KeyGroup();
	// Last in the order of the map: used most recently.
	groups.delete(key);
	groups.set(key, group);
	if (groups.size > MOST_GROUPS) groups.delete(groups.keys().next().value!);
	return group;
}
