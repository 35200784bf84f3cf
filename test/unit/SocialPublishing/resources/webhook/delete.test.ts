import { remove } from '../../../../../nodes/SocialPublishing/resources/webhook/delete';
import { requestOf, shapeOf } from '../operations';

test('deletes by ID', () => {
	expect(requestOf(remove, { webhookId: 'wh/1' })).toEqual({ path: '/webhooks/wh%2F1' });
	expect(() => requestOf(remove, { webhookId: '..' })).toThrow(/^'Webhook'/);
});

test('says what was deleted, and what the service says of it', () => {
	expect(shapeOf(remove, { webhookId: 'wh_1' }, { at: 1, secret: 'a' })).toEqual({
		...{ deleted: true, id: 'wh_1', at: 1, secret: '[hidden]' },
	});
});
