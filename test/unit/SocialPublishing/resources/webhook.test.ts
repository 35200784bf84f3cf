import { listedDeliveries } from '../../../../nodes/SocialPublishing/resources/webhook/getDeliveries';
import { toFailure } from '../../../../nodes/api/failure';
import { fakeItem, NOW, operationOf, shapeOf } from './operations';

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

test.each([undefined, 'failed'])(
	'the deliveries of a webhook are read in any state, or in one: %s',
	async (status) => {
		const path = '/webhooks/wh%2F1/deliveries';
		const { context, asked } = fakeItem({ answers: { [path]: [{ status: 'failed', last_error: 'a' }] } });
		expect(await listedDeliveries(context, 'wh/1', status)).toMatchObject({
			...{ deliveries: [{ status: 'failed', lastError: 'a' }], isPart: false },
		});
		expect(asked).toEqual([{ path, qs: { status }, expects: expect.anything() }]);
		await expect(listedDeliveries(context, undefined)).rejects.toMatchObject({
			details: { code: 'NODE_WEBHOOK_ID', message: expect.stringContaining('without an ID') },
		});
	},
);

describe('of a list that goes on', () => {
	const countOf = (found: unknown) => (found as { deliveries: unknown[] }).deliveries.length;
	const path = '/webhooks/wh_1/deliveries';
	const one = (minute: number, status = 'delivered') => ({
		...{ id: minute, status, created_at: new Date(NOW + minute * 60_000).toISOString() },
	});
	/** Pages of 100 deliveries, each a minute apart. */
	const read = async (step: number, more: object = {}, status?: string, order = (at: number) => at) => {
		let page = 0;
		const answer = () => {
			const start = page++ * 100;
			const deliveries = Array.from({ length: 100 }, (_, i) => ({
				...one(order(start + i) * step),
				...more,
			}));
			return { deliveries, has_more: page < 9 };
		};
		const { context } = fakeItem({ answers: { [path]: answer } });
		const found = await listedDeliveries(context, 'wh_1', status).catch(toFailure);
		return { found, pages: page };
	};

	test('the latest 500 are read, where they come first', async () => {
		const { found, pages } = await read(-1);
		expect([countOf(found), pages]).toEqual([500, 5]);
	});

	test.each<[string, number, object]>([
		['the first come first', 1, {}],
		['they are all of one time', 0, { id: undefined, n: 1 }],
		['they have no times', -1, { created_at: undefined }],
	])("these can't be told where %s", async (_why, step, more) =>
		expect((await read(step, more)).found).toMatchObject({ details: { code: 'NODE_MORE_DELIVERIES' } }),
	);

	test('nor can they where only the first comes before the last', async () => {
		const mixed = (at: number) => (at > 0 && at < 400 ? at ^ 1 : at);
		expect((await read(-1, {}, undefined, mixed)).found).toMatchObject({
			details: { code: 'NODE_MORE_DELIVERIES' },
		});
	});

	test('those in one state must all be read, wherever the latest are', async () => {
		const deliveries = [one(2, 'dead_letter'), one(1, 'dead_letter')];
		const { context } = fakeItem({ answers: { [path]: { deliveries, has_more: true } } });
		await expect(listedDeliveries(context, 'wh_1', 'dead_letter')).rejects.toMatchObject({
			details: { code: 'NODE_MORE_DELIVERIES', message: expect.stringContaining('more deliveries') },
		});
		expect(countOf(await listedDeliveries(context, 'wh_1'))).toBe(2);
	});

	test.each([
		[25, 1, 'NODE_MORE_DELIVERIES'],
		[25, -1, undefined],
		[24, 1, undefined],
	])(
		'%d deliveries, which may be a page, each %d min. after the one before: %s',
		async (count, step, code) => {
			const deliveries = Array.from({ length: count }, (_, i) => one(step * i));
			const { context } = fakeItem({ answers: { [path]: { deliveries } } });
			const read = await listedDeliveries(context, 'wh_1').catch(toFailure);
			expect(read).toMatchObject(
				code
					? { details: { code, message: 'The service may have more deliveries than were read' } }
					: { deliveries: { length: count }, isPart: false },
			);
		},
	);

	test('those in one state are all read', async () => {
		const { found, pages } = await read(-1, {}, 'delivered');
		expect([countOf(found), pages]).toEqual([900, 9]);
	});
});
