import { randomUUID } from 'node:crypto';

import isNil from 'lodash/isNil';
import omitBy from 'lodash/omitBy';
import type { IDataObject } from 'n8n-workflow';

import type { Answer } from '../api/answers';
import { pathSegment } from '../api/address';
import { listNames } from '../api/contract';
import { Failure } from '../api/failure';
import { isRecord, records } from '../api/lists';
import { idOf, isText, readSubscription, type RemoteSubscription } from '../shared/webhooks';
import { hasStatus, type Connection, type TriggerRequest } from './connection';
import {
	isSame,
	listedAs,
	obsoleteFor,
	type DesiredSubscription,
	type Stored,
	type StoredSubscription,
	type SubscriptionRef,
} from './reconcile';

type Listed = readonly RemoteSubscription[];

/** All subscriptions of the workspace: as some trigger of the same key has read them, unless that was too long ago. */
export async function listSubscriptions(connection: Connection, maxAgeMs = 0): Promise<RemoteSubscription[]> {
	// Read leniently: a list that shows nothing of ours is no reason not to publish.
	const read = async () =>
		records(await connection.get({ path: '/webhooks' }), listNames.webhooks).map(readSubscription);
	return connection.redact(await connection.group.list(read, maxAgeMs));
}

/**
 * Subscribes anew. Never adopts what is there: the secret of a subscription is shown once, when it is made.
 * @param before what the service listed before: where the answer does not name what was made, it is what was not there
 * @returns the new subscription, and those that it takes the place of
 */
export async function createSubscription(
	connection: Connection,
	desired: DesiredSubscription,
	stored: Stored,
	before: Listed,
): Promise<{ current: StoredSubscription; obsolete: SubscriptionRef[] }> {
	const { answer, offered } = await subscribe(connection, desired);
	const { id: webhookId, secret = offered } = webhookIn(answer);
	const { url, events, serviceUrl, workspaceId } = desired;
	if (!webhookId || !secret) {
		// Nothing could be verified: take back what was made.
		await (webhookId
			? deleteSubscription(connection, { webhookId, workspaceId })
			: deleteNew(connection, desired, before));
		throw new Failure({
			code: 'NODE_NO_SECRET',
			message: `The service subscribed this workflow, but its answer holds no ${webhookId ? 'secret' : 'ID'}`,
			hint: 'Without it no delivery could be verified, so the subscription was taken back. Ask the support of the service.',
			...(answer.requestId ? { request_id: answer.requestId } : {}),
		});
	}
	const isDerived = secret === desired.secret;
	const made = { webhookId, url, serviceUrl, workspaceId, secret, isDerived, events };
	const after = await listSubscriptions(connection).catch(() => undefined);
	const own = after?.find(({ id }) => id === webhookId);
	const current = { ...made, ...(after ? { listedAs: own ? listedAs(own) : null } : {}) };
	// A list that does not show the new one may not show others, either.
	const obsolete = obsoleteFor(own ? after! : before, stored, desired);
	return { current, obsolete: obsolete.filter((ref) => !isSame(ref, current)) };
}

/** What is gone counts as done. */
export async function deleteSubscription(
	connection: Connection,
	{ webhookId, workspaceId }: { webhookId: string; workspaceId: string },
): Promise<void> {
	const path = `/webhooks/${pathSegment(webhookId, 'Webhook')}`;
	await write(connection, { method: 'DELETE', path, workspaceId }).catch(ignoring(404));
}

/** Deletes what delivers to the wanted address since a list was read. */
export async function deleteNew(
	connection: Connection,
	desired: DesiredSubscription,
	before: Listed,
): Promise<void> {
	const known = new Set(before.map(({ id }) => id));
	for (const ref of obsoleteFor(await listSubscriptions(connection), { former: [] }, desired))
		if (!known.has(ref.webhookId)) await deleteSubscription(connection, ref);
}

async function subscribe(
	connection: Connection,
	{ url, events, description, secret }: DesiredSubscription,
): Promise<{ answer: Answer; offered?: string }> {
	const post = async (body: IDataObject) =>
		await write(connection, { method: 'POST', path: '/webhooks', body });
	const body = { url, events, description };
	const answer = await post({ ...body, secret }).catch(ignoring(400, 422));
	// The field is not shown in the spec: a service that does not take it makes a secret itself.
	return answer ? { answer, offered: secret } : { answer: await post(body) };
}

/** With a key of its own: a fixed one could be answered with a subscription that is gone by now. */
async function write(connection: Connection, request: TriggerRequest): Promise<Answer> {
	try {
		return await connection.send({ ...request, idempotencyKey: `n8n-${randomUUID()}` });
	} finally {
		connection.group.forgetListing();
	}
}

/** Spec, "Webhook": `webhook.secret`; where the ID stands, beside or in `webhook`, is not shown. */
function webhookIn({ data }: Answer): { id?: string; secret?: string } {
	const outer = isRecord(data) ? data : {};
	const inner = isRecord(outer.webhook) ? outer.webhook : {};
	const { id, secret } = { ...outer, ...(omitBy(inner, isNil) as IDataObject) };
	const known = idOf(id);
	return { ...(known ? { id: known } : {}), ...(isText(secret) ? { secret } : {}) };
}

/** Takes a failure with one of these statuses for "nothing"; all others go on. */
const ignoring =
	(...statuses: number[]) =>
	(error: unknown): undefined => {
		if (!hasStatus(error, ...statuses)) throw error;
	};
