import { isMatch } from 'lodash';
import { deepCopy, type IExecuteFunctions, type INodeExecutionData } from 'n8n-workflow';

import { credentialName } from '../../api/client';
import type { Entry } from './journal';
import { hashOf } from './key';
import { itemHashOf } from './rows';

/**
 * *Execute step* after a failure is another execution, to which n8n hands nothing of the one before. So this process
 * remembers for an hour what a run by hand wrote, if one of its rows failed.
 */

const KEPT_MS = 3_600_000;
/** Of so many nodes; the one that ran longest ago goes first. */
const MAX_NODES = 20;

interface LastRun {
	readonly executionId: string;
	/** Rows that failed in it, and in no later round of it succeeded: without one, what it wrote is done with. */
	readonly failedRows: Set<string>;
	/** What earlier runs wrote and no row has taken over. */
	readonly open: Set<Entry>;
	own: readonly Entry[];
	endedAt: number;
}

const lastRuns = new Map<string, LastRun>();

/** What the execution after `last` begins with. */
const nextRun = (executionId: string, last?: LastRun): LastRun => ({
	...{ executionId, failedRows: new Set<string>(), own: [], endedAt: 0 },
	open: new Set(last?.failedRows.size ? [...last.open, ...last.own] : []),
});

/** What one run by hand knows of those before it. */
export class ManualRerun {
	/** What each input item holds. */
	readonly itemHashes: readonly string[];
	private readonly run: LastRun;

	/** @param owner names node, key and address */
	constructor(
		private readonly owner: string,
		executionId: string,
		items: readonly INodeExecutionData[],
	) {
		this.itemHashes = items.map(itemHashOf);
		for (const [name, { endedAt }] of lastRuns) if (Date.now() - endedAt > KEPT_MS) lastRuns.delete(name);
		const last = lastRuns.get(owner);
		// Of a run that doesn't end, because nothing is sent, nothing is taken over.
		this.run =
			last?.executionId === executionId ? { ...last, open: new Set(last.open) } : nextRun(executionId, last);
	}

	/** Hands out what an earlier run wrote for an item that held the same and said the same, once. */
	takeOver(index: number, contentHash: string): Entry | undefined {
		const itemHash = this.itemHashes[index];
		const found = [...this.run.open].find(
			({ state, ...entry }) => isMatch(entry, { contentHash, itemHash }) && state !== 'keptAsFailed',
		);
		if (!found) return undefined;
		this.run.open.delete(found);
		return deepCopy(found);
	}

	/** What earlier runs left in doubt, and no row has taken over. */
	get openInDoubt(): Entry[] {
		return [...this.run.open].filter(({ state, isAttached }) => state === 'inDoubt' && !isAttached);
	}

	/** Whether the next run begins anew. */
	get isDone(): boolean {
		return this.run.failedRows.size === 0;
	}

	/** A run, or a round of a loop, has sent its rows. */
	end(rows: ReadonlyArray<{ id: string; hasFailed: boolean }>, own: readonly Entry[]): void {
		const { run, owner } = this;
		for (const { id, hasFailed } of rows) {
			if (hasFailed) run.failedRows.add(id);
			else run.failedRows.delete(id);
		}
		run.own = deepCopy([...own]);
		run.endedAt = Date.now();
		// The last one comes last.
		lastRuns.delete(owner);
		lastRuns.set(owner, run);
		const [oldest] = lastRuns.keys();
		if (lastRuns.size > MAX_NODES) lastRuns.delete(oldest!);
	}
}

/** What a run by hand is remembered by: node, key and address. */
export async function ownerOf(n8n: IExecuteFunctions, apiUrl: string): Promise<string> {
	const { apiKey } = await n8n.getCredentials(credentialName);
	return JSON.stringify([n8n.getWorkflow().id, n8n.getNode().id, hashOf(String(apiKey)), apiUrl]);
}
