import { startService } from '../../../service';
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

test('the limit counts after the filter', async () => {
	const service = await startService();
	const filters = { platform: 'instagram' };
	const idsOf = async (limit: number) =>
		(await runOperation(service, 'account.getAll', { limit, filters })).json.map(({ id }) => id);
	expect(await idsOf(1)).toEqual(['acc_main_instagram']);
	expect(await idsOf(50)).toEqual(['acc_main_instagram', 'acc_main_cafe']);
	await service.close();
});
