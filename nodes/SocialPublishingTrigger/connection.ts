import { createHash } from 'node:crypto';

import type { IAllExecuteFunctions, IDataObject } from 'n8n-workflow';

import type { Answer } from '../api/answers';
import type { ApiRequest, Client } from '../api/client';
import { connect, credentialName } from '../api/connect';
import { Failure, toFailure } from '../api/failure';
import { redactor, type Redact } from '../api/redaction';
import { derivedSecret } from '../shared/signature';
import { keyGroupOf, type KeyGroup } from './keyGroup';

/** What is asked of the service; of the workspace that the trigger is set to unless another one is named. */
export type TriggerRequest = Omit<ApiRequest, 'workspaceId'> & { workspaceId?: string };

/** `data` of a GET. */
export type Get = (request: Omit<TriggerRequest, 'method'>) => Promise<unknown>;

/** How a trigger asks. */
interface Setup {
	/** The address of the trigger; where its own secret plays no part, ''. */
	url: string;
	/** '' for the credential's. */
	workspaceId: string;
	/** Those of the trigger's subscription, as far as they are known. */
	secrets: readonly string[];
	/** How long one request is tried again, in ms. */
	requestMs: number;
	/** How long all requests together may take, in ms. */
	totalMs?: number;
}

/** A trigger's way to the service. Nothing that the service says carries a secret of its subscription on. */
export class Connection {
	readonly serviceUrl: string;

	readonly workspaceId: string;

	/** The secret made from the credential's key and the trigger's address; undefined where there is no key. */
	readonly ownSecret: string | undefined;

	/** The triggers of this process that have the same key. */
	readonly group: KeyGroup;

	readonly redact: Redact;

	/** How long one request is tried again, in ms. */
	requestMs: number;

	private readonly end: number;

	constructor(
		private readonly client: Client,
		apiKey: unknown,
		{ url, workspaceId, secrets, requestMs, totalMs = Infinity }: Setup,
	) {
		this.serviceUrl = client.address.apiUrl;
		this.workspaceId = workspaceId || client.address.workspaceId;
		this.ownSecret = derivedSecret(apiKey, url);
		this.redact = redactor([...secrets, ...(this.ownSecret ? [this.ownSecret] : [])]);
		const parts = JSON.stringify([this.serviceUrl, this.workspaceId, apiKey]);
		this.group = keyGroupOf(createHash('sha256').update(parts).digest('base64'));
		this.requestMs = requestMs;
		this.end = performance.now() + totalMs;
	}

	readonly get: Get = async (request) => this.redact((await this.send({ method: 'GET', ...request })).data);

	async send({ workspaceId = this.workspaceId, ...request }: TriggerRequest): Promise<Answer> {
		// Left to the client, whose errors then name the credential's field.
		const isCredentials = workspaceId === this.client.address.workspaceId;
		const workspace = isCredentials ? {} : { workspaceId: workspaceId || null };
		if (request.method === 'GET') this.group.countRead();
		try {
			const withinMs = Math.min(this.requestMs, this.end - performance.now());
			return await this.client.send({ ...request, ...workspace }, { withinMs });
		} catch (error) {
			throw error instanceof Failure ? error.withTexts(this.redact) : error;
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
