import { deepCopy, type IDataObject, type IHttpRequestMethods } from 'n8n-workflow';

import { Failure, refusal, type ErrorDetails } from '../../api/failure';
import { transitions, type Result, type State } from './transitions';

/** A request as it went out, or may have. */
export interface SentRequest {
	method: IHttpRequestMethods;
	path: string;
	/** Left out of multipart requests. */
	body?: IDataObject;
}

/** A write of this execution, as n8n stores it. */
export interface Entry {
	/** What it is found by in a retry, see `writeIds`. */
	ids: string[];
	/** The workspace that was named; '' for none. */
	workspaceId: string;
	key: string;
	/** The user's own, which the key was made of. */
	ownKey?: string;
	state: Exclude<State, 'new'>;
	/** Neither request nor response is kept where it may hold a secret. */
	request?: SentRequest;
	response?: IDataObject;
	error?: ErrorDetails;
}

/** How a write is looked up. */
export interface Lookup {
	ids: string[];
	workspaceId: string;
	/** The user's own key: another one of theirs is another write. */
	ownKey?: string;
}

/**
 * What the node writes, noted in its context before it is sent: n8n stores that with the execution and hands it to every
 * retry, which then sends what is missing and reports the rest. See docs/idempotency.md.
 */
export class Journal {
	private readonly rounds: Record<string, Entry[]>;
	private readonly entries: Entry[];
	private readonly byId = new Map<string, Entry[]>();
	private readonly byKey = new Map<string, Entry>();

	/**
	 * @param memory the node's context
	 * @param round of a loop; `tool` for all calls of a model
	 */
	constructor(memory: IDataObject, round: string) {
		this.rounds = (memory.writes ??= {}) as unknown as Record<string, Entry[]>;
		this.entries = (this.rounds[round] ?? []).filter(({ state }) => state !== 'rejected');
		this.rounds[round] = this.entries;
		for (const entry of this.entries) this.index(entry);
	}

	/**
	 * The entry of a write that was carried out, or may have been.
	 * @throws Failure where nobody can tell whether that was in the same workspace
	 */
	lookup({ ids, workspaceId, ownKey }: Lookup): Entry | undefined {
		const known = ids
			.flatMap((id) => this.byId.get(id) ?? [])
			.filter((entry) => !ownKey || !entry.ownKey || entry.ownKey === ownKey);
		const found = known.find((entry) => entry.workspaceId === workspaceId);
		const [other] = known.filter((entry) => (entry.workspaceId === '') !== (workspaceId === ''));
		if (!found && other) throw workspaceUnclear(other.workspaceId, workspaceId);
		return found;
	}

	/** Whether a key belongs to a write that was carried out, or may have been. */
	isTaken(key: string): boolean {
		return this.byKey.has(key);
	}

	/** Notes a write before it is sent. */
	begin(write: Omit<Entry, 'state'>): Entry {
		return this.add({ ...write, state: 'inDoubt' });
	}

	/** Takes in an entry of another execution as this one's own. */
	carryOver(entry: Entry, ids: string[]): Entry {
		return this.add({ ...entry, ids });
	}

	/** Notes what came of sending; `before` is the state before that. */
	settle(entry: Entry, before: State, result: IDataObject | Failure): void {
		const { next } = transitions[before];
		if (!(result instanceof Failure)) {
			entry.state = next.succeeded;
			if (entry.request) entry.response = deepCopy(result);
			return;
		}
		const { details, notProcessed } = result;
		const came: Result = details.status === 422 ? 'keptAsFailed' : notProcessed ? 'rejected' : 'inDoubt';
		entry.state = next[came];
		if (entry.state === 'keptAsFailed' && came === entry.state) entry.error = deepCopy(details);
		if (entry.state === 'rejected') this.forget(entry);
	}

	/** The entries of all rounds of a loop. */
	get ofAllRounds(): Entry[] {
		return Object.values(this.rounds).flat();
	}

	/** The posts that this round made. */
	get posts(): IDataObject[] {
		return postsIn(this.entries);
	}

	private add(entry: Entry): Entry {
		this.entries.push(entry);
		this.index(entry);
		return entry;
	}

	private index(entry: Entry): void {
		this.byKey.set(entry.key, entry);
		for (const id of entry.ids) {
			const known = this.byId.get(id);
			if (known) known.push(entry);
			else this.byId.set(id, [entry]);
		}
	}

	/** A write that certainly wasn't carried out leaves nothing behind; the next try drops it from the list. */
	private forget(entry: Entry): void {
		delete entry.request;
		if (this.byKey.get(entry.key) === entry) this.byKey.delete(entry.key);
		for (const id of entry.ids) {
			// A tool's PATCH, DELETE or cancel is not in the journal.
			const others = this.byId.get(id)?.filter((one) => one !== entry);
			if (others) this.byId.set(id, others);
		}
	}
}

/** The posts that writes made; with other states than `succeeded`, those that they may have made. */
export const postsIn = (entries: Entry[], states: State[] = ['succeeded']): IDataObject[] =>
	entries
		.filter(({ state, request }) => states.includes(state) && request?.path === '/posts')
		.map(({ request, response }) => ({ ...request!.body, ...response }));

const workspaceUnclear = (before: string, now: string): Failure =>
	refusal(
		'WORKSPACE_UNCLEAR',
		`An earlier try of this execution used ${before ? `the workspace '${before}'` : "the API key's own workspace"}, this one ${now ? `'${now}'` : 'names none'}`,
		"These may be the same, so nothing was sent again. Set 'Workspace' back for the retry; to post to another workspace, run the workflow again.",
	);
