import { randomUUID } from 'node:crypto';

import { compact } from 'lodash';
import type { IAllExecuteFunctions, IDataObject } from 'n8n-workflow';

import type { Answer } from '../api/answers';
import { connect, credentialName, type ApiRequest } from '../api/client';
import { lists } from '../api/contract';
import { Failure, redacted, hasStatus } from '../api/failure';
import { readList, type Listed, type ListOptions } from '../api/pages';
import { redactor } from '../api/redaction';
import { LruMap } from '../shared/lruMap';
import { derivedSecret } from '../shared/signature';

/** A request in the trigger's workspace unless another one is named ('': none). `withinMs`: instead of the usual time. */
type TriggerRequest = Omit<ApiRequest, 'workspaceId'> & { workspaceId?: string; withinMs?: number };

/** More than a minute: a request with so much time waits for the next window of the rate limit (spec, "Rate limits"). */
export const LIMIT_WINDOW_MS = 75_000;

/** A trigger's way to the service. Redacts the secrets of its subscription in whatever the service says. */
export type Connection = Awaited<ReturnType<typeof connectTrigger>>;

/** `url`: the address of the trigger, '' where its own secret plays no part. `workspaceId`: '' for the credential's. */
interface Setup extends Limits, Record<'url' | 'workspaceId', string> {
	secrets: string[];
}

/** How long one request is retried, and how long all of them may take. */
export interface Limits {
	requestMs: number;
	totalMs?: number;
	/** Of a check: called before each request; what it throws ends the check. */
	guard?: () => void;
}

/** For `catch`: a failure of a request; anything else, such as what a guard throws, goes on. */
export function failureIn(error: unknown): Failure {
	if (error instanceof Failure) return error;
	throw error;
}

/** Subscriptions by key, service and workspace, as some trigger of this process has read them. */
const listings = new LruMap<string, { at: number; list: Promise<Listed> }>(200);

/** @throws Failure naming the credential's field that is wrong */
export async function connectTrigger(
	context: Pick<IAllExecuteFunctions, 'getCredentials' | 'helpers'>,
	{ url, workspaceId: named, secrets, requestMs, totalMs = Infinity, guard }: Setup,
) {
	const client = await connect(context);
	const { apiKey } = await context.getCredentials<IDataObject>(credentialName);
	const { apiUrl: serviceUrl, workspaceId: credentialWorkspace } = client.address;
	const ownWorkspace = named || credentialWorkspace;
	const ownSecret = derivedSecret(apiKey, url);
	const redact = redactor(compact([...secrets, ownSecret]));
	const keyAndService = `${serviceUrl} ${String(derivedSecret(apiKey, serviceUrl))}`;
	const end = performance.now() + totalMs;
	const connection = {
		url,
		serviceUrl,
		workspaceId: ownWorkspace,
		/** Made from the credential's key and the trigger's address; undefined where there is no key. */
		ownSecret,
		redact,
		keyAndService,
		guard,
		async list(request: Omit<TriggerRequest, 'method'> & ListOptions): Promise<Listed> {
			return redact(await readList(connection.send, { method: 'GET', ...request }));
		},
		/** Subscriptions: what another trigger of the key has read, unless it is older, or something was written since. */
		async listWebhooks(workspaceId: string, maxAgeMs: number): Promise<Listed> {
			const name = `${keyAndService} ${workspaceId}`;
			const known = listings.get(name);
			const now = performance.now();
			if (known && now - known.at < maxAgeMs) return await known.list;
			const list = connection.list({ ...lists.webhooks, workspaceId });
			listings.set(name, { at: now, list });
			list.catch(() => listings.delete(name));
			return await list;
		},
		async send({
			workspaceId = ownWorkspace,
			withinMs = requestMs,
			...request
		}: TriggerRequest): Promise<Answer> {
			guard?.();
			// Left to the client, whose errors then name the credential's field.
			const workspace = workspaceId === credentialWorkspace ? {} : { workspaceId: workspaceId || null };
			const isRead = request.method === 'GET';
			// A fixed key could be answered with a subscription that is gone by now.
			const key = isRead ? {} : { idempotencyKey: `n8n-${randomUUID()}` };
			try {
				const budget = { withinMs: Math.min(withinMs, end - performance.now()) };
				return await client.send({ ...request, ...workspace, ...key }, budget);
			} catch (error) {
				// The general hint names an option that only the action node has.
				const hint = hasStatus(error, 429) ? { hint: 'Wait a minute, then try again.' } : {};
				throw redacted(failureIn(error).with(hint), redact);
			} finally {
				if (!isRead) listings.clear();
			}
		},
	};
	return connection;
}
