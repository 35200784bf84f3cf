import type { IDataObject } from 'n8n-workflow';

import type { Failure, ErrorDetails } from '../../api/errors';
import { customKey, keyOf, type KeyMode } from './key';

/**
 * What a run writes, remembered in the node's context: n8n hands that to every retry of the execution. See
 * docs/idempotency.md. Key and request are frozen before the first sending, so that a retry sends the same again even
 * where an expression has moved on (`$now`), and what was answered is given back without sending.
 */

/** A write as the operation wants it now. */
export interface Planned {
	method: string;
	path: string;
	workspaceId?: string;
	body?: IDataObject;
}

type State =
	/** Sent, or about to be: the service may have it. */
	| 'sent'
	/** The service certainly did not take it: a changed request may follow under a key of its own. */
	| 'refused'
	/** Answered. */
	| 'done'
	/** The service kept the post although publishing it failed (422): final, too. */
	| 'kept';

/** An entry of the context; one-letter names because n8n stores it with the execution. */
interface Entry {
	/** Key. */
	k: string;
	s: State;
	/** Hash of the request. */
	h: string;
	/** Hash of the input item. */
	i: string;
	/** How often the request was changed after a refusal. */
	n?: number;
	/** Request, answer or failure as JSON, where it is small enough and holds no secret. */
	r?: string;
	a?: string;
	f?: string;
}

/** What is kept of one request or answer, in characters. */
const LARGEST = 32_768;
/** What is kept of all requests and answers of a node, in characters: n8n stores it with the execution. */
const LARGEST_TOGETHER = 8_000_000;
/** Answers and bodies of these may hold a secret (a webhook's) or a signed address. */
const secretive = /^\/(webhooks|media)\b/;

/** Where a write stands among the writes of a run. */
export interface Slot {
	/** Parts of a key in mode `execution` that tell this write from all others. */
	parts: Array<string | number>;
	/** Hash of the input item. */
	item: string;
	/** The start of the names of all entries that may be this item's if the items came in another order. */
	run: string;
	index: string;
	/** `run` + `index` + `suffix` name the entry. */
	suffix: string;
	/** Tells apart the writes of one item (its platform). */
	part: string;
	/** Of what is asked for: another one is another wish. */
	hash: string;
}

export interface KeyChoice {
	mode: KeyMode;
	custom: string;
	/** What the key is made of in mode `execution` instead of the slot. */
	parts?: string[];
	operation: string;
	/** What the key is made of in mode `content`, as canonical JSON. */
	content: string;
	/** Throws where a write that was never sent must not be sent now. */
	check?: () => void;
}

/** What to do: send this with this key, or give this answer, or this failure. */
export type Opened =
	{ key: string; request: Planned; entry: string } | { answer: IDataObject } | { failure: ErrorDetails };

interface Memory {
	w?: Record<string, Entry>;
	size?: number;
}

export class IdempotencyRecord {
	private readonly claimed = new Set<string>();
	/** Entries that an earlier try may have sent: a refusal now does not say that it was refused then. */
	private readonly before: ReadonlySet<string>;

	/** @param memory the node's context */
	constructor(private readonly memory: IDataObject) {
		const entries = Object.entries(this.all);
		this.before = new Set(entries.filter(([, { s }]) => s === 'sent').map(([name]) => name));
	}

	private get all(): Record<string, Entry> {
		return ((this.memory as Memory).w ??= {});
	}

	/** Freezes a write before it is sent, or finds what became of it before. */
	open(slot: Slot, planned: Planned, choice: KeyChoice): Opened {
		const { hash } = slot;
		const name = this.find(slot);
		this.claimed.add(name);
		const known = this.all[name];
		const key = (attempt: number): string => keyFor(slot, planned, choice, attempt, name);

		if (!known || (choice.mode === 'custom' && known.k !== key(0))) {
			choice.check?.();
			return this.freeze(name, { k: key(0), s: 'sent', h: hash, i: slot.item }, planned);
		}
		if (known.s === 'done' && known.a !== undefined) return { answer: JSON.parse(known.a) as IDataObject };
		if (known.s === 'kept' && known.f !== undefined) return { failure: JSON.parse(known.f) as ErrorDetails };
		if (known.s === 'refused' && known.h !== hash) {
			choice.check?.();
			const n = (known.n ?? 0) + 1;
			this.forget(known);
			return this.freeze(name, { k: key(n), s: 'sent', h: hash, i: slot.item, n }, planned);
		}
		if (known.s === 'refused') known.s = 'sent';
		const request = known.r === undefined ? planned : (JSON.parse(known.r) as Planned);
		return { key: known.k, request, entry: name };
	}

	/** The write was answered. */
	done(name: string, answer: IDataObject, path: string): void {
		const entry = this.all[name]!;
		entry.s = 'done';
		const text = secretive.test(path) ? undefined : this.room(JSON.stringify(answer));
		// Without the answer the request stays: sent again with its key, the service answers the same.
		if (text === undefined) return;
		this.forget(entry);
		this.keep(entry, 'a', text);
	}

	/** The write failed. */
	failed(name: string, failure: Failure): void {
		const entry = this.all[name]!;
		const { details } = failure;
		if (details.status === 422) {
			entry.s = 'kept';
			const text = this.room(JSON.stringify(details));
			if (text === undefined) return;
			this.forget(entry);
			this.keep(entry, 'f', text);
		} else if (failure.certain && !this.before.has(name)) entry.s = 'refused';
	}

	/**
	 * The entry of a slot. Items may come in another order than in the try before: an entry that another item left in
	 * this place is not this item's, and this item's may stand elsewhere in the same run.
	 */
	private find(slot: Slot): string {
		const { run, index, suffix, item } = slot;
		const here = `${run}${index}${suffix}`;
		const known = this.all[here];
		if (known ? known.i === item : !this.moved) return here;
		this.moved = true;
		const elsewhere = Object.entries(this.all).find(
			([name, entry]) =>
				entry.i === item && name.startsWith(run) && name.endsWith(suffix) && !this.claimed.has(name),
		);
		if (elsewhere) return elsewhere[0];
		return known ? `${run}${index}~${item.slice(0, 10)}${suffix}` : here;
	}

	/** Whether an item was seen in another place than before: only then is the rest searched. */
	private moved = false;

	private freeze(name: string, entry: Entry, planned: Planned): Opened {
		this.all[name] = entry;
		const text = secretive.test(planned.path) ? undefined : this.room(JSON.stringify(planned));
		if (text !== undefined) this.keep(entry, 'r', text);
		return { key: entry.k, request: planned, entry: name };
	}

	/** The text, if there is still room for it. */
	private room(text: string): string | undefined {
		const { size = 0 } = this.memory as Memory;
		return text.length <= LARGEST && size + text.length <= LARGEST_TOGETHER ? text : undefined;
	}

	private keep(entry: Entry, field: 'r' | 'a' | 'f', text: string): void {
		entry[field] = text;
		const memory = this.memory as Memory;
		memory.size = (memory.size ?? 0) + text.length;
	}

	private forget(entry: Entry): void {
		const memory = this.memory as Memory;
		for (const field of ['r', 'a', 'f'] as const) {
			memory.size = (memory.size ?? 0) - (entry[field]?.length ?? 0);
			delete entry[field];
		}
	}
}

/** The key of a write in the mode that the user chose. */
function keyFor(slot: Slot, planned: Planned, choice: KeyChoice, attempt: number, name: string): string {
	const { workspaceId = '', method, path } = planned;
	const { operation, content } = choice;
	const { part, suffix } = slot;
	if (choice.mode === 'custom') return customKey(choice.custom, part);
	const again = attempt > 0 ? [`changed:${attempt}`] : [];
	if (choice.mode === 'content') return keyOf('content', workspaceId, operation, path, part, content);
	if (choice.parts) return keyOf('parts', workspaceId, method, path, ...choice.parts, ...again);
	// An item that came to a place which another one's entry has taken.
	const moved = name.includes('~') ? [name] : [];
	return keyOf('execution', ...slot.parts, operation, suffix, ...moved, ...again);
}
