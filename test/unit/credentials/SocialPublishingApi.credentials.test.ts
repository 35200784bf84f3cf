import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { SocialPublishingApi } from '../../../credentials/SocialPublishingApi.credentials';
import { readAddress } from '../../../nodes/api/address';

const credential = new SocialPublishingApi();
const url = 'https://api.example.com/api/public/v1/posts';

/** The headers that a request gets. */
async function headersOf(request: object, more: object = {}) {
	const authenticate = credential.authenticate as (
		data: ICredentialDataDecryptedObject,
		options: IHttpRequestOptions,
	) => Promise<IHttpRequestOptions>;
	const options = { url, ...request } as IHttpRequestOptions;
	const data = { baseUrl: 'https://api.example.com/', apiKey: 'k', workspaceId: ' ws_1 ', ...more };
	const sent = await authenticate(data, options);
	const noRedirects = { sendCredentialsOnCrossOriginRedirect: false };
	expect({ ...sent, headers: options.headers }).toEqual({ ...options, ...noRedirects });
	return sent.headers;
}
const key = { Authorization: 'Bearer k' };
const inWorkspace = { ...key, 'x-service-workspace-id': 'ws_1' };

const at = (path: string) => ({ url: `https://api.example.com/v1${path}` });
test.each<[string, object, object, object]>([
	['a key that was pasted with its scheme', {}, { apiKey: ' Bearer k ' }, inWorkspace],
	['what the caller has', { headers: { Accept: '' } }, {}, { Accept: '', ...inWorkspace }],
	['no workspace where there was none when it was saved', {}, { workspaceId: undefined }, key],
	[
		"the caller's workspace, however it is written",
		{ headers: { 'X-Service-Workspace-Id': 'ws_2' } },
		{},
		{ ...key, 'x-service-workspace-id': 'ws_2' },
	],
	["no workspace where the caller says ''", { headers: { 'x-service-workspace-id': '' } }, {}, key],
	["the credential's key, whatever the caller has", { headers: { authorization: 'a' } }, {}, inWorkspace],
	[
		'the key by a path below a base',
		{ url: '/posts', baseURL: 'https://API.example.com:443' },
		{},
		inWorkspace,
	],
	["n8n's HTTP Request node, which says uri", { url: undefined, uri: url }, {}, inWorkspace],
	['no workspace to ask for them', at('/workspaces'), {}, key],
	['no workspace to ask for some of them', at('/workspaces/?limit=1'), {}, key],
	['a workspace to ask for something like it', at('/workspaces/ws_1/a'), {}, inWorkspace],
])('a request gets %s', async (_name, request, more, headers) => {
	expect(await headersOf(request, more)).toEqual(headers);
});

test.each<[string, object, string?]>([
	['another host', { url: 'https://api.example.org/v1/posts' }, 'https://api.example.org'],
	['another port', { url: 'https://api.example.com:8443/v1/posts' }],
	['no encryption', { url: 'http://api.example.com/v1/posts' }],
	['a host that begins like it', { url: 'https://api.example.com.evil.example/' }],
	['a user that looks like it', { url: 'https://api.example.com@evil.example/' }],
	['another base', { url: '/posts', baseURL: 'https://evil.example' }],
	['an address without a scheme', { url: '//api.example.com/v1/posts' }],
	['no address', { url: undefined }, 'another address'],
])('a request to %s gets no key: an error says so', async (_name, request, where = '') => {
	const message = 'This credential is only for https://api.example.com, but the request goes to ';
	await expect(headersOf(request)).rejects.toMatchObject({
		message: expect.stringMatching(new RegExp(`^${message}${where}.*: nothing was sent$`)),
		details: { code: 'NODE_OTHER_ORIGIN', hint: expect.stringContaining("check its 'Base URL'") },
	});
});

test('a workspace that no header takes is refused, before anything is sent', async () => {
	await expect(headersOf({}, { workspaceId: 'Пекарня' })).rejects.toThrow("'Workspace' in the credential");
});

test('as it is made, with an address and a key entered, it leads to the documented path and form', () => {
	const data = Object.fromEntries(credential.properties.map(({ name, default: value }) => [name, value]));
	const entered: IDataObject = { ...data, baseUrl: 'https://api.example.com' };
	expect(readAddress(entered)).toMatchObject({
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
