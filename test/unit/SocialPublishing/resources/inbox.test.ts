import type { IDataObject } from 'n8n-workflow';

import { operationOf, requestOf, shapeOf } from './operations';

test('an item begins with what people look for, and passes the rest on as it is', () => {
	const author = { name: 'Bo' };
	const items = [{ id: 1, unread: true, text: 'One', author, platform: 'twitter' }, { id: 'inb_3' }];
	const rows = shapeOf(operationOf('inbox.getAll'), {}, { items }) as IDataObject[];
	expect(rows).toEqual([
		{ platform: 'twitter', author, text: 'One', id: 1, unread: true },
		{ platform: null, author: null, text: null, id: 'inb_3', unread: null },
	]);
	expect(Object.keys(rows[0]!)).toEqual(['platform', 'author', 'text', 'id', 'unread']);
});

test('a reply that an expression left is a warning', () => {
	const hint = jest.fn();
	const given = { inboxItemId: 'i', text: 'undefined' };
	requestOf(operationOf('inbox.reply'), given, { item: { hint } });
	expect(hint.mock.calls).toEqual([["The whole text is 'undefined': check the expression"]]);
});

test("what a reply says is the text that goes out, also where it is one of the user's own fields", () => {
	const saysWith = (field: IDataObject[] = []) => {
		const given = { inboxItemId: 'i', text: 'x', options: { apiFields: { field } } };
		return (requestOf(operationOf('inbox.reply'), given) as IDataObject).says;
	};
	expect([
		saysWith(),
		saysWith([{ name: 'platform', value: 'x' }]),
		saysWith([{ name: 'text', value: 'Thanks' }]),
	]).toEqual([{ text: 'x' }, { text: 'x' }, { text: 'Thanks' }]);
});

test('a reply says what was sent and to what, and what the service answers', () => {
	const replied = (data: object) =>
		shapeOf(operationOf('inbox.reply'), { inboxItemId: 'inb_1', text: 'x' }, data, { text: 'Thanks' });
	expect(replied({})).toEqual({ inbox_item_id: 'inb_1', text: 'Thanks' });
	expect(replied({ id: 'rep_1', text: 'Thanks!' })).toEqual({
		...{ inbox_item_id: 'inb_1', text: 'Thanks!', id: 'rep_1' },
	});
});
