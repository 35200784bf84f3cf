import type { IAllExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { readAddress, readApiKey } from './address';
import { Client, type Transport } from './client';
import { Pace } from './pace';
import { redactor } from './redaction';

export const credentialName = 'socialPublishingApi';

/** What every context of n8n offers that may talk to the service. */
type Caller = Pick<IAllExecuteFunctions, 'getCredentials' | 'helpers'> & {
	getExecutionCancelSignal?: () => AbortSignal | undefined;
};

/** A client for one run, which ends when the execution is stopped. @throws Failure naming a wrong field of the credential */
export async function connect(caller: Caller): Promise<Client> {
	const credential = await caller.getCredentials(credentialName);
	const transport: Transport = async (options) =>
		(await caller.helpers.httpRequestWithAuthentication.call(
			caller as IAllExecuteFunctions,
			credentialName,
			withOwnSignal(options),
		)) as IN8nHttpFullResponse;
	const pace = new Pace(caller.getExecutionCancelSignal?.());
	return new Client(transport, readAddress(credential), pace, redactor([readApiKey(credential.apiKey)]));
}

/** n8n replaces the signal by the execution's, and a request that timed out would go on: here it can't. */
const withOwnSignal = ({ abortSignal: own, ...options }: IHttpRequestOptions): IHttpRequestOptions =>
	Object.defineProperty(options, 'abortSignal', { get: () => own, set: () => undefined, enumerable: true });
