import type {
	IDataObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { readAddress, readApiKey, whichWorkspaces, workspaceNames } from './address';
import { Client } from './client';
import { listNames } from './contract';
import { Failure, refusal } from './failure';
import { records } from './lists';
import { Pace } from './pace';
import { redactor } from './redaction';

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
	}: IHttpRequestOptions): Promise<IN8nHttpFullResponse> => {
		const response = (await helpers.request({
			uri: url,
			method,
			headers: { ...headers, Authorization: `Bearer ${apiKey}` },
			json: true,
			simple: false,
			resolveWithFullResponse: true,
			followRedirect: false,
			timeout,
		})) as IN8nHttpFullResponse;
		// This function hands out Node's own request object, too, in which everything refers to everything.
		return { statusCode: response.statusCode, headers: response.headers, body: response.body };
	};
	try {
		const address = readAddress(data);
		const client = new Client(transport, address, new Pace(), redactor([apiKey]));
		const answer = await client.send({ method: 'GET', path: '/workspaces', workspaceId: null }, 0);
		const { workspaceId: wanted } = address;
		const list = records(answer.data, listNames.workspaces);
		// What the list looks like is not shown: an empty one says nothing.
		const { hint = '' } = whichWorkspaces(list);
		if (wanted !== '' && hint !== '' && !list.some(({ id }) => String(id) === wanted))
			throw refusal('WORKSPACE', `The key is valid, but it can't access the workspace '${wanted}'`, hint);
		return { status: 'OK', message: `The key is valid. ${usedWorkspace(list, wanted)}`.trim() };
	} catch (error) {
		const hint = error instanceof Failure ? ` ${error.details.hint}` : '';
		return { status: 'Error', message: `${(error as Error).message.replace(/\.$/, '')}.${hint}` };
	}
}

/** Which workspace requests go to; the spec doesn't show which one is a key's own. */
function usedWorkspace(list: readonly IDataObject[], wanted: string): string {
	const used = wanted === '' ? list : list.filter(({ id }) => String(id) === wanted);
	const names = workspaceNames(used);
	if (names === '') return '';
	return used.length === 1
		? `It uses the workspace ${names}.`
		: `'Workspace' is empty, so the service chooses one of these: ${names}. To be sure, enter an ID.`;
}
