import { describeOperation } from './frame';

describeOperation('usage.get', {
	endpoint: 'GET /usage',
	parameters: () => ({}),
	sent: {},
	answer: ({ json }) => {
		expect(json).toEqual([expect.objectContaining({ plan: 'enterprise', accounts: 8, webhooks: 0 })]);
	},
	empty: {
		prepare: (service) => service.store.accounts.clear(),
		check: ({ json }) => expect(json).toEqual([expect.objectContaining({ accounts: 0 })]),
	},
});
