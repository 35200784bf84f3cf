import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Operation } from '../../../../nodes/SocialPublishing/engine/operation';
import { readParams } from '../../../../nodes/SocialPublishing/engine/params';
import { failureOf } from '../../../support/failure';

const field = (more: Partial<INodeProperties>): INodeProperties => ({
	displayName: 'The Field',
	name: 'field',
	type: 'string',
	default: '',
	...more,
});

/** What an operation with this field gets where the node, an expression or a model gives `raw`. */
function read(more: Partial<INodeProperties>, raw: unknown, others: IDataObject = {}): unknown {
	const operation = { fields: [field(more)], options: [], method: 'GET' } as unknown as Operation;
	const context = {
		getNodeParameter: (name: string, index: number, missing: unknown) =>
			index === 3 && name === 'field' ? raw : (others[name] ?? missing),
		getNode: () => ({ typeVersion: 1, parameters: {} }),
	} as unknown as IExecuteFunctions;
	const { field: value, options, ...rest } = readParams(context, operation, 3);
	expect([options, rest]).toEqual([{}, {}]);
	return value;
}
const detailsOf = (more: Partial<INodeProperties>, raw: unknown) => failureOf(() => read(more, raw)).details;

describe('the value of a field', () => {
	const number = { type: 'number' as const, typeOptions: { minValue: 0 } };
	const boolean = { type: 'boolean' as const };
	const list = { type: 'multiOptions' as const };
	const json = { type: 'json' as const };
	const locator = { type: 'resourceLocator' as const };
	test.each<[Partial<INodeProperties>, unknown, unknown]>([
		[{}, 'text', 'text'],
		[{}, 7, '7'],
		[{}, null, ''],
		[{}, { a: 1 }, '{"a":1}'],
		[number, 7, 7],
		[number, ' 7.5 ', 7.5],
		[number, 0, 0],
		[{ type: 'number' }, -1, -1],
		[{ type: 'number' }, '7', 7],
		[boolean, true, true],
		[boolean, ' TRUE ', true],
		[boolean, '1', true],
		[boolean, 1, true],
		[boolean, 'False', false],
		[boolean, 0, false],
		[boolean, '', false],
		[boolean, null, false],
		[list, ['a', ' b ', '', 7], ['a', 'b', '7']],
		[list, 'a, b,,c ', ['a', 'b', 'c']],
		[list, ' ["a", "b"] ', ['a', 'b']],
		[list, '[a, b', ['[a', 'b']],
		[list, '', []],
		[json, '{"a": 1}', { a: 1 }],
		[json, ' ', {}],
		[json, { a: 1 }, { a: 1 }],
		[json, null, {}],
		[json, undefined, {}],
		[json, 'null', {}],
		[locator, { mode: 'id', value: ' p_1 ' }, 'p_1'],
	])('%j from %j: %j', (type, raw, value) => expect(read(type, raw)).toEqual(value));

	const noNumber = "PARAMETER_NUMBER: 'The Field' is not a number. Enter digits only.";
	const noObject = `PARAMETER_JSON: 'The Field' is not a JSON object. Use the format {"name": "value"}.`;
	const noCollection =
		"PARAMETER_COLLECTION: 'The Field' is not an object. Fill in 'The Field' in the node, or give an object with the fields that it has there.";
	const empty = "PARAMETER_EMPTY: 'The Field' is empty. Fill in 'The Field'.";
	test.each<[Partial<INodeProperties>, unknown, string]>([
		[number, 'seven', noNumber],
		[number, ' ', noNumber],
		[number, Infinity, noNumber],
		[number, true, noNumber],
		[number, -1, "PARAMETER_NUMBER: 'The Field' is -1. Enter 0 or more."],
		[
			boolean,
			'maybe',
			"PARAMETER_BOOLEAN: 'The Field' is neither true nor false. Use true or false, without quotes.",
		],
		[json, '[1]', noObject],
		[json, 7, noObject],
		[{ type: 'collection', default: {} }, 'text', noCollection],
		[{ type: 'fixedCollection', default: {} }, ['a'], noCollection],
		[
			{},
			Number.NaN,
			"PARAMETER_TEXT: 'The Field' is NaN, not a text. Check the expression: it calculates with something that is not a number.",
		],
		[{ required: true }, '', empty],
		[{ ...list, required: true }, [], empty],
	])('%j from %j is refused', (type, raw, said) => {
		const { code, message, hint } = detailsOf(type, raw);
		expect(`${code}: ${message}. ${hint}`).toBe(`NODE_${said}`);
	});

	test('JSON that is none is refused with the reason', () => {
		const { code, message, hint } = detailsOf(json, '{');
		expect(code).toBe('NODE_PARAMETER_JSON');
		expect(message).toMatch(/^'The Field' is not valid JSON: ./);
		expect(hint).toBe('Use the format {"name": "value"}.');
	});

	test('100 objects inside each other, no more', () => {
		const nested = (levels: number): unknown => {
			let value: unknown = 1;
			for (let i = 0; i < levels; i++) value = { a: value, b: 1 };
			return value;
		};
		const sections = { type: 'fixedCollection' as const, default: {}, options: [] };
		expect(read(json, nested(101))).toEqual(nested(101));
		const details = {
			code: 'NODE_PARAMETER_TOO_DEEP',
			message: "'The Field' is nested too deeply",
			hint: 'Put at most 100 objects or lists inside each other.',
		};
		expect(detailsOf(json, nested(102))).toMatchObject(details);
		expect(detailsOf(sections, nested(102))).toMatchObject(details);
		const circle: IDataObject = {};
		circle.self = circle;
		expect(detailsOf(json, circle)).toMatchObject(details);
		expect(detailsOf({}, circle)).toMatchObject(details);
	});

	test.each<[Partial<INodeProperties>, unknown, unknown]>([
		[{ required: true }, '', ''],
		[{ ...number, default: 7 }, '', 7],
		[{ ...number, default: 7 }, 'odd', 7],
		[json, '{', {}],
		[{}, Number.NaN, ''],
	])('%j that is not shown has its default, whatever it holds: %j', (type, raw, value) =>
		expect(read({ ...type, displayOptions: { show: { other: ['a'] } } }, raw)).toEqual(value),
	);
});

describe('a choice', () => {
	const options = ['Alpha', 'Beta'].map((name) => ({ name, value: name.toLowerCase() }));
	const choice = { type: 'options' as const, default: 'alpha', options };

	test.each<[string, Partial<INodeProperties>, string]>([
		['the node has', {}, 'beta'],
		['the service may have', { allowArbitraryValues: true }, 'new'],
		['the service is asked for', { typeOptions: { loadOptionsMethod: 'getAccounts' } }, 'new'],
		['is not shown', { displayOptions: { show: { other: ['a'] } } }, 'alpha'],
	])('that %s: %j gives %s', (_what, more, value) =>
		expect(read({ ...choice, ...more }, value === 'alpha' ? 'new' : value)).toBe(value),
	);

	test.each([
		['new', "'The Field' has no option 'new'"],
		['BETA', "'The Field' has no option 'BETA'"],
	])('%s is refused, alone and in a collection', (value, message) => {
		const details = {
			...{ code: 'NODE_PARAMETER_CHOICE', message },
			hint: 'Choose one of: alpha (Alpha), beta (Beta).',
		};
		expect(detailsOf(choice, value)).toMatchObject(details);
		const collection = { type: 'collection' as const, default: {}, options: [field(choice)] };
		expect(detailsOf(collection, { field: value })).toMatchObject(details);
	});
});

describe('collections', () => {
	const options = [
		field({ name: 'text' }),
		field({ name: 'count', type: 'number', default: 1 }),
		field({ name: 'other' }),
	];
	const collection = { type: 'collection' as const, default: {}, options };

	test('have the entries that were added, each in its type; empty ones are left out', () => {
		const given = { text: 7, count: '2', unknown: 1 };
		expect(read(collection, given)).toEqual({ text: '7', count: 2 });
		expect(read(collection, { text: '' })).toEqual({});
		for (const nothing of [undefined, null, '']) expect(read(collection, nothing)).toEqual({});
	});

	const section = { name: 'time', displayName: 'Time', values: options };

	test('with sections: once, or several times', () => {
		const given = { time: { text: 7, count: '2' }, other: {} };
		const time = { text: '7', count: '2', other: '' };
		const once = { type: 'fixedCollection' as const, default: {}, options: [section] };
		const several = { ...once, typeOptions: { multipleValues: true } };
		expect(read(once, given)).toEqual({ time });
		expect(read(several, given)).toEqual({ time: [time] });
		const both = [{}, { text: 'b' }];
		expect(read(several, { time: both })).toEqual({
			time: both.map((one) => ({ text: '', other: '', ...one })),
		});
		expect(read(once, {})).toEqual({});
	});
});
