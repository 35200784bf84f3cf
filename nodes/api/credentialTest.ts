import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readAddress, readApiKey } from './address';
import { Client } from './client';
import { listNames } from './contract';
import { Failure, refusal } from './errors';
import { records } from './paging';
import { RateLimiter } from './rateLimiter';
import { redactor } from './redaction';
import { workspaceCalled } from './workspaces';

/**
 * The credential dialog's test (spec: `GET /workspaces`): which of key, address, network or workspace is wrong, in the
 * words of every other failure. A declarative test could only show "Unauthorized" or the network's own code.
 */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const apiKey = readApiKey(data.apiKey);
	// The only request function that n8n offers to a credential's test.
	const { helpers } = this;
	const transport = async ({
		url,
		headers,
		method,
		timeout,
	}: IHttpRequestOptions): Promise<IN8nHttpFullResponse> =>
		(await helpers.request({
			uri: url,
			method,
			headers: { ...headers, Authorization: `Bearer ${apiKey}` },
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout,
		})) as IN8nHttpFullResponse;
	try {
		const client = new Client(transport, readAddress(data), new RateLimiter(), redactor([apiKey]));
		const answer = await client.send({ method: 'GET', path: '/workspaces', workspaceId: null }, 0);
		checkWorkspace(client.address.workspaceId, records(answer.data, listNames.workspaces));
		return { status: 'OK', message: 'The service knows this key' };
	} catch (error) {
		const hint = error instanceof Failure ? ` ${error.details.hint}` : '';
		return { status: 'Error', message: `${(error as Error).message.replace(/\.$/, '')}.${hint}` };
	}
}

/** @throws Failure where the key does not reach the credential's workspace */
function checkWorkspace(wanted: string, reached: ReturnType<typeof records>): void {
	if (wanted === '' || workspaceCalled(reached, wanted) !== undefined) return;
	const shown = reached.slice(0, 3);
	throw refusal(
		'WORKSPACE_ID',
		`The API key does not reach the workspace '${wanted.slice(0, 100)}'`,
		shown.length > 0
			? `Give the ID or the name of one that it reaches: ${shown.map(({ id, name }) => `${String(id)} (${String(name ?? 'no name')})`).join(', ')}.`
			: "The service lists no workspace for this key. Clear 'Workspace ID' to use the key's own.",
	);
}
