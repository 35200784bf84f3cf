import { reply } from '../../../../../nodes/SocialPublishing/resources/inbox/reply';
import { shapeOf } from '../operations';

const given = { inboxItemId: 'inb_1', text: 'Said by now' };
const sent = { text: 'Thanks' };
const answered = { inbox_item_id: 'inb_1', text: 'Thanks' };

test('the item says what was sent, also by an earlier try; what the service says of it counts', async () => {
	expect(await shapeOf(reply, given, { id: 'rep_1' }, sent)).toEqual({ ...answered, id: 'rep_1' });
	expect(await shapeOf(reply, given, { text: 'Thanks!' }, sent)).toEqual({ ...answered, text: 'Thanks!' });
});

test('and what it answers, where the service still lists it', async () => {
	const items = [
		{ id: 'inb_0' },
		{ id: 'inb_1', platform: 'x', author: { name: 'Ana' }, text: 'Open today?' },
	];
	const shown = { platform: 'x', author: 'Ana', in_reply_to: 'Open today?', ...answered };
	for (const [inbox, expected] of [
		[{ items }, shown],
		[[], answered],
		[new Error('no'), answered],
	])
		expect(await shapeOf(reply, given, {}, sent, { answers: { '/inbox': inbox } })).toEqual(expected);
});
