import type { IDataObject } from 'n8n-workflow';

import { listNames, terminalStatuses } from '../../../api/contract';
import { refusal, type Failure } from '../../../api/failure';
import { titleOf } from '../../../api/platforms';
import { iso, posts, type AskPosts } from '../../../api/postRange';
import { readPost } from '../../../api/records';
import type { ItemContext } from '../../engine/operation';
import { earliestFree, SLOT_REACH_MS, slotsBetween, type WeeklySlots } from './slots';
import { isOn, type Target } from './targets';

/** *When: In the Next Free Slot*: which slots are taken, and who gets the next one. See docs/queue.md. */

const HORIZON_DAYS = 90;
const HORIZON_MS = HORIZON_DAYS * 86_400_000;

/**
 * The next free slot of all of these targets. In a run, each group of an item's targets takes one, and keeps it.
 * @returns ISO 8601 in UTC, ending in `Z`
 * @throws Failure where none is free in time, or the service's list doesn't show which are taken
 */
export async function nextSlot(item: ItemContext, targets: Target[], weekly: WeeklySlots): Promise<string> {
	const makeQueue = async (): Promise<Queue> =>
		new Queue(await listedPosts(item), await item.sentPosts(), item);
	const queue = await item.once('queue', makeQueue);
	return queue.take([item.index, ...targets.map(({ part }) => part)].join('|'), targets, weekly);
}

/** Spec, `GET /posts`: what goes out between now and the horizon, and what is close enough to take a slot there. */
async function listedPosts(item: ItemContext): Promise<IDataObject[]> {
	const ask: AskPosts = async (qs) =>
		await item.list({ path: '/posts', qs: { ...qs }, listNames: listNames.posts });
	const range = { from: iso(item.now - SLOT_REACH_MS), to: iso(item.now + HORIZON_MS + SLOT_REACH_MS) };
	return await posts(ask, range, item.now, Infinity);
}

/** A post that goes out, and when, in ms. */
interface DuePost {
	post: IDataObject;
	at: number;
}

/** The slots of one run of the node. */
export class Queue {
	private readonly chosen = new Map<string, string>();
	private readonly slots = new Map<string, number[]>();
	private knownPosts?: DuePost[];

	/**
	 * @param listed posts as the service lists them
	 * @param sent posts that this execution has sent, or may have: the list may not have them yet
	 */
	constructor(
		private readonly listed: IDataObject[],
		private readonly sent: IDataObject[],
		private readonly run: { zone: string; now: number },
	) {}

	/** Takes the first slot that is free for all targets; the same name gets the same slot again. */
	take(name: string, targets: Target[], weekly: WeeklySlots): string {
		const known = this.chosen.get(name);
		if (known) return known;
		const taken = this.posts.filter(({ post }) => targets.some((target) => isOn(post, target)));
		const at = earliestFree(
			this.slotsOf(weekly),
			taken.map((one) => one.at),
		);
		if (at === undefined) throw noFreeSlot(targets);
		for (const { platform, accountId } of targets)
			this.posts.push({ post: { platform, account_id: accountId }, at });
		const slot = iso(at);
		this.chosen.set(name, slot);
		return slot;
	}

	/** Read at the first use: a list that can't be read is an error of each item, not one of reading the list. */
	private get posts(): DuePost[] {
		return (this.knownPosts ??= this.duePosts());
	}

	private duePosts(): DuePost[] {
		// The list knows better what became of a post.
		const ids = new Set(this.listed.map(({ id }) => id));
		const sent = this.sent.filter(
			(post) => (post.id === undefined || !ids.has(post.id)) && readPost(post).scheduledAt,
		);
		return [...this.listed, ...sent].flatMap((post) => {
			const at = dueAt(post, this.run.now);
			return at === undefined ? [] : [{ post, at }];
		});
	}

	private slotsOf(weekly: WeeklySlots): number[] {
		const name = JSON.stringify(weekly);
		const { zone, now } = this.run;
		const slots = this.slots.get(name) ?? slotsBetween(weekly, zone, now, now + HORIZON_MS);
		this.slots.set(name, slots);
		return slots;
	}
}

/**
 * When a post goes out, in ms; undefined for one that doesn't. Without a time that is at once, and a draft never.
 * @throws Failure where the record shows no time or platform (docs/spec-gaps.md, row 1)
 */
function dueAt(post: IDataObject, now: number): number | undefined {
	if ((terminalStatuses as readonly unknown[]).includes(post.status)) return undefined;
	const time = readPost(post).scheduledAt;
	if (!time && post.status === 'draft') return undefined;
	if (readPost(post).platforms.length === 0) throw unreadable(post, 'platform');
	if (time === null) return now;
	const at = Date.parse(String(time));
	if (Number.isNaN(at)) throw unreadable(post, 'time');
	return at;
}

const unreadable = ({ id }: IDataObject, what: string): Failure =>
	refusal(
		'SLOTS_UNKNOWN',
		`Can't tell which slots are free: the service lists the post ${String(id)} without a ${what} that can be read`,
		"Set 'When' to 'At a Time'. Row 1 of docs/spec-gaps.md lists the fields that are read.",
	);

const noFreeSlot = (targets: Target[]): Failure =>
	refusal(
		'NO_FREE_SLOT',
		`No slot is free in the next ${HORIZON_DAYS} days for ${targets.map(({ platform }) => titleOf(platform)).join(' and ')}`,
		"Add days or times in 'Slot Days' and 'Slot Times', or set 'When' to 'At a Time'.",
	);
