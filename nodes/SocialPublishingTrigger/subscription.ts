import { pick } from 'lodash';
import { z } from 'zod';

import { pathSegment } from '../api/address';
import { deliveriesOf, lists } from '../api/contract';
import { Failure, ifServiceSays, ignoring, toFailure } from '../api/failure';
import { readCreated, readSubscription, type DeliveryRecord, type Subscription } from '../api/records';
import { isSameAddress } from '../shared/addresses';
import type { Connection, IsLast } from './connection';

/** What the service should have at the trigger's address. */
export type Desired = { events: string[]; description: string };

const someText = z.string().min(1);
const texts = z.array(z.string());

const refSchema = z.object({
	/** '' as long as neither the answer to its creation nor the list has named it: then its address is all there is. */
	webhookId: z.string(),
	url: someText,
	serviceUrl: someText,
	workspaceId: z.string(),
	/** What the service first listed: its own way of writing addresses or events, or a check of its own, is no reason to subscribe again. */
	listedAs: z.object({ url: z.string(), events: texts, isDisabled: z.boolean() }).partial().optional(),
});

/** A subscription that this trigger made: an ID alone proves nothing. */
export type Ref = z.infer<typeof refSchema>;

/** A subscription without the secret and the events. */
export const refOf = (ref: Ref): Ref => pick(ref, Object.keys(refSchema.shape) as Array<keyof Ref>);

/** What tells it apart: services may use the same IDs, and workspaces of one, too. */
export const keyOfRef = (ref: Ref): string =>
	JSON.stringify([ref.webhookId, ref.serviceUrl, ref.workspaceId]);

/** What n8n keeps of a trigger's subscriptions. It may lose it: then the derived secret counts, and deleting goes by address. */
export const storedSchema = z.object({
	/** `isDerived`: the service accepted the secret that we offered, made from the key that the credential had then. */
	current: refSchema
		.extend({ secret: someText, isDerived: z.boolean(), events: texts })
		.optional()
		.catch(undefined),
	/** Earlier ones that could not be deleted yet. */
	former: z.array(refSchema).catch([]),
	/** When the workflow was published, or n8n lost that and subscribed again. Events before that are not recovered. */
	publishedAt: z.number().optional().catch(undefined),
});

export type Stored = z.infer<typeof storedSchema>;

/** What this process remembers of them: what n8n keeps, and more; times are of `performance.now()`. */
export type Remembered = Stored & {
	/** Our IDs before a request to subscribe whose answer was lost: what is new at our address came of it. */
	unanswered?: Array<string | undefined>;
	/** When another subscription had last taken the place of ours. */
	takenOverAt?: number;
};

export type Current = NonNullable<Stored['current']>;
export type Undelivered = DeliveryRecord & { ref: Ref };

/** A subscription as the service lists it in a workspace; the list may not name it. */
export type RemoteSubscription = Omit<Subscription, 'id'> & { webhookId?: string; workspaceId: string };

const SUBSCRIBE_MS = 30_000;
/** Of a subscription in one state: a check has to end on the lowest plan, too. */
const MAX_DELIVERIES = 5_000;

/** Subscriptions of a workspace: as some trigger of the same key has read them, unless that was too long ago. */
export async function listSubscriptions(
	{ budget, list, redact, workspaceId: ownWorkspace }: Connection,
	{ workspaceId = ownWorkspace, maxAgeMs = 0 } = {},
): Promise<RemoteSubscription[] & { isComplete?: boolean }> {
	const read = async () => await list({ ...lists.webhooks, workspaceId });
	const listed = await budget.list(workspaceId, maxAgeMs, read);
	const all = listed.records.map(readSubscription);
	const subscriptions = all.map(({ id: webhookId, ...one }) => ({ ...one, webhookId, workspaceId }));
	const isComplete = !listed.hasMore && all.every(({ id }) => id !== undefined);
	return Object.assign(redact(subscriptions), { isComplete });
}

/** Those at exactly our address; without an ID, one can't be deleted. */
export const listedHere = (list: readonly RemoteSubscription[], { url: ours }: { url: string }) =>
	list.flatMap(({ webhookId, url = '', ...one }) =>
		webhookId !== undefined && isSameAddress(url, ours) ? [{ ...one, webhookId, url }] : [],
	);

/** The deliveries of a subscription in one state; undefined of one that is gone. */
export async function listDeliveries({ list }: Connection, ref: Ref, status: string, isLast?: IsLast) {
	if (ref.webhookId === '') return undefined;
	const deliveries = deliveriesOf(pathSegment(ref.webhookId, 'Webhook'));
	const options = { qs: { status }, workspaceId: ref.workspaceId, most: MAX_DELIVERIES, isLast };
	return await list({ ...deliveries, ...options }).catch(ifServiceSays(404, 410));
}

/** Subscribes. The secret is only in this answer, unless it updates the one that is `known`: without one, it is deleted again. */
export async function createSubscription(connection: Connection, desired: Desired, known?: Current) {
	const { url, serviceUrl, workspaceId, ownSecret: ours, send } = connection;
	const post = async (offered?: string) => {
		const body = { url, ...desired, secret: offered };
		const request = { method: 'POST', path: '/webhooks', body, withinMs: SUBSCRIBE_MS } as const;
		const { data, requestId } = await send(request);
		const { id, secret: told } = readCreated(data);
		// A service that made the secret itself, or takes none now, has not taken ours.
		const kept = known?.webhookId === id && !(offered && known?.isDerived) ? known?.secret : undefined;
		return { id, secret: told ?? kept ?? offered, requestId };
	};
	// The spec doesn't name the field: a service that doesn't accept it makes a secret itself.
	const answer = (await post(ours).catch(ignoring(400, 422))) ?? (await post());
	const { id: webhookId = '', secret, requestId } = answer;
	const made = { webhookId, url, serviceUrl, workspaceId, events: desired.events };
	if (secret) return { ...made, secret, isDerived: secret === ours };
	if (webhookId) await deleteSubscription(connection, made);
	throw new Failure({
		code: 'NODE_NO_SECRET',
		message: 'The service subscribed this workflow, but its answer holds no secret',
		hint: "Without it no delivery could be verified, so the subscription was deleted again. Contact the service's support.",
		...(requestId ? { request_id: requestId } : {}),
	});
}

/** `gone`: the statuses of one that is gone, which counts as deleted. */
export async function deleteSubscription({ send }: Connection, ref: Ref, gone = [404, 410]): Promise<void> {
	const { webhookId, workspaceId } = ref;
	const path = `/webhooks/${pathSegment(webhookId, 'Webhook')}`;
	const request = { method: 'DELETE', path, workspaceId } as const;
	const again = async (error: unknown) => {
		// An empty answer may be a proxy's: the next one says whether anything is left to delete.
		if (toFailure(error).details.code !== 'NODE_UNEXPECTED_RESPONSE') throw error;
		await send(request).catch(ifServiceSays(404));
	};
	await send(request)
		.catch(again)
		.catch(ifServiceSays(...gone));
}
