import type { IHttpRequestOptions } from 'n8n-workflow';

import { connect, credentialName } from '../../../nodes/api/connect';

/** A context of n8n with this credential; the requests that it sends. */
function contextOf(credential: object, signal?: AbortSignal) {
	const sent: Array<[context: unknown, name: string, options: IHttpRequestOptions]> = [];
	const context = {
		getCredentials: async (name: string) => (name === credentialName ? credential : undefined),
		helpers: {
			async httpRequestWithAuthentication(this: unknown, name: string, options: IHttpRequestOptions) {
				// As n8n's helper does within an execution.
				options.abortSignal = signal;
				sent.push([this, name, options]);
				const error = { code: 'A', message: 'key sk_test_1' };
				return { statusCode: 400, headers: {}, body: { success: false, error } };
			},
		},
		...(signal ? { getExecutionCancelSignal: () => signal } : {}),
	};
	return { context, sent };
}
const credential = { baseUrl: 'https://api.example.com', apiKey: 'Bearer sk_test_1', workspaceId: 'ws_1' };

test("sends with n8n's credential to its address, and hides the key in what comes back", async () => {
	const { context, sent } = contextOf(credential);
	const client = await connect(context as never);
	await expect(client.send({ method: 'GET', path: '/usage' }, 0)).rejects.toThrow('key [hidden]');
	const url = 'https://api.example.com/api/public/v1/usage';
	expect(sent).toEqual([[context, 'socialPublishingApi', expect.objectContaining({ url, method: 'GET' })]]);
	expect(sent[0]![2].headers).toEqual({ Accept: 'application/json', 'x-service-workspace-id': 'ws_1' });
});

test('ends when the execution is stopped', async () => {
	const { context, sent } = contextOf(credential, AbortSignal.abort());
	const client = await connect(context as never);
	await expect(client.send({ method: 'GET', path: '/usage' }, 0)).rejects.toMatchObject({
		details: { code: 'NODE_STOPPED' },
	});
	expect(sent).toEqual([]);
});

test('a request is closed by the client, whatever n8n puts in place of its signal', async () => {
	const { context, sent } = contextOf(credential, new AbortController().signal);
	const client = await connect(context as never);
	await expect(client.send({ method: 'GET', path: '/usage' }, 0)).rejects.toThrow();
	expect(sent[0]![2].abortSignal!.aborted).toBe(true);
});

test("names the credential's field that is wrong", async () => {
	const { context } = contextOf({ ...credential, baseUrl: 'nowhere' });
	await expect(connect(context as never)).rejects.toThrow("'Base URL' in the credential");
});
