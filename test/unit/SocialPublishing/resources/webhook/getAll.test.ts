import { getAll } from '../../../../../nodes/SocialPublishing/resources/webhook/getAll';
import { shapeOf } from '../operations';

test('a secret that the service lists is hidden, whatever its field is called', () => {
	const one = { id: 'wh_1', secret: 'whsec_1', signingSecret: 'a', secrets: ['b'], has_secret: true };
	const hidden = { secret: '[hidden]', signingSecret: '[hidden]', secrets: '[hidden]' };
	for (const place of [(list: unknown) => list, (webhooks: unknown) => ({ webhooks })])
		expect(shapeOf(getAll, {}, place([{ ...one, secret_id: 1 }]))).toEqual(
			place([{ ...one, ...hidden, secret_id: 1 }]),
		);
});
