import { isNil, omitBy } from 'lodash';

import { lists } from '../../../api/contract';
import { readBatch, readPost } from '../../../api/records';
import { filled, firstFew } from '../../../api/texts';
import { postLabel } from '../../lookups/posts';
import { limit, returnAll } from '../fields';
import { operation } from '../../engine/operation';
import { readAside } from '../post/get';

/** Posts that are read to say what a batch is about; of others it says the ID. */
const MAX_POSTS_READ = 25;

/** Spec: `GET /approvals`, page after page until `hasNext` is false. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many approvals',
	description: 'Retrieve batches of posts that await approval or were approved or rejected',
	fields: [returnAll, limit],
	request: () => lists.approvals,
	rows: async (batches, _params, item) => {
		// Most batches don't say themselves what is posted.
		const all = batches.flatMap((one) => readBatch(one).posts);
		const unknown = all.filter((one) => one.id && !readPost(one).text);
		const read = unknown.slice(0, MAX_POSTS_READ).map(async ({ id }) => ({
			...(await readAside(item, String(id))),
			id,
		}));
		const posts = new Map((await Promise.all(read)).map((one) => [one.id, one]));
		return batches.map((batch) => {
			const { status = null, posts: inBatch } = readBatch(batch);
			// As many as are shown, and one that says that there are more.
			const labels = inBatch
				.slice(0, 6)
				.map((one) => postLabel({ ...posts.get(one.id), ...omitBy(one, isNil) }, item.zone));
			return { status, about: firstFew(filled(labels), 5, '\n'), ...batch };
		});
	},
});
