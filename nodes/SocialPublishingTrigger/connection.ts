import { createHash } from 'node:crypto';

import type { IAllExecuteFunctions, IDataObject } from 'n8n-workflow';

import type { Answer } from '../api/answers';
import type { ApiRequest, Client } from '../api/client';
import { connect, credentialName } from '../api/connect';
import { Failure, toFailure } from '../api/failure';
import { redactor, type Redact } from '../api/redaction';
import { LruMap } from '../shared/lruMap';
import { derivedSecret } from '../shared/signature';
import { ReadBudget } from './readBudget';

/** A request in the trigger's workspace unless another one is named. */
export type TriggerRequest = Omit<ApiRequest, 'workspaceId'> & { workspaceId?: string };

/** `data` of a GET. */
export type Get = (request: Omit<TriggerRequest, 'method'>) => Promise<unknown>;

interface Setup {
	/** The address of the trigger; '' where its own secret plays no part. */
	url: string;
	/** '' for the credential's. */
	workspaceId: string;
	/** The known secrets of the trigger's subscription. */
	secrets: readonly string[];
	/** How long one request is retried. */
	requestMs: number;
	/** How long all requests together may take. */
	totalMs?: number;
}

const MAX_KEYS = 200;

/** The budgets of this process, by service and key. */
export const budgets = new LruMap<string, ReadBudget>(MAX_KEYS);

/** A trigger's way to the service. Redacts the secrets of its subscription in whatever the service says. */
export class Connection {
	readonly url: string;

	readonly serviceUrl: string;

	readonly workspaceId: string;

	/** The secret made from the credential's key and the trigger's address; undefined where there is no key. */
	readonly ownSecret: string | undefined;

	/** What all triggers of this process with the same key share. */
	readonly budget: ReadBudget;

	readonly redact: Redact;

	requestMs: number;

	private readonly end: number;

	constructor(
		private readonly client: Client,
		apiKey: unknown,
		{ url, workspaceId, secrets, requestMs, totalMs = Infinity }: Setup,
	) {
		this.url = url;
		this.serviceUrl = client.address.apiUrl;
		this.workspaceId = workspaceId || client.address.workspaceId;
		this.ownSecret = derivedSecret(apiKey, url);
		this.redact = redactor([...secrets, ...(this.ownSecret ? [this.ownSecret] : [])]);
		const key = createHash('sha256')
			.update(JSON.stringify([this.serviceUrl, apiKey]))
			.digest('base64');
		this.budget = budgets.ensure(key, () => new ReadBudget());
		this.requestMs = requestMs;
		this.end = performance.now() + totalMs;
	}

	readonly get: Get = async (request) => this.redact((await this.send({ method: 'GET', ...request })).data);

	async send({ workspaceId = this.workspaceId, ...request }: TriggerRequest): Promise<Answer> {
		// Left to the client, whose errors then name the credential's field.
		const isCredentials = workspaceId === this.client.address.workspaceId;
		const workspace = isCredentials ? {} : { workspaceId: workspaceId || null };
		if (request.method === 'GET') this.budget.countRead();
		const withinMs = Math.min(this.requestMs, this.end - performance.now());
		try {
			return await this.client.send({ ...request, ...workspace }, { withinMs });
		} catch (error) {
			// The general hint names an option that only the action node has.
			const hint = hasStatus(error, 429) ? { hint: 'Wait a minute, then try again.' } : {};
			throw error instanceof Failure ? error.with(hint).withTexts(this.redact) : error;
		}
	}
}

/** Whether the service answered with one of these HTTP statuses. */
export const hasStatus = (error: unknown, ...statuses: number[]): boolean =>
	statuses.includes(toFailure(error).details.status);

/** @throws Failure naming the credential's field that is wrong */
export async function connectTrigger(
	context: Pick<IAllExecuteFunctions, 'getCredentials' | 'helpers'>,
	setup: Setup,
): Promise<Connection> {
	const client = await connect(context);
	const { apiKey } = await context.getCredentials<IDataObject>(credentialName);
	return new Connection(client, apiKey, setup);
}
