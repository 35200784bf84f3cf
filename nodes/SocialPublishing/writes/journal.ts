import groupBy from 'lodash/groupBy';
import maxBy from 'lodash/maxBy';
import { deepCopy, type IDataObject, type IHttpRequestMethods } from 'n8n-workflow';

import { Failure, refusal, type ErrorDetails } from '../../api/failure';

/**
 * What is known of a write, least first; the result of sending it only adds to that. `new`: never sent, or certainly not
 * carried out. `inDoubt`: it may have been. `keptAsFailed`: 422, the service kept the post. See docs/idempotency.md.
 */
const states = ['new', 'inDoubt', 'keptAsFailed', 'succeeded'] as const;
export type State = (typeof states)[number];

/** A write of this execution, as n8n stores it. */
export interface Entry {
	/** Which input item it is for, by what that holds. */
	item: string;
	method: IHttpRequestMethods;
	path: string;
	/** What it is found by in a retry: what the user gave, and the accounts that this meant. */
	names: string[];
	/** The workspace that was named; '' for none. */
	workspaceId: string;
	key: string;
	/** The user's own, which the key was made of. */
	ownKey?: string;
	state: State;
	/** A file of a post: reported with that. */
	isAttached?: boolean;
	/** Its bytes follow the answer. */
	isUpload?: boolean;
	/** The answer may hold a secret: it isn't stored, and a retry asks for it again. */
	keepsNothing?: boolean;
	/** By hand: hashes of what it said when it went out, without its time, one for each of its names. */
	contents?: string[];
	/** By hand: a failed run sent it, and this one found it again. */
	isCarriedOver?: boolean;
	body?: IDataObject;
	response?: IDataObject;
	error?: ErrorDetails;
}

/** Whether an entry has the path, and not another key of the user's own, which would be another write. */
export const isOn = (entry: Entry, path: string, ownKey?: string): boolean =>
	entry.path === path && (!ownKey || !entry.ownKey || entry.ownKey === ownKey);

/**
 * What the node writes, noted in its context before it is sent: n8n stores that with the execution and hands it to every
 * retry, which then sends what is missing and reports the rest. See docs/idempotency.md.
 */
export class Journal {
	private readonly rounds: Record<string, Entry[]>;
	/** Of this round. */
	readonly entries: Entry[];
	readonly byItem: Record<string, Entry[]>;
	/** Of writes that were carried out, or may have been. */
	readonly keys: Set<string>;

	/** @param round of a loop; `tool` for all calls of a model */
	constructor(memory: IDataObject, round: string) {
		this.rounds = (memory.writes ??= {}) as unknown as Record<string, Entry[]>;
		this.entries = (this.rounds[round] ?? []).filter(({ state }) => state !== 'new');
		this.rounds[round] = this.entries;
		this.byItem = groupBy(this.entries, 'item');
		this.keys = new Set(this.entries.map(({ key }) => key));
	}

	/** The entry of what was, or may have been, carried out. @throws Failure where the workspace may be another one */
	lookup(asked: Omit<Entry, 'key' | 'state'>): Entry | undefined {
		const { item, method, path, names, workspaceId, ownKey } = asked;
		const known = (this.byItem[item] ?? []).filter(
			(entry) =>
				entry.state !== 'new' &&
				entry.method === method &&
				isOn(entry, path, ownKey) &&
				entry.names.some((name) => names.includes(name)),
		);
		const found = known.find((entry) => entry.workspaceId === workspaceId);
		const other = known.find((entry) => (entry.workspaceId === '') !== (workspaceId === ''));
		if (!found && other) throw workspaceUnclear(other.workspaceId, workspaceId);
		return found;
	}

	/** Notes a write: a new one before it is sent, or one that another execution sent. */
	add(entry: Entry): Entry {
		this.entries.push(entry);
		(this.byItem[entry.item] ??= []).push(entry);
		this.keys.add(entry.key);
		return entry;
	}

	/** Notes the result of sending; `before` is the state before that. */
	settle(entry: Entry, before: State, result: IDataObject | Failure): void {
		const came = stateAfter(result);
		entry.state = maxBy([before, came], (state) => states.indexOf(state))!;
		if (!(result instanceof Failure)) {
			if (!entry.keepsNothing) entry.response = deepCopy(result);
		} else if (came === 'keptAsFailed' && entry.state === came) entry.error = deepCopy(result.details);
		if (entry.state !== 'new') return;
		// A write that certainly wasn't carried out leaves nothing behind; the next try drops it from the list.
		delete entry.body;
		this.keys.delete(entry.key);
	}

	/** The entries of all rounds of a loop. */
	get ofAllRounds(): Entry[] {
		return Object.values(this.rounds).flat();
	}
}

function stateAfter(result: IDataObject | Failure): State {
	if (!(result instanceof Failure)) return 'succeeded';
	if (result.details.status === 422) return 'keptAsFailed';
	return result.notProcessed ? 'new' : 'inDoubt';
}

const workspaceUnclear = (before: string, now: string): Failure =>
	refusal(
		'WORKSPACE_UNCLEAR',
		`An earlier try of this execution used ${before ? `the workspace '${before}'` : "the API key's own workspace"}, this one ${now ? `'${now}'` : 'names none'}`,
		"These may be the same, so nothing was sent again. Set 'Workspace' back for the retry; to post to another workspace, run the workflow again.",
	);
