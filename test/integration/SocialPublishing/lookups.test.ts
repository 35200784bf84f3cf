import type { IDataObject } from 'n8n-workflow';

import { type Service, startService } from '../../service';
import { addWebhook, credentialOf } from './resources/frame';
import { lookup } from '../../support/engine';

/** The dropdowns and searchable lists of the editor, in the context that n8n gives them. */
describe('lists', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService({ seed: 'demo' });
	});
	afterEach(async () => await service.close());

	const ask = async (method: string, { credential, ...more }: IDataObject = {}) =>
		await lookup({
			...more,
			credential: credentialOf(service, credential as IDataObject),
			method,
			kind: method.startsWith('search') ? 'listSearch' : 'loadOptions',
		});
	const inWorkspace = (value: unknown) =>
		({ parameters: { options: { workspaceId: value } } }) as IDataObject;
	const byId = (value: string) => ({ __rl: true, mode: 'id', value });

	test('platforms and accounts of the workspace that is chosen in the node', async () => {
		const options = await ask('getPlatforms');
		expect(options[0]).toEqual({
			name: 'Instagram (2 accounts connected)',
			value: 'instagram',
			description: 'Lakeside Bakery, Lakeside Café',
		});
		const second = inWorkspace(byId('ws_second'));
		const marked = (await ask('getPlatforms', second)).filter(({ name }: any) => name.includes('connected'));
		expect(marked.map(({ value }: any) => value)).toEqual(['instagram', 'linkedin']);
		for (const chosen of [second, inWorkspace('ws_second')])
			expect((await ask('getAccounts', chosen)).map(({ name }: any) => name)).toEqual([
				'Hill Street Books · Instagram',
				'Hill Street Books · LinkedIn',
				'Hill Street Books · X (not connected)',
			]);
	});

	test.each([
		['a wrong key', { apiKey: 'nobody' }],
		['no service there', { baseUrl: 'http://127.0.0.1:1' }],
		['no address', { baseUrl: '' }],
	])('with %s: the seven platforms', async (_name, credential) => {
		expect(await ask('getPlatforms', { credential })).toHaveLength(7);
	});

	test.each(['getAccounts', 'searchPosts', 'searchInboxItems', 'searchWebhooks', 'searchWorkspaces'])(
		"%s: what fails shows the service's message and is no option",
		async (method) => {
			service.faults.add({
				kind: 'error',
				code: 'PUBLIC_API_SCOPE_FORBIDDEN',
				message: 'Ask for more.',
				times: 0,
			});
			await expect(ask(method)).rejects.toMatchObject({
				name: 'NodeApiError',
				message: expect.stringContaining('Ask for more.'),
				context: { data: expect.objectContaining({ code: 'PUBLIC_API_SCOPE_FORBIDDEN' }) },
			});
		},
	);

	test('posts: newest first, with what tells them apart; those that can still be changed', async () => {
		const { results, paginationToken } = await ask('searchPosts');
		expect(results).toHaveLength(service.store.feed('ws_main').length);
		expect(results.map(({ value }: any) => value)).toEqual(service.store.feed('ws_main').map(({ id }) => id));
		expect(results[0].name).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d · Bluesky · pending_approval · ./);
		expect(paginationToken).toBeUndefined();
		const open = service.store
			.feed('ws_main')
			.filter(({ status }) => !/completed|failed|canceled/.test(status));
		expect((await ask('searchOpenPosts')).results.map(({ value }: any) => value)).toEqual(
			open.map(({ id }) => id),
		);
	});

	test('inbox items: by author and text', async () => {
		const { results } = await ask('searchInboxItems', { filter: 'bathtub' });
		expect(results).toEqual([
			{ name: expect.stringMatching(/^old\.mill · .*bathtub.* · Bluesky$/), value: 'inb_seed_6' },
		]);
		expect((await ask('searchInboxItems')).results).toHaveLength(6);
	});

	test('webhooks: by description and address', async () => {
		addWebhook(service, 'wh_1', 'Newsroom');
		addWebhook(service, 'wh_3', 'Other', 'ws_second');
		expect(await ask('searchWebhooks')).toEqual({
			results: [{ name: 'Newsroom · https://example.com/events', value: 'wh_1' }],
		});
	});

	test('workspaces: all of the key, whatever is chosen', async () => {
		const expected = { results: [{ name: 'Hill Street Books', value: 'ws_second' }] };
		expect(await ask('searchWorkspaces', { filter: 'hill', ...inWorkspace(byId('nowhere')) })).toEqual(
			expected,
		);
	});
});
