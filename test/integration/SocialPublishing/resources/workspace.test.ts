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
