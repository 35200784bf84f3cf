import { reply } from '../../../../../nodes/SocialPublishing/resources/inbox/reply';
import { requestOf, shapeOf } from '../operations';

test('sends the text; its key is made of the item and the text, whatever the execution', () => {
	expect(requestOf(reply, { inboxItemId: 'inb/1', text: 'Thanks' })).toEqual({
		path: '/inbox/inb%2F1/reply',
		body: { text: 'Thanks' },
		expects: 'acknowledgement',
		sameAs: { text: 'Thanks' },
	});
});

test('what can be no ID is refused by the name of the field', () => {
	expect(() => requestOf(reply, { inboxItemId: '..', text: 'a' })).toThrow(/^'Inbox Item'/);
});

test('the item says what was sent, also by an earlier try; what the service says of it counts', () => {
	const given = { inboxItemId: 'inb_1', text: 'Said by now' };
	const sent = { text: 'Thanks' };
	const answered = { inbox_item_id: 'inb_1', text: 'Thanks' };
	expect(shapeOf(reply, given, { id: 'rep_1' }, sent)).toEqual({ ...answered, id: 'rep_1' });
	expect(shapeOf(reply, given, { text: 'Thanks!' }, sent)).toEqual({ ...answered, text: 'Thanks!' });
});
