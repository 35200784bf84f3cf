import { Claims } from '../shared/claims';
import type { Stored } from './subscription';
import { DeliveryTracker } from './tracker';

/** What this process knows of the subscription of one node, from n8n's life-cycle calls and its own looks. */
export interface SubscriptionState {
	/** Where the service delivers to; undefined before n8n has asked for the first time. */
	url?: string;
	/** The subscription that should be in force; undefined where none is. */
	current?: Stored;
	/** Subscriptions of an earlier life, at whatever address, that a look has to read and then to remove. */
	former?: string[];
	/** When the workflow was published, in ms; undefined where n8n has lost it. */
	publishedAt?: number;
	/** Counts the life-cycle calls: a look that n8n has overtaken changes nothing any more. */
	generation: number;
	/** When this process saw first that the key of the credential is not the one that the stored secret was made from. */
	keyReplacedAt?: number;
	/** The secret made from the credential as it is now, and when it was made, in ms. */
	derived?: { secret: string; at: number };
}

/** What this process knows of one node. */
export interface NodeState {
	tracker: DeliveryTracker;
	claims: Claims;
	subscription: SubscriptionState;
	/** When the log last said that deliveries can't be verified, in ms. */
	warnedAt: number;
}

/** How many nodes this process remembers; the one that was silent longest goes first. */
const MOST_NODES = 1000;

const states = new Map<string, NodeState>();

/** What this process knows of one node of one workflow; kept from delivery to execution. */
export function stateOf(workflowId: string, nodeId: string): NodeState {
	const key = `${workflowId}|${nodeId}`;
	const state = states.get(key) ?? {
		tracker: new DeliveryTracker(),
		claims: new Claims(),
		subscription: { generation: 0 },
		warnedAt: 0,
	};
	// Last in the order of the map: used most recently.
	states.delete(key);
	states.set(key, state);
	if (states.size > MOST_NODES) states.delete(states.keys().next().value!);
	return state;
}

interface NodeContext {
	getWorkflow(): { id?: string };
	getNode(): { id: string };
}

/** {@link stateOf} the node that a context is of. */
export const stateIn = (context: NodeContext): NodeState =>
	stateOf(context.getWorkflow().id ?? '', context.getNode().id);
