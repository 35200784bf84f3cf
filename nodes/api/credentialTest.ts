import { pick, truncate } from 'lodash';
import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IN8nHttpFullResponse,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { authenticated, readAddress, readApiKey } from './address';
import { Client, type Transport } from './client';
import { lists } from './contract';
import { refusal, toFailure, type ErrorDetails } from './failure';
import { Pace } from './pace';
import { idIn } from './records';
import { redactor } from './redaction';
import { isTemporary } from './retryPolicy';

/** The credential dialog's test (spec: `GET /workspaces`): which of key, address, network or workspace is wrong. */
export async function testCredential(
	this: ICredentialTestFunctions,
	{ data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const apiKey = readApiKey(data.apiKey);
	const { helpers } = this;
	const transport: Transport = async (options) => {
		const { url: uri, headers, method, timeout, qs } = authenticated(data, options);
		// The only request function here; it hands out Node's own request object, too, which has circular references.
		const response = (await helpers.request({
			...{ uri, method, timeout, headers, qs },
			...{ json: true, simple: false, resolveWithFullResponse: true, followRedirect: false },
		})) as IN8nHttpFullResponse;
		return pick(response, ['statusCode', 'headers', 'body']);
	};
	try {
		const address = readAddress(data);
		const client = new Client(transport, address, new Pace(), redactor([apiKey]));
		const request = { ...lists.workspaces, method: 'GET' } as const;
		const { records: list, hasMore } = await client.list(request, 0);
		const { workspaceId: wanted } = address;
		const known = list
			.map(({ name, ...one }) => ({ name, id: idIn(one) }))
			.filter(({ id }) => id !== undefined);
		const named = known.map(({ id, name }) => (typeof name === 'string' && name ? `${name} (${id})` : id));
		const names = truncate(named.join(', '), { length: 1_000, omission: '…' });
		// The spec doesn't say what the list looks like: an empty one proves nothing.
		const isUnlisted = wanted !== '' && names !== '' && !known.some(({ id }) => id === wanted);
		if (isUnlisted && !hasMore)
			throw refusal(
				'WORKSPACE',
				`The key is valid, but it can't access the workspace '${wanted}'`,
				`The key can access: ${names}. Enter the ID of one of them in 'Workspace', or clear it to use the key's own workspace.`,
			);
		const hint = isUnlisted ? ` There may be more: '${wanted}' isn't among these.` : '';
		return { status: 'OK', message: `The key is valid.${names && ` It can access: ${names}.`}${hint}` };
	} catch (error) {
		const { details } = toFailure(error);
		// As agents should have them (docs/agents.md).
		if (details.code === 'PUBLIC_API_SCOPE_FORBIDDEN') {
			const unchecked = readAddress(data).workspaceId && ", so 'Workspace' wasn't checked";
			return { status: 'OK', message: `The key is valid. It may not list workspaces${unchecked}.` };
		}
		return { status: 'Error', message: `${details.message.replace(/\.$/, '')}. ${adviceFor(details)}` };
	}
}

/** What to do about a failure in the credential's dialog, where there is no node and no workflow. */
function adviceFor({ code, status, hint }: ErrorDetails): string {
	if (isTemporary(status)) return 'Test the credential again in a few minutes.';
	const isElsewhere = status >= 400 && ![401, 402, 403].includes(status);
	return isElsewhere || code === 'NODE_UNEXPECTED_DATA'
		? "Check 'Base URL' and 'API Path'. Most likely, one of them is wrong."
		: hint;
}
