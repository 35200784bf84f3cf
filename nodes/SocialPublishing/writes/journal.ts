import { deepCopy, type IDataObject, type IHttpRequestMethods } from 'n8n-workflow';

import { refusal, type ErrorDetails, type Failure } from '../../api/failure';
import { transitions, type Result, type State } from './transitions';

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
	isAttached?: true;
	/** Its bytes follow the answer. */
	isUpload?: true;
	/** The answer may hold a secret: it isn't stored, and a retry asks for it again. */
	keepsNothing?: true;
	body?: IDataObject;
	response?: IDataObject;
	error?: ErrorDetails;
}

/** How a write is looked up. */
export interface Lookup extends Pick<Entry, 'item' | 'method' | 'path' | 'names' | 'workspaceId'> {
	/** The user's own key: another one of theirs is another write. */
	ownKey?: string;
}

/**
 * What the node writes, noted in its context before it is sent: n8n stores that with the execution and hands it to every
 * retry, which then sends what is missing and reports the rest. See docs/idempotency.md.
 */
export class Journal {
	private readonly rounds: Record<string, Entry[]>;
	/** Of this round. */
	readonly entries: Entry[];
	private readonly byItem = new Map<string, Entry[]>();
	private readonly keys = new Set<string>();

	/**
	 * @param memory the node's context
	 * @param round of a loop; `tool` for all calls of a model
	 */
	constructor(memory: IDataObject, round: string) {
		this.rounds = (memory.writes ??= {}) as unknown as Record<string, Entry[]>;
		this.entries = (this.rounds[round] ?? []).filter(({ state }) => state !== 'new');
		this.rounds[round] = this.entries;
		for (const entry of this.entries) this.index(entry);
	}

	/**
	 * The entry of a write that was carried out, or may have been.
	 * @throws Failure where nobody can know whether that was in the same workspace
	 */
	lookup({ item, method, path, names, workspaceId, ownKey }: Lookup): Entry | undefined {
		const known = this.ofItem(item).filter(
			(entry) =>
				entry.state !== 'new' &&
				entry.method === method &&
				entry.path === path &&
				entry.names.some((name) => names.includes(name)) &&
				(!ownKey || !entry.ownKey || entry.ownKey === ownKey),
		);
		const found = known.find((entry) => entry.workspaceId === workspaceId);
		const [other] = known.filter((entry) => (entry.workspaceId === '') !== (workspaceId === ''));
		if (!found && other) throw workspaceUnclear(other.workspaceId, workspaceId);
		return found;
	}

	/** The writes of an input item. */
	ofItem(item: string): Entry[] {
		return this.byItem.get(item) ?? [];
	}

	/** Whether a key belongs to a write that was carried out, or may have been. */
	isTaken(key: string): boolean {
		return this.keys.has(key);
	}

	/** Notes a write: a new one before it is sent, or one that another execution sent. */
	add(entry: Entry): Entry {
		this.entries.push(entry);
		this.index(entry);
		return entry;
	}

	/** Notes the result of sending; `before` is the state before that. */
	settle(entry: Entry, before: State, result: IDataObject | Failure): void {
		const { next } = transitions[before];
		if (!('details' in result)) {
			entry.state = next.succeeded;
			if (!entry.keepsNothing) entry.response = deepCopy(result);
			return;
		}
		const { details, notProcessed } = result as Failure;
		const came: Result = details.status === 422 ? 'keptAsFailed' : notProcessed ? 'rejected' : 'inDoubt';
		entry.state = next[came];
		if (entry.state === 'keptAsFailed' && came === entry.state) entry.error = deepCopy(details);
		// A write that certainly wasn't carried out leaves nothing behind; the next try drops it from the list.
		if (entry.state === 'new') {
			delete entry.body;
			this.keys.delete(entry.key);
		}
	}

	/** The entries of all rounds of a loop. */
	get ofAllRounds(): Entry[] {
		return Object.values(this.rounds).flat();
	}

	private index(entry: Entry): void {
		this.keys.add(entry.key);
		pushTo(this.byItem, entry.item, entry);
	}
}

/** Adds to the list under a name. */
export function pushTo<T>(lists: Map<string, T[]>, name: string, one: T): void {
	const list = lists.get(name);
	if (list) list.push(one);
	else lists.set(name, [one]);
}

const workspaceUnclear = (before: string, now: string): Failure =>
	refusal(
		'WORKSPACE_UNCLEAR',
		`An earlier try of this execution used ${before ? `the workspace '${before}'` : "the API key's own workspace"}, this one ${now ? `'${now}'` : 'names none'}`,
		"These may be the same, so nothing was sent again. Set 'Workspace' back for the retry; to post to another workspace, run the workflow again.",
	);
