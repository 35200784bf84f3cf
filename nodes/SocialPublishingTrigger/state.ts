import { compact, reject, uniq } from 'lodash';
import type { IDataObject, IHookFunctions } from 'n8n-workflow';

import { Claims } from '../shared/claims';
import { LruMap } from '../shared/lruMap';
import { keyOfRef, refOf, storedSchema } from './subscription';
import type { Current, Ref, Remembered, Stored, Undelivered } from './subscription';
import { DeliveryTracker } from './tracker';

/** Those that could not be deleted for long; the oldest go first. */
const MAX_FORMER = 10;
/** How long a secret counts after it was replaced: what was being transferred then has arrived by now. */
const GRACE_MS = 60 * 60_000;
/** How long the secrets made from the credential are used before it is read again. */
const FRESH_MS = 5_000;
/** Published again within this time, a trigger was only changed. */
const CHANGE_MS = 5 * 60_000;

const isWithin = (ms: number, since: number): boolean => performance.now() - since <= ms;

/** What this process knows of one trigger. All times are of `performance.now()`, in ms. */
export class NodeState {
	readonly tracker = new DeliveryTracker();
	readonly claims = new Claims();
	readonly logged = new LruMap<string, number>(100);
	/** Where the service delivers to, or may; '' as long as this process has not tried to subscribe, or has failed to for sure. */
	url = '';
	life: 'idle' | 'publishing' | 'failed' | 'published' = 'idle';
	remembered: Remembered = { former: [] };
	/** Counts the life-cycle calls: a check that n8n has overtaken changes nothing any more. */
	version = 0;
	/** What subscriptions that are gone had not delivered: the next check passes it on. */
	undelivered: Undelivered[] = [];
	private unpublishedAt = Infinity;
	/** The secrets of subscriptions that this process has replaced, and when. */
	private readonly replacedAt = new LruMap<string, number>(10);
	/** What this process has deleted: n8n's data, which only its calls write, may still name it. */
	readonly deleted = new LruMap<string, true>(100);
	/** Whether it has deleted this one: then only the list can tell that the service has given its ID to one of ours again. */
	readonly hasDeleted = (ref: Ref): boolean => this.deleted.has(keyOfRef(ref));
	private ofKey?: { secrets: string[]; at: number };
	/** When this process last saw that n8n keeps a secret made from the credential's key. */
	private keySeenAt = -Infinity;

	constructor(readonly isTest: boolean) {}

	/** A life-cycle call begins. This process may have subscribed since n8n `kept` something, or with another credential. */
	begin(url: string, kept: Stored, life: NodeState['life'] = 'idle'): void {
		const [keptCurrent] = reject(compact([kept.current]), this.hasDeleted);
		const { current = keptCurrent, former, ...more } = this.remembered;
		const refs = compact([keptCurrent, ...reject(kept.former, this.hasDeleted), ...former]).map(refOf);
		this.remembered = { ...kept, ...more, current, former: refs, takenOverAt: undefined };
		if (!isWithin(CHANGE_MS, this.unpublishedAt)) this.undelivered = [];
		Object.assign(this, { life, url, ofKey: undefined });
		this.version++;
	}

	/** A publication has ended: checks see to the subscription from now on, or n8n calls `delete`. */
	ended(life: 'published' | 'failed'): void {
		this.life = life;
		this.unpublishedAt = Infinity;
	}

	/** Takes in what there is now: the secret of a subscription that was replaced counts for a while. */
	replaced(remembered: Remembered): void {
		const { current } = this.remembered;
		if (current && current.secret !== remembered.current?.secret)
			this.replacedAt.set(current.secret, performance.now());
		// Its ID may have been given again, to us.
		if (remembered.current) this.deleted.delete(keyOfRef(remembered.current));
		this.remembered = remembered;
	}

	unpublished(): void {
		Object.assign(this, { url: '', remembered: { former: [] }, unpublishedAt: performance.now() });
	}

	/** The secrets made from the credential, read again after a while. A credential that can't be read has none. */
	async secretsOfKey(read: () => Promise<string[]>): Promise<string[]> {
		const { ofKey } = this;
		if (ofKey && performance.now() - ofKey.at < FRESH_MS) return ofKey.secrets;
		const secrets = await read().catch(() => []);
		this.ofKey = secrets.length > 0 ? { secrets, at: performance.now() } : undefined;
		return secrets;
	}

	/**
	 * The secrets that may be in force, the likeliest first. A process without checks isn't told when the leading one replaces
	 * what n8n `kept`: there, one of another key counts for an hour after the last sign of its own.
	 */
	secretsInForce(kept: Current | undefined, ofKey: string[]): string[] {
		if (kept?.isDerived && ofKey.includes(kept.secret)) this.keySeenAt = performance.now();
		const isKeyCurrent = ofKey.length === 0 || isWithin(GRACE_MS, this.keySeenAt);
		const mayBeKept = kept && !this.replacedAt.has(kept.secret) && (!kept.isDerived || isKeyCurrent);
		const late = [...this.replacedAt].filter(([, at]) => isWithin(GRACE_MS, at)).map(([secret]) => secret);
		return uniq(compact([ofKey[0], this.remembered.current?.secret, mayBeKept && kept.secret, ...late]));
	}

	get knownSecrets(): string[] {
		return compact([this.remembered.current?.secret, ...this.replacedAt.keys()]);
	}
}

const published = new Map<string, NodeState>();
/** Of triggers that this process has not published: the one that was used longest ago goes first. */
const notPublished = new LruMap<string, NodeState>(1_000);

export type NodeContext = Pick<IHookFunctions, 'getWorkflow' | 'getNode' | 'getMode' | 'logger'>;

/** What this process knows of a trigger; a test has a subscription, an address and a state of its own. */
export function stateIn(context: NodeContext): NodeState {
	const mode = context.getMode();
	const { id = '', active } = context.getWorkflow();
	// n8n ends a test as it unpublishes a workflow, but that one is active.
	const isTest = mode === 'manual' || (mode === 'internal' && !active);
	const key = `${id}|${context.getNode().id}|${isTest ? 'test' : 'live'}`;
	const state = published.get(key) ?? notPublished.ensure(key, () => new NodeState(isTest));
	published.delete(key);
	(state.life === 'published' ? published : notPublished).set(key, state);
	return state;
}

export const readStored = (staticData: IDataObject): Stored => storedSchema.parse(staticData);

export function writeStored(staticData: IDataObject, { current, former, publishedAt }: Stored): void {
	Object.assign(staticData, { current, former: former.slice(-MAX_FORMER).map(refOf), publishedAt });
}
