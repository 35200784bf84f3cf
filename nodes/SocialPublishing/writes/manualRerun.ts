import { sumBy } from 'lodash';
import { deepCopy, type IExecuteFunctions } from 'n8n-workflow';

import { credentialName } from '../../api/client';
import type { Entry } from './journal';
import { hashOf } from './key';

/**
 * *Execute step* after a failure is another execution, to which n8n hands nothing of the one before. So this process
 * remembers for an hour what a run by hand wrote, if one of its rows failed.
 */

const KEPT_MS = 3_600_000;
/** What all nodes together may hold; the one that ran longest ago goes first. */
const MAX_BYTES = 32 * 2 ** 20;

interface LastRun {
	executionId: string;
	endedAt: number;
	/** Rows that failed in it and didn't succeed since: without one, what it wrote is done with. */
	failedRows: ReadonlySet<string>;
	/** What earlier runs wrote and no row has taken over. */
	open: Entry[];
	own: Entry[];
	bytes: number;
}

const lastRuns = new Map<string, LastRun>();

/** What one run by hand knows of those before it. */
export class ManualRerun {
	/** Taken over in this run: reported, since nothing was sent for it. */
	readonly takenOver = new Set<Entry>();
	private open: Entry[];
	private readonly failedRows: Set<string>;

	/** @param owner names node, credential, key and address */
	constructor(
		private readonly owner: string,
		private readonly executionId: string,
	) {
		for (const [name, { endedAt }] of lastRuns) if (Date.now() - endedAt > KEPT_MS) lastRuns.delete(name);
		const last = lastRuns.get(owner);
		const isSame = last?.executionId === executionId;
		const begun = last && !isSame && last.failedRows.size > 0 ? [...last.open, ...last.own] : [];
		this.open = isSame ? [...last.open] : begun;
		this.failedRows = new Set(isSame ? last.failedRows : []);
	}

	/** Hands out what an earlier run wrote for an item that held the same and said the same, once. */
	takeOver(contentHash: string, itemHash: string): Entry | undefined {
		const found = this.open.find(
			(entry) =>
				entry.contentHash === contentHash && entry.itemHash === itemHash && entry.state !== 'keptAsFailed',
		);
		if (!found) return undefined;
		this.open = this.open.filter((entry) => entry !== found);
		const entry = deepCopy(found);
		this.takenOver.add(entry);
		return entry;
	}

	/** What earlier runs left in doubt, and no row has taken over. */
	get openInDoubt(): Entry[] {
		return this.open.filter(({ state, isAttached }) => state === 'inDoubt' && !isAttached);
	}

	/** Whether the next run begins anew. */
	get isDone(): boolean {
		return this.failedRows.size === 0;
	}

	/** A run, or a round of a loop, has sent its rows. */
	end(rows: ReadonlyArray<{ id: string; hasFailed: boolean }>, own: readonly Entry[]): void {
		for (const { id, hasFailed } of rows)
			if (hasFailed) this.failedRows.add(id);
			else this.failedRows.delete(id);
		const { executionId, failedRows, open } = this;
		const kept = { executionId, failedRows, open, own: deepCopy([...own]), endedAt: Date.now() };
		lastRuns.delete(this.owner);
		lastRuns.set(this.owner, { ...kept, bytes: JSON.stringify([open, own]).length });
		let bytes = sumBy([...lastRuns.values()], 'bytes');
		for (const [owner, run] of lastRuns) {
			if (bytes <= MAX_BYTES) break;
			lastRuns.delete(owner);
			bytes -= run.bytes;
		}
	}
}

/** What a run by hand is remembered by: node, credential, key and address. */
export async function ownerOf(n8n: IExecuteFunctions, apiUrl: string): Promise<string> {
	const { id, credentials } = n8n.getNode();
	const { apiKey } = await n8n.getCredentials(credentialName);
	const credential = [credentials?.[credentialName]?.id, hashOf(String(apiKey)), apiUrl];
	return JSON.stringify([n8n.getWorkflow().id, id, ...credential]);
}
