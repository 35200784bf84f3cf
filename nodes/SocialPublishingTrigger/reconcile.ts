import uniqBy from 'lodash/uniqBy';
import xor from 'lodash/xor';

import { hasSamePath, isSameAddress } from '../shared/addresses';
import type { RemoteSubscription } from '../shared/webhooks';

/** What the service should have. */
export interface DesiredSubscription {
	/** The address of the trigger, as this n8n has it. */
	url: string;
	serviceUrl: string;
	workspaceId: string;
	events: string[];
	description: string;
	/** The secret that is offered to the service, made from the key that the credential has now. */
	secret: string;
}

/** A subscription that this trigger has made: where it is, and for which address. */
export interface SubscriptionRef {
	webhookId: string;
	url: string;
	serviceUrl: string;
	workspaceId: string;
}

export interface StoredSubscription extends SubscriptionRef {
	secret: string;
	/** Whether the secret is the one that we offered, made from the key that the credential had then. */
	isDerived: boolean;
	events: string[];
	/**
	 * How the service listed it right after it was made: a service that writes addresses or events its own way is no
	 * reason to subscribe again. null: not at all; undefined: nobody knows.
	 */
	listedAs?: ListedAs | null;
}

export type ListedAs = Pick<RemoteSubscription, 'url' | 'events'>;

/** What n8n keeps of a trigger. */
export interface Stored {
	current?: StoredSubscription;
	/** Earlier ones, as far as they could not be deleted yet. */
	former: SubscriptionRef[];
	/** When the workflow was published, in ms: what happened before is none of its business. Undefined where n8n lost it. */
	publishedAt?: number;
}

export interface SubscriptionDiff {
	/** Why a subscription has to be created; undefined where the stored one is in force. */
	create?: string;
	/** To be deleted once the right one is there. */
	obsolete: SubscriptionRef[];
	/** How the service lists the stored one, where that was not known. */
	listedAs?: ListedAs;
	/** The list has never shown the stored one: whether it is in force can't be told. */
	isUnlisted: boolean;
	/** For the same path at another address, maybe of another n8n: named, never touched. */
	elsewhere: RemoteSubscription[];
}

/**
 * What has to be done so that the service has exactly the subscription that is wanted.
 *
 * Ours is what the service lists under exactly our address, and what we have made for this address, at this service, in
 * that workspace. An ID alone proves nothing: the credential may point to another service, this n8n may be a copy.
 */
export function diffSubscription(
	remote: readonly RemoteSubscription[],
	stored: Stored,
	desired: DesiredSubscription,
): SubscriptionDiff {
	const { current } = stored;
	const own = current && remote.find((one) => isListing(one, current));
	const create = reasonToCreate(current, own, desired);
	const isInForce = create === undefined;
	const isUnlisted = isInForce && own === undefined;
	// Where the list does not show the stored one, another ID at our address may be its other name.
	const ours = obsoleteFor(isUnlisted ? [] : remote, stored, desired);
	const obsolete = ours.filter((ref) => !isInForce || !isSame(ref, current!));
	return {
		...(isInForce ? {} : { create }),
		obsolete,
		...(isInForce && own && !current!.listedAs ? { listedAs: listedAs(own) } : {}),
		isUnlisted,
		elsewhere: remote.filter(
			(one) =>
				one.url !== undefined &&
				hasSamePath(one.url, desired.url) &&
				!isSameAddress(one.url, desired.url) &&
				!(isInForce && one === own),
		),
	};
}

/** All of ours: what is listed at our address, and what we have made for it; not what has got that ID since. */
export function obsoleteFor(
	remote: readonly RemoteSubscription[],
	{ current, former }: Stored,
	desired: DesiredSubscription,
): SubscriptionRef[] {
	const { url, serviceUrl, workspaceId } = desired;
	const listed = remote
		.filter((one) => one.id !== undefined && one.url !== undefined && isSameAddress(one.url, url))
		.map(({ id }) => ({ webhookId: id!, url, serviceUrl, workspaceId }));
	const made = [...(current ? [current] : []), ...former].filter(
		(ref) => isMadeFor(ref, desired) && !isTakenByOther(ref, remote, desired),
	);
	const refs = [...made, ...listed].map((ref) => ({ ...refOf(ref), url }));
	return uniqBy(refs, (ref) => JSON.stringify([ref.webhookId, ref.workspaceId]));
}

export const isSame = (a: SubscriptionRef, b: SubscriptionRef): boolean =>
	a.webhookId === b.webhookId && a.workspaceId === b.workspaceId;

/** Whether a subscription was made for this address at this service, in whatever workspace. */
export const isMadeFor = (ref: SubscriptionRef, { url, serviceUrl }: DesiredSubscription): boolean =>
	isSameAddress(ref.url, url) && ref.serviceUrl === serviceUrl;

export const refOf = ({ webhookId, url, serviceUrl, workspaceId }: SubscriptionRef): SubscriptionRef => ({
	webhookId,
	url,
	serviceUrl,
	workspaceId,
});

export const listedAs = ({ url, events }: RemoteSubscription): ListedAs => ({
	...(url === undefined ? {} : { url }),
	...(events === undefined ? {} : { events }),
});

const sameEvents = (a: readonly string[], b: readonly string[]): boolean => xor(a, b).length === 0;

function reasonToCreate(
	current: StoredSubscription | undefined,
	own: RemoteSubscription | undefined,
	desired: DesiredSubscription,
): string | undefined {
	if (!current) return 'none was known';
	if (current.serviceUrl !== desired.serviceUrl) return 'the credential is for another service';
	if (!isSameAddress(current.url, desired.url)) return 'n8n has another address';
	if (current.workspaceId !== desired.workspaceId) return 'the workspace was changed';
	if (current.isDerived && current.secret !== desired.secret) return 'the API key was replaced';
	if (!sameEvents(current.events, desired.events)) return 'other events were chosen';
	if (!own) return current.listedAs === null ? undefined : 'the service no longer lists it';
	if (own.isDisabled) return 'it was disabled at the service';
	// Where the listing right after it was made could not be read, it should be as it was asked for.
	const { events } = current.listedAs === undefined ? current : (current.listedAs ?? {});
	if (events && own.events && !sameEvents(own.events, events))
		return 'its events were changed at the service';
	return undefined;
}

/** Whether a listed subscription is the stored one: by ID, and by the address that it had when we made it. */
const isListing = ({ id, url }: RemoteSubscription, current: StoredSubscription): boolean =>
	id === current.webhookId && (url === undefined || !current.listedAs || isAt(url, current));

/** Whether the service lists that ID for somebody else by now. */
function isTakenByOther(
	ref: SubscriptionRef,
	remote: readonly RemoteSubscription[],
	{ workspaceId }: DesiredSubscription,
): boolean {
	const listed = ref.workspaceId === workspaceId ? remote.find(({ id }) => id === ref.webhookId) : undefined;
	return listed?.url !== undefined && !isAt(listed.url, ref);
}

/** Whether an address is the one that a subscription was made for, or the one that it was listed under then. */
const isAt = (url: string, ref: SubscriptionRef & { listedAs?: ListedAs | null }): boolean =>
	isSameAddress(url, ref.url) || isSameAddress(url, ref.listedAs?.url ?? ref.url);
