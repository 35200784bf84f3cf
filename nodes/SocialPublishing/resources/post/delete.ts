import { pathSegment } from '../../../api/address';
import { openPostId } from '../../lookups/posts';
import { operation } from '../../engine/operation';
import { onlyRetries } from '../../engine/options';
import { asRow } from './columns';

/** Spec: `DELETE /posts/{id}`. */
export const remove = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete post',
	description: 'Delete a post that is not published yet',
	method: 'DELETE',
	duplicates: onlyRetries,
	fields: [openPostId],
	request: ({ postId: id }) => ({ path: `/posts/${pathSegment(id, 'Post')}` }),
	shape: (data, { postId: id }, { zone }) => asRow({ id, deleted: true, ...data }, zone),
});
