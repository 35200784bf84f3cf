import { embedded } from '../harness';

const { service, data, get } = embedded();

test.each([
	['/workspaces', 'workspaces', 2, 2, 2],
	['/accounts', 'accounts', 8, 3, 11],
	['/social-connections', 'connections', 8, 3, 11],
])(
	'GET %s: those of the key and the workspace; the list may be bare',
	async (path, name, main, second, all) => {
		const list = async (more: object = {}): Promise<any[]> => (await data('GET', path, more))[name];
		const own = await list();
		const other = await list({ workspace: 'ws_second' });
		expect([own.length, other.length, new Set([...own, ...other].map(({ id }) => id)).size]).toEqual([
			main,
			second,
			all,
		]);
		const [foreign] = await list({ key: service().keys.otherWorkspace });
		expect(JSON.stringify([own, other])).not.toContain(foreign.id);
		if (path === '/workspaces') expect(own[0]).toMatchObject({ name: 'Lakeside Bakery', brands: [{}, {}] });
		else expect(other.map(({ status }) => status)).toEqual(['connected', 'connected', 'disconnected']);
		service().store.listShape = 'array';
		expect(await get(path)).toEqual(own);
		service().store.listShape = 'object';
	},
);
