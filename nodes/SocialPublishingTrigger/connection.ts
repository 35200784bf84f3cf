import { createHash } from 'node:crypto';

import type { IAllExecuteFunctions, IDataObject } from 'n8n-workflow';

import type { Answer } from '../api/answers';
import type { ApiRequest } from '../api/client';
import { connect, credentialName } from '../api/connect';
import { Failure, toFailure } from '../api/failure';
import { redactor, type Redact } from '../api/redaction';
import { LruMap } from '../shared/lruMap';
import { derivedSecret } from '../shared/signature';
import { ReadBudget } from './readBudget';

/** A request in the trigger's workspace unless another one is named. */
export type TriggerRequest = Omit<ApiRequest, 'workspaceId'> & { workspaceId?: string };

export type Get = (request: Omit<TriggerRequest, 'method'>) => Promise<unknown>;

/** A trigger's way to the service. Redacts the secrets of its subscription in whatever the service says. */
export interface Connection {
	/** The address of the trigger; '' where its own secret plays no part. */
	url: string;
	serviceUrl: string;
	workspaceId: string;
	requestMs: number;
	/** Made from the credential's key and the trigger's address; undefined where there is no key. */
	ownSecret?: string;
	/** What all triggers of this process with the same key share. */
	budget: ReadBudget;
	redact: Redact;
	get: Get;
	send(request: TriggerRequest): Promise<Answer>;
}

/** The budgets of this process, by service and key. */
export const budgets = new LruMap<string, ReadBudget>(200);

/**
 * @param setup workspace '' for the credential's; the known secrets of the subscription; how long all requests may take
 * @throws Failure naming the credential's field that is wrong
 */
export async function connectTrigger(
	context: Pick<IAllExecuteFunctions, 'getCredentials' | 'helpers'>,
	setup: Pick<Connection, 'url' | 'workspaceId' | 'requestMs'> & { secrets: string[]; totalMs?: number },
): Promise<Connection> {
	const { url, workspaceId, secrets, requestMs, totalMs = Infinity } = setup;
	const client = await connect(context);
	const { apiKey } = await context.getCredentials<IDataObject>(credentialName);
	const { apiUrl: serviceUrl, workspaceId: credentialWorkspace } = client.address;
	const ownSecret = derivedSecret(apiKey, url);
	const redact = redactor([...secrets, ...(ownSecret ? [ownSecret] : [])]);
	const key = createHash('sha256')
		.update(JSON.stringify([serviceUrl, apiKey]))
		.digest('base64');
	const end = performance.now() + totalMs;
	const connection: Connection = {
		url,
		serviceUrl,
		workspaceId: workspaceId || credentialWorkspace,
		requestMs,
		ownSecret,
		redact,
		budget: budgets.ensure(key, () => new ReadBudget()),
		async get(request) {
			connection.budget.countRead();
			return redact((await connection.send({ method: 'GET', ...request })).data);
		},
		async send({ workspaceId = connection.workspaceId, ...request }) {
			// Left to the client, whose errors then name the credential's field.
			const workspace = workspaceId === credentialWorkspace ? {} : { workspaceId: workspaceId || null };
			const withinMs = Math.min(connection.requestMs, end - performance.now());
			try {
				return await client.send({ ...request, ...workspace }, { withinMs });
			} catch (error) {
				// The general hint names an option that only the action node has.
				const hint = hasStatus(error, 429) ? { hint: 'Wait a minute, then try again.' } : {};
				throw error instanceof Failure ? error.with(hint).withTexts(redact) : error;
			}
		},
	};
	return connection;
}

/** Whether the service answered with one of these HTTP statuses. */
export const hasStatus = (error: unknown, ...statuses: number[]): boolean =>
	statuses.includes(toFailure(error).details.status);
