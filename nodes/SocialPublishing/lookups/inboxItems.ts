import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { listNames } from '../../api/contract';
import { titleOf } from '../../api/platforms';
import { excerpt, filled, type LookupSource } from './source';

export const inboxItemId = {
	displayName: 'Inbox Item',
	name: 'inboxItemId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The comment or message to reply to',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchInboxItems', searchable: true },
		},
		{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. inb_5d2c8f' },
	],
} as const satisfies INodeProperties;

const authorOf = ({ author }: IDataObject): string[] => {
	if (typeof author !== 'object' || author === null) return filled([author]);
	const { name, username } = author as IDataObject;
	return filled([name, username]);
};

/** Comment or direct message, as far as the item says. */
const kindOf = ({ type, kind }: IDataObject): string => {
	const said = `${String(type ?? '')} ${String(kind ?? '')}`;
	if (/comment/i.test(said)) return 'Comment';
	return /message|dm\b/i.test(said) ? 'Direct message' : '';
};

/** Spec: `GET /inbox`. Fields of an item are not shown: each is used where it is there. */
export const inboxItems: LookupSource = {
	path: '/inbox',
	listNames: listNames.inbox,
	label: (item) =>
		filled([authorOf(item)[0], excerpt(item.text), kindOf(item), titleOf(String(item.platform ?? ''))]).join(
			' · ',
		),
};
