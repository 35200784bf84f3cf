import { randomUUID } from 'node:crypto';

import isEqual from 'lodash/isEqual';
import isNil from 'lodash/isNil';
import omitBy from 'lodash/omitBy';
import type { IDataObject } from 'n8n-workflow';

import type { Answer } from '../api/answers';
import type { ApiRequest, Client } from '../api/client';
import { listNames } from '../api/contract';
import { Failure } from '../api/errors';
import { records } from '../api/lists';

/** What the service should deliver, and where. */
export interface Wanted {
	/** The receiver. */
	url: string;
	events: string[];
	description: string;
	/** '' for the credential's. */
	workspaceId: string;
}

/**
 * What n8n keeps of a subscription, in the node's static data. n8n loses it where another node of the workflow writes
 * static data in queue mode: deliveries are then verified with the derived secret, and deleting goes by address.
 */
export interface Stored {
	webhookId: string;
	secret: string;
	url: string;
	events: string[];
	workspaceId: string;
	/** Whether the secret is the one that we offered, made from the key that the credential had then. */
	derived?: boolean;
}

/** A subscription as the service lists it. */
export interface Listed {
	id: string;
	/** Active, with the address and events that are wanted. */
	isAsWanted: boolean;
	record: IDataObject;
}

/** How long one request of a life-cycle step is tried again, and how long it may take, in ms. */
const EACH_REQUEST = 10_000;
/** How long a whole step may take, in ms: n8n gives up after 84 s. */
const WHOLE_STEP = 60_000;

/** What is stored, where it is complete. */
export function storedIn(staticData: IDataObject): Stored | undefined {
	const { webhookId, secret, url, events, workspaceId, derived } = staticData;
	const complete =
		[webhookId, secret, url].every((value) => typeof value === 'string' && value !== '') &&
		Array.isArray(events);
	return complete
		? ({
				webhookId,
				secret,
				url,
				events,
				workspaceId: workspaceId ?? '',
				derived: derived === true,
			} as unknown as Stored)
		: undefined;
}

/** One step of a subscription's life: its requests share the time that n8n leaves for it. */
export class Subscription {
	private readonly end = Date.now() + WHOLE_STEP;

	/** @param patience how long one request is tried again, in ms */
	constructor(
		private readonly client: Client,
		readonly wanted: Wanted,
		private readonly patience = EACH_REQUEST,
	) {}

	/** What the service has for this address, and those that are known by their IDs. */
	async listed(knownIds: readonly string[]): Promise<Listed[]> {
		const { url } = this.wanted;
		return (await this.list())
			.filter((one) => one.url === url || knownIds.includes(String(one.id)))
			.map((one) => ({ id: String(one.id), isAsWanted: isActive(one) && this.fits(one), record: one }));
	}

	/**
	 * Whether the service has the subscription that is stored, for the same address, events and workspace. One whose
	 * secret was made from a key that has been replaced since does not count: who knows that key knows the secret.
	 * @param ownSecret what would be offered to the service now
	 * @throws Failure where the service can't be asked: only "not there" means that it is not there
	 */
	async exists(stored: Stored | undefined, ownSecret: string): Promise<boolean> {
		if (!stored || !this.isAsWanted(stored)) return false;
		if (stored.derived && stored.secret !== ownSecret) return false;
		const listed = (await this.list()).find(({ id }) => String(id) === stored.webhookId);
		return listed !== undefined && isActive(listed) && this.fits(listed);
	}

	/**
	 * Subscribes anew. Never adopts what is there: the secret of a subscription is shown once, when it is made.
	 * @param ownSecret offered to the service; in force unless the answer holds another one
	 */
	async create(ownSecret: string): Promise<Stored> {
		const { url, events, workspaceId } = this.wanted;
		const { answer, offered } = await this.subscribe(ownSecret);
		const { id: webhookId, secret = offered } = webhookIn(answer);
		if (webhookId && secret)
			return { webhookId, secret, url, events, workspaceId, derived: secret === ownSecret };
		// Nothing could be verified: take back what was made.
		await (webhookId ? this.deleteById(webhookId) : this.deleteByAddress());
		throw new Failure({
			code: 'NODE_NO_SECRET',
			message: `The service subscribed this workflow, but its answer holds no ${webhookId ? 'secret' : 'ID'}`,
			hint: 'Without it no delivery could be verified, so the subscription was taken back. Ask the support of the service.',
			...(answer.requestId ? { request_id: answer.requestId } : {}),
		});
	}

	/** Deletes what an earlier life left behind at this address, but for one. */
	async deleteLeftovers(keep: string): Promise<void> {
		await this.deleteByAddress(keep);
	}

	/**
	 * Unsubscribes: the stored one, then whatever else delivers to this address. What is gone counts as done.
	 * @throws Failure where the service does not do it: n8n then tries again
	 */
	async delete(stored: Stored | undefined): Promise<void> {
		if (stored) await this.deleteById(stored.webhookId, stored.workspaceId);
		await this.deleteByAddress();
	}

	private async subscribe(ownSecret: string): Promise<{ answer: Answer; offered?: string }> {
		const { url, events, description } = this.wanted;
		const body: IDataObject = { url, events, description };
		const answer = await this.post({ ...body, secret: ownSecret }).catch(ignoring(400, 422));
		// The field is not shown in the spec: a service that does not take it makes a secret itself.
		return answer ? { answer, offered: ownSecret } : { answer: await this.post(body) };
	}

	/** A key of its own: a fixed one could be answered with a subscription that is gone by now. */
	private async post(body: IDataObject): Promise<Answer> {
		return await this.send({
			method: 'POST',
			path: '/webhooks',
			body,
			idempotencyKey: `n8n-${randomUUID()}`,
		});
	}

	private async list(): Promise<IDataObject[]> {
		return records((await this.send({ method: 'GET', path: '/webhooks' })).data, listNames.webhooks);
	}

	private async deleteByAddress(keep?: string): Promise<void> {
		for (const { id, url } of await this.list())
			if (url === this.wanted.url && String(id) !== keep) await this.deleteById(String(id));
	}

	/** What is gone counts as done. */
	async deleteById(id: string, workspaceId = this.wanted.workspaceId): Promise<void> {
		await this.send({
			method: 'DELETE',
			path: `/webhooks/${encodeURIComponent(id)}`,
			idempotencyKey: `n8n-${randomUUID()}`,
			...(workspaceId ? { workspaceId } : {}),
		}).catch(ignoring(404));
	}

	private async send(request: ApiRequest): Promise<Answer> {
		const until = Math.min(Date.now() + this.patience, this.end);
		const { workspaceId } = this.wanted;
		return await this.client.send(
			{
				...(workspaceId ? { workspaceId } : {}),
				...request,
			},
			{ until },
		);
	}

	private isAsWanted({ url, events, workspaceId }: Stored): boolean {
		const { wanted } = this;
		return url === wanted.url && workspaceId === wanted.workspaceId && sameEvents(events, wanted.events);
	}

	/** What the service lists; fields that it does not show can't tell against it. */
	private fits({ url, events }: IDataObject): boolean {
		const { wanted } = this;
		return (
			(url === undefined || url === wanted.url) &&
			(!Array.isArray(events) || sameEvents(events as string[], wanted.events))
		);
	}
}

const sameEvents = (a: readonly string[], b: readonly string[]): boolean =>
	isEqual([...a].sort(), [...b].sort());

/** How a disabled webhook is told is not shown: these are the usual ways. */
const isActive = ({ status, active, enabled, disabled }: IDataObject): boolean =>
	status !== 'disabled' &&
	status !== 'inactive' &&
	active !== false &&
	enabled !== false &&
	disabled !== true;

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
		error instanceof Failure && statuses.includes(error.details.status ?? 0)
			? undefined
			: await Promise.reject(error as Error);
