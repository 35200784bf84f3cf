import { pathSegment } from '../../../api/address';
import { post } from '../../../api/schema';
import { postId } from '../../lookups/posts';
import { operation } from '../../engine/operation';

/** Spec: `GET /posts/{id}`. */
export const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get post',
	description: 'Retrieve a post with its state on each platform',
	method: 'GET',
	parallel: true,
	fields: [postId],
	request: ({ postId: id }) => ({ path: `/posts/${pathSegment(id, 'Post')}` }),
	output: post,
});
