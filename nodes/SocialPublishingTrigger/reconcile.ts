import { compact, difference, intersection, map, partition, pick, reject, uniq, uniqBy, xor } from 'lodash';

import { ignoring, serviceSays, toFailure } from '../api/failure';
import { isElsewhere, isSameAddress } from '../shared/addresses';
import { eventOptions } from '../shared/events';
import type { Connection } from './connection';
import type { NodeState } from './state';
import {
	createSubscription,
	deleteSubscription,
	keyOfRef,
	listDeliveries,
	listedHere,
	listSubscriptions,
	refOf,
	type Current,
	type Desired,
	type Ref,
	type RemoteSubscription,
	type Remembered,
} from './subscription';

export type Stale = false | 'published' | 'unpublished';

interface Task {
	connection: Connection;
	/** Undefined: no subscription at all. */
	desired?: Desired;
	remembered: Remembered;
	/** How old the listing may be; it is read again before anything is changed. */
	maxAgeMs?: number;
	/** Whether n8n has called for something else meanwhile, and what: then nothing more is changed. */
	isStale?: () => Stale;
	/** Told as soon as deliveries may be signed with a new secret, where the answer to a request was lost, and what is deleted. */
	state?: Pick<NodeState, 'replaced' | 'deleted' | 'hasDeleted'>;
	/** Recovers what the obsolete ones had not delivered. Returns those that have to stay, or can't be read (with the error). */
	recover?: Recover;
}

/** Without a current one, the obsolete ones have to go first. `wasGone`: there may have been none for a while. */
export type Recover = (obsolete: Ref[], current: Ref | undefined, wasGone: boolean) => Promise<Undeleted[]>;

/** A subscription that was not deleted: it has to stay, or could not be read or deleted. */
export interface Undeleted {
	ref: Ref;
	error?: unknown;
}

/** A task, with what the service has, what has to be done there, and what was done. */
export type Work = Task & Awaited<ReturnType<typeof look>>;

/**
 * List → diff → create what is missing → recover what the obsolete ones had not delivered → delete them: no gap, no loss.
 * @throws Failure if the service can't be asked, or doesn't subscribe
 */
export async function reconcile(task: Task): Promise<Work> {
	const work = { ...task, ...(await look(task)) };
	if (isStale(work) || work.isContested) return work;
	if (work.create !== undefined) {
		const made = await subscribe(work);
		if (!made) return { ...work, create: undefined };
		if (isStale(work)) {
			// As long as for unpublishing, since no other check will see to it.
			task.connection.requestMs = 60_000;
			// What n8n has published meanwhile may be another one at the same address: the next check tells them apart.
			const isPublished = (): Stale => isStale(work) === 'published' && 'published';
			const leftOver = { connection: task.connection, remembered: { former: [made] }, isStale: isPublished };
			if (!isPublished()) await reconcile(leftOver);
			return work;
		}
		work.state?.replaced(rememberedNow({ ...work, current: made }));
		await relist(work, made);
	}
	await remove(work, work.obsolete, work.current);
	work.obsolete = difference(work.obsolete, work.gone, map(work.outOfReach, 'ref'));
	work.remembered = rememberedNow(work);
	return work;
}

export const isInForce = async (task: Task): Promise<boolean> => (await look(task)).create === undefined;
const isStale = ({ isStale: ask }: Task): Stale => ask?.() ?? false;

function note(work: Work, changed: Partial<Remembered>): void {
	const { current } = work.remembered;
	const left = current && isAmong(current, work.gone) ? undefined : current;
	work.remembered = { ...work.remembered, current: left, ...changed };
	if (!isStale(work)) work.state?.replaced(work.remembered);
}

const rememberedNow = ({ remembered, current, create, others, obsolete }: Work): Remembered => ({
	current,
	former: [...others, ...obsolete],
	publishedAt: remembered.publishedAt ?? (create === undefined ? undefined : Date.now()),
	takenOverAt: remembered.takenOverAt,
});

/** Recovers what subscriptions had not delivered, and deletes those that don't have to stay. */
async function remove(work: Work, refs: Ref[], current?: Ref): Promise<void> {
	const { connection, recover, remote, create, gone, isOtherKey } = work;
	work.remaining = (await recover?.(refs, current, create !== undefined || refs.length > 0)) ?? [];
	work.outOfReach = [];
	for (const ref of difference(refs, map(work.remaining, 'ref')))
		try {
			if (isStale(work)) return;
			await deleteSubscription(connection, ref, isOtherKey && !isAmong(ref, remote) ? [410] : [404, 410]);
			gone.push(ref);
			work.state?.deleted.set(keyOfRef(ref), true);
		} catch (error) {
			const isHere = isAmong(ref, listedHere(remote, connection));
			(isRefusal(error) && !isHere ? work.outOfReach : work.remaining).push({ ref, error });
		}
}

/** @returns undefined as long as something has to be recovered from what an earlier request has left behind */
async function subscribe(work: Work): Promise<Current | undefined> {
	const { connection, desired, remote, made, remembered } = work;
	const isOurs = (one?: Current) => one && map(made, keyOfRef).includes(keyOfRef(one));
	// After a lost answer, its ID may be another one's.
	const known = remembered.unanswered ? undefined : [remembered.current].find(isOurs);
	const before = remembered.unanswered ?? map(remote, 'webhookId');
	// After another life-cycle call, what is new may be that call's.
	const isNew = ({ webhookId }: RemoteSubscription) => !isStale(work) && !before.includes(webhookId);
	/** What came of a request whose answer was lost. */
	const removeNew = async (list: RemoteSubscription[]) => {
		const extra = oursIn(list.filter(isNew), [], connection).filter((ref) => !mayBeAmong(ref, made));
		if (extra.length > 0) await remove(work, extra);
	};
	await removeNew(remote);
	if (work.remaining.length + work.outOfReach.length > 0) return undefined;
	const create = async (what: Desired) =>
		await createSubscription(connection, what, known).catch(async (error: unknown) => {
			if (toFailure(error).processed === 'no' || isStale(work)) throw error;
			note(work, { unanswered: before });
			connection.requestMs = TAKE_BACK_MS;
			await listSubscriptions(connection)
				.then(removeNew)
				.catch(() => undefined);
			throw error;
		});
	return await create(desired!).catch(async (error) => await inPlaceOfObsolete(work, create, error));
}

/** The service has no room: an obsolete one goes first; if nothing comes of that, it is subscribed again. */
async function inPlaceOfObsolete(work: Work, create: (what: Desired) => Promise<Current>, refusal: unknown) {
	const { remote, gone } = work;
	const desired = work.desired!;
	let error = refusal;
	for (const ref of work.obsolete) {
		if (!mayBeLimit(error)) break;
		await remove(work, [ref]);
		if (!isAmong(ref, gone)) continue;
		try {
			return await create(desired);
		} catch (again) {
			error = again;
			const former = [work.remembered.current, ...remote].find((one) => one && isSame(one, ref));
			const { events = desired.events } = former ?? {};
			const restored = await create({ ...desired, events }).catch(() => undefined);
			note(work, restored ? { current: restored } : {});
		}
	}
	throw error;
}

/** With what the service lists now that there is a new one. */
async function relist(work: Work, made: Current): Promise<void> {
	const { connection, gone } = work;
	const after = await listSubscriptions(connection).catch(() => []);
	// IDs may be given again: new, under whatever name of its workspace, is what was not there before, has gone, or was updated.
	const before = work.remote.filter((one) => !mayBeAmong(one, gone));
	// The answer has just named it, whatever address the service writes.
	const own = after.find((one) => isSame(one, made)) ?? single(ownIn(after, made, before));
	const current = own ? asListed(made, own) : made;
	const inOther = before.filter(({ workspaceId }) => workspaceId !== connection.workspaceId);
	// A list without the new one may lack others, too.
	const ours = oursIn(own ? [...after, ...inOther] : before, work.made, connection);
	const isUpdated = isAmong(current, before);
	const isNew = (ref: Ref) => mayBeAmong(ref, [current]) && (isUpdated || !isAmong(ref, before));
	for (const ref of work.made)
		if (isNew(ref) && !isSame(ref, current)) work.state?.deleted.set(keyOfRef(ref), true);
	work.obsolete = ours.filter((ref) => !isNew(ref) && !isAmong(ref, [current, ...gone]));
	work.current = current;
}

/** How long a subscription is looked for that may have been made: n8n stops publishing after 84 s in all. */
const TAKE_BACK_MS = 2_000;
const NOT_LISTED = 'the service no longer lists it';
/** Replaced twice within this time, our subscription is another n8n's, too. */
const CONTEST_MS = 60 * 60_000;

/** What the service lists, in the trigger's workspace and where it has made others, and what has to be done. */
async function look(task: Task) {
	const { connection, desired, remembered, maxAgeMs = 0 } = task;
	const [made] = refsIn(task, []);
	const madeIn = map(made, 'workspaceId');
	const read = async (age: number) => {
		const list = async (workspaceId: string) =>
			await listSubscriptions(connection, { workspaceId, maxAgeMs: age });
		const { workspaceId } = connection;
		// Unpublishing needs only where one of ours is.
		const isNeeded = desired || made.length === 0 || madeIn.includes(workspaceId);
		const remote = await (isNeeded ? list(workspaceId) : list(workspaceId).catch(() => []));
		// A former workspace may be gone, or out of the key's reach.
		for (const former of difference(uniq(madeIn), [workspaceId]))
			remote.push(...(await list(former).catch(() => [])));
		return { remote, isComplete: remote.isComplete, ...diffSubscription(remote, task) };
	};
	let listed = await read(maxAgeMs);
	// The listing may be some minutes old, or lacked one for a moment.
	if (maxAgeMs > 0 && (listed.create !== undefined || listed.obsolete.length > 0)) listed = await read(0);
	const { remote, isComplete } = listed;
	const { current, unanswered } = remembered;
	// Another account's key doesn't know what there is, either.
	const isOtherKey = current?.isDerived && current.secret !== connection.ownSecret;
	const done = { gone: [] as Ref[], remaining: [] as Undeleted[], outOfReach: [] as Undeleted[] };
	const found = { remembered, isContested: false, isOtherKey, ...done, ...listed };
	if (found.create !== NOT_LISTED || !current || unanswered) return found;
	// Once it was listed, a complete list decides.
	if (!(isComplete && current.listedAs) && (await isKnown(connection, current)))
		return { ...found, ...diffSubscription(remote, task, true) };
	const isOn = (one: RemoteSubscription) => !one.isDisabled || current.listedAs?.isDisabled;
	const isOthers = (one: RemoteSubscription) => isOn(one) && !isAmong(one, made);
	if (!listedHere(remote, connection).some(isOthers)) return found;
	const takenOverAt = performance.now();
	// Another n8n at our address: taking turns would go on for good.
	const isContested = takenOverAt - (remembered.takenOverAt ?? -Infinity) < CONTEST_MS;
	const create = isContested ? undefined : found.create;
	return { ...found, isContested, create, remembered: { ...remembered, takenOverAt } };
}

/** Whether the service answers for the deliveries of one that it doesn't list. A key that may not read them proves nothing. */
async function isKnown(connection: Connection, ref: Ref): Promise<boolean> {
	const unproven = (error: unknown) => ignoring(200, 403)(error) ?? 'unproven';
	return (await listDeliveries(connection, ref, 'failed').catch(unproven)) !== undefined;
}

/**
 * Why a subscription has to be created, or the `current` one, which is in force; what is to be deleted once there is one.
 * @param isKnown the service knows the remembered one by its ID, although the list may not have it
 */
export function diffSubscription(remote: readonly RemoteSubscription[], task: Task, isKnown = false) {
	const { connection: place, desired, remembered } = task;
	const [made, others] = refsIn(task, remote);
	const { current: last, unanswered } = remembered;
	const listed = last ? ownIn(remote, last, made) : [];
	// What came of a lost request may have been given the same ID, but has another secret.
	const own = single(listed.filter(({ webhookId }) => !unanswered || unanswered.includes(webhookId)));
	// Without an ID and an address in the list, nobody can tell: another one would come at every check.
	const isUntold = last?.webhookId === '' && last.listedAs?.url === undefined && listed.length === 0;
	const unlisted = isKnown || isUntold ? undefined : NOT_LISTED;
	const changed = last && desired && settingChanged(last, desired, place);
	const known = last && (changed ?? (own ? listingChanged(last, own) : unlisted));
	const create = desired && (last ? known : 'none was known');
	const kept = desired && create === undefined ? last : undefined;
	const current = kept && own ? asListed(kept, own) : kept;
	const isUnlisted = current !== undefined && own === undefined;
	// Where the list doesn't have the current one, another ID at our address may be its other name.
	const ours = oursIn(isUnlisted ? [] : remote, made, place);
	// Listed in several workspaces, it is one subscription; where IDs go by workspace, both were made.
	const isCurrent = (ref: Ref) =>
		current?.webhookId === ref.webhookId && (isSame(ref, current) || !isAmong(ref, made));
	const isForeign = (one: RemoteSubscription) =>
		isElsewhere(one.url ?? '', place.url, map(others, 'url')) && !(current && isSame(one, current));
	return {
		made,
		others,
		create,
		current,
		obsolete: ours.filter((ref) => !isCurrent(ref)),
		isUnlisted,
		elsewhere: remote.filter(isForeign),
	};
}

/** What the service first listed it as, in which state it last did, and the ID that the answer to its creation may not have named. */
const asListed = (current: Current, own: RemoteSubscription): Current => ({
	...current,
	webhookId: current.webhookId || (own.webhookId ?? ''),
	listedAs: { ...(current.listedAs ?? pick(own, ['url', 'events'])), isDisabled: own.isDisabled },
});

/** A subscription in a list: by its ID, or, without one, what is new at its address. */
function ownIn(list: readonly RemoteSubscription[], ref: Ref, before: readonly Name[]) {
	if (ref.webhookId) return list.filter((one) => isSame(one, ref) && isStill(one, ref));
	const known = compact(map(before, 'webhookId'));
	const there = list.filter(
		({ webhookId = '', workspaceId, url = '' }) =>
			workspaceId === ref.workspaceId && isSameAddress(url, ref.url) && !known.includes(webhookId),
	);
	const active = there.filter(({ isDisabled }) => !isDisabled);
	return active.length > 0 ? active : there;
}

const single = (list: RemoteSubscription[]): RemoteSubscription | undefined =>
	uniqBy(list, 'webhookId').length === 1 ? list[0] : undefined;

/** What we have made, and what is listed at our address. An ID alone proves nothing: it may be another's by now. */
function oursIn(remote: readonly RemoteSubscription[], made: Ref[], { url, serviceUrl }: Connection): Ref[] {
	// Where the list named it and names none by now, nobody can tell whose the ID is.
	const isOthers = (ref: Ref) =>
		remote.some((one) =>
			one.webhookId === undefined
				? ref.listedAs && one.workspaceId === ref.workspaceId
				: isSame(one, ref) && !isStill(one, ref),
		);
	const listed = listedHere(remote, { url }).map((one) => refOf({ ...one, url, serviceUrl }));
	return uniqBy([...made.filter((ref) => ref.webhookId && !isOthers(ref)), ...listed], keyOfRef);
}

/** Why another subscription has to be made; undefined where nothing changed. */
export function settingChanged(current: Current, desired: Desired, place: Connection): string | undefined {
	if (current.serviceUrl !== place.serviceUrl) return 'the credential is for another service';
	if (!isSameAddress(current.url, place.url)) return 'n8n has another address';
	if (current.workspaceId !== place.workspaceId) return 'the workspace was changed';
	if (current.isDerived && current.secret !== place.ownSecret) return 'the API key was replaced';
	return xor(current.events, desired.events).length > 0 ? 'other events were chosen' : undefined;
}

function listingChanged(current: Current, own: RemoteSubscription): string | undefined {
	if (own.isDisabled && !current.listedAs?.isDisabled) return 'it was disabled at the service';
	const { events } = current.listedAs ?? {};
	const listed = own.events ?? events ?? current.events;
	// Without a baseline, a service may add events of its own, and write all in its own way.
	const isOwnWay = intersection(listed, [...current.events, ...map(eventOptions, 'value')]).length === 0;
	const areRight = events
		? xor(listed, events).length === 0
		: isOwnWay || current.events.every((event) => listed.includes(event));
	return areRight ? undefined : 'its events were changed at the service';
}

/** What was made for this address at this service, in whatever workspace, and all others; what was deleted only if it is listed. */
function refsIn({ remembered, connection: place, state }: Task, remote: readonly RemoteSubscription[]) {
	const { current, former } = remembered;
	const isGone = (ref: Ref): boolean =>
		state?.hasDeleted(ref) === true && !isAmong(ref, listedHere(remote, place));
	const refs = reject(uniqBy(compact([current, ...former]).map(refOf), keyOfRef), isGone);
	return partition(refs, (ref) => isSameAddress(ref.url, place.url) && ref.serviceUrl === place.serviceUrl);
}

type Name = Pick<RemoteSubscription, 'webhookId' | 'workspaceId'>;

const isAmong = (ref: Name, refs: readonly Name[]): boolean => refs.some((one) => isSame(one, ref));
const isSame = (a: Name, b: Name): boolean => a.webhookId === b.webhookId && a.workspaceId === b.workspaceId;

/** Maybe the same one: no workspace means the key's own, whatever its ID. */
const mayBeAmong = ({ webhookId, workspaceId }: Name, refs: readonly Name[]): boolean =>
	refs.some((one) => one.webhookId === webhookId && uniq(compact([workspaceId, one.workspaceId])).length < 2);

/** Whether it is listed at the address that it was made for, or as it was first listed. */
const isStill = ({ url }: RemoteSubscription, { url: madeFor, listedAs }: Ref): boolean =>
	url === undefined || [madeFor, listedAs?.url ?? madeFor].some((address) => isSameAddress(url, address));

/** No room (one subscription an address, so many in all): then the obsolete ones go first. A key's code says nothing of it. */
const mayBeLimit = (error: unknown): boolean =>
	serviceSays(error, 402, 403, 409) &&
	!/_(SCOPE|WORKSPACE|BRAND)_FORBIDDEN$/.test(toFailure(error).details.code);

/** The key may not do it there, nothing is there, or the ID is none. */
const isRefusal = (error: unknown): boolean =>
	serviceSays(error, 400, 403, 404, 422) || toFailure(error).details.code === 'NODE_ID';
