import { remove } from '../../../../../nodes/SocialPublishing/resources/webhook/delete';
import { shapeOf } from '../operations';

test('says what was deleted, and what the service says of it', () => {
	expect(shapeOf(remove, { webhookId: 'wh_1' }, { at: 1, secret: 'a' })).toEqual({
		...{ deleted: true, id: 'wh_1', at: 1, secret: '[hidden]' },
	});
});
