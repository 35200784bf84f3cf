import type { IDataObject } from 'n8n-workflow';

import type { Client } from '../../api/client';
import type { sendAgain } from '../../api/failureTexts';
import type { ExecutionScope } from './executionScope';
import type { Entry, Journal, Method } from './journal';
import type { KeyMode } from './key';

/** One request that changes something, as a row asks for it: enough to tell whether it was sent before. */
export interface Write {
	/** Parts from outside go through `pathSegment`. */
	readonly path: string;
	/** A platform, `platform:account` or a file; part of the user's own ID. Of other writes the path. */
	readonly target: string;
	/** Its body, with files as their targets; times in it don't count. */
	readonly says: IDataObject;
	/** When it goes out, in *Same Text and Time*: ISO 8601, or `slot`. */
	readonly time?: string;
	/** Its time counts from now, or is a slot: another time is the same content. */
	readonly isRelative?: boolean;
	/** A file of a post: not reported by itself. */
	readonly isAttached?: true;
}

/** What goes out for a write that wasn't sent before. */
export interface Outgoing {
	/** Called right before the service sees it for the first time; throws if it's too late. */
	body?: () => IDataObject | undefined;
	/** Sent as multipart instead of the body. */
	form?: FormData;
	/** Sends a file's bytes after the answer; its result is what is kept, undefined where the upload URL has expired. */
	complete?: (response: IDataObject) => Promise<IDataObject | undefined>;
}

export interface WriteItem {
	/** Position among the input items, from 0. */
	readonly index: number;
	readonly keyMode: KeyMode;
	/** The user's own, in mode `custom`. */
	readonly ownId?: string;
	/** In force; '' for the API key's own. */
	readonly workspaceId: string;
	/** How long to wait for the service, in ms. */
	readonly maxWaitMs: number;
	hint(message: string, type?: 'info' | 'warning'): void;
}

export interface WriteOperation {
	readonly value: string;
	readonly method: Method;
	/** Others can undo it, so AI tools and sub-workflows send it on every call. */
	readonly setsState?: true;
	/** Its key depends on the content alone, whoever runs it. */
	readonly isOncePerContent?: true;
	/** The answer holds a secret or a signed URL: it isn't kept, and a retry sends the same under the same key. */
	readonly keepsNothing?: true;
}

/** What was sent, now or by an earlier try, and the service's answer. */
export interface SentWrite {
	body?: IDataObject;
	response: IDataObject;
}

/** Whether an operation creates something: what else it does may be set back in between, so that it is sent each time. */
export const creates = ({ method, setsState }: WriteOperation): boolean => method === 'POST' && !setsState;

/** What a request on its way needs of its run. */
export interface Sender {
	readonly client: Client;
	readonly operation: WriteOperation;
	readonly scope: ExecutionScope;
	readonly journal: Journal;
	/** Asked of the service in this run, and not sent before. */
	readonly sentNow: Set<Entry>;
	readonly creates: boolean;
	mayShareKey(item: WriteItem): boolean;
	wayOn(): keyof typeof sendAgain;
}
