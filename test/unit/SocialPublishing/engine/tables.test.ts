import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { filtered, passes, withColumns, withFirst } from '../../../../nodes/SocialPublishing/engine/tables';
import { failureOf } from '../../../support/failure';
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

describe('filters that the node applies itself', () => {
	const rows: IDataObject[] = [{ id: 1, kind: 'a' }, { id: 2, kind: 'b' }, { id: 3 }, { id: 4, kind: 'a' }];
	const kept = (wanted: unknown, list = rows) => {
		const hint = jest.fn();
		const found = filtered(list, { Kind: [({ kind }) => kind, wanted] }, { hint });
		return [found.map(({ id }) => id), ...hint.mock.calls.flat()];
	};

	test('a row that does not say is left out, with a hint', () => {
		const hint = "1 of 4 results have no 'Kind' that this node can read, so they were left out";
		expect(kept('a')).toEqual([[1, 4], hint]);
		expect([kept(undefined), kept('')]).toEqual([[[1, 2, 3, 4]], [[1, 2, 3, 4]]]);
		expect(kept('a', [])).toEqual([[]]);
		expect(kept('c', rows.slice(0, 2))).toEqual([[]]);
	});

	test('nothing has a value that is not known either: a hint, since the service may have new ones', () => {
		const hint = jest.fn();
		const found = (wanted: string) =>
			filtered(rows.slice(0, 2), { Kind: [({ kind }) => kind, wanted, (one) => one === 'c'] }, { hint });
		expect(['a', 'c', 'a, b', 'a\u200b', ''].map((one) => found(one).length)).toEqual([1, 0, 0, 0, 2]);
		expect(hint.mock.calls.flat()).toEqual(
			['a, b', 'a U+200B'].map(
				(one) => `No result has the 'Kind' '${one}': check its spelling, and enter only one`,
			),
		);
	});

	test('what a row says is read once', () => {
		const read = jest.fn(({ kind }: IDataObject) => kind);
		filtered(rows.slice(0, 2), { Kind: [read, 'b'] }, { hint: jest.fn() });
		expect(read).toHaveBeenCalledTimes(2);
	});

	test('of those that the other filters left, none may say it', () => {
		const list = [{ place: 'x' }, { place: 'y', kind: 'a' }];
		const hint = jest.fn();
		const both = (place: string) =>
			filtered(list, { Place: [(one) => one.place, place], Kind: [({ kind }) => kind, 'a'] }, { hint });
		expect([both('x'), both('y')]).toEqual([[], [list[1]]]);
		expect(hint.mock.calls.flat()).toEqual([expect.stringMatching(/^1 of 1 results have no 'Kind'/)]);
	});

	test.each([
		[{}, true],
		[{ kind: 'a' }, true],
		[{ kind: 'a', place: '' }, true],
		[{ kind: 'b', place: 'x' }, false],
		[{ kind: 'a', place: 'x' }, false],
		[{ kind: 'a', place: 'y' }, true],
	])('whether a record passes %j: %s', (wanted: IDataObject, isPassed) => {
		const record: IDataObject = { place: 'y', kind: 'a' };
		const filters = Object.entries(wanted).map(([name, value]) => [
			name,
			[(one: IDataObject) => one[name], value],
		]);
		expect(passes(Object.fromEntries(filters), record)).toBe(isPassed);
	});

	test('no row that says it is an error', () =>
		expect(failureOf(() => kept('a', [{ id: 3 }])).details).toMatchObject({
			...{ code: 'NODE_UNEXPECTED_DATA', status: 200, hint: expect.stringContaining('use a Filter node') },
			message: expect.stringMatching(/^Can't filter by 'Kind'/),
		}));
});
