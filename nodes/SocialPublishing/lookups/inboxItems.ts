import { lists } from '../../api/contract';
import { titleOf } from '../../api/platforms';
import { readInboxItem } from '../../api/records';
import { filled } from '../../api/texts';
import { locator } from '../../shared/locator';
import type { LookupSource } from '../../shared/search';
import { excerpt } from './source';

export const inboxItemId = locator({
	label: 'Inbox Item',
	name: 'inboxItemId',
	description: 'The comment or message to reply to',
	searchListMethod: 'searchInboxItems',
	exampleId: 'inb_5d2c8f',
});

const kindNames = { comment: 'Comment', message: 'Direct message' };

/** Spec: `GET /inbox`. */
export const inboxItems: LookupSource = {
	...lists.inbox,
	label: (record) => {
		const { author, text, kind, platform = '' } = readInboxItem(record);
		return filled([author, excerpt(text), kind && kindNames[kind], titleOf(platform)]).join(' · ');
	},
};
