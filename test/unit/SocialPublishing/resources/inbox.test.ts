import type { IDataObject } from 'n8n-workflow';

import { operationOf, requestOf, shapeOf } from './operations';

const items: IDataObject[] = [
	{
		...{ id: 1, platform: 'twitter', type: 'comment', text: 'One', author: 'Ana' },
		created_at: '2026-05-31T22:30:00.5Z',
	},
	{
		...{ id: 'inb_2', platform: 'linkedin', type: 'direct_message', text: 'Two', unread: true },
		...{ author: { name: 'Bo', username: 'bo' }, received_at: '2026-05-01T00:00:00Z' },
	},
	{ id: 'inb_3' },
];
const rowsOf = (given: IDataObject = {}, list = items) =>
	shapeOf(operationOf('inbox.getAll'), given, { items: list }) as IDataObject[];
const ids = (filters: IDataObject, list?: IDataObject[]) => rowsOf({ filters }, list).map(({ id }) => id);

test('an item begins with what people look for, in the time zone of the workflow, and all have the same columns', () => {
	const rows = rowsOf();
	expect(rows[0]).toMatchObject({
		...{ platform: 'x', author: 'Ana', text: 'One', when: '2026-06-01T00:30:00+02:00', id: 1 },
	});
	expect(rows[1]).toMatchObject({ author: 'Bo', author_details: { username: 'bo' }, unread: true });
	for (const row of rows) {
		expect(Object.keys(row).slice(0, 5)).toEqual(['platform', 'author', 'text', 'when', 'id']);
		expect(Object.keys(row)).toEqual(Object.keys(rows[0]!));
		expect(Object.values(row)).not.toContain(undefined);
	}
});

test('what the service calls an ID, a platform that is none of the seven or a time of its own stays as it is', () => {
	const own = { id: 5, platform: 'Threads', when: 'yesterday', created_at: '2026-05-01T00:00:00Z' };
	expect(rowsOf({}, [own])).toMatchObject([own]);
	expect(rowsOf({}, [{ ...own, platform: 'LinkedIn', when: null }])).toMatchObject([
		{ ...own, platform: 'linkedin', when: '2026-05-01T02:00:00+02:00' },
	]);
	expect(ids({ platform: 'threads' }, [own])).toEqual([5]);
});

test.each<[IDataObject, unknown[]]>([
	[{}, [1, 'inb_2', 'inb_3']],
	[{ platform: 'Twitter' }, [1]],
	[{ platform: 'linkedin_page' }, ['inb_4']],
	[{ kind: 'message' }, ['inb_2']],
	[{ since: '2026-06-01' }, [1]],
	[{ since: '2026-05-01T02:00' }, [1, 'inb_2']],
	[{ since: '2026-05-01', kind: 'comment', platform: 'linkedin' }, []],
])('%j: %j', (filters, expected) => {
	const page = { id: 'inb_4', platform: 'linkedin_page' };
	expect(ids(filters, filters.platform === 'linkedin_page' ? [...items, page] : items)).toEqual(expected);
});

test.each([
	[{ platform: 'x' }, /'Platform Name or ID'/],
	[{ kind: 'comment' }, /'Kind'/],
	[{ since: '2026-06-01' }, /'Since'/],
])("%j of items that don't say it is an error, not an empty list", (filters, message) => {
	expect(() => ids(filters, [{ id: 'a' }])).toThrow(message);
	expect(ids(filters, [])).toEqual([]);
});

test('a reply that an expression left is a warning', () => {
	const hint = jest.fn();
	const given = { inboxItemId: 'i', text: 'undefined' };
	requestOf(operationOf('inbox.reply'), given, { item: { hint } });
	expect(hint.mock.calls).toEqual([["The whole text is 'undefined': check the expression"]]);
});

test("what a reply says is the text that goes out, also where it is one of the user's own fields", () => {
	const saysWith = (additionalFields: IDataObject = {}) => {
		const given = { inboxItemId: 'i', text: 'x', options: { additionalFields } };
		return (requestOf(operationOf('inbox.reply'), given) as IDataObject).says;
	};
	expect([saysWith(), saysWith({ platform: 'x' }), saysWith({ text: 'Thanks' })]).toEqual([
		...[[{ text: 'x' }], [{ text: 'x' }], [{ text: 'Thanks' }]],
	]);
});

test('a reply says what was sent, also by an earlier try, and what it answers, where the service lists it', async () => {
	const replied = async (inbox: unknown, data: object = {}) =>
		await shapeOf(
			operationOf('inbox.reply'),
			{ inboxItemId: 'inb_1', text: 'Said by now' },
			data,
			{ text: 'Thanks' },
			{ answers: { '/inbox': inbox } },
		);
	const sent = { inbox_item_id: 'inb_1', text: 'Thanks' };
	const item = { id: 'inb_1', platform: 'x', author: { name: 'Ana' }, text: 'Open today?' };
	const answered = { platform: 'x', author: 'Ana', in_reply_to: 'Open today?', ...sent };
	expect(await replied({ items: [{ id: 'inb_0' }, item] })).toEqual(answered);
	for (const inbox of [[], new Error('no')]) expect(await replied(inbox)).toEqual(sent);
	expect(await replied([item], { platform: null, text: null })).toEqual(answered);
	// What the service says of it counts.
	expect(await replied([], { id: 'rep_1', text: 'Thanks!' })).toEqual({
		...sent,
		id: 'rep_1',
		text: 'Thanks!',
	});
});
