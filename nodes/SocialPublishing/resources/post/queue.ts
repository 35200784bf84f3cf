import { isEqual, map, pick, sortedIndex, sortedLastIndex } from 'lodash';

import { lists, titleOf } from '../../../api/contract';
import { refusal, toFailure, type Failure } from '../../../api/failure';
import { iso, posts, type AskPosts } from '../../../api/postRange';
import { readPost, type Post } from '../../../api/records';
import type { Item } from '../../engine/item';
import type { PlannedPost, PostPlan } from './plan';
import { SLOT_REACH_MS, slotsBetween, type WeeklySlots } from './slots';
import { longWait } from './when';

const HORIZON_DAYS = 90;
const HORIZON_MS = HORIZON_DAYS * 86_400_000;

/** An account of a platform; without an ID it may be any of them. */
type Destination = { platform: string; accountId?: string };

/** Where a post goes is read off its request: in an answer, that may be written in any form. */
const placeFields = ['platform', 'platforms', 'account_id'];

/** A post on one of its platforms, and when it goes out, in ms. */
type DuePost = Destination & { at: number };

/**
 * The queue of the item's workspace: what the service has between now and the horizon, or close enough to take a slot there,
 * and what this execution has sent. Asked for once a run, also where that fails.
 */
export const queueIn = async (item: Item): Promise<Queue> =>
	await item.once('queue', async () => {
		const [fromMs, toMs] = [item.now - SLOT_REACH_MS, item.now + HORIZON_MS + SLOT_REACH_MS];
		const records = await postsBetween(item, fromMs, toMs).catch((error: unknown) => {
			const failure = toFailure(error);
			// Its own hint names the filters of *Get Many*.
			const here = { code: 'NODE_SECOND_TOO_FULL', hint: "Set 'When' to 'At a Time'." };
			throw failure.details.code === here.code ? failure.with(here) : failure;
		});
		const listed = records.map(readPost);
		// The list may not have them yet; where it has, it knows better what became of them.
		const ids = new Set(map(listed, 'id'));
		const sent = item.writer.journal.all
			.filter(({ path, state }) => path === '/posts' && state !== 'keptAsFailed')
			.filter(({ workspaceId }) => workspaceId === item.workspaceId)
			.map(({ body, response }) => readPost({ ...body, ...response, ...pick(body, ...placeFields) }))
			.filter(({ id, dueAt }) => dueAt !== undefined && (id === undefined || !ids.has(id)));
		return new Queue([...listed, ...sent], item);
	});

/** Spec, `GET /posts`: the service's posts between two times in ms, at most so many. */
export async function postsBetween(item: Item, fromMs: number, toMs: number, most = Infinity) {
	const ask: AskPosts = async (qs) => await item.list({ ...lists.posts, qs });
	return await posts(ask, { from: iso(fromMs), to: iso(toMs) }, item.now, most);
}

/** Gives a post the first free slot. @returns why it can't be waited for. @throws Failure where none is free */
export function takeSlot(
	{ item, params, slots }: PostPlan,
	post: PlannedPost,
	queue: Queue,
): Failure | undefined {
	post.slot = queue.firstFree(post.target, slots!);
	queue.occupy(post.target, post.slot);
	return longWait(params, post.slot, item);
}

/** The slots of one run of the node: which are taken, and who gets the next one. See docs/queue.md. */
export class Queue {
	private readonly due: DuePost[];
	/** The slots that are free for a place, by place and choice of slots. */
	private readonly calendars = new Map<string, { place: Destination; free: number[] }>();

	/** @throws Failure where one of the listed posts has no time or platform that can be read */
	constructor(
		listed: readonly Post[],
		private readonly run: { readonly zone: string; readonly now: number },
	) {
		this.due = listed.flatMap((post) => {
			const at = dueAtOf(post);
			const { platforms, accountId } = post;
			return at === undefined ? [] : platforms.map((platform) => ({ platform, accountId, at }));
		});
	}

	/** The first slot that is free for a place, in UTC. @throws Failure where none is free in time */
	firstFree(place: Destination, weekly: WeeklySlots): string {
		const at = this.freeFor(place, weekly).find((slot) => slot > Date.now());
		if (at !== undefined) return iso(at);
		throw refusal(
			'NO_FREE_SLOT',
			`No slot is free in the next ${HORIZON_DAYS} days for ${titleOf(place.platform)}`,
			"Add days or times in 'Slot Days' and 'Slot Times', or set 'When' to 'At a Time'.",
		);
	}

	/** All slots of the calendar in ms, taken or not. */
	slots(weekly: WeeklySlots): number[] {
		const { zone, now } = this.run;
		return slotsBetween(weekly, zone, now, now + HORIZON_MS);
	}

	private freeFor(place: Destination, weekly: WeeklySlots): number[] {
		const name = JSON.stringify([place.platform, place.accountId, weekly]);
		const known = this.calendars.get(name);
		if (known) return known.free;
		const free = this.slots(weekly);
		for (const post of this.due) remove(free, place, post);
		this.calendars.set(name, { place, free });
		return free;
	}

	/** Gives back the slot of a post that was not sent. */
	release({ platform, accountId }: Destination, utc: string): void {
		const at = Date.parse(utc);
		const index = this.due.findLastIndex((one) => isEqual(one, { platform, accountId, at }));
		this.due.splice(index, 1);
		this.calendars.clear();
	}

	occupy({ platform, accountId }: Destination, utc: string): void {
		const taken = { platform, accountId, at: Date.parse(utc) };
		this.due.push(taken);
		for (const { place, free } of this.calendars.values()) remove(free, place, taken);
	}
}

function remove(free: number[], place: Destination, post: DuePost): void {
	const isSameAccount = !post.accountId || !place.accountId || post.accountId === place.accountId;
	if (post.platform !== place.platform || !isSameAccount) return;
	const start = sortedIndex(free, post.at - SLOT_REACH_MS);
	free.splice(start, sortedLastIndex(free, post.at + SLOT_REACH_MS) - start);
}

/** When a post goes out, in ms; undefined for one that takes no slot. @throws Failure for a scheduled one without a time or platform */
function dueAtOf({ id, status, isFinal, dueAt, platforms }: Post): number | undefined {
	if (isFinal) return undefined;
	if (status !== 'scheduled' || (dueAt !== undefined && platforms.length > 0)) return dueAt;
	throw refusal(
		'SLOTS_UNKNOWN',
		`Can't determine which slots are free: the service lists the scheduled post ${String(id)} without a ${platforms.length > 0 ? 'time' : 'platform'}`,
		"Set 'When' to 'At a Time'.",
	);
}
