import { embedded } from '../harness';

const { service, call, data, get } = embedded();

describe.each([
	['/workspaces', 'workspaces'],
	['/accounts', 'accounts'],
	['/social-connections', 'connections'],
])('GET %s', (path, name) => {
	const list = async (key: 'full' | 'otherWorkspace' = 'full', workspace?: string): Promise<any[]> =>
		(await data('GET', path, { key: service().keys[key], workspace }))[name];
	const ids = (records: any[]) => records.map(({ id }) => id as string);

	test('is of the key, and of the workspace', async () => {
		const own = await list('full', 'ws_main');
		const [other, second] = [await list('otherWorkspace'), await list('full', 'ws_second')];
		expect(other).toHaveLength(1);
		if (path === '/workspaces') {
			expect([ids(own), ids(second)]).toEqual(Array(2).fill(['ws_main', 'ws_second']));
			expect(own[0]).toMatchObject({
				name: 'Lakeside Bakery',
				brands: [{ id: 'brand_main' }, { id: 'brand_cafe' }],
			});
		} else {
			expect([own.length, second.length]).toEqual([8, 3]);
			expect(new Set(ids([...own, ...second, ...other])).size).toBe(12);
			expect(own.map(({ platform }) => platform)).toContain('linkedin');
			expect(second.map(({ status }) => status)).toEqual(['connected', 'connected', 'disconnected']);
		}
	});

	test('may be bare', async () => {
		const inObject = await list();
		service().store.listShape = 'array';
		expect(await get(path)).toEqual(inObject);
		service().store.listShape = 'object';
	});
});

test('GET /workspaces takes no query', async () => {
	expect((await call('GET', '/workspaces', { query: { page: 1 } })).code).toBe('PUBLIC_API_QUERY_INVALID');
});
