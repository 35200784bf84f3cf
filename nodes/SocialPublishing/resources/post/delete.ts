import { pathSegment } from '../../../api/address';
import { openPostId } from '../../lookups/posts';
import { operation } from '../../engine/operation';
import { asRow } from './columns';

/** Spec: `DELETE /posts/{id}`. */
export const remove = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete post',
	description: 'Delete a post that is not published yet',
	method: 'DELETE',
	fields: [openPostId],
	request: ({ postId: id }) => ({ path: `/posts/${pathSegment(id, 'Post')}` }),
	shape: (data, { postId: id }, { zone }) => asRow({ id, deleted: true, ...data }, zone),
});
