import { readBoolean, readEntries, readNumber } from '../../../nodes/shared/parameters';

test.each<[unknown, number]>([
	[5, 5],
	[' 5 ', 5],
	[0.5, 0.5],
])('the number %j', (raw, expected) => expect(readNumber('Limit', raw)).toBe(expected));

test.each<[unknown, string, string]>([
	['', "'Limit' is not a number", 'Enter digits only.'],
	[' ', "'Limit' is not a number", 'Enter digits only.'],
	['5 posts', "'Limit' is not a number", 'Enter digits only.'],
	[Infinity, "'Limit' is not a number", 'Enter digits only.'],
	[true, "'Limit' is not a number", 'Enter digits only.'],
	[2.5, "'Limit' is 2.5", 'Enter a whole number.'],
	[0, "'Limit' is 0", 'Enter 1 or more.'],
])('no whole number of 1 or more: %j', (raw, message, hint) => {
	const read = () => readNumber('Limit', raw, 1, true);
	expect(read).toThrow(expect.objectContaining({ message }));
	expect(read).toThrow(expect.objectContaining({ details: expect.objectContaining({ hint }) }));
	expect(readNumber('Limit', 1, 1, true)).toBe(1);
});

test.each<[unknown, boolean]>([
	[true, true],
	[' TRUE ', true],
	[1, true],
	[false, false],
	['false', false],
	['0', false],
	[undefined, false],
])('the switch %j', (raw, expected) => expect(readBoolean('Return All', raw)).toBe(expected));

test('a switch that says neither is refused', () => {
	const details = expect.objectContaining({ hint: 'Use true or false, without quotes.' });
	const message = "'Return All' is neither true nor false";
	expect(() => readBoolean('Return All', 'yes')).toThrow(expect.objectContaining({ message, details }));
});

test.each<[unknown, string[]]>([
	[undefined, []],
	['', []],
	[' a, ,b ', ['a', 'b']],
	['LinkedIn; X;', ['LinkedIn', 'X']],
	['LinkedIn\r\nX', ['LinkedIn', 'X']],
	[
		['a', ' ', 7, null],
		['a', '7'],
	],
	['["a", 7]', ['a', '7']],
	['[a, b', ['[a', 'b']],
])('the list %j', (raw, expected) => expect(readEntries(raw)).toEqual(expected));
