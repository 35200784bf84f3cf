import fc from 'fast-check';

import { locatorValue } from '../../../../nodes/SocialPublishing/lookups/locatorValue';
import { workspaces } from '../../../../nodes/SocialPublishing/lookups/workspaces';
import { accounts } from '../../../../nodes/SocialPublishing/lookups/accounts';
import { webhooks } from '../../../../nodes/SocialPublishing/lookups/webhooks';
import { closest, findId, isName } from '../../../../nodes/SocialPublishing/lookups/names';
import { table } from '../../../../nodes/SocialPublishing/resources/analytics/getUnified';
import { anyText, runs } from '../../../support/property';

describe('names in place of IDs', () => {
	const list = [
		{ id: 'acc_1', name: 'Lakeside Bakery', username: 'lakeside', platform: 'instagram' },
		{ id: 'acc_2', name: 'Lakeside Bakery', username: 'lakeside', platform: 'x' },
		{ id: 'acc_3', name: 'Lakeside Café', username: 'lakesidecafe', platform: 'instagram' },
		{ id: 'acc_4', name: 'acc_1', username: null, platform: 'tiktok' },
	];
	const find = (wanted: string) => findId(list, wanted, accounts, 'Accounts');
	const failureOf = (wanted: string) => {
		try {
			return find(wanted);
		} catch (error) {
			return (error as any).details;
		}
	};

	test.each([
		['acc_3', 'acc_3'],
		['Lakeside Café', 'acc_3'],
		['  lakeside café ', 'acc_3'],
		['@LakesideCafe', 'acc_3'],
		['lakesidecafe', 'acc_3'],
		['Lakeside Bakery · x', 'acc_2'],
		['@lakeside · instagram', 'acc_1'],
	])('%s is %s', (wanted, id) => expect(find(wanted)).toBe(id));

	test('an ID goes before a name', () => expect(find('acc_1')).toBe('acc_1'));

	test('what several are called is not guessed', () => {
		expect(failureOf('@lakeside')).toMatchObject({
			code: 'NODE_NAME_AMBIGUOUS',
			hint: expect.stringMatching(/acc_1.*acc_2/),
		});
	});

	test('what nobody is called is answered with the closest three', () => {
		const { code, hint } = failureOf('@lakesidekafe');
		expect(code).toBe('NODE_NAME_UNKNOWN');
		expect(hint).toMatch(/^The closest are: Lakeside Café · Instagram \(acc_3\), /);
		expect(hint.match(/acc_\d\)/g)).toHaveLength(3);
	});

	test('an empty list says so', () => {
		expect(() => findId([], 'x', webhooks, 'Webhook')).toThrow(/Webhook/);
	});

	test('whatever is in the list: an ID that it has is found, and a failure is one of ours', () => {
		const text = fc.oneof(fc.string(), fc.constantFrom('a', 'b', '@a'));
		const record = fc.record({ id: text, name: fc.option(text), username: fc.option(text), platform: text });
		fc.assert(
			fc.property(fc.array(record), text, (records, wanted) => {
				const known = records.some(({ id }) => id === wanted);
				try {
					const id = findId(records, wanted, accounts, 'Accounts');
					expect(records.map((one) => one.id)).toContain(id);
					if (known) expect(id).toBe(wanted);
				} catch (error) {
					expect(known).toBe(false);
					expect((error as any).details.code).toMatch(/^NODE_NAME_/);
				}
			}),
			runs(100),
		);
	});
});

describe('the closest names', () => {
	const names = ['Newsroom', 'Archive', 'Press office', 'News', 'Lakeside'];

	test.each([
		['Newsrom', 'Newsroom'],
		['archiv', 'Archive'],
		['presoffice', 'Press office'],
		['@lakesid', 'Lakeside'],
	])('%s: %s', (wanted, best) => expect(closest(names, wanted)[0]).toBe(best));

	test('are three, each once', () => {
		expect(closest([...names, 'News'], 'news')).toHaveLength(3);
		expect(closest(['a', 'a'], 'a')).toEqual(['a']);
		expect(closest([], 'a')).toEqual([]);
	});
});

describe('what can be an ID', () => {
	test.each(['ws_main', 'Bakery', 'a-b.c:d', '8f3e'])('%s may be one', (text) =>
		expect(isName(text)).toBe(false),
	);
	test.each(['Plum Jam', '@plum', 'ws–main', 'Пекарня', 'Bäckerei', 'a\n'])('%j is looked up', (text) =>
		expect(isName(text)).toBe(true),
	);

	test('a name of 100,000 characters is looked up among 500 others', () => {
		const list = Array.from({ length: 500 }, (_, i) => ({
			id: `ws_${i}`,
			name: `Shop ${i} ${'n'.repeat(2000)}`,
		}));
		const error = () => findId(list, 'é'.repeat(100_000), workspaces, 'Workspace');
		expect(error).toThrow(/^'Workspace' is neither an ID nor a name that the service lists: é{100}…$/);
	});
});

describe('the value of a locator', () => {
	test.each([
		['https://app.example.com/posts/post_1', 'post_1'],
		['https://app.example.com/posts/post_1/?tab=2#top', 'post_1'],
		['https://app.example.com/posts/50%25', '50%'],
		['https://app.example.com/posts/100%', '100%'],
		[`https://a${'/'.repeat(80_000)}`, 'a'],
		[`https://a${'/'.repeat(80_000)}x${'/'.repeat(80_000)}`, 'x'],
		[' post_1 ', 'post_1'],
		[{ mode: 'id', value: 'post_1' }, 'post_1'],
		[{ mode: 'list', value: null }, ''],
		[42, '42'],
		[null, ''],
	])('%#', (raw, id) => expect(locatorValue(raw)).toBe(id));

	test('any text gives one, never an error', () => {
		const text = anyText();
		fc.assert(
			fc.property(text, fc.boolean(), (raw, address) => {
				expect(typeof locatorValue(address ? `https://${raw}` : raw)).toBe('string');
			}),
			runs(100),
		);
	});
});

describe('rows as a table', () => {
	test('twitter and x are one platform, what is missing is null, what nobody knows follows by name', () => {
		const rows = table([
			{ post_id: '1', platform: 'x', retweets: 2, zeal: 1 },
			{ post_id: '2', platform: 'twitter', likes: 0, engagement_rate: 0.02, attention: null },
			{ post_id: '3', platform: 'linkedin', clicks: 5 },
		]);
		expect(rows.map(({ platform }) => platform)).toEqual(['twitter', 'twitter', 'linkedin']);
		expect(Object.keys(rows[0]!).slice(-2)).toEqual(['attention', 'zeal']);
		expect(rows[1]).toMatchObject({ likes: 0, engagement_rate: 0.02, zeal: null, clicks: null });
		expect(new Set(rows.map((row) => Object.keys(row).join())).size).toBe(1);
		expect(table([])).toEqual([]);
	});

	test('any rows: nothing is lost, and the columns are the same for all', () => {
		const row = fc.dictionary(
			fc.string({ minLength: 1 }),
			fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
		);
		fc.assert(
			fc.property(fc.array(row), (rows) => {
				const made = table(rows as any);
				expect(made).toHaveLength(rows.length);
				expect(new Set(made.map((one) => Object.keys(one).join('\n'))).size).toBeLessThanOrEqual(1);
				rows.forEach((one, i) => {
					for (const [name, value] of Object.entries(one))
						if (name !== 'platform') expect(made[i]![name]).toEqual(value);
				});
			}),
			runs(100),
		);
	});
});
