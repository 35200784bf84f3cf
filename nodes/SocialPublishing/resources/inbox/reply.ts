import { pathSegment } from '../../../api/address';
import { inboxItemId } from '../../lookups';
import { operation } from '../../engine/operation';
import { apiFieldsOf } from '../../engine/options';
import { textEntry } from '../fields';
import { leftOverWarnings } from '../../../api/texts';

/** Spec: `POST /inbox/{id}/reply`. Its body isn't in the spec: `text` is our choice. */
export const reply = operation({
	name: 'Reply',
	value: 'reply',
	action: 'Reply to inbox item',
	description: 'Reply to a comment or direct message',
	method: 'POST',
	isOncePerContent: true,
	duplicates: {
		execution: ['Same Text', 'The same text is sent once to each inbox item, even by different runs'],
		custom: ['My Own ID', 'Each ID that you provide, such as a ticket number, is answered once'],
	},
	fields: [
		inboxItemId,
		{
			...textEntry,
			required: true,
			placeholder: 'e.g. Thank you! The jam is back on Friday.',
			description: 'Text of the reply',
			hint: "Each inbox item gets the same text only once, unless Options → Avoid Duplicates is 'My Own ID' or the workspace changes",
		},
	],
	request: ({ inboxItemId: id, text, options }, { hint }) => {
		for (const warning of leftOverWarnings(text)) hint(warning);
		return {
			path: `/inbox/${pathSegment(id, 'Inbox Item')}/reply`,
			body: { text },
			// The user's own field wins.
			says: { text: apiFieldsOf(options).text ?? text },
		};
	},
	shape: (data, { inboxItemId: id }, _item, sent) => ({ inbox_item_id: id, text: sent?.text, ...data }),
});
