import { reply } from '../../../../../nodes/SocialPublishing/resources/inbox/reply';
import { shapeOf } from '../operations';

test('the item says what was sent, also by an earlier try; what the service says of it counts', () => {
	const given = { inboxItemId: 'inb_1', text: 'Said by now' };
	const sent = { text: 'Thanks' };
	const answered = { inbox_item_id: 'inb_1', text: 'Thanks' };
	expect(shapeOf(reply, given, { id: 'rep_1' }, sent)).toEqual({ ...answered, id: 'rep_1' });
	expect(shapeOf(reply, given, { text: 'Thanks!' }, sent)).toEqual({ ...answered, text: 'Thanks!' });
});
