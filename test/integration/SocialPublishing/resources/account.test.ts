import { type Service, startService } from '../../../service';
import { describeOperation, runOperation } from './frame';

describeOperation('account.getAll', {
	endpoint: 'GET /accounts',
	parameters: () => ({ returnAll: true }),
	sent: {},
	answer: ({ json }, service) => {
		expect(json.map(({ id }) => id)).toEqual(service.store.accountsOf('ws_main').map(({ id }) => id));
		expect(json[0]).toMatchObject({ id: 'acc_main_instagram', platform: 'instagram', username: 'lakeside' });
	},
	empty: {
		prepare: (service) => service.store.accounts.clear(),
		check: ({ json }) => expect(json).toEqual([]),
	},
});

describe('accounts', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	afterAll(async () => await service.close());

	const idsOf = async (parameters: object) =>
		(await runOperation(service, 'account.getAll', { ...parameters })).json.map(({ id }) => id);

	test.each(['x', 'twitter', ' Twitter '])('of the platform %s: twitter and x are one', async (platform) => {
		expect(await idsOf({ returnAll: true, filters: { platform } })).toEqual(['acc_main_x']);
	});

	test('the limit counts after the filter', async () => {
		const filters = { platform: 'instagram' };
		expect(await idsOf({ limit: 1, filters })).toEqual(['acc_main_instagram']);
		expect(await idsOf({ limit: 50, filters })).toEqual(['acc_main_instagram', 'acc_main_cafe']);
	});

	test('a bare array is understood, too', async () => {
		service.store.listShape = 'array';
		expect(await idsOf({ limit: 3 })).toHaveLength(3);
		service.store.listShape = 'object';
	});
});
