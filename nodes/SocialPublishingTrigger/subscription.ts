import { z } from 'zod';

import { pathSegment } from '../api/address';
import { deliveriesOf } from '../api/contract';
import { Failure, ifServiceSays, ignoring } from '../api/failure';
import { readCreated, readSubscription, type DeliveryRecord, type Subscription } from '../api/records';
import type { Connection } from './connection';

const someText = z.string().min(1);
const texts = z.array(z.string());

const refSchema = z.object({
	/** '' as long as neither the answer to its creation nor the list has named it. */
	webhookId: z.string(),
	url: someText,
	serviceUrl: someText,
	/** '' for the key's own. */
	workspaceId: z.string(),
});

/** A subscription by its ID, and where it is: two workspaces or services may use the same IDs. */
export type Ref = z.infer<typeof refSchema>;

const mineSchema = refSchema.extend({
	secret: someText,
	/** The service took the secret that we offered, made from the key that the credential had then. */
	isDerived: z.boolean(),
	events: texts,
	/** The IDs that were listed before it was created, if the answer to that had none. */
	before: texts,
	/** What the list has first shown of it, and whether it has last shown it as active. */
	seen: z.object({ url: z.string().optional(), events: texts.optional(), wasActive: z.boolean() }).optional(),
});

/** The subscription that is in force, or was. */
export type Mine = z.infer<typeof mineSchema>;

/** What n8n keeps. It may lose it: then the derived secret counts, and deleting goes by address. */
export const storedSchema = z.object({
	mine: mineSchema.optional().catch(undefined),
	/** Earlier ones that have to be deleted by their ID. */
	former: z.array(mineSchema).catch([]),
	/** When the workflow was published, in ms. Events before that are not recovered. */
	publishedAt: z.number().optional().catch(undefined),
});

export type Stored = z.infer<typeof storedSchema>;

/** What the service should have, and where. */
export interface Desired extends Omit<Ref, 'webhookId'> {
	events: string[];
	description: string;
	/** The secret that is offered to the service. */
	secret: string;
}

export type Undelivered = DeliveryRecord & { ref: Ref; at: number };

/** The subscriptions of one workspace. `hasMore`: the service says that there are more. */
export interface Listing {
	subscriptions: Subscription[];
	hasMore: boolean;
}

const SUBSCRIBE_MS = 30_000;

/** @param maxAgeMs how old a listing may be that another trigger of this process has read */
export async function listSubscriptions(
	connection: Connection,
	{ workspaceId = connection.workspaceId, maxAgeMs = 0 } = {},
): Promise<Listing> {
	const { records, hasMore } = await connection.listWebhooks(workspaceId, maxAgeMs);
	return { subscriptions: connection.redact(records.map(readSubscription)), hasMore };
}

/** The deliveries of a subscription in one state; undefined of one that is gone. */
export async function listDeliveries(
	{ list }: Connection,
	{ webhookId, workspaceId }: Ref,
	status: string,
	options: { most: number; withinMs?: number },
) {
	if (webhookId === '') return undefined;
	const deliveries = deliveriesOf(pathSegment(webhookId, 'Webhook'));
	const request = { ...deliveries, ...options, qs: { status }, workspaceId };
	return await list(request).catch(ifServiceSays(404, 410));
}

/** Subscribes. The secret is only in this answer: without one, the subscription is deleted again. */
export async function createSubscription(
	connection: Connection,
	desired: Desired,
	before: string[],
): Promise<Mine> {
	const { url, serviceUrl, workspaceId, events, description } = desired;
	const post = async (secret?: string) => {
		const body = { url, events, description, secret };
		const request = { method: 'POST', path: '/webhooks', body, withinMs: SUBSCRIBE_MS } as const;
		const { data, requestId } = await connection.send(request);
		const { id, secret: told = secret } = readCreated(data);
		return { id, secret: told, requestId };
	};
	// The spec doesn't name the field: a service that doesn't accept it makes a secret itself.
	const answer = (await post(desired.secret).catch(ignoring(400, 422))) ?? (await post());
	const { id: webhookId = '', secret, requestId } = answer;
	const made = { webhookId, url, serviceUrl, workspaceId, events, before: webhookId ? [] : before };
	if (secret) return { ...made, secret, isDerived: secret === desired.secret };
	if (webhookId) await deleteSubscription(connection, made);
	throw new Failure({
		code: 'NODE_NO_SECRET',
		message: 'The service subscribed this workflow, but its answer holds no secret',
		hint: "Without it no delivery could be verified, so the subscription was deleted again. Contact the service's support.",
		...(requestId ? { request_id: requestId } : {}),
	});
}

export async function deleteSubscription(
	{ send }: Connection,
	{ webhookId, workspaceId }: Ref,
): Promise<void> {
	const path = `/webhooks/${pathSegment(webhookId, 'Webhook')}`;
	const request = { method: 'DELETE', path, workspaceId } as const;
	await send(request).catch(ifServiceSays(404, 410));
}
