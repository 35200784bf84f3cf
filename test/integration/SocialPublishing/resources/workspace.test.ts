import { describeOperation } from './frame';

describeOperation('workspace.getAll', {
	endpoint: 'GET /workspaces',
	parameters: () => ({ returnAll: true }),
	sent: {},
	withoutWorkspace: true,
	answer: ({ json }) => {
		expect(json.map(({ id, name }) => [id, name])).toEqual([
			['ws_main', 'Lakeside Bakery'],
			['ws_second', 'Hill Street Books'],
		]);
	},
	empty: {
		prepare: (service) => service.store.workspaces.clear(),
		check: ({ json }) => expect(json).toEqual([]),
	},
});

describeOperation('workspace.checkHealth', {
	endpoint: 'GET /accounts',
	parameters: () => ({ days: 7 }),
	sent: {},
	answer: ({ json }) => {
		expect(json).toHaveLength(9);
		for (const { status, facts } of json) expect([status, facts]).toEqual(['ok', expect.any(Object)]);
	},
	empty: {
		prepare: (service) => service.store.accounts.clear(),
		check: ({ json }) =>
			expect(json[0]).toMatchObject({
				check: 'accounts',
				status: 'warning',
				message: 'The workspace has no accounts.',
			}),
	},
});
