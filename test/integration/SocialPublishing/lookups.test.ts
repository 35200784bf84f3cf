import partition from 'lodash/partition';
import sortBy from 'lodash/sortBy';
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

	test('posts: next due first, with what tells them apart; those that can still be changed', async () => {
		const { results, paginationToken } = await ask('searchPosts');
		expect(results).toHaveLength(service.store.feed('ws_main').length);
		const feed = service.store.feed('ws_main');
		const [due, past] = partition(feed, ({ at }) => at >= Date.now());
		const idsOf = (list: typeof feed) => list.map(({ id }) => id);
		const wanted = [...idsOf(sortBy(due, 'at')), ...idsOf(past)];
		expect(results.map(({ value }: any) => value)).toEqual(wanted);
		const waiting = results.find(({ name }: any) => name.endsWith('waiting for approval'));
		expect(waiting.name).toMatch(
			/^.+ · Instagram · \d+ [A-Z][a-z]{2}( \d{4})? \d\d:\d\d · waiting for approval$/,
		);
		expect(paginationToken).toBeUndefined();
		const open = feed.filter(({ status }) => !/completed|failed|canceled/.test(status)).map(({ id }) => id);
		expect((await ask('searchOpenPosts')).results.map(({ value }: any) => value)).toEqual(
			wanted.filter((id) => open.includes(id)),
		);
	});

	test('inbox items: by author and text', async () => {
		const { results } = await ask('searchInboxItems', { filter: 'bathtub' });
		expect(results).toEqual([
			{ name: expect.stringMatching(/^old\.mill · .*bathtub.* · Comment · Bluesky$/), value: 'inb_seed_6' },
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
