import { createHash } from 'node:crypto';

import type { IAllExecuteFunctions, IDataObject } from 'n8n-workflow';

import type { Answer } from '../api/answers';
import type { ApiRequest, Client } from '../api/client';
import { connect, credentialName } from '../api/connect';
import { Failure } from '../api/errors';
import { redactor, type Redact } from '../api/redaction';
import { derivedSecret } from '../shared/signature';
import { keyGroupOf, type KeyGroup } from './keyGroup';

/** What is asked of the service; of the workspace that the trigger is set to unless another one is named. */
export type TriggerRequest = Pick<
	ApiRequest,
	'method' | 'path' | 'qs' | 'body' | 'idempotencyKey' | 'expects'
> & {
	workspaceId?: string;
};

/** A trigger's way to the service. Nothing that the service says carries a secret of its subscription on. */
export class Connection {
	private readonly redact: Redact;

	readonly serviceUrl: string;

	readonly workspaceId: string;

	/** The triggers of this process that have the same key. */
	readonly group: KeyGroup;

	/**
	 * @param ownSecret what is made from the credential's key; undefined where it has none
	 * @param secrets those of the trigger's subscription, as far as they are known
	 */
	constructor(
		private readonly client: Client,
		apiKey: string,
		workspaceId: string,
		readonly ownSecret: string | undefined,
		secrets: readonly string[],
	) {
		this.serviceUrl = client.address.apiUrl;
		this.workspaceId = workspaceId || client.address.workspaceId;
		this.redact = redactor([...secrets, ...(ownSecret ? [ownSecret] : [])]);
		const parts = JSON.stringify([this.serviceUrl, this.workspaceId, apiKey]);
		this.group = keyGroupOf(createHash('sha256').update(parts).digest('base64'));
	}

	/** `data` of a GET. */
	async get(request: Omit<TriggerRequest, 'method'>, patienceMs: number): Promise<unknown> {
		const { data } = await this.send({ method: 'GET', ...request }, Date.now() + patienceMs);
		return this.redact(data);
	}

	/** @param until when to stop trying again, in ms */
	async send({ workspaceId = this.workspaceId, ...request }: TriggerRequest, until: number): Promise<Answer> {
		// Left to the client, whose errors then name the credential's field.
		const own = workspaceId === this.client.address.workspaceId;
		const workspace = own ? {} : { workspaceId: workspaceId || null };
		if (request.method === 'GET') this.group.countRead();
		try {
			return await this.client.send({ ...request, ...workspace }, { until });
		} catch (error) {
			throw error instanceof Failure ? error.withTexts(this.redact) : error;
		}
	}

	/** Takes the secrets out of a text, for the log. */
	withoutSecrets(text: string): string {
		return this.redact({ text }).text;
	}
}

/**
 * @param url of the trigger
 * @param workspaceId of the node; '' for the credential's
 * @throws Failure naming the credential's field that is wrong
 */
export async function connectTrigger(
	context: Pick<IAllExecuteFunctions, 'getCredentials' | 'helpers'>,
	{ url, workspaceId, secrets }: { url: string; workspaceId: string; secrets: readonly string[] },
): Promise<Connection> {
	const client = await connect(context);
	const { apiKey } = await context.getCredentials<IDataObject>(credentialName);
	const key = typeof apiKey === 'string' ? apiKey : '';
	return new Connection(client, key, workspaceId, derivedSecret(apiKey, url), secrets);
}
