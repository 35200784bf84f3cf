import { compact, differenceBy, intersectionBy, isMatch, map, pick, uniq, uniqBy } from 'lodash';

import { hasStatus, serviceSays, toFailure } from '../api/failure';
import type { Subscription } from '../api/records';
import { failureIn } from './connection';
import { diff, isAtItsAddress, isOfOtherKey, listedHere, NOT_LISTED, seenAs, type Difference } from './diff';
import { reasonOf, warn, warnOnce } from './log';
import { keepUndelivered } from './recover';
import {
	createSubscription,
	deleteSubscription,
	listDeliveries,
	listSubscriptions,
	type Listing,
	type Mine,
	type Ref,
} from './subscription';
import type { Work } from './work';

/** Events that the service refused are not tried again for so long, unless somebody publishes. */
const REFUSED_MS = 86_400_000;
/** A list that can't be read proves nothing. */
const UNREAD: Listing = { subscriptions: [], hasMore: true };
/** Replaced twice within this time, our subscription is another n8n's, too. */
const TAKEN_OVER_MS = 60 * 60_000;

/**
 * List → diff → create what is missing.
 * @param maxAgeMs how old the listing may be; it is read again before anything is changed
 * @returns why one was created, and what is to be deleted while one is in force
 * @throws Failure if the service can't be asked, or doesn't subscribe
 */
export async function ensure(work: Work, maxAgeMs = 0): Promise<{ created?: string; obsolete: Ref[] }> {
	const { state } = work;
	await removeStrays(work);
	const listing = await listSubscriptions(work.connection, { maxAgeMs });
	let found = await look(work, listing);
	const { create } = found;
	// It may be some seconds old, or have lacked one for a moment.
	if (maxAgeMs > 0 && (create ?? found.obsolete[0])) return await ensure(work);
	if (create !== undefined) {
		const isInPlaceOfOurs = hasStranger(work, listing, found);
		if (isInPlaceOfOurs && isTakenOver(work)) return { obsolete: [] };
		found = await replace(work, found);
		if (isInPlaceOfOurs) state.takenOverAt = performance.now();
	}
	state.mine = found.mine;
	return { created: create, obsolete: uniqBy([...found.obsolete, ...state.former], 'webhookId') };
}

/** What the listing says; of a subscription that it never showed, what the service says of its deliveries. */
async function look({ connection, state, desired }: Work, listing: Listing): Promise<Difference> {
	const { mine, refusedAt, unanswered } = state;
	const isRefused = performance.now() - refusedAt < REFUSED_MS;
	const found = diff(listing, mine, mine && isRefused ? { ...desired, events: mine.events } : desired);
	if (found.create !== undefined) return found;
	// The service may have updated ours, with another secret.
	if (unanswered) return { ...found, create: 'the answer to the last request was lost' };
	if (!mine?.webhookId || found.own) return found;
	const deliveries = await listDeliveries(connection, mine, 'failed', { most: 1 }).catch(unproven);
	// At a service without this endpoint it isn't: then it is deleted once another one is there.
	return deliveries === undefined ? { ...found, create: "the service doesn't know it" } : found;
}

/** A key that may not read deliveries proves nothing. */
const unproven = (error: unknown) => failureIn(error).details.code;

/** Whether an active one is at our address, in place of ours. */
function hasStranger({ state }: Work, { subscriptions }: Listing, { create, mine }: Difference): boolean {
	if (create !== NOT_LISTED || !mine) return false;
	// Some services list new ones as not active at first.
	const active = subscriptions.filter(({ isDisabled }) => !isDisabled || !mine.seen?.wasActive);
	return differenceBy(listedHere(active, mine), state.former, 'webhookId').length > 0;
}

/** Another n8n at our address, for the second time: taking turns would go on for good. */
function isTakenOver({ context, state, connection }: Work): boolean {
	if (performance.now() - state.takenOverAt >= TAKEN_OVER_MS) return false;
	state.takenOverAt = performance.now();
	const message = `another n8n, or a copy of this node, uses the address ${connection.url} with the same API key: its subscription has replaced this workflow's twice within an hour, so it is left alone. Set WEBHOOK_URL of one n8n to an address of its own, or delete the copied node and add a new one, then publish the workflow again.`;
	warnOnce(context, message);
	return true;
}

/** Subscribes. Returns what the list then shows. */
async function replace(work: Work, found: Difference): Promise<Difference> {
	const { connection, state, desired } = work;
	const made = await subscribe(work).catch(
		async (error: unknown) => await inPlaceOfObsolete(work, found, error),
	);
	leave(work, made);
	state.replace(made);
	state.wasWithout ||= state.publishedAt !== undefined;
	state.unanswered = undefined;
	const after = await listSubscriptions(connection).catch((error) => failureIn(error) && UNREAD);
	// Whatever address the service writes.
	const own = after.subscriptions.find(({ id }) => id && id === made.webhookId);
	return diff(after, own ? seenAs(made, own) : made, desired);
}

/** The one in force so far is to be deleted, unless it is at another address or service: there, it may be another n8n's. */
function leave({ context, state }: Work, made: Mine): void {
	const { mine: last } = state;
	if (!last?.webhookId || isMatch(last, pick(made, 'webhookId', 'serviceUrl'))) return;
	if (isMatch(last, pick(made, 'url', 'serviceUrl'))) state.former.push(last);
	else
		warn(
			context,
			`${last.serviceUrl} still delivers to ${last.url}. Unless another n8n uses that address, delete the subscription ${last.webhookId} there.`,
		);
}

/** What came of a request whose answer was lost goes first: at a slow service, another one would come with each check. */
export async function removeStrays(work: Work): Promise<void> {
	const { connection, state } = work;
	if (!state.unanswered) return;
	const known = [...state.unanswered, state.mine?.webhookId];
	const { subscriptions } = await listSubscriptions(connection);
	const strays = listedHere(subscriptions, connection).filter(({ webhookId }) => !known.includes(webhookId));
	await removeAtOnce(work, strays);
}

async function subscribe({ connection, state, desired }: Work): Promise<Mine> {
	const { subscriptions } = await listSubscriptions(connection);
	const before = compact(map(subscriptions, 'id'));
	return await createSubscription(connection, desired, before).catch((error: unknown) => {
		if (failureIn(error).processed === 'maybe' && !isLimit(error)) state.unanswered ??= before;
		throw error;
	});
}

/** The service has no room: what is at our address goes first. If nothing comes of that, the former events are subscribed again. */
async function inPlaceOfObsolete(work: Work, { own }: Difference, refusal: unknown): Promise<Mine> {
	const { connection, state, desired } = work;
	if (!isLimit(refusal)) throw refusal;
	const { mine } = state;
	const inForce = hasStatus(refusal, 409) || own?.isDisabled ? undefined : mine;
	const { subscriptions } = await listSubscriptions(connection);
	const here = listedHere(subscriptions, connection);
	const obsolete = here.filter(({ webhookId }) => webhookId !== inForce?.webhookId);
	const { deleted } = await removeAtOnce(work, obsolete);
	if (deleted.length === 0) throw refusal;
	return await subscribe(work).catch(async (error: unknown) => {
		if (!mine || state.mine) throw error;
		const former = { ...work, desired: { ...desired, events: mine.events } };
		state.replace(await subscribe(former).catch(() => undefined));
		state.refusedAt = performance.now();
		throw error;
	});
}

/** No room: one subscription an address, so many in all. A key's code says nothing of it. */
const isLimit = (error: unknown): boolean =>
	serviceSays(error, 402, 403, 409) &&
	!/_(SCOPE|WORKSPACE|BRAND)_FORBIDDEN$/.test(toFailure(error).details.code);

/**
 * Deletes what is at our address, and what is known by its ID: by lists that are read now, in each workspace.
 * @param only which of them, while one is in force; undefined: all of them, and the one in force
 * @returns those that were deleted, and why others were not
 */
export async function clean(work: Work, only?: Ref[]) {
	const { connection, state } = work;
	const inForce = compact([state.mine]);
	// What is at another address or service may be another n8n's, whose database this one was copied from.
	const place = pick(connection, 'url', 'serviceUrl');
	const known = [...(only ? [] : inForce), ...state.former].filter(
		(one) => one.webhookId && isMatch(one, place),
	);
	const found: Obsolete[] = [];
	const unread: unknown[] = [];
	for (const workspaceId of uniq([connection.workspaceId, ...map(known, 'workspaceId')])) {
		const there = known.filter((one) => one.workspaceId === workspaceId);
		try {
			const { subscriptions } = await listSubscriptions(connection, { workspaceId });
			const byId = there.filter((one) => isStillOurs(work, subscriptions, one));
			const here: Obsolete[] = listedHere(subscriptions, { ...connection, workspaceId });
			found.push(...uniqBy([...here, ...byId.map((one) => ({ ...one, isById: true }))], 'webhookId'));
		} catch (error) {
			const isOutOfReach = workspaceId !== connection.workspaceId && isRefusal(failureIn(error));
			if (isOutOfReach) for (const ref of there) giveUp(work, ref, error);
			else if (there.length > 0 || known.length === 0) unread.push(error);
		}
	}
	// A former one, in another workspace, may have the ID of the one in force.
	const { deleted, errors } = only
		? await remove(work, intersectionBy(differenceBy(found, inForce, 'webhookId'), only, 'webhookId'))
		: await removeAtOnce(work, found);
	return { deleted, errors: [...unread, ...errors] };
}

/** An ID alone proves nothing: by now it may be another tool's, or that of an account whose key was replaced. */
function isStillOurs(work: Work, subscriptions: Subscription[], one: Mine): boolean {
	const listed = subscriptions.find(({ id }) => id === one.webhookId);
	if (listed ? isAtItsAddress(listed, one) : !isOfOtherKey(one, work.desired)) return true;
	if (listed) work.state.forget(one);
	else giveUp(work, one, new Error('the API key was replaced'));
	return false;
}

/** What is to be deleted. `isById`: it may be unlisted. */
type Obsolete = Ref & { isById?: boolean };

/** Deletes them before a check could pass on what they had not delivered. */
async function removeAtOnce(work: Work, refs: Obsolete[]) {
	await keepUndelivered(work, refs);
	return await remove(work, refs);
}

/** Deletes them. What is not listed, and can't be deleted, is named in the log and forgotten. */
async function remove(work: Work, refs: Obsolete[]) {
	const done = { deleted: [] as Ref[], errors: [] as unknown[] };
	for (const ref of refs)
		try {
			await deleteSubscription(work.connection, ref);
			work.state.deleted(ref);
			done.deleted.push(ref);
		} catch (error) {
			if (ref.isById && isRefusal(failureIn(error))) giveUp(work, ref, error);
			else done.errors.push(failureIn(error));
		}
	return done;
}

/** No check will see to it. */
function giveUp({ context, state }: Work, ref: Ref, error: unknown): void {
	const where = ref.workspaceId && ` of the workspace ${ref.workspaceId}`;
	const message = `the key can't delete the subscription ${ref.webhookId}${where}: if it is still there, delete it at the service`;
	warn(context, message, reasonOf(error));
	state.forget(ref);
}

/** The key may not do it there, nothing is there, or the ID is none. */
const isRefusal = (error: unknown): boolean =>
	serviceSays(error, 400, 403, 404, 422) || toFailure(error).details.code === 'NODE_ID';
