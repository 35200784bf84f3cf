import type { INodeProperties } from 'n8n-workflow';

import { textOf } from '../api/texts';

interface Locator<Name extends string> {
	label: string;
	name: Name;
	description: string;
	searchListMethod: string;
	exampleId: string;
	/** Entries of a collection are not. */
	required?: boolean;
}

/** The field that picks one record of the service: from a list with search, or by ID. */
export const locator = <const Name extends string>({
	label,
	searchListMethod,
	exampleId,
	required = true,
	...more
}: Locator<Name>) =>
	({
		displayName: label,
		...more,
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		...(required ? { required } : {}),
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod, searchable: true },
			},
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: `e.g. ${exampleId}`,
			},
		],
	}) as const satisfies INodeProperties;

/** The ID in a locator, typed or from an expression. */
export function locatorValue(raw: unknown): string {
	const inner = typeof raw === 'object' && raw !== null && 'value' in raw ? raw.value : raw;
	return textOf(inner).trim();
}
