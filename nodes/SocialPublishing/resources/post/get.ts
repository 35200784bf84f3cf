import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import { postId } from '../../lookups/posts';
import { aside, type Item } from '../../engine/item';
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

/** A post that only makes the output easier to read; undefined where its ID is none, too. */
export async function readAside(item: Item, id: string): Promise<IDataObject | undefined> {
	const read = async () =>
		await item.get({ path: `/posts/${pathSegment(id, 'Post')}`, expects: 'record' }, aside);
	return await read().then(
		({ data }) => data as IDataObject,
		() => undefined,
	);
}
