import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../../api/address';
import { lists } from '../../../api/contract';
import { readBatch, readPost } from '../../../api/records';
import { firstFew } from '../../../api/texts';
import { postLabel } from '../../lookups/posts';
import { limit, returnAll } from '../fields';
import { aside, type Item } from '../../engine/item';
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
		// Most batches don't say themselves what is posted.
		const unknown = wanted.flatMap((one) => readBatch(one).posts).filter((one) => !readPost(one).text);
		const read = unknown.slice(0, MAX_POSTS_READ).map(async ({ id }) => ({
			...(await readPostAside(item, String(id ?? '')).catch(() => undefined)),
			id,
		}));
		const posts = new Map((await Promise.all(read)).map((one) => [one.id, one]));
		return wanted.map((batch) => {
			const { status = null, posts: inBatch } = readBatch(batch);
			const labels = inBatch.map((one) => postLabel({ ...posts.get(one.id), ...one }, item.zone));
			return { status, about: firstFew(labels, 5, '\n'), ...batch };
		});
	},
});

async function readPostAside(item: Item, id: string): Promise<IDataObject> {
	const path = `/posts/${pathSegment(id, 'Post')}`;
	return (await item.get({ path, expects: 'record' }, aside)).data as IDataObject;
}
