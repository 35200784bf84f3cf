import type { IDataObject } from 'n8n-workflow';

import { remove } from '../../../../../nodes/SocialPublishing/resources/post/delete';
import { requestOf, shapeOf } from '../operations';

test('deletes by ID', () => {
	expect(requestOf(remove, { postId: 'p/1' })).toEqual({ path: '/posts/p%2F1' });
	expect(() => requestOf(remove, { postId: '..' })).toThrow(/^'Post'/);
});

test('says what was deleted; a post in the answer has the columns of Create first', () => {
	const rowOf = (data: IDataObject) => shapeOf(remove, { postId: 'p_1' }, data) as IDataObject;
	expect(rowOf({})).toEqual({ deleted: true, id: 'p_1' });
	const row = rowOf({
		note: 1,
		status: 'canceled',
		platforms: ['x'],
		content: 'Hi',
		schedule_at: '2026-06-02T08:00Z',
	});
	expect(row).toMatchObject({
		deleted: true,
		id: 'p_1',
		note: 1,
		scheduled_at_local: '2026-06-02T10:00:00+02:00',
	});
	expect(Object.keys(row).slice(0, 5)).toEqual(['platform', 'status', 'scheduled_at_local', 'text', 'id']);
});
