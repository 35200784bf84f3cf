import { listedDeliveries } from '../../../../nodes/SocialPublishing/resources/webhook/getDeliveries';
import { fakeItem, operationOf, shapeOf } from './operations';

test.each([
	['getAll', 'webhooks'],
	['getDeliveries', 'deliveries'],
])('%s hides a secret, whatever its field is called', (name, list) => {
	const one = {
		id: 'wh_1',
		secret: 'whsec_1',
		signingSecret: 'a',
		secrets: ['b'],
		has_secret: true,
		secret_number: 1,
		secret_until: null,
	};
	const hidden = { signingSecret: '[hidden]', secrets: '[hidden]', secret_number: '[hidden]' };
	for (const listed of [[one], { [list]: [one] }])
		expect(shapeOf(operationOf(`webhook.${name}`), { webhookId: 'wh_1' }, listed)).toEqual([
			{ ...one, ...hidden, secret: '[hidden]' },
		]);
});

test('a delivery hides the query of a signed address', () => {
	const deliveries = [{ last_error: 'https://s.example/a?sig=1' }];
	expect(shapeOf(operationOf('webhook.getDeliveries'), { webhookId: 'wh_1' }, deliveries)).toEqual([
		{ last_error: 'https://s.example/a?[hidden]' },
	]);
});

test('a deletion says what was deleted, and what the service says of it', () =>
	expect(shapeOf(operationOf('webhook.delete'), { webhookId: 'wh_1' }, { at: 1, secret: 'a' })).toEqual({
		...{ deleted: true, id: 'wh_1', at: 1, secret: '[hidden]' },
	}));

test.each([undefined, 'failed'])(
	'the deliveries of a webhook are read in any state, or in one: %s',
	async (status) => {
		const path = '/webhooks/wh%2F1/deliveries';
		const { context, asked } = fakeItem({ answers: { [path]: [{ status: 'failed', last_error: 'a' }] } });
		expect(await listedDeliveries(context, 'wh/1', status)).toMatchObject([
			{ status: 'failed', lastError: 'a' },
		]);
		expect(asked).toEqual([{ path, qs: { status }, expects: expect.anything() }]);
		await expect(listedDeliveries(context, undefined)).rejects.toThrow('without an ID');
	},
);
