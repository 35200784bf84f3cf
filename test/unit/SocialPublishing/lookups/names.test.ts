import fc from 'fast-check';

import { accounts } from '../../../../nodes/SocialPublishing/lookups/accounts';
import { findId } from '../../../../nodes/SocialPublishing/lookups/names';
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

		test('what nobody is called, with three: those that begin with what was given, then those that contain it', () => {
			const { code, hint } = detailsOf(list, 'café');
			expect(code).toBe('NODE_NAME_UNKNOWN');
			expect(hint).toBe(
				'The closest are: Lakeside Café · Instagram (acc_3), Lakeside Bakery · Instagram (acc_1), Lakeside Bakery · X (acc_2). Choose one from the list or enter its ID.',
			);
			expect(
				detailsOf([...plums, { id: 'e', name: 'Big Plu' }, { id: 'f', name: 'Plus' }], '@PLU').hint,
			).toMatch(/^The closest are: Plum \(a\), Plum \(b\), Plum \(c\)\. /);
			const last = [
				{ id: 'a', name: 'A' },
				{ id: 'b', name: 'The jam' },
				{ id: 'c', name: 'Jams' },
			];
			expect(detailsOf(last, 'jam').hint).toMatch(/: Jams \(c\), The jam \(b\), A \(a\)\. /);
			expect(detailsOf([], 'x'.repeat(100))).toMatchObject({
				message: `'Accounts' matches no ID or name in the service's list: ${'x'.repeat(100)}`,
				hint: "The service's list is empty. Check the workspace.",
			});
			expect(detailsOf([], 'x'.repeat(101)).message).toMatch(/: x{100}…$/);
			expect(detailsOf([{ id: 'a', name: 'A@b' }], 'ab').code).toBe('NODE_NAME_UNKNOWN');
			expect(findId([{ id: 'a', name: 'A@b' }], 'a@B', accounts, 'Accounts')).toBe('a');
		});

		test('nothing of an account that the service lists twice under one ID', () => {
			const twice = [...plums.slice(0, 1), ...plums.slice(0, 1)];
			expect(findId(twice as never, 'Plum', accounts, 'Accounts')).toBe('a');
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

test('a name of 100,000 characters is looked up among 500 others', () => {
	const list = Array.from({ length: 500 }, (_, i) => ({
		id: `acc_${i}`,
		name: `Shop ${i} ${'n'.repeat(2000)}`,
	}));
	const error = () => findId(list, 'é'.repeat(100_000), accounts, 'Accounts');
	expect(error).toThrow(/^'Accounts' matches no ID or name in the service's list: é{100}…$/);
});
