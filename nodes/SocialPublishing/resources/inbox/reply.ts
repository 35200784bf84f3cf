import { isNil, pick, pickBy } from 'lodash';

import { pathSegment } from '../../../api/address';
import { lists } from '../../../api/contract';
import { readInboxItem } from '../../../api/records';
import { inboxItemId } from '../../lookups';
import { operation } from '../../engine/operation';
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
			hint: "Each inbox item gets the same text only once, unless you set 'Avoid Duplicates' to 'My Own ID' or change the workspace",
		},
	],
	request: ({ inboxItemId: id, text, options: { additionalFields } }, { hint }) => {
		for (const warning of leftOverWarnings(text)) hint(warning);
		return {
			path: `/inbox/${pathSegment(id, 'Inbox Item')}/reply`,
			body: { text },
			// The user's own field wins.
			says: [{ text: additionalFields?.text ?? text }],
		};
	},
	shape: async (data, { inboxItemId: id }, item, sent) => {
		// What it answers is no part of the answer; the newest items are enough.
		const listed = { ...lists.inbox, most: 100 };
		const newest = await item.listAside(listed, ({ records }) => records.map(readInboxItem));
		const read = newest?.find((one) => one.id === id);
		const answered = pickBy({ platform: read?.platform, author: read?.author, in_reply_to: read?.text });
		const known = { ...answered, inbox_item_id: id, ...pick(sent, 'text') };
		// What the answer leaves empty (null) is what is known.
		return { ...known, ...data, ...pickBy(known, (_value, name) => isNil(data[name])) };
	},
});
