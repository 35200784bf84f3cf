import { cancel } from '../../../../../nodes/SocialPublishing/resources/post/cancel';
import { shapeOf } from '../operations';

test('the item is the canceled post', async () => {
	const answer = { status: 'canceled' };
	expect(await shapeOf(cancel, { postId: 'p_1' }, answer)).toEqual({ id: 'p_1', ...answer });
});
