import type { IDataObject } from 'n8n-workflow';

import { today } from '../../../../service/dialect';
import { addPost, posts, runOperation, usePosting } from '../../../../support/service';

/** What is refused before anything is sent, whatever the service may say. */

const { service, create } = usePosting();
const row = { text: '={{ $json.text }}', platforms: '={{ [$json.platform] }}' };

test.each<[string, IDataObject]>([
	['Preview', { preview: '={{ $json.nothing }}' }],
	['If a Platform Will Refuse It', { ifRefused: '={{ $json.nothing }}' }],
	['If the Time Has Passed', { ifPast: '={{ $json.nothing }}' }],
	['Avoid Duplicates: Mode', { avoidDuplicates: { by: { mode: '={{ $json.nothing }}' } } }],
	['Workspace', { workspaceId: { __rl: true, mode: 'id', value: '={{ $json.nothing }}' } }],
])('%s emptied by an expression is refused', async (label, options) => {
	const { error } = await create({ options });
	expect(error.message).toBe(`'${label}' is empty. Nothing was sent.`);
	expect(posts(service())).toEqual([]);
});

test('an unknown platform in row 30 stops row 1, and the error lists platforms and accounts', async () => {
	const rows = Array.from({ length: 30 }, (_, i) => ({
		text: `Post ${i}`,
		platform: i === 29 ? 'linkedn' : 'x',
	}));
	const { error } = await create(row, rows);
	expect(error.message).toBe("Row 30 of 30: 'linkedn' isn't a platform or an account. Nothing was sent.");
	expect(error.description).toMatch(/^Platforms are: instagram, tiktok, .*\. Accounts are: .*x:acc_main_x/);
	expect(posts(service())).toEqual([]);
});

test('a platform with two accounts stops the row, and the error names them; each of them can be named', async () => {
	const { error } = await create({ platforms: ['instagram'] });
	expect(error.message).toBe(
		'The workspace has 2 Instagram accounts: instagram:acc_main_instagram (Lakeside Bakery), instagram:acc_main_cafe (Lakeside Café). Nothing was sent.',
	);
	const { json } = await create({
		platforms: ['instagram:acc_main_cafe', 'lakeside café', 'acc_main_instagram', 'x', 'Twitter'],
	});
	expect(json.map(({ platform, account }) => [platform, account])).toEqual([
		['instagram', 'Lakeside Café'],
		['instagram', 'Lakeside Bakery'],
		['x', 'Lakeside Bakery'],
	]);
});

test('an account that is not listed goes as it is, where its platform is said', async () => {
	const { error } = await create({ platforms: ['x:acc_9'] });
	expect(error.message).toMatch(/account_id: is not a connected account/);
	expect((await create({ platforms: ['acc_9'] })).error.message).toMatch(
		/^'acc_9' isn't a platform or an account/,
	);
});

test.each(['inclusive', 'exclusive', 'seconds', 'seconds exclusive'])(
	'posts at whole seconds are all read: %s',
	async (range) => {
		service().speak({ ...today, range });
		const start = Date.parse('2126-07-01T10:00:00Z');
		for (let i = 0; i < 150; i++)
			addPost(service(), { id: `post_${i}`, at: start + Math.floor(i / 30) * 1000 });
		const { json, error } = await runOperation(service(), 'post:getAll', {
			...{ returnAll: true, filters: { from: '2126-07-01', to: '2126-07-02' } },
		});
		expect(error).toBeUndefined();
		expect(new Set(json.map(({ id }) => id)).size).toBe(150);
	},
);
