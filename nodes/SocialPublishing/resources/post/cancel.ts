import { pathSegment } from '../../../api/address';
import { Failure, type Outcome } from '../../../api/failure';
import { readPost } from '../../../api/records';
import { openPostId } from '../../lookups/posts';
import type { Item } from '../../engine/item';
import { operation } from '../../engine/operation';
import { asRow } from './columns';

const pathOf = (id: string): string => `/posts/${pathSegment(id, 'Post')}`;

/** Spec: `POST /posts/{id}/cancel`. */
export const cancel = operation({
	name: 'Cancel',
	value: 'cancel',
	action: 'Cancel post',
	description: 'Cancel a post that is not published yet and keep it in the list',
	method: 'POST',
	setsState: true,
	fields: [openPostId],
	request: ({ postId: id }) => ({ path: `${pathOf(id)}/cancel`, expects: 'acknowledgement' }),
	shape: (data, { postId: id }, { zone }) => asRow({ id, ...data }, zone),
	after: async (item, outcomes, { postId: id }) =>
		await Promise.all(outcomes.map(async (one) => await withState(item, one, id))),
});

/** A refusal says which state the post is in. */
async function withState(item: Item, outcome: Outcome, id: string): Promise<Outcome> {
	if (!(outcome instanceof Failure) || outcome.details.code !== 'PUBLIC_API_POST_CANCEL_INVALID_STATE')
		return outcome;
	const read = await item.get({ path: pathOf(id), expects: 'record' }).catch(() => undefined);
	if (!read) return outcome;
	const { status } = readPost(read.data as Parameters<typeof readPost>[0]);
	const state = status === 'completed' ? 'published' : status;
	return outcome.with({ message: `This post can't be canceled: it is already ${state}` });
}
