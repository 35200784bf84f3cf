import { getAll } from '../../../../../nodes/SocialPublishing/resources/webhook/getAll';
import { shapeOf } from '../operations';

test('a secret that the service lists is hidden, whatever its field is called', () => {
	const one = { id: 'wh_1', secret: 'whsec_1', signingSecret: 'a', secrets: ['b'], has_secret: true };
	const hidden = { secret: '[hidden]', signingSecret: '[hidden]', secrets: '[hidden]' };
	for (const listed of [[{ ...one, secret_id: 1 }], { webhooks: [{ ...one, secret_id: 1 }] }])
		expect(shapeOf(getAll, {}, listed)).toEqual([{ ...one, ...hidden, secret_id: 1 }]);
});
