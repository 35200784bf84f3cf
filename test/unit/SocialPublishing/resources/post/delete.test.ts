import type { IDataObject } from 'n8n-workflow';

import { remove } from '../../../../../nodes/SocialPublishing/resources/post/delete';
import { shapeOf } from '../operations';

test('says what was deleted; a post in the answer has the columns of Create first', () => {
	const rowOf = (data: IDataObject) => shapeOf(remove, { postId: 'p_1' }, data) as IDataObject;
	expect(rowOf({})).toEqual({ deleted: true, id: 'p_1' });
	const post = { note: 1, status: 'canceled', platforms: ['x'], content: 'Hi' };
	expect(rowOf(post)).toEqual({ ...post, deleted: true, id: 'p_1', platform: 'x', text: 'Hi' });
	expect(Object.keys(rowOf(post)).slice(0, 4)).toEqual(['platform', 'status', 'text', 'id']);
});
