import {
	compact,
	groupBy,
	intersection,
	map,
	mapValues,
	omit,
	once,
	pull,
	remove,
	sortBy,
	uniq,
} from 'lodash';
import { deepCopy, type IDataObject } from 'n8n-workflow';

import { Failure, keepsPost, refusal, serviceSays, type ErrorDetails } from '../../api/failure';
import { readPost } from '../../api/records';

/**
 * What is known of a write, least first; the result of sending it only adds to that. `new`: never sent, or certainly not
 * carried out. `inDoubt`: it may have been. `keptAsFailed`: 422, the service kept the post. See docs/idempotency.md.
 */
const states = ['new', 'inDoubt', 'keptAsFailed', 'succeeded'] as const;
export type State = (typeof states)[number];

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** A write of this execution, as n8n stores it. */
export interface Entry {
	/** Which input item it is for, by what that holds. */
	item: string;
	method: Method;
	path: string;
	/** What the user gave, and the accounts that this meant: a retry finds it by each of these. */
	names: string[];
	/** The workspace that was named; '' for none. */
	workspaceId: string;
	key: string;
	/** The user's own, which the key was made of. */
	ownKey?: string;
	state: State;
	/** A file, whose bytes follow the answer: of a post, and reported with that, or by itself. */
	upload?: 'ofPost' | 'byItself';
	/** Hashes of what it said when it went out, one for each platform. */
	contents?: string[];
	/** The time that the user gave it. */
	fixedTime?: string;
	/** By hand: a failed run sent it, and this one found it again. */
	isCarriedOver?: boolean;
	/** In doubt, and the service has refused since what it said: under its key, the next try may say something else. */
	wasRefused?: boolean;
	/** What it said before that was corrected. */
	saidBefore?: Pick<Entry, 'fixedTime' | 'contents' | 'body'>;
	body?: IDataObject;
	response?: IDataObject;
	error?: ErrorDetails;
}

export interface Sent extends Entry {
	/** Request and response, as they are kept. */
	record: IDataObject;
	/** In this run, not by an earlier try. */
	now: boolean;
	/** By a failed run by hand before this execution, and not asked for yet. */
	isRerun: boolean;
	/** Hands the write back to `Writer.resume`. */
	entry: Entry;
}

/** What a write is found by, besides its names. */
type Wanted = Pick<Entry, 'item' | 'method' | 'path' | 'workspaceId' | 'ownKey'>;

export const isSent = ({ state }: Entry): boolean => state === 'succeeded' || state === 'inDoubt';

/** Stands in what identifies a row that came back, before the round that it was in first. */
const CAME_BACK = '^';

export const isBack = (item: string): boolean => item.includes(CAME_BACK);

/** What identified a row before it came back. */
export const rowOf = (item: string): string => item.split(CAME_BACK)[0]!;

/** What an item holds, without its number among equal ones. */
const heldBy = (item: string): string => item.split('#')[0]!;

/** What the node writes, noted in its context before it is sent: n8n hands that to every retry. */
export class Journal {
	private readonly rounds: Record<string, Entry[]>;
	readonly entries: Entry[];
	/** Of writes of all rounds that were carried out, or may have been. */
	readonly keys: Set<string>;
	private readonly byItem: Record<string, Entry[]>;
	/** Rows that came back in this run. */
	private readonly back = new Set<string>();
	/** What earlier rounds began of an item and didn't finish, by what it holds. */
	private readonly unfinished: Record<string, Entry[][]>;

	/** The writes of all rounds by row, and by the keys that they are known by: an upload also by that of what replaced it. */
	private readonly known = once(() => {
		const all = Object.entries(this.rounds).flatMap(([round, entries]) =>
			entries.map((entry) => {
				const { item } = entry;
				return { entry, row: isBack(item) ? item : `${item}${CAME_BACK}${round}` };
			}),
		);
		const keyed = all.flatMap((one) =>
			uniq(compact([one.entry.key, one.entry.response?.idempotency_key])).map((key) => ({ ...one, key })),
		);
		const byKey = mapValues(groupBy(keyed, 'key'), (withKey) => {
			const isOneRow = uniq(map(withKey, 'row')).length === 1;
			return { withKey, isOneRow, byContent: groupBy(withKey, ({ row }) => heldBy(row)) };
		});
		return { byKey, byRow: groupBy(all, 'row') };
	});

	/** @param round of a loop; `tool` for all calls of a model */
	constructor(
		memory: IDataObject,
		private readonly round: string,
	) {
		this.rounds = (memory.writes ??= {}) as unknown as Record<string, Entry[]>;
		// A row that came back is known by the key of what failed, whatever became of that since.
		const isKept = ({ state, item }: Entry): boolean => state !== 'new' || isBack(item);
		this.entries = (this.rounds[round] ?? []).filter(isKept);
		this.rounds[round] = this.entries;
		this.byItem = groupBy(this.entries, 'item');
		const begun = this.ofAllRounds.filter(({ state }) => state !== 'new');
		this.keys = new Set(map(begun, 'key'));
		const isInDoubt = ({ state }: Entry): boolean => state === 'inDoubt';
		const inDoubt = Object.values<Entry[]>(omit(this.rounds, round)).flatMap((entries) =>
			Object.values(groupBy(entries.filter(isInDoubt), 'item')),
		);
		this.unfinished = groupBy(inDoubt, ([entry]) => heldBy(entry!.item));
	}

	/** What is begun of an item in this round. */
	begunOf(item: string): Entry[] {
		return (this.byItem[item] ??= []);
	}

	/** Makes what an equal item of an earlier round left in doubt this item's, if it said the same: rows may hold the same. */
	adopt(item: string, contents: ReadonlyArray<string | undefined>): void {
		const says = ({ contents: said }: Entry): boolean => intersection(said, contents).length > 0;
		if (isBack(item) || this.begunOf(item).some(says)) return;
		const unfinished = this.unfinished[heldBy(item)] ?? [];
		const same = unfinished.find((entries) => entries.some(says)) ?? [];
		pull(unfinished, same);
		for (const entries of Object.values(this.rounds)) pull(entries, ...same);
		for (const entry of same) this.add({ ...entry, item });
	}

	/**
	 * An item that failed in an earlier round comes back, with what n8n put into it: what its row began counts as begun.
	 * @param key of what failed
	 * @param held what the item holds besides the error, as a hash
	 * @returns what identifies the row, whichever of its failures comes back, and when
	 */
	comesBack(key: string, held: string): string | undefined {
		const { byKey, byRow } = this.known();
		// In the other modes rows may share a key; what equal ones began is continued first, and each comes back once.
		const found = Object.hasOwn(byKey, key) ? byKey[key] : undefined;
		const mayBeIt = (found?.isOneRow ? found.withKey : found?.byContent[held]) ?? [];
		// A new row of this round, which may have taken the key of one that was refused, is the last that it may be.
		const isOfRound = (entry: Entry): boolean => this.entries.includes(entry);
		const rank = (entry: Entry): number =>
			isOfRound(entry) && !isBack(entry.item) ? 3 : isSent(entry) ? (isOfRound(entry) ? 0 : 1) : 2;
		const rows = map(
			sortBy(mayBeIt, (one) => rank(one.entry)),
			'row',
		);
		const row = rows.find((one) => !this.back.has(one)) ?? rows[0];
		if (row === undefined) return undefined;
		this.back.add(row);
		const begun = map(byRow[row], 'entry').filter(isSent);
		const elsewhere = begun.filter((entry) => !isOfRound(entry));
		remove(this.unfinished[heldBy(row)] ?? [], ([first]) => elsewhere.includes(first!));
		for (const entries of Object.values(this.rounds)) pull(entries, ...elsewhere);
		for (const entry of elsewhere) this.add(Object.assign(entry, { item: row }));
		return row;
	}

	/**
	 * What is begun of an item with this path, in the same workspace; of a tool's calls what says the same.
	 * @throws Failure where the workspace may be another one
	 */
	adoptBegun({ item, method, path, workspaceId, ownKey }: Wanted, contents: readonly string[]): Entry[] {
		this.adopt(item, contents);
		const saysSame = (entry: Entry) =>
			this.round !== 'tool' || intersection(entry.contents, contents).length > 0;
		// Another key of the user's own is another write until one has succeeded.
		const isSame = ({ state, ownKey: other = ownKey }: Entry) =>
			state === 'succeeded' || !ownKey || other === ownKey;
		const isMeant = (entry: Entry) => entry.state !== 'new' && entry.method === method && entry.path === path;
		const known = this.begunOf(item).filter((entry) => isMeant(entry) && isSame(entry) && saysSame(entry));
		const same = known.filter((entry) => entry.workspaceId === workspaceId);
		const other = known.find((entry) => (entry.workspaceId === '') !== (workspaceId === ''));
		if (same.length > 0 || !other) return same;
		const { workspaceId: before } = other;
		throw refusal(
			'WORKSPACE_UNCLEAR',
			`An earlier try of this execution used ${before ? `the workspace '${before}'` : "the API key's own workspace"}, this one ${workspaceId ? `'${workspaceId}'` : 'names none'}`,
			"These may be the same, so nothing was sent again. Set 'Workspace' back for the retry; to post to another workspace, run the workflow again.",
		);
	}

	/** Notes a write: a new one before it is sent, or one that another execution sent. */
	add(entry: Entry): Entry {
		this.entries.push(entry);
		(this.byItem[entry.item] ??= []).push(entry);
		this.keys.add(entry.key);
		return entry;
	}

	/** By hand: what a failed run sent counts as begun of an item, unless the item has a write like that. */
	lend(entry: Entry, item: string): boolean {
		const begun = this.begunOf(item);
		const isNew = intersection(map(begun, 'names').flat(), entry.names).length === 0;
		if (isNew) begun.push(entry);
		return isNew;
	}

	/** Notes a lent write as one of this execution, since its item asked for it. */
	keep(entry: Entry, item: string): Entry {
		pull(this.byItem[item]!, entry);
		return this.add({ ...entry, item, isCarriedOver: true });
	}

	/** Notes the result of sending, without an answer that isn't kept; `before` is the state before that. */
	settle(entry: Entry, before: State, result?: IDataObject | Failure): void {
		const came = stateAfter(result);
		entry.state = states.findLast((state) => state === before || state === came)!;
		if (!(result instanceof Failure)) {
			if (result) entry.response = deepCopy(result);
			// The URL of an upload had expired: what replaced it is the same file.
			const { idempotency_key: key = entry.key } = result ?? {};
			const renewal = key === entry.key ? undefined : this.entries.find((one) => one.key === key);
			if (renewal) for (const all of [this.entries, this.byItem[entry.item]!]) pull(all, renewal);
		} else if (before !== 'succeeded' && keepsPost(result.details)) entry.error = deepCopy(result.details);
		else if (entry.state === 'inDoubt' && isRefused(result)) entry.wasRefused = true;
		if (entry.state !== 'new') return;
		// A write that certainly wasn't carried out leaves nothing behind; the next try drops it from the list.
		delete entry.body;
		this.keys.delete(entry.key);
	}

	get ofAllRounds(): Entry[] {
		return Object.values(this.rounds).flat();
	}
}

/** What a request says is wrong, as the service says itself. */
export const isRefused = (failure: Failure): boolean =>
	serviceSays(failure, 400, 422) && !keepsPost(failure.details);

function stateAfter(result?: IDataObject | Failure): State {
	if (!(result instanceof Failure)) return 'succeeded';
	// What is out on one of its platforms isn't sent anew.
	if (keepsPost(result.details))
		return readPost(result.details.post ?? {}).isOut ? 'succeeded' : 'keptAsFailed';
	return result.processed === 'no' ? 'new' : 'inDoubt';
}
