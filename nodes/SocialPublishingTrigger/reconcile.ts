import partition from 'lodash/partition';
import pick from 'lodash/pick';
import uniqBy from 'lodash/uniqBy';
import xor from 'lodash/xor';

import { toFailure } from '../api/failure';
import { isElsewhere, isSameAddress } from '../shared/addresses';
import { hasStatus, type Connection } from './connection';
import {
	createSubscription,
	deleteNew,
	deleteSubscription,
	ignoring,
	isKnown,
	listSubscriptions,
	refOf,
	type Desired,
	type Ref,
	type RemoteSubscription,
	type Stored,
} from './subscription';

/** Where the trigger is; a {@link Connection} leads there. */
type TriggerPlace = Pick<Connection, 'url' | 'serviceUrl' | 'workspaceId'>;

interface Task {
	connection: Connection;
	/** Undefined: no subscription at all. */
	desired?: Desired;
	stored: Stored;
	/** How old the listing may be; it is read again before anything is changed. */
	maxAgeMs?: number;
	/** Whether n8n has called for something else meanwhile: then nothing more is changed. */
	isStale?: () => boolean;
	/** Called as soon as deliveries may be signed with a new secret. */
	onCreate?: (stored: Stored) => void;
	/** Recovers what the obsolete ones had not delivered. Returns those that have to stay, or can't be read (with the error). */
	recover?: (scope: RecoveryScope) => Promise<Left[]>;
}

export interface RecoveryScope {
	/** Undefined: the obsolete ones have to go before there is another one. */
	current?: Ref;
	obsolete: Ref[];
	/** The service may have had no subscription for a while, and so delivered nothing. */
	wasGone: boolean;
}

/** A subscription that was not deleted. */
export interface Left {
	ref: Ref;
	/** Why it could not be read or deleted. */
	error?: unknown;
	/** The key doesn't reach it, and the service doesn't list it at the trigger's address: it is not kept any more. */
	isOutOfReach?: boolean;
}

export type Reconciled = Awaited<ReturnType<typeof reconcile>>;

/**
 * List → diff → create what is missing → recover what the obsolete ones had not delivered → delete them: no gap, no loss.
 * @returns what is stored now, and why a subscription was `created`; `left`: what was not deleted
 * @throws Failure if the service can't be asked, or doesn't subscribe
 */
export async function reconcile(task: Task) {
	const { connection, desired, stored, isStale = () => false, recover = async () => [] } = task;
	const { remote, create: created, elsewhere, isUnlisted, ...found } = await look(task);
	const result = {
		...{ stored, created, isUnlisted, elsewhere: connection.redact(elsewhere) },
		...{ deleted: [] as Ref[], left: [] as Left[] },
	};
	if (isStale()) return result;
	let { current, obsolete } = found;
	let { publishedAt } = stored;
	const [, others] = refsIn(stored, connection);
	const storedNow = (): Stored => ({ current, former: [...others, ...obsolete], publishedAt });
	const clear = async () => {
		const wasGone = created !== undefined || obsolete.length > 0;
		result.left = await recover({ current, obsolete, wasGone });
		for (const ref of obsolete.filter((one) => !result.left.some((held) => isSame(held.ref, one))))
			try {
				if (isStale()) return;
				await deleteSubscription(connection, ref);
				result.deleted.push(ref);
			} catch (error) {
				const isOurs = remote.some(
					(one) => isListed(one, ref) && isSameAddress(one.url ?? '', connection.url),
				);
				result.left.push({ ref, error, isOutOfReach: isRefusal(error) && !isOurs });
			}
	};
	if (created !== undefined && desired) {
		// Where n8n has called meanwhile, what is new may be from that.
		const isNew = ({ id }: RemoteSubscription) => !isStale() && !remote.some((one) => one.id === id);
		const subscribe = async () => await createSubscription(connection, desired, isNew);
		const made = await subscribe().catch(async (error: unknown) => {
			if (!mayBeLimit(error) || obsolete.length === 0) throw error;
			await clear();
			if (result.deleted.length === 0) throw error;
			return await subscribe();
		});
		if (isStale()) {
			// As long as for unpublishing, since no other check will see to it.
			connection.requestMs = 60_000;
			if (made.webhookId) await deleteSubscription(connection, made);
			else await deleteNew(connection, ({ id }) => !remote.some((one) => one.id === id));
			return result;
		}
		current = made;
		publishedAt ??= Date.now();
		task.onCreate?.(storedNow());
		const after = await listSubscriptions(connection).catch(() => []);
		const own = ownIn(after, made, remote);
		if (own) current = asListed(made, own);
		// A list without the new one may lack others, too.
		obsolete = oursIn(own ? after : remote, stored, connection).filter((ref) => !isSame(ref, current!));
	}
	await clear();
	const isOver = (ref: Ref) => result.left.some((one) => one.ref === ref && one.isOutOfReach);
	obsolete = obsolete.filter((ref) => !result.deleted.includes(ref) && !isOver(ref));
	return { ...result, stored: storedNow() };
}

/** Whether the service has what is wanted, as it was made. */
export const isInForce = async (task: Task): Promise<boolean> => (await look(task)).create === undefined;

/** What the service lists, in the trigger's workspace and where it has made others, and what has to be done. */
async function look({ connection, desired, stored, maxAgeMs = 0 }: Task) {
	const [made] = refsIn(stored, connection);
	const workspaces = new Set([connection.workspaceId, ...made.map(({ workspaceId }) => workspaceId)]);
	const read = async (age: number) => {
		const remote: RemoteSubscription[] = [];
		for (const workspaceId of workspaces) {
			const list = listSubscriptions(connection, { workspaceId, maxAgeMs: age });
			// A former workspace may be gone, or out of the key's reach; unpublishing needs only where one of ours is.
			const isFormer = workspaceId !== connection.workspaceId;
			const isUnused = !desired && made.length > 0 && !made.some((ref) => ref.workspaceId === workspaceId);
			remote.push(...((await (isFormer || isUnused ? list.catch(ignoring(403, 404)) : list)) ?? []));
		}
		return { remote, ...diffSubscription(remote, stored, desired, connection) };
	};
	let found = await read(maxAgeMs);
	// The listing may be some minutes old, or lacked one for a moment.
	if (maxAgeMs > 0 && (found.create !== undefined || found.obsolete.length > 0)) found = await read(0);
	if (found.create !== NOT_LISTED || !(await isKnown(connection, stored.current!))) return found;
	return { ...found, ...diffSubscription(found.remote, stored, desired, connection, true) };
}

const NOT_LISTED = 'the service no longer lists it';

/**
 * What has to be done so that the service has exactly the subscription that is wanted.
 * @param isKnown the service knows the stored one by its ID, although the list may not have it
 * @returns why one has to be created, or the `current` one, which is in force; what is to be deleted once that is there
 */
export function diffSubscription(
	remote: readonly RemoteSubscription[],
	stored: Stored,
	desired: Desired | undefined,
	place: TriggerPlace,
	isKnown = false,
) {
	const { current: last } = stored;
	const own = last && ownIn(remote, last, stored.former);
	const create = desired && reasonToCreate(last, own, desired, place, isKnown);
	const kept = desired && create === undefined ? last : undefined;
	const current = kept && own ? asListed(kept, own) : kept;
	const isUnlisted = current !== undefined && own === undefined;
	// Where the list doesn't have the current one, another ID at our address may be its other name.
	const ours = oursIn(isUnlisted ? [] : remote, stored, place);
	const [made, others] = refsIn(stored, place);
	const formerUrls = others.map(({ url }) => url);
	// Listed without a workspace and under the key's own, it is one subscription; where IDs go by workspace, both were made.
	const isCurrent = (ref: Ref) =>
		current !== undefined &&
		(isSame(ref, current) || (isAlias(ref, current) && !made.some((one) => isSame(one, ref))));
	return {
		create,
		current,
		obsolete: ours.filter((ref) => !isCurrent(ref)),
		isUnlisted,
		elsewhere: remote.filter(
			(one) => isElsewhere(one.url ?? '', place.url, formerUrls) && !(current && isListed(one, current)),
		),
	};
}

type Current = NonNullable<Stored['current']>;

/** What the service first listed it as, and the ID that the answer to its creation may not have named. */
const asListed = (current: Current, own: RemoteSubscription): Current => ({
	...current,
	webhookId: current.webhookId || (own.id ?? ''),
	listedAs: current.listedAs ?? pick(own, ['url', 'events']),
});

/** A subscription in a list: by its ID, or, without one, the only new one at its address. */
function ownIn(
	list: readonly RemoteSubscription[],
	ref: Ref,
	before: ReadonlyArray<{ id?: string; webhookId?: string }>,
): RemoteSubscription | undefined {
	if (ref.webhookId) return list.find((one) => isListed(one, ref) && isStill(one, ref));
	const isNew = ({ id }: RemoteSubscription) =>
		id === undefined || !before.some((one) => (one.webhookId ?? one.id) === id);
	const there = list.filter(
		(one) => one.workspaceId === ref.workspaceId && isSameAddress(one.url ?? '', ref.url) && isNew(one),
	);
	const active = there.filter(({ isDisabled }) => !isDisabled);
	const [own, another] = active.length > 0 ? active : there;
	return another && own?.id !== another.id ? undefined : own;
}

/** What is listed at our address, and what we have made for it. An ID alone proves nothing: it may be another's by now. */
function oursIn(remote: readonly RemoteSubscription[], stored: Stored, place: TriggerPlace): Ref[] {
	const { url, serviceUrl } = place;
	const listed = remote.flatMap(({ id, workspaceId, ...one }) =>
		id !== undefined && one.url !== undefined && isSameAddress(one.url, url)
			? [{ webhookId: id, url, serviceUrl, workspaceId }]
			: [],
	);
	const [made] = refsIn(stored, place);
	const still = made.filter(
		(ref) => ref.webhookId && !remote.some((one) => isListed(one, ref) && !isStill(one, ref)),
	);
	return unique([...still, ...listed]);
}

/** What makes a subscription another one than the settings ask for; undefined if nothing does. */
export function settingChanged(
	current: NonNullable<Stored['current']>,
	desired: Desired,
	place: TriggerPlace,
): string | undefined {
	if (current.serviceUrl !== place.serviceUrl) return 'the credential is for another service';
	if (!isSameAddress(current.url, place.url)) return 'n8n has another address';
	if (current.workspaceId !== place.workspaceId) return 'the workspace was changed';
	if (current.isDerived && current.secret !== desired.secret) return 'the API key was replaced';
	return hasSameEvents(current.events, desired.events) ? undefined : 'other events were chosen';
}

function reasonToCreate(
	current: Stored['current'],
	own: RemoteSubscription | undefined,
	desired: Desired,
	place: TriggerPlace,
	isKnown: boolean,
): string | undefined {
	if (!current) return 'none was known';
	const changed = settingChanged(current, desired, place);
	if (changed !== undefined) return changed;
	// Without an ID and an address in the list, nobody can tell: another one would come at every check.
	const isUntold = current.webhookId === '' && current.listedAs?.url === undefined;
	if (!own) return isKnown || isUntold ? undefined : NOT_LISTED;
	if (own.isDisabled) return `it was ${own.isDeleted ? 'deleted' : 'disabled'} at the service`;
	const { events } = current.listedAs ?? {};
	// Without a baseline, a service may have added events of its own.
	const areRight = events
		? hasSameEvents(own.events ?? events, events)
		: current.events.every((event) => (own.events ?? [event]).includes(event));
	return areRight ? undefined : 'its events were changed at the service';
}

/** What is stored: what was made for this address at this service, in whatever workspace, and all others. */
const refsIn = ({ current, former }: Stored, { url, serviceUrl }: TriggerPlace): [Ref[], Ref[]] =>
	partition(
		unique([...(current ? [current] : []), ...former].map(refOf)),
		(ref) => isSameAddress(ref.url, url) && ref.serviceUrl === serviceUrl,
	);

const unique = (refs: Ref[]): Ref[] =>
	uniqBy(refs, (ref) => JSON.stringify([ref.webhookId, ref.serviceUrl, ref.workspaceId]));

const isSame = (a: Ref, b: Ref): boolean => a.webhookId === b.webhookId && a.workspaceId === b.workspaceId;

/** Maybe the same one: no workspace means the key's own, whatever its ID. */
const isAlias = (a: Ref, b: Ref): boolean =>
	a.webhookId === b.webhookId && (a.workspaceId === '') !== (b.workspaceId === '');

const isListed = ({ id, workspaceId }: RemoteSubscription, ref: Ref): boolean =>
	id === ref.webhookId && workspaceId === ref.workspaceId;

/** Whether it is listed at the address that it was made for, or as it was listed then; not known: by its ID. */
const isStill = ({ url }: RemoteSubscription, { url: madeFor, listedAs }: Ref): boolean =>
	url === undefined ||
	!listedAs ||
	[madeFor, listedAs.url ?? madeFor].some((address) => isSameAddress(url, address));

const hasSameEvents = (a: readonly string[], b: readonly string[]): boolean => xor(a, b).length === 0;

/** The service says that it has no room (one subscription an address, so many in all): then the obsolete ones go first. */
const mayBeLimit = (error: unknown): boolean => {
	const { status, code } = toFailure(error).details;
	// A page of a proxy's has no code of the service; a key's says nothing of room.
	return [402, 403, 409].includes(status) && !/^(HTTP|NODE)_|_(SCOPE|WORKSPACE|BRAND)_FORBIDDEN$/.test(code);
};

/** The key may not do it there, or the ID is none. */
const isRefusal = (error: unknown): boolean =>
	hasStatus(error, 403) || toFailure(error).details.code === 'NODE_ID';
