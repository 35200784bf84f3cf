import { posts, usePosting } from '../../../../support/service';

/** Accounts and platforms that stop a row before anything is sent. */

const { service, create } = usePosting();
const row = { text: '={{ $json.text }}', platforms: '={{ [$json.platform] }}' };

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
		platforms: [
			'instagram:acc_main_cafe',
			'Instagram: Lakeside Café',
			'lakeside café',
			'acc_main_instagram',
			'x',
			'Twitter',
		],
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
