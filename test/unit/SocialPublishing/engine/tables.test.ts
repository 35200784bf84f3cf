import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { withColumns, withFirst } from '../../../../nodes/SocialPublishing/engine/tables';
import { runs } from '../../../support/property';

/** Names that every object inherits something for. */
const inherited = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__'];

test('any rows: nothing is lost, all have the same columns in the same order, the first ones first', () => {
	const name = fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom(...inherited));
	const row = fc.dictionary(
		name,
		fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.constant(undefined)),
	);
	fc.assert(
		fc.property(fc.array(row, { minLength: 1 }), (rows) => {
			const made = withColumns(rows as IDataObject[], ['zeal', 'id']);
			const columns = Object.keys(made[0]!);
			made.forEach((one, i) => {
				const given = new Map(Object.entries(rows[i]!));
				expect(Object.entries(one)).toEqual(columns.map((key) => [key, given.get(key) ?? null]));
			});
			expect(columns).toEqual(expect.arrayContaining(['zeal', 'id', ...rows.flatMap(Object.keys)]));
		}),
		runs(200),
	);
});

test("what can't be read stays as the record has it", () =>
	expect(withFirst({ text: null, when: null, id: null }, { when: 'today', text: 7 })).toEqual({
		...{ text: 7, when: 'today', id: null },
	}));

test('what stands first replaces fields of the same name', () => {
	const made = withFirst({ platform: 'x', id: '7' }, { id: 7, text: 'a', platform: 'twitter' });
	expect(Object.entries(made)).toEqual([
		['platform', 'x'],
		['id', '7'],
		['text', 'a'],
	]);
});
