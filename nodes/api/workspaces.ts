import type { IDataObject } from 'n8n-workflow';

/**
 * The ID of the workspace that is meant: by ID, or by a name that only one has.
 * @param list spec: `GET /workspaces`; fields are not shown, a name is used where it is there
 * @returns undefined where none, or several, are called so
 */
export function workspaceCalled(list: readonly IDataObject[], wanted: string): string | undefined {
	if (list.some(({ id }) => String(id) === wanted)) return wanted;
	const plain = (text: unknown): string => (typeof text === 'string' ? text.trim().toLowerCase() : '');
	const [first, ...others] = list.filter(({ name }) => plain(name) === plain(wanted));
	return first && others.length === 0 ? String(first.id) : undefined;
}
