import type { IDataObject } from 'n8n-workflow';

import { isRecord } from '../api/lists';
import { Claims } from '../shared/claims';
import { isText } from '../shared/webhooks';
import { DeliveryTracker } from './dedupe';
import type { KeyGroup } from './keyGroup';
import { refOf, type Stored, type StoredSubscription, type SubscriptionRef } from './reconcile';

/** What this process knows of the subscription of one node, from n8n's life-cycle calls and its own checks. */
export interface SubscriptionState extends Stored {
	/** Where the service delivers to; undefined before n8n has asked for the first time. */
	url?: string;
	/** Whether n8n wants a subscription. */
	isPublished: boolean;
	/** The triggers with the same key; undefined before the service was asked for the first time. */
	group?: KeyGroup;
	/** Counts the life-cycle calls: a check that n8n has overtaken changes nothing any more. */
	generation: number;
	/** The secret of the subscription that this process replaced last, and when, in ms. */
	replaced?: { secret: string; at: number };
	/** When this process last saw that the secret in force is the one made from the credential's key, in ms. */
	keyConfirmedAt?: number;
	/** The secrets made from the credential as it is now, also with the stored address, and when, in ms. */
	derived?: { secrets: string[]; storedUrl: string | undefined; at: number };
}

/** What this process knows of one node. */
export interface NodeState {
	tracker: DeliveryTracker;
	claims: Claims;
	subscription: SubscriptionState;
	/** What the log said, and when last, in ms. */
	said: Map<string, number>;
}

/** How many nodes this process remembers; the one that was silent longest goes first. */
const MOST_NODES = 1000;

const states = new Map<string, NodeState>();

export interface NodeContext {
	getWorkflow(): { id?: string };
	getNode(): { id: string };
}

/** What this process knows of the node that a context is of; kept from delivery to execution. */
export function stateIn(context: NodeContext): NodeState {
	const key = `${context.getWorkflow().id ?? ''}|${context.getNode().id}`;
	const state = states.get(key) ?? {
		tracker: new DeliveryTracker(),
		claims: new Claims(),
		subscription: { generation: 0, isPublished: false, former: [] },
		said: new Map(),
	};
	// Last in the order of the map: used most recently.
	states.delete(key);
	states.set(key, state);
	if (states.size > MOST_NODES) states.delete(states.keys().next().value!);
	return state;
}

/** Earlier subscriptions that n8n keeps at most: those that could not be deleted for long, the oldest go first. */
const MOST_FORMER = 10;

/**
 * What n8n keeps in the node's static data. n8n loses it where another node of the workflow writes static data in queue
 * mode: deliveries are then verified with the derived secret, and deleting goes by address.
 */
export function storedIn({ current, former, publishedAt }: IDataObject): Stored {
	return {
		...(isStored(current) ? { current } : {}),
		former: Array.isArray(former) ? (former as unknown[]).filter(isRef) : [],
		...(typeof publishedAt === 'number' ? { publishedAt } : {}),
	};
}

export function keepStored(staticData: IDataObject, { current, former, publishedAt }: Stored): void {
	Object.assign(staticData, { current, former: former.slice(-MOST_FORMER).map(refOf), publishedAt });
}

const isRef = (data: unknown): data is SubscriptionRef =>
	isRecord(data) &&
	['webhookId', 'url', 'serviceUrl'].every((name) => isText(data[name])) &&
	typeof data.workspaceId === 'string';

const isStored = (data: unknown): data is StoredSubscription =>
	isRef(data) && 'secret' in data && isText(data.secret) && 'events' in data && Array.isArray(data.events);
