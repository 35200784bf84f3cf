import { compact, map, uniq, uniqBy } from 'lodash';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';

import { limitConcurrency } from '../api/concurrency';
import { Claims } from '../shared/claims';
import { LruMap } from '../shared/lruMap';
import { storedSchema, type Mine, type Ref, type Stored, type Undelivered } from './subscription';
import { DeliveryTracker } from './tracker';

/** How long a secret counts after it was replaced: what was being transferred then has arrived by now. */
const GRACE_MS = 60 * 60_000;
/** How long the secret made from the credential is used before it is read again. */
const FRESH_MS = 5_000;
/** Published again within this time, a trigger was only changed. */
const CHANGE_MS = 5 * 60_000;

const isWithin = (ms: number, since: number): boolean => performance.now() - since < ms;

/** What this process knows of one trigger. All times but `publishedAt` are of `performance.now()`, in ms. */
export class NodeState {
	readonly tracker = new DeliveryTracker();
	readonly claims = new Claims();
	readonly logged = new LruMap<string, number>(100);
	/** Where the service delivers to; '' until n8n has called. */
	url = '';
	/** `failed`: the last publication did. */
	phase: 'idle' | 'failed' | 'published' = 'idle';
	/** The subscription in force. */
	mine?: Mine;
	/** Earlier ones, to be deleted by their ID. */
	former: Mine[] = [];
	publishedAt?: number;
	/** The IDs that were listed before a request to subscribe whose answer was lost. */
	unanswered?: string[];
	/** When the service last refused other events, in place of which the former ones are subscribed. */
	refusedAt = -Infinity;
	/** When another subscription at our address was last in the place of ours. */
	takenOverAt = -Infinity;
	/** There was no subscription for a while: the ends of posts are to be read. */
	wasWithout = false;
	/** What subscriptions that are gone had not delivered: the next check passes it on. */
	undelivered: Undelivered[] = [];
	/** Publishing, a check and unpublishing come one after another. */
	readonly inTurn = limitConcurrency(1);
	/** Calls of n8n that wait for their turn, or have it: a check then ends before its next request. */
	calls = 0;
	private unpublishedAt = Infinity;
	/** The secrets of this process's subscriptions, and until when each counts. */
	private readonly secrets = new LruMap<string, number>(10);
	private ofKey?: { secret: string; at: number };

	constructor(readonly isTest: boolean) {}

	/** A life-cycle call begins. What n8n `kept` counts where this process knows nothing. */
	begin(url: string, kept: Stored): void {
		if (kept.mine && !this.mine) {
			this.replace(kept.mine);
			this.former = uniqBy([...kept.former, ...this.former], 'webhookId');
		}
		this.publishedAt ??= kept.publishedAt;
		if (!isWithin(CHANGE_MS, this.unpublishedAt)) this.undelivered = [];
		Object.assign(this, { url, ofKey: undefined, refusedAt: -Infinity, takenOverAt: -Infinity });
	}

	published(): void {
		this.publishedAt ??= Date.now();
		this.phase = 'published';
		this.unpublishedAt = Infinity;
	}

	/** The secret of a subscription that was replaced, or is gone, counts for a while. */
	replace(mine: Mine | undefined): void {
		if (this.mine) this.secrets.set(this.mine.secret, performance.now() + GRACE_MS);
		if (mine) this.secrets.set(mine.secret, Infinity);
		this.mine = mine;
	}

	/** Nothing can be done about an earlier one. */
	forget({ webhookId }: Ref): void {
		this.former = this.former.filter((one) => one.webhookId !== webhookId);
	}

	/** It is deleted. */
	deleted(ref: Ref): void {
		this.forget(ref);
		if (this.mine?.webhookId === ref.webhookId) this.replace(undefined);
	}

	unpublished(): void {
		this.secrets.clear();
		const nothing = { mine: undefined, publishedAt: undefined, unanswered: undefined };
		Object.assign(this, { ...nothing, url: '', former: [], phase: 'idle', unpublishedAt: performance.now() });
	}

	/** What n8n is to keep. */
	store(staticData: IDataObject): void {
		const { mine, former, publishedAt } = this;
		Object.assign(staticData, { mine, former, publishedAt });
	}

	/** The secret made from the credential, read again after a while. A credential that can't be read has none. */
	async secretOfKey(read: () => Promise<string | undefined>): Promise<string | undefined> {
		const { ofKey } = this;
		if (ofKey && isWithin(FRESH_MS, ofKey.at)) return ofKey.secret;
		const secret = await read().catch(() => undefined);
		this.ofKey = secret ? { secret, at: performance.now() } : undefined;
		return secret;
	}

	/** The secrets that may be in force, the likeliest first; what n8n `kept` doesn't count if another key or address made it. */
	secretsInForce(kept: Mine | undefined, ofKey?: string): string[] {
		const inForce = [...this.secrets].filter(([, until]) => performance.now() <= until);
		// Of one that this process knows, it also knows until when it counts.
		const counts = kept && !(kept.isDerived && ofKey) && !this.secrets.has(kept.secret);
		return uniq(compact([ofKey, ...map(inForce, 0), counts && kept.secret]));
	}

	get knownSecrets(): string[] {
		return [...this.secrets.keys()];
	}
}

const states = new Map<string, NodeState>();

export type NodeContext = Pick<IHookFunctions, 'getWorkflow' | 'getNode' | 'getMode' | 'logger'>;

/** What this process knows of a trigger; a test has a subscription, an address and a state of its own. */
export function stateIn(context: NodeContext): NodeState {
	const mode = context.getMode();
	const { id = '', active } = context.getWorkflow();
	// n8n ends a test as it unpublishes a workflow, but that one is active.
	const isTest = mode === 'manual' || (mode === 'internal' && !active);
	const key = `${id}|${context.getNode().id}|${isTest ? 'test' : 'live'}`;
	const state = states.get(key) ?? new NodeState(isTest);
	states.set(key, state);
	return state;
}

export const readStored = (staticData: IDataObject): Stored => storedSchema.parse(staticData);
