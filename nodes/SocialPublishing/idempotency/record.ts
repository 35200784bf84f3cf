import { deepCopy, type IDataObject } from 'n8n-workflow';

import type { ErrorDetails, Failure } from '../../api/errors';
import { customKey, keyOf, type KeyMode } from './key';
import { transitions, type Result, type State } from './transitions';
import type { FrozenRequest, WriteRecord } from './writeRecord';

/**
 * What the node writes, remembered in its context: n8n stores that with the execution and hands it to every retry. Key
 * and request are frozen before the first sending, so that a retry sends the same again even where an expression has
 * moved on (`$now`), and what was answered is given back without sending. See docs/idempotency.md.
 */

/** Which write is asked for, wherever it goes and whatever it says. */
export interface Wish {
	/** Round of a loop; `tool` for all calls of a model. */
	run: string;
	/** Fingerprint of the input item, and which one of equal items; for a tool of the content. */
	item: string;
	/** Tells the writes of an item apart in keys (its platform). */
	part: string;
	/** What of the item the request is for: several targets may share one (platforms). */
	targets: string[];
	/** Parts of a key in mode `execution`: instance to position of the item. */
	place: Array<string | number>;
}

export interface KeyChoice {
	mode: KeyMode;
	/** The user's own key. */
	custom: string;
	operation: string;
	/** What the key is made of in mode `execution` instead of the place. */
	parts?: string[];
	/** What the key is made of in mode `content`: workspace, and content as canonical JSON. */
	content: [workspaceId: string, content: string];
	/** Throws where a write that was never sent must not be sent now. */
	check?: () => void;
	/** Request and answer may hold a secret or a signed address: neither is stored. */
	sensitive?: boolean;
}

/** A write that goes out: the record and what was known of it before. */
export interface Sending {
	record: WriteRecord;
	before: State;
	sensitive: boolean;
}

/** What to do: send this with this key, or tell again what came of it. `body` is what was sent, as far as it is known. */
export type Opened =
	| { key: string; request: FrozenRequest; sending: Sending }
	| { answer: IDataObject; body?: IDataObject }
	| { failure: ErrorDetails };

export class IdempotencyRecord {
	private readonly byItem = new Map<string, WriteRecord[]>();
	private readonly byKey = new Map<string, WriteRecord[]>();
	private readonly writes: WriteRecord[];

	/** @param memory the node's context */
	constructor(memory: IDataObject) {
		this.writes = (memory.writes ??= []) as unknown as WriteRecord[];
		for (const record of this.writes) this.index(record);
	}

	/** Whether an earlier try, or an earlier round, may have sent something. */
	get hasSent(): boolean {
		return this.writes.some(({ state }) => state !== 'refused');
	}

	/** Freezes a write before it is sent, or finds what became of it before. */
	open(wish: Wish, request: FrozenRequest, choice: KeyChoice): Opened {
		const known = this.find(wish, request, choice);
		const before = known?.state ?? 'new';
		const { action } = transitions[before];
		const sensitive = choice.sensitive ?? false;
		if (known && action === 'giveBack') {
			if (known.answer) return { answer: deepCopy(known.answer), body: deepCopy(known.request?.body) };
			if (known.failure) return { failure: deepCopy(known.failure) };
		}
		if (known && action !== 'send')
			return {
				key: known.key,
				request: { workspaceId: request.workspaceId, ...(known.request ?? request) },
				sending: { record: known, before, sensitive },
			};

		choice.check?.();
		const record: WriteRecord = {
			key: this.keyOf(wish, request, choice, known),
			state: 'unclear',
			mode: choice.mode,
			run: wish.run,
			item: wish.item,
			method: request.method,
			path: request.path,
			workspaceId: request.workspaceId ?? '',
			targets: wish.targets,
			part: wish.part,
			...(sensitive ? {} : { request: deepCopy(request) }),
		};
		this.put(record, known);
		return { key: record.key, request, sending: { record, before, sensitive } };
	}

	/** Takes in what a failed run by hand had sent, as this run's own; see `byHand.ts`. */
	adopt({ run, item, part, targets }: Wish, record: WriteRecord): WriteRecord {
		const own = { ...deepCopy(record), run, item, part, targets };
		this.put(own);
		return own;
	}

	/** Whether there is a record of a wish. */
	has(wish: Wish, request: FrozenRequest, choice: KeyChoice): boolean {
		return this.find(wish, request, choice) !== undefined;
	}

	/** The write was answered. */
	answered({ record, before, sensitive }: Sending, answer: IDataObject): void {
		record.state = transitions[before].next.answered;
		if (!sensitive) record.answer = deepCopy(answer);
	}

	/** The write failed. */
	failed({ record, before }: Sending, failure: Failure): void {
		const { details, certain } = failure;
		const result: Result = details.status === 422 ? 'persisted' : certain ? 'refused' : 'unclear';
		record.state = transitions[before].next[result];
		if (record.state === 'persisted' && result === 'persisted') record.failure = deepCopy(details);
	}

	/** The targets that earlier tries may have sent, those that shared a request together. */
	sentBefore(wish: Wish, request: FrozenRequest, choice: KeyChoice): string[][] {
		return this.of(wish, request, choice)
			.filter(({ state }) => state !== 'refused')
			.map(({ targets }) => targets);
	}

	/** The record of a wish: one that may have been carried out goes before one that was refused. */
	private find(wish: Wish, request: FrozenRequest, choice: KeyChoice): WriteRecord | undefined {
		const candidates = this.of(wish, request, choice);
		return (
			candidates.find((one) => one.state !== 'refused' && overlaps(one, wish)) ??
			candidates.find((one) => one.state === 'refused' && one.part === wish.part)
		);
	}

	/** All records of an item with this destination. A key of the user's own is another wish than another one of theirs. */
	private of(wish: Wish, request: FrozenRequest, choice: KeyChoice): WriteRecord[] {
		const isOther = ({ mode, key, part }: WriteRecord): boolean =>
			mode === 'custom' && choice.mode === 'custom' && key !== customKey(choice.custom, part);
		return (this.byItem.get(nameOf(wish)) ?? []).filter(
			(record) => isFor(record, request) && !isOther(record),
		);
	}

	/**
	 * The key of a write that certainly was not carried out. In mode `execution` it is made of the item's place, never of
	 * the content: a correction keeps it, so that it can't become a second post, whatever n8n forgot in between. Where
	 * another write took the place in an earlier try, it is made of what the write is for, too.
	 */
	private keyOf(wish: Wish, request: FrozenRequest, choice: KeyChoice, own?: WriteRecord): string {
		const { method, path, workspaceId = '' } = request;
		const twin = this.byItem.get(nameOf(wish))?.find((one) => isTwin(one, wish, request));
		if (twin) return twin.key;
		const key = keyFor(wish, request, choice);
		const isTaken = this.byKey.get(key)?.some((one) => one !== own);
		return isTaken
			? keyFor(wish, request, choice, [wish.item, method, path, workspaceId, ...wish.targets])
			: key;
	}

	private put(record: WriteRecord, instead?: WriteRecord): void {
		if (instead) {
			this.writes.splice(this.writes.indexOf(instead), 1);
			remove(this.byItem, nameOf(instead), instead);
			remove(this.byKey, instead.key, instead);
		}
		this.writes.push(record);
		this.index(record);
	}

	private index(record: WriteRecord): void {
		add(this.byItem, nameOf(record), record);
		add(this.byKey, record.key, record);
	}
}

const nameOf = ({ run, item }: Pick<WriteRecord, 'run' | 'item'>): string => `${run}:${item}`;

const add = <T>(map: Map<string, T[]>, name: string, one: T): unknown =>
	map.set(name, [...(map.get(name) ?? []), one]);

const remove = <T>(map: Map<string, T[]>, name: string, gone: T): unknown =>
	map.set(
		name,
		(map.get(name) ?? []).filter((one) => one !== gone),
	);

/** Whether a record of the item is about this destination. */
const isFor = ({ method, path, workspaceId }: WriteRecord, request: FrozenRequest): boolean =>
	method === request.method && path === request.path && workspaceId === (request.workspaceId ?? '');

/**
 * The same write in a workspace that may be the same one: where none is named, the service chooses. It keeps its key, so
 * that the service tells; also after a refusal, since a later try that n8n forgot may have been carried out.
 */
const isTwin = (one: WriteRecord, wish: Wish, request: FrozenRequest): boolean =>
	one.method === request.method &&
	one.path === request.path &&
	overlaps(one, wish) &&
	(one.workspaceId === '') !== (request.workspaceId === '');

/** Whether a record is for something that the wish is for. */
const overlaps = ({ targets }: WriteRecord, wish: Wish): boolean =>
	targets.some((one) => wish.targets.includes(one));

/** The key of a write in the mode that the user chose. */
function keyFor(
	wish: Wish,
	{ path }: FrozenRequest,
	{ mode, custom, parts, operation, content }: KeyChoice,
	more: string[] = [],
): string {
	const { part, place } = wish;
	if (mode === 'custom') return customKey(custom, part);
	if (mode === 'content') return keyOf('content', content[0], operation, path, part, content[1]);
	if (parts) return keyOf('parts', ...parts);
	// `posts` of `/posts/post_1/cancel`.
	const kind = path.split('/')[1] ?? '';
	return keyOf('execution', ...place, operation, kind, part, ...more);
}
