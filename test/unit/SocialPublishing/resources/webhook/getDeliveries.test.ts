import {
	getDeliveries,
	readDeliveries,
} from '../../../../../nodes/SocialPublishing/resources/webhook/getDeliveries';
import { fakeItem, requestOf, shapeOf } from '../operations';

const path = '/webhooks/wh%2F1/deliveries';

test.each([undefined, 'failed'])(
	'asks for the deliveries of a webhook, all or those in a state: %s',
	async (status) => {
		const filters = status ? { status } : {};
		expect(requestOf(getDeliveries, { webhookId: 'wh/1', filters })).toMatchObject({ path, qs: filters });
		const answers = { [path]: { deliveries: [{ status: 'failed', last_error: 'a' }] } };
		const { context, asked } = fakeItem({ answers });
		expect(await readDeliveries(context, 'wh/1', status)).toMatchObject([
			{ status: 'failed', lastError: 'a' },
		]);
		expect(asked).toEqual([{ path, qs: { status }, expects: expect.anything() }]);
	},
);

test('a secret, or the query of a signed address, is hidden', () => {
	const list = (secret: string, query: string) => ({
		deliveries: [{ last_error: `https://s.example/a?${query}`, webhook: { id: 'wh_1', secret } }],
	});
	const shown = shapeOf(getDeliveries, { webhookId: 'wh_1' }, list('whsec_1', 'sig=1'));
	expect(shown).toEqual(list('[hidden]', '[hidden]').deliveries);
});

test('what is no webhook is refused before anything is asked', async () => {
	const { context, asked } = fakeItem();
	await expect(readDeliveries(context, undefined)).rejects.toThrow('without an ID');
	expect(() => requestOf(getDeliveries, { webhookId: '..' })).toThrow(/^'Webhook'/);
	expect(asked).toEqual([]);
});
