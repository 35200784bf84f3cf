import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import { lists } from '../../../api/contract';
import { readBatch, readPost } from '../../../api/records';
import { firstFew } from '../../../api/texts';
import { postLabel } from '../../lookups/posts';
import type { Item } from '../../engine/item';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';

/** Posts that are read to say what a batch is about; of others it says the ID. */
const MAX_POSTS_READ = 25;

/** Spec: `GET /approvals`, page after page until `hasNext` is false. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many approvals',
	description: 'Retrieve batches of posts that await approval or were decided on',
	method: 'GET',
	fields: [returnAll, limit],
	request: () => lists.approvals,
	rows: async (batches, { returnAll: all, limit: most }, item) => {
		const wanted = batches.slice(0, all ? undefined : most);
		const unknown = wanted.flatMap((one) => readBatch(one).posts).filter((one) => !isShown(one));
		const read = unknown.slice(0, MAX_POSTS_READ).map(async (one) => await postOf(item, one));
		const posts = new Map((await Promise.all(read)).map((one) => [one.id, one]));
		return wanted.map((batch) => {
			const { status = null, posts: inBatch } = readBatch(batch);
			const labels = inBatch.map((one) => postLabel({ ...posts.get(one.id), ...one }, item.zone));
			return { status, about: firstFew(labels, 5, '\n'), ...batch };
		});
	},
});

/** Whether a batch says itself what is posted. */
const isShown = (post: IDataObject): boolean => readPost(post).text !== undefined;

/** A post of a batch; as the batch has it where it can't be read. */
const postOf = async (item: Item, post: IDataObject): Promise<IDataObject> => {
	const read = await item.getAside(`/posts/${pathSegment(String(post.id), 'Post')}`);
	return { ...read, id: post.id };
};
