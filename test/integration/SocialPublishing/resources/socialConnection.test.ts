import { describeOperation } from './frame';

describeOperation('socialConnection.getAll', {
	endpoint: 'GET /social-connections',
	parameters: () => ({ limit: 5 }),
	sent: {},
	answer: ({ json }) => {
		expect(json).toHaveLength(5);
		expect(json[0]).toMatchObject({ id: 'con_main_instagram', account_id: 'acc_main_instagram' });
	},
	empty: {
		prepare: (service) => service.store.accounts.clear(),
		check: ({ json }) => expect(json).toEqual([]),
	},
});
