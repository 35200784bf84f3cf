import type { IDataObject } from 'n8n-workflow';

import { Claims } from '../shared/claims';
import { LruMap } from '../shared/lruMap';
import { ReadBudget } from './readBudget';
import { refOf, storedSchema, type Stored } from './subscription';
import { DeliveryTracker } from './tracker';

/** Those that could not be deleted for long; the oldest go first. */
const MAX_FORMER = 10;

/** What this process knows of one trigger; all times are of `performance.now()`, in ms. */
export class NodeState {
	readonly tracker = new DeliveryTracker();
	readonly claims = new Claims();
	readonly logged = new LruMap<string, number>(100);
	/** The secrets of subscriptions that this process has replaced, and when. */
	readonly replaced = new LruMap<string, number>(10);
	/** Where the service delivers to; undefined before n8n has asked for the first time. */
	url?: string;
	isPublished = false;
	/** Asking or subscribing has just failed: n8n calls `delete` after that. */
	hasFailed = false;
	stored: Stored = { former: [] };
	/** Counts the life-cycle calls: a check that n8n has overtaken changes nothing any more. */
	version = 0;
	/** That of the key, once the credential was read. */
	budget = new ReadBudget();
	/** When this process last saw that the secret in force is the one made from the credential's key. */
	keyConfirmedAt?: number;
	/** The secrets made from the credential, also with the stored address. */
	derived?: { secrets: string[]; storedUrl: string | undefined; at: number };
}

const states = new Map<string, NodeState>();
/** Of triggers that this process has not published: the one that was used longest ago goes first. */
const MAX_UNPUBLISHED = 1_000;

export interface NodeContext {
	getWorkflow(): { id?: string };
	getNode(): { id: string };
	getMode(): string;
}

/** What this process knows of a trigger; a test has a subscription, an address and a state of its own. */
export function stateIn(context: NodeContext): NodeState {
	const kind = context.getMode() === 'manual' ? 'test' : 'live';
	const key = `${context.getWorkflow().id ?? ''}|${context.getNode().id}|${kind}`;
	const known = states.get(key);
	if (!known && states.size >= MAX_UNPUBLISHED) forgetOne();
	const state = known ?? new NodeState();
	// The last one was used last.
	states.delete(key);
	states.set(key, state);
	return state;
}

function forgetOne(): void {
	const unpublished = [...states].filter(([, { isPublished }]) => !isPublished);
	if (unpublished.length >= MAX_UNPUBLISHED) states.delete(unpublished[0]![0]);
}

/** Takes in what is stored now: the secret of a subscription that was replaced counts for a while. */
export function setStored(state: NodeState, stored: Stored): void {
	const { current } = state.stored;
	if (current && stored.current && current.secret !== stored.current.secret)
		state.replaced.set(current.secret, performance.now());
	state.stored = stored;
}

/** What n8n keeps in static data. */
export const readStored = (staticData: IDataObject): Stored => storedSchema.parse(staticData);

export function writeStored(staticData: IDataObject, { current, former, publishedAt }: Stored): void {
	Object.assign(staticData, { current, former: former.slice(-MAX_FORMER).map(refOf), publishedAt });
}
