import type { IAllExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { canStandInHeader, readAddress, readApiKey, workspaceIdOf, type Address } from './address';
import { Client, type Transport } from './client';
import { headers, listNames } from './contract';
import { refusal } from './errors';
import { records } from './paging';
import { RateLimiter } from './rateLimiter';
import { redactor } from './redaction';

export const credentialName = 'socialPublishingApi';

/** What every context of n8n offers that may talk to the service. */
type Caller = Pick<IAllExecuteFunctions, 'getCredentials' | 'helpers'> & {
	getExecutionCancelSignal?: () => AbortSignal | undefined;
};

/**
 * A client for one run, from n8n's context: credential, limiter, and an end when the execution is stopped.
 * @throws Failure naming the credential's field that is wrong
 */
export async function connect(caller: Caller): Promise<Client> {
	const credential = await caller.getCredentials(credentialName);
	const transport = async (options: IHttpRequestOptions): Promise<IN8nHttpFullResponse> =>
		(await caller.helpers.httpRequestWithAuthentication.call(
			caller as IAllExecuteFunctions,
			credentialName,
			options,
		)) as IN8nHttpFullResponse;
	const address = readAddress(credential);
	const limiter = new RateLimiter(caller.getExecutionCancelSignal?.());
	const redact = redactor([readApiKey(credential.apiKey)]);
	return new Client(withWorkspaceName(transport, address), address, limiter, redact);
}

/**
 * The credential's workspace may be given by name: one that can't be an ID is looked up before the first request that
 * names it, any other where the service does not know it.
 */
function withWorkspaceName(transport: Transport, { apiUrl, workspaceId: wanted }: Address): Transport {
	let found: string | undefined;
	const lookUp = async (): Promise<string | undefined> => {
		const asked = {
			method: 'GET' as const,
			url: `${apiUrl}/workspaces`,
			headers: { Accept: 'application/json' },
		};
		const { body } = await transport({ ...asked, ...quiet });
		return workspaceIdOf(records((body as { data?: unknown }).data, listNames.workspaces), wanted);
	};
	const renamed = (options: IHttpRequestOptions, id: string): IHttpRequestOptions => ({
		...options,
		headers: { ...options.headers, [headers.workspace]: id },
	});
	return async (options) => {
		if (wanted === '' || options.headers?.[headers.workspace] !== wanted) return await transport(options);
		if (!found && !canStandInHeader(wanted)) {
			found = await lookUp();
			if (!found)
				throw refusal(
					'WORKSPACE',
					`The API key reaches no workspace called '${wanted}'`,
					"Open the credential and choose another 'Workspace', or clear it to use the key's own.",
				);
		}
		if (found) return await transport(renamed(options, found));
		const response = await transport(options);
		const { error } = (response.body ?? {}) as { error?: { code?: string } };
		if (error?.code !== 'PUBLIC_API_WORKSPACE_FORBIDDEN') return response;
		const id = await lookUp().catch(() => undefined);
		if (!id || id === wanted) return response;
		found = id;
		return await transport(renamed(options, found));
	};
}

/** As the client sends its requests: the full response, no redirect, no status that throws. */
const quiet = {
	disableFollowRedirect: true,
	ignoreHttpStatusErrors: true,
	returnFullResponse: true,
} as const;
