import { pathSegment } from '../../../api/address';
import { postId } from '../../lookups/posts';
import { operation } from '../../engine/operation';
import { namedRow, simplify } from './columns';

/** Spec: `GET /posts/{id}`. */
export const get = operation({
	name: 'Get',
	value: 'get',
	action: 'Get post',
	description: 'Retrieve a post with its status on each platform',
	parallel: true,
	fields: [postId, { ...simplify, default: false }],
	request: ({ postId: id }) => ({ path: `/posts/${pathSegment(id, 'Post')}` }),
	shape: async (data, { simplify: isSimple }, item) => await namedRow(data, item, isSimple),
});
