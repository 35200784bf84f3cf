import { mapKeys, omitBy, trimEnd } from 'lodash';
import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { headers, type PostFormat } from './contract';
import { refusal } from './failure';
import { shortened } from './texts';

/** The two address forms (spec, "Common rules": which of them is current is not shown), the longer one first. */
const apiPaths = ['/api/public/v1', '/v1'] as const;

/** Where the service is and how to speak to it. @throws Failure naming the credential's field that is wrong */
export function readAddress(credential: IDataObject) {
	const apiPath = String(credential.apiPath ?? apiPaths[0]);
	const baseUrl = readBaseUrl(String(credential.baseUrl ?? ''), apiPath);
	if (!canStandInHeader(readApiKey(credential.apiKey)))
		throw refusal(
			'API_KEY',
			"'API Key' in the credential contains characters that no key has, such as spaces, line breaks or accented letters",
			"Copy the key again from the service's account dashboard and paste it as 'API Key'.",
		);
	const postFormat: PostFormat = credential.postFormat === 'quickStart' ? 'quickStart' : 'integrationGuide';
	const workspaceId = String(credential.workspaceId ?? '').trim();
	return { apiUrl: baseUrl + apiPath, workspaceId, postFormat };
}

export type Address = ReturnType<typeof readAddress>;

/** The service's address without API path and trailing slash. @throws Failure that never quotes a password in it */
function readBaseUrl(text: string, apiPath: string): string {
	const pasted = trimEnd(text.trim(), '/');
	const path = apiPaths.find((one) => pasted.endsWith(one));
	const baseUrl = path ? trimEnd(pasted.slice(0, -path.length), '/') : pasted;
	// Behind a query or a fragment, no path of the API would count.
	if (!/^https?:\/\/[^?#]*$/i.test(baseUrl) || !URL.canParse(baseUrl))
		throw refusal(
			'BASE_URL',
			"'Base URL' in the credential is not the address of a service",
			"Enter the service's address with https://, such as https://api.example.com, without a query (?) or fragment (#).",
		);
	const { username, password } = new URL(baseUrl);
	if (username || password)
		throw refusal(
			'BASE_URL',
			"'Base URL' in the credential contains a user name or password",
			'Remove everything between // and @. n8n would send it instead of the API key.',
		);
	if (path && path !== apiPath)
		throw refusal(
			'BASE_URL',
			`'Base URL' in the credential ends in ${path}, but 'API Path' is ${apiPath}`,
			`Remove ${path}, or choose it as 'API Path' if the service has it there.`,
		);
	return baseUrl;
}

/** The key as it is meant: without the space or the word `Bearer` that came along when it was copied. */
export const readApiKey = (value: unknown): string =>
	String(value ?? '')
		.trim()
		.replace(/^bearer\s+/i, '');

/** Visible ASCII: HTTP clients drop or garble all else without a word. */
const canStandInHeader = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);

/** A workspace that can be sent; without what can't, it might be another one. @throws Failure naming the field */
export function checkedWorkspace(workspace: string, label = "'Workspace' in the credential"): string {
	if (canStandInHeader(workspace)) return workspace;
	throw refusal(
		'WORKSPACE_ID',
		`${label} is not an ID: ${shortened(workspace)}`,
		"Enter the workspace ID as the service shows it, or clear the field to use the key's own workspace.",
	);
}

/**
 * A request with the key, and the credential's workspace unless it names one, or '' for none, or asks for `/workspaces` (spec,
 * "Endpoint list"). @throws Failure where it leads elsewhere: an address from an item must not get the key
 */
export function authenticated(credential: IDataObject, request: IHttpRequestOptions): IHttpRequestOptions {
	const { apiUrl, workspaceId } = readAddress(credential);
	// n8n's HTTP Request node says `uri`.
	const { url, uri = url, baseURL } = request as IHttpRequestOptions & { uri?: string };
	const target = URL.canParse(uri, baseURL) ? new URL(uri, baseURL) : undefined;
	const { origin } = new URL(apiUrl);
	if (target?.origin !== origin)
		throw refusal(
			'OTHER_ORIGIN',
			`This credential is only for ${origin}, but the request goes to ${target?.origin ?? 'another address'}: nothing was sent`,
			"Send the request without this credential, or check its 'Base URL'.",
		);
	const names = { [headers.workspace]: headers.workspace, authorization: 'Authorization' };
	const sent = mapKeys(
		request.headers,
		(_value, name) => names[name.toLowerCase() as 'authorization'] ?? name,
	);
	sent.Authorization = `Bearer ${readApiKey(credential.apiKey)}`;
	const asksWorkspaces = /\/workspaces\/?$/.test(target.pathname);
	sent[headers.workspace] ??= asksWorkspaces ? '' : checkedWorkspace(workspaceId);
	return {
		...request,
		// n8n's HTTP Request node follows redirects; n8ns that don't know this leave it alone.
		sendCredentialsOnCrossOriginRedirect: false,
		headers: omitBy(sent, (value, name) => name === headers.workspace && value === ''),
	};
}

/** An ID as a part of a path: `.` and `..` would lead elsewhere, also encoded. @throws Failure naming the parameter */
export function pathSegment(id: string, label: string): string {
	// No ID is that long: it is a text in the wrong place.
	const isLong = id.length > 500;
	const isPath = /^(\.|%(25)*2e){1,2}$/i.test(id.trim());
	if (id.trim() !== '' && !isLong && !isPath && !/\p{Cs}|\p{Cc}/u.test(id)) return encodeURIComponent(id);
	throw refusal(
		'ID',
		`'${label}' is not an ID: ${shortened(id)}`,
		'Choose one from the list, or enter the ID as the service shows it.',
	);
}
