import type { IDataObject } from 'n8n-workflow';

import { getAll } from '../../../../../nodes/SocialPublishing/resources/inbox/getAll';
import { requestOf, shapeOf } from '../operations';

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
const ids = (filters: IDataObject, list = items) =>
	(shapeOf(getAll, { filters }, { items: list }) as IDataObject[]).map(({ id }) => id);

test('asks with whatever query is entered', () => {
	const asked = requestOf(getAll, { options: { query: '{"unread":true}' } });
	expect(asked).toMatchObject({ path: '/inbox', qs: { unread: true } });
});

test('an item begins with what people look for, in the time zone of the workflow, and all have the same columns', () => {
	const rows = shapeOf(getAll, {}, { items }) as IDataObject[];
	expect(rows[0]).toMatchObject({
		...{ platform: 'x', author: 'Ana', text: 'One', when: '2026-06-01T00:30:00+02:00', id: '1' },
	});
	expect(rows[1]).toMatchObject({ author: 'Bo', author_details: { username: 'bo' }, unread: true });
	for (const row of rows) {
		expect(Object.keys(row).slice(0, 5)).toEqual(['platform', 'author', 'text', 'when', 'id']);
		expect(Object.keys(row)).toEqual(Object.keys(rows[0]!));
		expect(Object.values(row)).not.toContain(undefined);
	}
});

test.each<[IDataObject, unknown[]]>([
	[{}, ['1', 'inb_2', 'inb_3']],
	[{ platform: 'Twitter' }, ['1']],
	[{ kind: 'message' }, ['inb_2']],
	[{ since: '2026-06-01' }, ['1']],
	[{ since: '2026-05-01T02:00' }, ['1', 'inb_2']],
	[{ since: '2026-05-01', kind: 'comment', platform: 'linkedin' }, []],
])('%j: %j', (filters, expected) => expect(ids(filters)).toEqual(expected));

test.each([
	[{ platform: 'x' }, /'Platform Name or ID'/],
	[{ kind: 'comment' }, /'Kind'/],
	[{ since: '2026-06-01' }, /'Since'/],
])("%j of items that don't say it is an error, not an empty list", (filters, message) => {
	expect(() => ids(filters, [{ id: 'a' }])).toThrow(message);
	expect(ids(filters, [])).toEqual([]);
});

test('a time that is none is refused before the request', () =>
	expect(() => requestOf(getAll, { filters: { since: 'soon' } })).toThrow(/^'Since'/));
