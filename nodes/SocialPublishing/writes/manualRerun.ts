import { countBy, filter, intersection, map, reject, some, sumBy, uniq, uniqBy, without } from 'lodash';

import type { Entry, Journal } from './journal';

/**
 * A run by hand that failed, and the next press of *Execute step*: for n8n that is another execution, which is handed
 * nothing of the one before. So this process remembers for an hour what such a run sent; see docs/idempotency.md.
 */

const KEPT_MS = 3_600_000;
/** What all runs together may hold; the one that ended longest ago goes first. */
const MAX_BYTES = 32 * 2 ** 20;

/** What a row asks for on one platform. */
interface AskedPart {
	item: string;
	/** Left out: its files were not read. */
	content?: string;
	/** The time that the user gave it. */
	fixedTime?: string;
	/** Of a loop. */
	round: number;
}

/** The last run of a node. */
interface LastRun {
	executionId: string;
	endedAt: number;
	/** Rounds of a loop in which something failed: without one, what it sent is done with. */
	failedRounds: Set<number>;
	/** What failed runs before it sent and it didn't ask for, then what it sent itself if it failed. */
	entries: Entry[];
	/** What the failed runs before it asked for, sent or not; then what it asked for itself. */
	before: AskedPart[];
	asked: AskedPart[];
	bytes: number;
}

const lastRuns = new Map<string, LastRun>();

/** What one run of the node by hand knows of the failed ones before it. */
export class ManualRerun {
	/** What failed runs sent and this one has not asked for yet. */
	readonly pending: Set<Entry>;
	private readonly failedRounds: Set<number>;
	/** What was pending at the start, by each of its contents. */
	private readonly byContent: Record<string, Entry[]> = {};
	/** What is begun of an item of this run. */
	private readonly claims: Record<string, Entry[]> = {};
	private readonly claimed = new Set<Entry>();
	private readonly recognized = new Set<string>();
	private readonly before: AskedPart[];
	private asked: AskedPart[];

	/**
	 * @param owner names node, credential, key and address
	 * @param at the execution, the round of a loop and the input items
	 */
	constructor(
		private readonly owner: string,
		private readonly journal: Journal,
		private readonly at: { executionId: string; round: number; items: readonly string[] },
	) {
		const { executionId, round } = at;
		for (const [name, { endedAt }] of lastRuns) if (Date.now() - endedAt > KEPT_MS) lastRuns.delete(name);
		const last = lastRuns.get(owner);
		const isSame = last?.executionId === executionId;
		const own = new Set(map(journal.ofAllRounds, 'key'));
		const entries = (last?.entries ?? []).filter(({ key }) => !own.has(key));
		this.pending = new Set(entries);
		for (const entry of entries)
			for (const content of entry.contents ?? []) (this.byContent[content] ??= []).push(entry);
		this.failedRounds = isSame ? last.failedRounds : new Set();
		this.asked = isSame ? reject(last.asked, { round }) : [];
		const items = new Set(map(entries, 'item'));
		const earlier = (last?.before ?? []).filter(({ item }) => isSame || items.has(item));
		this.before = last && !isSame && last.failedRounds.size > 0 ? [...last.asked, ...earlier] : earlier;
	}

	/**
	 * Finds what failed runs began of the rows of a round: of an unchanged item its own; of a changed one only what both runs
	 * asked for once, or once at this time.
	 * @returns what an item may have begun, where that doesn't tell
	 */
	recognize(rows: ReadonlyArray<Omit<AskedPart, 'round'>>): Map<string, Entry[]> {
		const asked = rows.map((row) => ({ ...row, round: this.at.round }));
		this.asked.push(...asked);
		for (const row of asked) this.claim(row, row.item);
		const nameOf = ({ item, content = '' }: AskedPart): string => `${item} ${content}`;
		const known = new Set(map(this.before, nameOf));
		const changed = asked.filter((row) => {
			this.recognized.add(row.content ?? '');
			const isUnchanged = known.has(nameOf(row)) || known.has(nameOf({ ...row, content: '' }));
			return !isUnchanged && this.claims[row.item]!.length === 0;
		});
		const isLoop = some([...asked, ...this.before], ({ round }) => round > 0);
		const [then, now] = [tally(this.before), tally(asked)];
		const unclear = new Map<string, Entry[]>();
		for (const row of changed) {
			const open = this.openOf(row);
			const times = filter([row.fixedTime, open[0]?.fixedTime]);
			const isOnce = !isLoop && then(row) === 1 && now(row) === 1 && uniq(times).length < 2;
			const isOnceThen =
				row.fixedTime !== undefined && then(row, row.fixedTime) === 1 && now(row, row.fixedTime) === 1;
			const mine = isOnceThen
				? open.filter(({ fixedTime }) => fixedTime === row.fixedTime)
				: isOnce
					? open
					: undefined;
			if (mine) this.claim(row, mine[0]?.item);
			else if (open.length > 0) unclear.set(row.item, open);
		}
		return unclear;
	}

	/** Makes what an item of a failed run began the beginning of one of this run. */
	private claim(row: Pick<AskedPart, 'item' | 'content'>, from: string | undefined): void {
		const claims = (this.claims[row.item] ??= []);
		for (const entry of filter(this.openOf(row), { item: from })) {
			// Of equal writes of several rounds each row has one.
			if (intersection(claims.flatMap(ownNames), ownNames(entry)).length > 0) continue;
			this.claimed.add(entry);
			claims.push(entry);
		}
	}

	/** What is pending with a content. */
	private openOf({ content = '' }: Pick<AskedPart, 'content'>): Entry[] {
		return filter(this.byContent[content], (entry) => this.pending.has(entry) && !this.claimed.has(entry));
	}

	/** What is begun of an item, see {@link recognize}. */
	claimedBy(item: string): Entry[] {
		return filter(this.claims[item], (entry) => this.pending.has(entry));
	}

	/** The write of a failed run that says the same as this one: of a file, whichever row has it. */
	find({ item, contents = [] }: Entry): Entry | undefined {
		const saysSame = (entry: Entry): boolean => intersection(entry.contents, contents).length > 0;
		if (contents.some((content) => this.recognized.has(content))) return this.claimedBy(item).find(saysSame);
		const open = contents.flatMap((content) => this.openOf({ content }));
		// What another item of this run has sent is that item's.
		return (
			open.find((entry) => entry.item === item) ?? open.find((entry) => !this.at.items.includes(entry.item))
		);
	}

	/** Makes a write of a failed run one of this run. */
	carryOver(entry: Entry, item: string): Entry {
		this.pending.delete(entry);
		return this.journal.add({ ...entry, item, isCarriedOver: true });
	}

	/** A round has ended, see `Writer.endRound`. */
	endRound(hasFailed: boolean): void {
		if (hasFailed) this.failedRounds.add(this.at.round);
		else this.failedRounds.delete(this.at.round);
		const isSent = ({ state, contents }: Entry): boolean =>
			contents !== undefined && (state === 'succeeded' || state === 'inDoubt');
		const begun = this.journal.ofAllRounds.filter(isSent);
		const own = this.failedRounds.size > 0 ? begun : [];
		const entries = [...this.pending, ...own];
		const { failedRounds, before } = this;
		// A run that began nothing tells nothing of what others began.
		const asked = begun.length > 0 ? this.asked : [];
		const { executionId } = this.at;
		lastRuns.delete(this.owner);
		lastRuns.set(this.owner, {
			...{ executionId, failedRounds, entries, before, asked },
			endedAt: Date.now(),
			bytes: JSON.stringify([entries, before, asked]).length,
		});
		makeRoom();
	}

	/** Whether what this run sent will be known when it is repeated. */
	get isKept(): boolean {
		return lastRuns.has(this.owner);
	}
}

/** Where an entry went; a request of several platforms has '' besides. */
const ownNames = ({ names }: Entry): string[] => (names.length > 1 ? without(names, '') : names);

/** Counts the items that may say the same as a row, at a time if one is given. */
function tally(all: readonly AskedPart[]) {
	const counted = countBy(
		uniqBy(
			all.flatMap(({ item, content = '', fixedTime }) => [
				{ item, name: content },
				{ item, name: `${content} ${fixedTime}` },
			]),
			({ item, name }) => `${item} ${name}`,
		),
		'name',
	);
	// Of files that were not read the content isn't known.
	return ({ content = '' }: AskedPart, time?: string): number => {
		const at = time === undefined ? '' : ` ${time}`;
		return (counted[content + at] ?? 0) + (content ? (counted[at] ?? 0) : 0);
	};
}

function makeRoom(): void {
	let bytes = sumBy([...lastRuns.values()], 'bytes');
	for (const [owner, run] of lastRuns) {
		if (bytes <= MAX_BYTES) return;
		lastRuns.delete(owner);
		bytes -= run.bytes;
	}
}
