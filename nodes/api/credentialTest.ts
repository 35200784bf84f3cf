import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { Client, readAddress } from './client';
import { Failure } from './errors';

/**
 * The credential dialog's test (spec: `GET /workspaces`): which of key, address or network is wrong, in the words of
 * every other failure. A declarative test could only show "Unauthorized" or the network's own code.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	// The only request function that n8n offers to a credential's test.
	const { helpers } = this;
	const transport = async ({ url, headers, method }: IHttpRequestOptions): Promise<IN8nHttpFullResponse> =>
		(await helpers.request({
			uri: url,
			method,
			headers: { ...headers, Authorization: `Bearer ${String(data.apiKey)}` },
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
		})) as IN8nHttpFullResponse;
	try {
		const client = new Client(transport, readAddress(data));
		await client.send({ method: 'GET', path: '/workspaces', workspaceId: null }, 0);
		return { status: 'OK', message: 'The service knows this key' };
	} catch (error) {
		const hint = error instanceof Failure ? ` ${error.details.hint}` : '';
		return { status: 'Error', message: `${(error as Error).message.replace(/\.$/, '')}.${hint}` };
	}
}
