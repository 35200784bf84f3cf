import { operationOf, shapeOf } from './operations';

test.each([
	['getAll', 'webhooks'],
	['getDeliveries', 'deliveries'],
])('%s hides a secret, whatever its field is called', (name, list) => {
	const one = {
		id: 'wh_1',
		secret: 'whsec_1',
		signingSecret: 'a',
		verifyToken: 'c',
		password: 'd',
		signing_key: 'e',
		secrets: ['b'],
		has_secret: true,
		secret_number: 1,
		secret_until: null,
	};
	const hidden = {
		...{ signingSecret: '[hidden]', verifyToken: '[hidden]', password: '[hidden]', signing_key: '[hidden]' },
		...{ secrets: '[hidden]', secret_number: '[hidden]' },
	};
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
