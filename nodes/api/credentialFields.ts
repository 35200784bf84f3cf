import type { IDataObject } from 'n8n-workflow';

/** What people paste into the credential, as it is meant. */

/** The Authorization header of a key, which may come with spaces or the word Bearer before it. */
export const bearer = (apiKey: unknown): string =>
	`Bearer ${String(apiKey ?? '')
		.trim()
		.replace(/^bearer\s+/i, '')}`;

/** The service's address, without the API path that people copy along and without slashes at the end. */
export const baseAddress = (baseUrl: unknown): string =>
	String(baseUrl ?? '')
		.trim()
		.replace(/\/+$/, '')
		.replace(/(\/api\/public)?\/v1$/i, '')
		.replace(/\/+$/, '');

/** The ID of the workspace that is meant by its ID or its name; undefined where the list has no such one, or several. */
export function workspaceIdOf(list: IDataObject[], wanted: string): string | undefined {
	if (list.some(({ id }) => String(id) === wanted)) return wanted;
	const plain = (text: unknown): string =>
		String(text ?? '')
			.trim()
			.toLowerCase();
	const called = list.filter(({ name }) => plain(name) === plain(wanted));
	return called.length === 1 ? String(called[0]!.id) : undefined;
}
