import type { IDataObject } from 'n8n-workflow';

import type { ApiPath, PostFormat } from './contract';
import { refusal } from './failure';

/** Where the service is and how it wants to be spoken to: what the credential says, checked. */
export interface Address {
	/** `{base_url}` with the API path, no trailing slash. */
	apiUrl: string;
	/** The credential's workspace, '' for none. */
	workspaceId: string;
	postFormat: PostFormat;
}

const apiPaths: readonly ApiPath[] = ['/api/public/v1', '/v1'];

/**
 * The address that a credential means.
 * @throws Failure naming the credential's field
 */
export function readAddress(credential: {
	baseUrl?: unknown;
	apiKey?: unknown;
	apiPath?: unknown;
	workspaceId?: unknown;
	postFormat?: unknown;
}): Address {
	const apiPath = (credential.apiPath as ApiPath | undefined) ?? '/api/public/v1';
	// Pasted with the path that the other field has.
	const pasted = withoutSlashes(String(credential.baseUrl ?? '').trim());
	const baseUrl = apiPaths.reduce(withoutEnd, pasted);
	// Behind a query or a fragment, no path of the API would count.
	if (!/^https?:\/\/[^?#]*$/i.test(baseUrl) || !URL.canParse(baseUrl))
		throw refusal(
			'BASE_URL',
			"'Base URL' in the credential is not the address of a service",
			"Enter the service's address, such as https://api.example.com, without anything behind ? or #.",
		);
	if (!canStandInHeader(readApiKey(credential.apiKey)))
		throw refusal(
			'API_KEY',
			"'API Key' in the credential contains characters that no key has, such as spaces, line breaks or accented letters",
			"Copy the key again from the service's account dashboard and paste it into the credential.",
		);
	return {
		apiUrl: baseUrl + apiPath,
		workspaceId: String(credential.workspaceId ?? '').trim(),
		postFormat: credential.postFormat === 'quickStart' ? 'quickStart' : 'integrationGuide',
	};
}

/** The key as it is meant: without the space or the word `Bearer` that came along when it was copied. */
export const readApiKey = (value: unknown): string =>
	String(value ?? '')
		.trim()
		.replace(/^bearer\s+/i, '');

/** Whether a text can stand in a header as it is: visible ASCII. HTTP clients drop or garble all else without a word. */
export const canStandInHeader = (text: string): boolean => /^[\x21-\x7e]*$/.test(text);

/**
 * A workspace as it can be sent: an HTTP client would drop what can't stand in a header, and what is left may be another
 * workspace, or none.
 * @param ofCredential whether the credential names it, not the node
 * @throws Failure naming the field
 */
export function checkedWorkspace(workspace: string, ofCredential: boolean): string {
	if (canStandInHeader(workspace)) return workspace;
	throw refusal(
		'WORKSPACE_ID',
		`${ofCredential ? "'Workspace' in the credential" : "'Workspace'"} is not an ID: ${workspace.slice(0, 100)}`,
		ofCredential
			? "Open the credential and enter the workspace ID as the service shows it, or clear it to use the key's own workspace."
			: "Choose 'Workspace' from the list, or enter its ID as the service shows it.",
	);
}

/** How many workspaces an error names. */
const NAMED = 20;

/** Name and ID of the workspaces of a list, in a sentence; '' where it has none. */
export function workspaceNames(list: readonly IDataObject[]): string {
	const short = (value: unknown): string => String(value).slice(0, 100);
	const known = list.filter(({ id }) => id !== undefined && id !== null && id !== '');
	const named = known
		.slice(0, NAMED)
		.map(({ id, name }) => (typeof name === 'string' && name ? `${short(name)} (${short(id)})` : short(id)));
	const more = known.length > NAMED ? `, and ${known.length - NAMED} more` : '';
	return named.join(', ') + more;
}

/** What to do about a workspace that is wrong; nothing where none are known. */
export function whichWorkspaces(list: readonly IDataObject[]): { hint?: string } {
	const names = workspaceNames(list);
	const advice = "Enter the ID of one of them in 'Workspace', or clear it to use the key's own workspace.";
	return names ? { hint: `The key can access: ${names}. ${advice}` } : {};
}

/** Far longer than any ID; what is longer is a text in the wrong place. */
const LONGEST_ID = 500;

/**
 * An ID as a part of a path. `.` and `..` would lead to another address, also encoded once or twice.
 * @param label of the parameter, as the user sees it
 * @throws Failure naming the parameter
 */
export function pathSegment(id: string, label: string): string {
	const isOne =
		id.trim() !== '' &&
		id.length <= LONGEST_ID &&
		!/^(\.|%(25)*2e){1,2}$/i.test(id.trim()) &&
		!/\p{Cs}|\p{Cc}/u.test(id);
	if (isOne) return encodeURIComponent(id);
	throw refusal(
		'ID',
		`'${label}' is not an ID: ${id.length > 50 ? `${id.slice(0, 50)}…` : id}`,
		'Choose one from the list, or enter the ID as the service shows it.',
	);
}

/** Without the slashes at the end. A regular expression for it takes quadratic time. */
export function withoutSlashes(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') end--;
	return text.slice(0, end);
}

const withoutEnd = (text: string, end: string): string =>
	text.endsWith(end) ? withoutSlashes(text.slice(0, -end.length)) : text;
