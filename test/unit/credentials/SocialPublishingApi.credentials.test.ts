import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { SocialPublishingApi } from '../../../credentials/SocialPublishingApi.credentials';
import { readAddress } from '../../../nodes/api/address';

const credential = new SocialPublishingApi();
const url = 'https://api.example.com/api/public/v1/posts';

/** The headers that a request gets. */
async function headersOf(request: object, more: ICredentialDataDecryptedObject = {}) {
	const authenticate = credential.authenticate as (
		data: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	) => Promise<IHttpRequestOptions>;
	const options = { url, ...request } as IHttpRequestOptions;
	const sent = await authenticate({ apiKey: 'k', workspaceId: ' ws_1 ', ...more }, options);
	expect({ ...sent, headers: options.headers }).toEqual({ ...options, headers: options.headers });
	return sent.headers;
}
const key = { Authorization: 'Bearer k' };
const inWorkspace = { ...key, 'x-service-workspace-id': 'ws_1' };

const at = (path: string) => ({ url: `https://a.example/v1${path}` });
test.each<[string, object, ICredentialDataDecryptedObject, object]>([
	['a key that was pasted with its scheme', {}, { apiKey: ' Bearer k ' }, inWorkspace],
	['what the caller has', { headers: { Accept: 'a' } }, {}, { Accept: 'a', ...inWorkspace }],
	['no workspace where there was none when it was saved', {}, { workspaceId: undefined as never }, key],
	[
		"the caller's workspace, however it is written",
		{ headers: { 'X-Service-Workspace-Id': 'ws_2' } },
		{},
		{ ...key, 'X-Service-Workspace-Id': 'ws_2' },
	],
	["n8n's HTTP Request node, which says uri", { url: undefined, uri: url }, {}, inWorkspace],
	['no workspace to ask for them', at('/workspaces'), {}, key],
	['no workspace to ask for them, with a slash', at('/workspaces/'), {}, key],
	['no workspace to ask for some of them', at('/workspaces?limit=1'), {}, key],
	['a workspace to ask for something like it', at('/workspaces/ws_1/a'), {}, inWorkspace],
])('a request gets %s', async (_name, request, more, headers) => {
	expect(await headersOf(request, more)).toEqual(headers);
});

test('a workspace that no header takes is refused, before anything is sent', async () => {
	await expect(headersOf({}, { workspaceId: 'Пекарня' })).rejects.toThrow("'Workspace' in the credential");
});

test('as it is made, with an address and a key entered, it leads to the documented path and form', () => {
	const data = Object.fromEntries(credential.properties.map(({ name, default: value }) => [name, value]));
	expect(readAddress({ ...data, baseUrl: 'https://api.example.com' } as never)).toMatchObject({
		apiUrl: 'https://api.example.com/api/public/v1',
		workspaceId: '',
		postFormat: 'integrationGuide',
	});
	const required = credential.properties.filter((property) => property.required);
	expect(required.map(({ name, typeOptions }) => [name, typeOptions])).toEqual([
		['baseUrl', undefined],
		['apiKey', { password: true }],
	]);
});
