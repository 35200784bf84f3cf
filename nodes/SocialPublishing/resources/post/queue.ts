import sortedIndex from 'lodash/sortedIndex';
import type { IDataObject } from 'n8n-workflow';

import { listNames } from '../../../api/contract';
import { Failure, refusal, toFailure } from '../../../api/failure';
import { titleOf } from '../../../api/platforms';
import { iso, posts, type AskPosts } from '../../../api/postRange';
import { readPost, type Post } from '../../../api/records';
import type { Item } from '../../engine/item';
import { SLOT_REACH_MS, slotsBetween, type WeeklySlots } from './slots';

/** *When: In the Next Free Slot*: which slots are taken, and who gets the next one. See docs/queue.md. */

const HORIZON_DAYS = 90;
const HORIZON_MS = HORIZON_DAYS * 86_400_000;

/** Where a post goes; without an account it may be any of the platform. */
interface Place {
	platform: string;
	accountId?: string;
}

/** A post that goes out, and when, in ms. */
interface DuePost {
	places: Place[];
	at: number;
}

/** The queue of the item's workspace, or why it isn't known: asked for once a run. */
export async function queueOf(item: Item): Promise<Queue | Failure> {
	return await item.once('queue', async () => {
		try {
			const listed = (await listedPosts(item)).map(readPost);
			// The list may not have them yet; where it has, it knows better what became of them.
			const ids = new Set(listed.map(({ id }) => id));
			const sent = item.sentBefore
				.filter(({ path, state }) => path === '/posts' && state !== 'keptAsFailed')
				.map(({ record }) => readPost(record))
				.filter(({ id, dueAt }) => dueAt !== undefined && (id === undefined || !ids.has(id)));
			return new Queue([...listed, ...sent], item);
		} catch (error) {
			return toFailure(error);
		}
	});
}

/** Spec, `GET /posts`: what goes out between now and the horizon, and what is close enough to take a slot there. */
async function listedPosts(item: Item): Promise<IDataObject[]> {
	const ask: AskPosts = async (qs) =>
		await item.list({ path: '/posts', qs: { ...qs }, listNames: listNames.posts });
	const range = { from: iso(item.now - SLOT_REACH_MS), to: iso(item.now + HORIZON_MS + SLOT_REACH_MS) };
	return await posts(ask, range, item.now, Infinity);
}

/** The slots of one choice of days and times, and which of them are taken for a target. */
interface Calendar {
	slots: readonly number[];
	/** By index of the slot. */
	isTaken: Uint8Array;
	/** All slots before it are taken. */
	next: number;
}

/** The slots of one run of the node. */
export class Queue {
	private readonly due: DuePost[];
	private readonly slots = new Map<string, number[]>();
	/** By target and choice of slots. */
	private readonly calendars = new Map<string, { place: Place; calendar: Calendar }>();

	/**
	 * @param listed posts that go out or may go out
	 * @param run its time zone and its beginning, in ms
	 * @throws Failure where a post has no time or platform that can be read
	 */
	constructor(
		listed: readonly Post[],
		private readonly run: { readonly zone: string; readonly now: number },
	) {
		this.due = listed.flatMap((post) => {
			const at = dueAtOf(post, run.now);
			const places = post.platforms.map((platform) => ({ platform, accountId: post.accountId }));
			return at === undefined ? [] : [{ places, at }];
		});
	}

	/**
	 * Takes the first slot that is free for all places.
	 * @returns ISO 8601 in UTC, ending in `Z`
	 * @throws Failure where none is free in time
	 */
	take(places: readonly Place[], weekly: WeeklySlots): string {
		const calendars = places.map((place) => this.calendarOf(place, weekly));
		const slots = calendars[0]?.slots ?? [];
		let index = Math.max(0, ...calendars.map(({ next }) => next));
		while (index < slots.length && calendars.some(({ isTaken }) => isTaken[index])) index++;
		const at = slots[index];
		if (at === undefined) throw noFreeSlot(places);
		this.due.push({ places: [...places], at });
		for (const { place, calendar } of this.calendars.values())
			if (places.some((one) => mayBeOn(one, place))) mark(calendar, at);
		return iso(at);
	}

	private calendarOf(place: Place, weekly: WeeklySlots): Calendar {
		const choice = JSON.stringify(weekly);
		const name = `${place.platform}|${place.accountId ?? ''}|${choice}`;
		const known = this.calendars.get(name);
		if (known) return known.calendar;
		const { zone, now } = this.run;
		const slots = this.slots.get(choice) ?? slotsBetween(weekly, zone, now, now + HORIZON_MS);
		this.slots.set(choice, slots);
		const calendar = { slots, isTaken: new Uint8Array(slots.length), next: 0 };
		for (const { places, at } of this.due) if (places.some((one) => mayBeOn(one, place))) mark(calendar, at);
		this.calendars.set(name, { place, calendar });
		return calendar;
	}
}

/** Marks the slots that a post takes. */
function mark(calendar: Calendar, at: number): void {
	const { slots, isTaken } = calendar;
	for (
		let i = sortedIndex(slots, at - SLOT_REACH_MS);
		i < slots.length && slots[i]! <= at + SLOT_REACH_MS;
		i++
	)
		isTaken[i] = 1;
	while (isTaken[calendar.next]) calendar.next++;
}

/** Whether a post goes to a place: to its account, or to its platform where one of the two names no account. */
export const mayBeOn = (post: Place, place: Place): boolean =>
	post.accountId && place.accountId ? post.accountId === place.accountId : post.platform === place.platform;

/**
 * When a post goes out, in ms; undefined for one that doesn't. Without a time that is at once.
 * @throws Failure where the record shows no time or platform (row 1 of docs/spec-gaps.md)
 */
function dueAtOf(post: Post, nowMs: number): number | undefined {
	const { isFinal, status, scheduledAt, dueAt } = post;
	if (isFinal || (status === 'draft' && !scheduledAt)) return undefined;
	if (post.platforms.length === 0) throw slotsUnknown(post, 'platform');
	if (dueAt !== undefined) return dueAt;
	// One that is being published has no time any more; a scheduled one has it somewhere.
	if (status === 'scheduled' && scheduledAt !== null) throw slotsUnknown(post, 'time');
	return nowMs;
}

const slotsUnknown = ({ id }: Post, what: string): Failure =>
	refusal(
		'SLOTS_UNKNOWN',
		`Can't determine which slots are free: the service lists the post ${String(id)} without a ${what} that can be read`,
		"Set 'When' to 'At a Time'. Row 1 of docs/spec-gaps.md lists the fields that are read.",
	);

const noFreeSlot = (places: readonly Place[]): Failure =>
	refusal(
		'NO_FREE_SLOT',
		`No slot is free in the next ${HORIZON_DAYS} days for ${places.map(({ platform }) => titleOf(platform)).join(' and ')}`,
		"Add days or times in 'Slot Days' and 'Slot Times', or set 'When' to 'At a Time'.",
	);
