import sortBy from 'lodash/sortBy';
import type { IDataObject } from 'n8n-workflow';

import { lookup } from '../../support/engine';
import { addWebhook, credentialOf, useService } from '../../support/service';

/** The dropdowns and searchable lists of the editor, in the context that n8n gives them. */
describe('lists', () => {
	const service = useService({ seed: 'demo' });

	const ask = async (method: string, { credential, ...more }: IDataObject = {}) =>
		await lookup({
			...more,
			credential: credentialOf(service(), credential as IDataObject),
			method,
			kind: method.startsWith('search') ? 'listSearch' : 'loadOptions',
		});
	const inWorkspace = (value: unknown) =>
		({ parameters: { options: { workspaceId: value } } }) as IDataObject;
	const byId = (value: string) => ({ __rl: true, mode: 'id', value });

	test('platforms and accounts of the workspace that is chosen in the node', async () => {
		const options = await ask('getTargets');
		expect(options.slice(0, 3)).toEqual([
			{
				name: 'Instagram (2 accounts, choose one below)',
				value: 'instagram',
				description: 'Lakeside Bakery, Lakeside Café',
			},
			{ name: 'Instagram: Lakeside Bakery', value: expect.stringMatching(/^instagram:acc_/) },
			{ name: 'Instagram: Lakeside Café', value: expect.stringMatching(/^instagram:acc_/) },
		]);
		const second = inWorkspace(byId('ws_second'));
		const platforms = await ask('getPlatforms', second);
		const marked = platforms.filter(({ name }: any) => !name.includes('not connected'));
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
			service().faults.add({
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

	test.each<[string, string, string[]]>([
		['searchPosts', 'hill', []],
		['searchOpenPosts', 'no such text', []],
		['searchInboxItems', 'bathtub', ['inb_seed_6']],
		['searchWebhooks', 'news', ['wh_1']],
		// Those of the key, whatever is chosen.
		['searchWorkspaces', 'hill', ['ws_second']],
	])('%s by %j: %j', async (method, filter, ids) => {
		addWebhook(service(), 'wh_1', 'Newsroom');
		addWebhook(service(), 'wh_2', 'News elsewhere', 'ws_second');
		const { results } = await ask(method, { filter });
		expect(results.map(({ value }: any) => value)).toEqual(ids);
	});

	test('posts that can still be changed, next due first', async () => {
		const { results } = await ask('searchOpenPosts');
		const open = service()
			.store.feed('ws_main')
			.filter(({ status }) => !/completed|failed|canceled/.test(status));
		const wanted = sortBy(open, ({ at }) => (at >= Date.now() ? at : Infinity));
		expect(results.map(({ value }: any) => value)).toEqual(wanted.map(({ id }) => id));
	});
});
