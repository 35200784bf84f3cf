import fc from 'fast-check';

import { accounts } from '../../../../nodes/SocialPublishing/lookups/accounts';
import { closest, findId, typoOf } from '../../../../nodes/SocialPublishing/lookups/names';
import { failureOf } from '../../../support/failure';
import { runs } from '../../../support/property';

describe('names in place of IDs', () => {
	const list = [
		{ id: 'acc_1', name: 'Lakeside Bakery', username: 'lakeside', platform: 'instagram' },
		{ id: 'acc_2', name: 'Lakeside Bakery', username: 'lakeside', platform: 'x' },
		{ id: 'acc_3', name: 'Lakeside Café', username: 'lakesidecafe', platform: 'instagram' },
		{ id: 'acc_4', name: 'acc_1', username: null, platform: 'tiktok' },
	];

	test.each([
		['acc_3', 'acc_3'],
		// Another one is called that.
		['acc_1', 'acc_1'],
		['Lakeside Café', 'acc_3'],
		['  lakeside café ', 'acc_3'],
		['@LakesideCafe', 'acc_3'],
		['lakesidecafe', 'acc_3'],
		['Lakeside Bakery · x', 'acc_2'],
		['@lakeside · instagram', 'acc_1'],
	])('%s is %s', (wanted, id) => expect(findId(list, wanted, accounts, 'Accounts')).toBe(id));

	describe('says', () => {
		const plums = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: 'Plum' }));
		const detailsOf = (records: object[], wanted: string) =>
			failureOf(() => findId(records as never, wanted, accounts, 'Accounts')).details;

		test('what several are called', () => {
			expect(detailsOf(plums, 'plum')).toMatchObject({
				code: 'NODE_NAME_AMBIGUOUS',
				message: "'Accounts' is ambiguous: 4 are called plum",
				hint: 'Use one of these IDs: Plum (a), Plum (b), Plum (c), ….',
			});
			expect(detailsOf(plums.slice(0, 3), 'plum').hint).toMatch(/Plum \(b\), Plum \(c\)\.$/);
		});

		test('what nobody is called, with the closest three', () => {
			const { code, hint } = detailsOf(list, '@lakesidekafe');
			expect(code).toBe('NODE_NAME_UNKNOWN');
			expect(hint).toMatch(/^The closest are: Lakeside Café · Instagram \(acc_3\), /);
			expect(hint.match(/acc_\d\)/g)).toHaveLength(3);
			expect(detailsOf([], 'x'.repeat(100))).toMatchObject({
				message: `'Accounts' matches no ID or name in the service's list: ${'x'.repeat(100)}`,
				hint: "The service's list is empty. Check the workspace.",
			});
			expect(detailsOf([], 'x'.repeat(101)).message).toMatch(/: x{100}…$/);
			expect(detailsOf(plums, 'Plun').hint).toBe(
				'The closest are: Plum (d), Plum (a), Plum (b). Choose one from the list or enter its ID.',
			);
			expect(detailsOf([{ id: 'a', name: 'A@b' }], 'ab').code).toBe('NODE_NAME_UNKNOWN');
			expect(findId([{ id: 'a', name: 'A@b' }], 'a@B', accounts, 'Accounts')).toBe('a');
		});
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

	test('by pairs of letters, whatever the case', () => {
		expect(closest(['ab', 'ba'], 'AB')).toEqual(['ab', 'ba']);
		expect(closest(['abab', 'abcd'], 'abab', 1)).toEqual(['abab']);
		expect(closest(['a-very-long-one-with-plum', 'plum'], 'plum', 1)).toEqual(['plum']);
		expect(closest(['a@b'], 'a@b')).toEqual(['a@b']);
		expect(typoOf(['instagram', 'x'], 'instagrm')).toBe('instagram');
		expect(typoOf(['instagram', 'x'], 'mastodon')).toBeUndefined();
		expect(typoOf([], 'x')).toBeUndefined();
	});

	test('are three, each once', () => {
		expect(closest([...names, 'News'], 'news')).toHaveLength(3);
		expect(closest(['a', 'a'], 'a')).toEqual(['a']);
		expect(closest([], 'a')).toEqual([]);
	});
});

test('a name of 100,000 characters is looked up among 500 others', () => {
	const list = Array.from({ length: 500 }, (_, i) => ({
		id: `acc_${i}`,
		name: `Shop ${i} ${'n'.repeat(2000)}`,
	}));
	const error = () => findId(list, 'é'.repeat(100_000), accounts, 'Accounts');
	expect(error).toThrow(/^'Accounts' matches no ID or name in the service's list: é{100}…$/);
});
