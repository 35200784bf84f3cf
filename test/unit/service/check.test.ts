import fc from 'fast-check';

import { bool, int, isoFrom, isoTo, platformList, timestamp } from '../../service/check';
import { platforms } from '../../support/specification';
import { runs } from '../../support/property';

const takes = (schema: { safeParse: (value: unknown) => { success: boolean } }, value: unknown) =>
	schema.safeParse(value).success;

test('a timestamp is ISO 8601 in UTC that ends in Z, of a day that the calendar has', () => {
	const moments = fc.date({ min: new Date('1970-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
	fc.assert(
		fc.property(moments, (moment) => {
			const text = moment.toISOString();
			for (const form of [text, text.replace(/\.\d+/, ''), text.replace('Z', '123456Z')]) {
				expect(takes(timestamp, form)).toBe(true);
				expect(isoFrom.parse(form)).toBe(Date.parse(form));
				expect(isoTo.parse(form)).toBe(Date.parse(form));
			}
			const wrong = [
				text.slice(0, -1),
				text.replace('Z', '+02:00'),
				text.replace('T', ' '),
				` ${text}`,
				`${text}.`,
			];
			for (const form of [...wrong, text.slice(0, 10)]) expect(takes(timestamp, form)).toBe(false);
			for (const form of wrong) expect([takes(isoFrom, form), takes(isoTo, form)]).toEqual([false, false]);
			const day = text.slice(0, 10);
			expect([isoFrom.parse(day), isoTo.parse(day)]).toEqual([Date.parse(day), Date.parse(day) + 86_399_999]);
		}),
		runs(100),
	);
	for (const none of ['2030-02-30', '2026-13-01', '2026-02-29'])
		for (const schema of [timestamp, isoFrom, isoTo])
			expect([takes(schema, none), takes(schema, `${none}T00:00:00Z`)]).toEqual([false, false]);
});

test('a whole number within its ends, written in digits', () => {
	fc.assert(
		fc.property(fc.integer({ min: -20, max: 200 }), (value) => {
			expect(takes(int(1, 100), String(value))).toBe(value >= 1 && value <= 100);
		}),
		runs(100),
	);
	expect(int(1, 100).parse('007')).toBe(7);
	for (const text of ['', 'many', '1.5', '1e1', ' 1', '1 ', '0x1', 7])
		expect(takes(int(0, 100), text)).toBe(false);
});

test('true and false, and platforms separated by commas; twitter is x', () => {
	expect([bool.parse('true'), bool.parse('false'), takes(bool, 'perhaps')]).toEqual([true, false, false]);
	expect([...platformList.parse(platforms.join(','))]).toEqual(
		platforms.map((one) => (one === 'x' ? 'twitter' : one)),
	);
	expect([...platformList.parse('x,twitter')]).toEqual(['twitter']);
	for (const text of ['', 'linkedin,', 'linkedin,myspace']) expect(takes(platformList, text)).toBe(false);
});
