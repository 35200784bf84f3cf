import { randomUUID } from 'node:crypto';

import isNil from 'lodash/isNil';
import omitBy from 'lodash/omitBy';
import type { IDataObject } from 'n8n-workflow';

import type { Answer } from '../api/answers';
import { pathSegment } from '../api/address';
import { listNames } from '../api/contract';
import { Failure } from '../api/errors';
import { records } from '../api/lists';
import { isSameAddress } from '../shared/addresses';
import { readSubscription, type RemoteSubscription } from '../shared/webhooks';
import type { Connection, TriggerRequest } from './connection';
import {
	listedAs,
	type DesiredSubscription,
	type StoredSubscription,
	type SubscriptionRef,
} from './reconcile';

/** How long one request of a life-cycle step is tried again, and how long it may take, in ms. */
const REQUEST_MS = 10_000;
/** How long a whole step may take, in ms: n8n gives up after 84 s. */
const STEP_MS = 60_000;

/** What a step of a subscription's life asks of the service: its requests share the time that n8n leaves for it. */
export class SubscriptionRequests {
	private readonly end = Date.now() + STEP_MS;

	/** @param requestMs how long one request is tried again, in ms */
	constructor(
		private readonly connection: Connection,
		private readonly requestMs = REQUEST_MS,
	) {}

	/** All subscriptions of the workspace. */
	async list(): Promise<RemoteSubscription[]> {
		const { data } = await this.send({ method: 'GET', path: '/webhooks' });
		return records(data, listNames.webhooks).map(readSubscription);
	}

	/**
	 * Subscribes anew. Never adopts what is there: the secret of a subscription is shown once, when it is made.
	 * @param before what the service listed before: where the answer does not name what was made, it is what was not there
	 * @returns what was made, and the list that tells what else is there: the earlier one where the new one is not in it
	 */
	async create(
		desired: DesiredSubscription,
		before: readonly RemoteSubscription[],
	): Promise<{ made: StoredSubscription; listed: readonly RemoteSubscription[] }> {
		const { answer, offered } = await this.subscribe(desired);
		const { id: webhookId, secret = offered } = webhookIn(answer);
		if (!webhookId || !secret) {
			// Nothing could be verified: take back what was made.
			await (webhookId ? this.deleteById(webhookId) : this.deleteNew(desired.url, before));
			throw new Failure({
				code: 'NODE_NO_SECRET',
				message: `The service subscribed this workflow, but its answer holds no ${webhookId ? 'secret' : 'ID'}`,
				hint: 'Without it no delivery could be verified, so the subscription was taken back. Ask the support of the service.',
				...(answer.requestId ? { request_id: answer.requestId } : {}),
			});
		}
		const { url, events, serviceUrl, workspaceId } = desired;
		const after = await this.list().catch(() => undefined);
		const own = after?.find(({ id }) => id === webhookId);
		const made = {
			webhookId,
			url,
			serviceUrl,
			workspaceId,
			secret,
			isDerived: secret === desired.secret,
			events,
			...(after ? { listedAs: own ? listedAs(own) : null } : {}),
		};
		return { made, listed: own ? after! : before };
	}

	/** What is gone counts as done. */
	async delete({
		webhookId,
		workspaceId,
	}: Pick<SubscriptionRef, 'webhookId' | 'workspaceId'>): Promise<void> {
		await this.deleteById(webhookId, workspaceId);
	}

	/** Deletes what delivers to an address since a list was read. */
	async deleteNew(url: string, before: readonly RemoteSubscription[]): Promise<void> {
		const known = new Set(before.map(({ id }) => id));
		for (const one of await this.list())
			if (one.id !== undefined && !known.has(one.id) && one.url && isSameAddress(one.url, url))
				await this.deleteById(one.id);
	}

	private async subscribe(desired: DesiredSubscription): Promise<{ answer: Answer; offered?: string }> {
		const { url, events, description, secret } = desired;
		const body: IDataObject = { url, events, description };
		const answer = await this.post({ ...body, secret }).catch(ignoring(400, 422));
		// The field is not shown in the spec: a service that does not take it makes a secret itself.
		return answer ? { answer, offered: secret } : { answer: await this.post(body) };
	}

	private async post(body: IDataObject): Promise<Answer> {
		return await this.write({ method: 'POST', path: '/webhooks', body });
	}

	private async deleteById(id: string, workspaceId?: string): Promise<void> {
		const path = `/webhooks/${pathSegment(id, 'Webhook')}`;
		await this.write({
			method: 'DELETE',
			path,
			...(workspaceId === undefined ? {} : { workspaceId }),
		}).catch(ignoring(404));
	}

	/** A key of its own: a fixed one could be answered with a subscription that is gone by now. */
	private async write(request: TriggerRequest): Promise<Answer> {
		try {
			return await this.send({ ...request, idempotencyKey: `n8n-${randomUUID()}` });
		} finally {
			this.connection.group.forgetListing();
		}
	}

	private async send(request: TriggerRequest): Promise<Answer> {
		return await this.connection.send(request, Math.min(Date.now() + this.requestMs, this.end));
	}
}

/** Spec, "Webhook": `webhook.secret`; where the ID stands, beside or in `webhook`, is not shown. */
function webhookIn({ data }: Answer): { id?: string; secret?: string } {
	const outer = (data ?? {}) as IDataObject;
	const inner = typeof outer.webhook === 'object' && outer.webhook !== null ? outer.webhook : {};
	const { id, secret } = { ...outer, ...(omitBy(inner, isNil) as IDataObject) };
	const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
	const known = text(typeof id === 'number' ? String(id) : id);
	return { ...(known ? { id: known } : {}), ...(text(secret) ? { secret: text(secret) } : {}) };
}

/** Takes a failure with one of these statuses for "nothing"; all others go on. */
const ignoring =
	(...statuses: number[]) =>
	async (error: unknown): Promise<undefined> =>
		error instanceof Failure && statuses.includes(error.details.status)
			? undefined
			: await Promise.reject(error as Error);
