import { pathSegment } from '../../../api/address';
import { openPostId } from '../../lookups/posts';
import { operation } from '../../engine/operation';
import { onlyRetries } from '../../engine/options';
import { namedRow } from './columns';

/** Spec: `POST /posts/{id}/cancel`. */
export const cancel = operation({
	name: 'Cancel',
	value: 'cancel',
	action: 'Cancel post',
	description: 'Cancel a post that is not published yet and keep it in the list',
	method: 'POST',
	duplicates: onlyRetries,
	setsState: true,
	fields: [openPostId],
	request: ({ postId: id }) => ({ path: `/posts/${pathSegment(id, 'Post')}/cancel` }),
	shape: async (data, { postId: id }, item) => await namedRow({ id, ...data }, item),
});
