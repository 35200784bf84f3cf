import { compact, filter, map, reject, some, sumBy, uniq } from 'lodash';

import { isSent, rowOf, type Entry, type Journal } from './journal';

/**
 * A run by hand that failed, and the next press of *Execute step*: for n8n that is another execution, which is handed
 * nothing of the one before. So this process remembers for an hour what such a run sent; see docs/idempotency.md.
 */

const KEPT_MS = 3_600_000;
/** What all runs together may hold; the one that ended longest ago goes first. */
const MAX_BYTES = 32 * 2 ** 20;

/** What a row asks for on one platform. */
interface AskedPart extends Pick<Entry, 'item' | 'fixedTime'> {
	/** Left out: its files were not read. */
	content?: string;
	/** What it says besides its files. */
	said?: string;
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
	/** What no item of this run was given, by content, also with the item or the time. */
	private readonly open = new Map<string, Set<Entry>>();
	private readonly before: AskedPart[];
	private asked: AskedPart[];

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
			for (const name of openAs(entry)) this.open.set(name, this.openOf(name).add(entry));
		this.failedRounds = isSame ? last.failedRounds : new Set();
		this.asked = isSame ? reject(last.asked, { round }) : [];
		const items = new Set(entries.map(({ item }) => rowOf(item)));
		const earlier = (last?.before ?? []).filter(({ item }) => isSame || items.has(rowOf(item)));
		this.before = last && !isSame && last.failedRounds.size > 0 ? [...last.asked, ...earlier] : earlier;
	}

	/**
	 * Finds what failed runs began of the rows of a round: of an unchanged item its own; of a changed one only what both runs
	 * asked for once, or once at this time.
	 * @returns some of what an item may have begun, where that doesn't tell
	 */
	recognize(rows: ReadonlyArray<Omit<AskedPart, 'round'>>): Map<string, Entry[]> {
		const asked = rows.map((row) => ({ ...row, round: this.at.round }));
		const openNameOf = ({ item, content = '' }: AskedPart): string => ofItem(content, item);
		this.asked.push(...asked);
		for (const row of asked) this.assign(row.item, this.openOf(openNameOf(row)));
		const known = new Set(map(this.before, openNameOf));
		// A retry of this run may say again what another unfinished one said on one of its platforms.
		const isBegun = ({ item, content }: AskedPart): boolean =>
			this.journal.begunOf(item).some(({ contents = [] }) => !content || contents.includes(content));
		const changed = asked.filter((row) => {
			const isUnchanged = known.has(openNameOf(row)) || known.has(openNameOf({ ...row, content: '' }));
			return !isUnchanged && !isBegun(row);
		});
		const isLoop = some([...asked, ...this.before], ({ round }) => round > 0);
		const [then, now] = [tally(this.before), tally(asked)];
		const unclear = new Map<string, Entry[]>();
		for (const part of changed) {
			const { item, content = '', fixedTime } = part;
			const [first, second, third] = this.openOf(content);
			const isOnce = (time?: string) => then(part, time) === 1 && now(part, time) === 1;
			if (fixedTime !== undefined && isOnce(fixedTime)) this.assignFirst(item, atTime(content, fixedTime));
			else if (!isLoop && isOnce() && uniq(compact([fixedTime, first?.fixedTime])).length < 2)
				this.assignFirst(item, content);
			else if (first) unclear.set(item, compact([first, second, third]));
		}
		return unclear;
	}

	/** Of a file: finds what says the same, of the same item or of one that this run doesn't have. */
	assignFile(item: string, contents: readonly string[]): void {
		const open = contents.flatMap((content) => [...this.openOf(content)]);
		const isOf = (entry: Entry, other: string): boolean => rowOf(entry.item) === rowOf(other);
		const isGone = (entry: Entry): boolean => !this.at.items.some((one) => isOf(entry, one));
		const found = open.find((entry) => isOf(entry, item)) ?? open.find(isGone);
		if (found) this.assign(item, [found]);
	}

	/** Makes what an item of a failed run began the beginning of one of this run. */
	private assign(item: string, begun: Iterable<Entry>): void {
		for (const entry of [...begun])
			if (this.journal.lend(entry, item)) for (const name of openAs(entry)) this.openOf(name).delete(entry);
	}

	private assignFirst(item: string, name: string): void {
		const open = this.openOf(name);
		const [first] = open;
		this.assign(item, filter([...open], { item: first?.item }));
	}

	private openOf(name: string): Set<Entry> {
		return this.open.get(name) ?? new Set();
	}

	/** Makes a write of a failed run one of this run. */
	carryOver(entry: Entry, item: string): Entry {
		this.pending.delete(entry);
		return this.journal.keep(entry, item);
	}

	endRound(hasFailed: boolean): void {
		if (hasFailed) this.failedRounds.add(this.at.round);
		else this.failedRounds.delete(this.at.round);
		const begun = this.journal.ofAllRounds.filter((entry) => entry.contents && isSent(entry));
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
		let bytes = sumBy([...lastRuns.values()], 'bytes');
		for (const [owner, run] of lastRuns) {
			if (bytes <= MAX_BYTES) break;
			lastRuns.delete(owner);
			bytes -= run.bytes;
		}
	}

	/** Whether the next run begins anew. */
	get isDone(): boolean {
		return this.failedRounds.size === 0;
	}

	/** Whether what this run sent will be known when it is repeated. */
	get isKept(): boolean {
		return (lastRuns.get(this.owner)?.entries.length ?? 0) > 0;
	}
}

const ofItem = (content: string, item: string): string => `${content} of ${rowOf(item)}`;
const atTime = (content: string, time?: string): string => `${content} at ${time}`;

const openAs = ({ contents = [], item, fixedTime }: Entry): string[] =>
	contents.flatMap((content) => [content, ofItem(content, item), atTime(content, fixedTime)]);

/** Counts the items that may say the same, at a time if one is given. */
function tally(all: readonly AskedPart[]) {
	const items = new Map<string, Set<string>>();
	for (const { item, said = '', content = said, fixedTime } of all)
		for (const name of [content, atTime(content, fixedTime)])
			items.set(name, (items.get(name) ?? new Set()).add(rowOf(item)));
	return ({ said = '', content = said }: AskedPart, time?: string): number => {
		// Of files that were not read, only what is said besides them is known.
		const names = uniq([content, said]).map((one) => (time === undefined ? one : atTime(one, time)));
		return sumBy(names, (name) => items.get(name)?.size ?? 0);
	};
}
