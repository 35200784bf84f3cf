import { compact, xor } from 'lodash';

import type { Subscription } from '../api/records';
import { isSameAddress } from '../shared/addresses';
import type { Desired, Listing, Mine, Ref } from './subscription';

/** What a listing says of the subscription in force, and what has to be done. */
export interface Difference {
	/** Why another one has to be created; undefined: it stays. */
	create?: string;
	/** The one in force, with what the list has shown of it by now. */
	mine?: Mine;
	/** As the service lists it; undefined where the list doesn't show it. */
	own?: Subscription;
	/** What else is at exactly our address while one is in force that the list shows. */
	obsolete: Ref[];
}

export const NOT_LISTED = 'the service no longer lists it';

export function diff(
	{ subscriptions, hasMore }: Listing,
	mine: Mine | undefined,
	desired: Desired,
): Difference {
	if (!mine) return { create: 'none was known', obsolete: [] };
	const [own, another] = candidates(subscriptions, mine);
	const create = settingChanged(mine, desired) ?? listingChanged(mine, hasMore, own, another);
	// Where the list doesn't show the one in force, another ID at our address may be its other name.
	if (!own || another) return { create, mine, obsolete: [] };
	const obsolete = listedHere(subscriptions, desired).filter(({ webhookId }) => webhookId !== own.id);
	return { create, mine: seenAs(mine, own), own, obsolete };
}

/** Those at exactly our address; without an ID, one can't be deleted. */
export const listedHere = (
	subscriptions: Subscription[],
	{ url, serviceUrl, workspaceId }: Omit<Ref, 'webhookId'>,
): Ref[] =>
	subscriptions
		.filter((one) => isSameAddress(one.url ?? '', url))
		.flatMap(({ id: webhookId }) => (webhookId ? { webhookId, url, serviceUrl, workspaceId } : []));

/** What may be ours: the one with its ID, or, as long as no answer has named it, what is new at its address. */
function candidates(subscriptions: Subscription[], mine: Mine): Subscription[] {
	// An ID alone proves nothing: by now it may be that of another tool's.
	const there = subscriptions.filter((one) => isAtItsAddress(one, mine));
	if (mine.webhookId) return there.filter(({ id }) => id === mine.webhookId);
	// Without IDs in the list, one can't be told from the one before it: another would come at every check.
	return there.filter(({ id, url }) => url !== undefined && id && !mine.before.includes(id));
}

/** Whether it is listed at the address that it was made for, or where the list first showed it. */
export const isAtItsAddress = ({ url }: Subscription, mine: Mine): boolean =>
	url === undefined || compact([mine.url, mine.seen?.url]).some((one) => isSameAddress(url, one));

/** The service's own way to write addresses and events counts from the first time. */
export const seenAs = (mine: Mine, { id, url, events, isDisabled }: Subscription): Mine => ({
	...mine,
	webhookId: mine.webhookId || (id ?? ''),
	seen: { url, events, ...mine.seen, wasActive: !isDisabled },
});

/** Why what was asked for is not what is wanted now. */
export const settingChanged = (mine: Mine, desired: Desired): string | undefined =>
	firstOf([
		[mine.serviceUrl !== desired.serviceUrl, 'the credential is for another service'],
		[!isSameAddress(mine.url, desired.url), 'n8n has another address'],
		[mine.workspaceId !== desired.workspaceId, 'the workspace was changed'],
		[isOfOtherKey(mine, desired), 'the API key was replaced'],
		[xor(mine.events, desired.events).length > 0, 'other events were chosen'],
	]);

export const isOfOtherKey = (mine: Mine, { secret }: Pick<Desired, 'secret'>): boolean =>
	mine.isDerived && mine.secret !== secret;

/** Only what the list has once shown can be missing, disabled or changed. */
function listingChanged(
	{ seen }: Mine,
	hasMore: boolean,
	own?: Subscription,
	another?: Subscription,
): string | undefined {
	const lacksEvents = seen?.events?.some((event) => own?.events?.includes(event) === false);
	return firstOf([
		[another !== undefined, "the service's list has several, and its answer named none"],
		[seen !== undefined && !own && !hasMore, NOT_LISTED],
		[seen?.wasActive === true && own?.isDisabled === true, 'it was disabled at the service'],
		[lacksEvents === true, 'its events were changed at the service'],
	]);
}

const firstOf = (reasons: Array<[applies: boolean, reason: string]>): string | undefined =>
	reasons.find(([applies]) => applies)?.[1];
