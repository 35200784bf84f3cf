import { isError } from 'lodash';
import {
	ExpressionError,
	type IDataObject,
	type IExecuteFunctions,
	type INodeProperties,
} from 'n8n-workflow';

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

/** What an operation with these fields gets where they hold these values. */
function readAll(
	fields: INodeProperties[],
	given: IDataObject,
	hint?: (message: string) => void,
	{ item = {}, stored = {} }: { item?: IDataObject; stored?: IDataObject } = {},
) {
	const context = {
		getInputData: () => [{ json: item }],
		getNodeParameter: (name: string, _index: number, missing: unknown) => {
			if (isError(given[name])) throw given[name];
			return name in given ? given[name] : missing;
		},
		getNode: () => ({ type: 'socialPublishing', typeVersion: 1, parameters: stored }),
	} as unknown as IExecuteFunctions;
	return readParams(context, { fields, options: [], method: 'GET' } as unknown as Operation, 0, hint);
}

/** What an operation with this field gets where the node, an expression or a model gives `raw`. */
function read(more: Partial<INodeProperties>, raw: unknown, hint?: (message: string) => void): unknown {
	const { field: value, options, ...rest } = readAll([field(more)], { field: raw as string }, hint);
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
	test.each<[Partial<INodeProperties>, unknown, unknown[]]>([
		[{}, 'text', ['text']],
		[{}, '7', [7]],
		[{}, '', [null]],
		[{}, '{"a":1}', [{ a: 1 }]],
		[number, 7.5, [7.5, ' 7.5 ']],
		[number, 0, [0]],
		[{ type: 'number' }, -1, [-1, '-1']],
		[boolean, true, [true, ' TRUE ', '1', 1]],
		[boolean, false, ['False', 0, '', null]],
		[list, ['a', 'b', '7'], [['a', ' b ', '', 7], 'a, b,,7 ', ' ["a", "b", 7] ']],
		[list, ['[a', 'b'], ['[a, b']],
		[list, [], ['']],
		[json, { a: 1 }, ['{"a": 1}', { a: 1 }]],
		[json, {}, [' ', null, undefined, 'null']],
		[locator, 'p_1', [{ mode: 'id', value: ' p_1 ' }]],
	])('of %j is %j from each of %j', (type, value, all) => {
		for (const raw of all) expect([raw, read(type, raw)]).toEqual([raw, value]);
	});

	const noNumber = "PARAMETER_NUMBER: 'The Field' is not a number. Enter digits only.";
	const noObject = `PARAMETER_JSON: 'The Field' is not a JSON object. Use the format {"name": "value"}.`;
	const noCollection =
		"PARAMETER_COLLECTION: 'The Field' is not an object. Fill in 'The Field' in the node, or give an object with the fields that it has there.";
	const empty = "PARAMETER_EMPTY: 'The Field' is empty. Fill in 'The Field'.";
	const reason = expect.stringMatching(
		/^NODE_PARAMETER_JSON: 'The Field' is not valid JSON: .+ Use the format/,
	);
	test.each<[Partial<INodeProperties>, unknown, string | typeof reason]>([
		...['seven', ' ', Infinity, true].map((raw): [object, unknown, string] => [number, raw, noNumber]),
		[json, '{', reason],
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
			"PARAMETER_TEXT: 'The Field' is NaN, not text. Check the expression: it calculates with something that is not a number.",
		],
		[{ required: true }, '', empty],
		[{ required: true }, ' \u200b', empty],
		[{ ...list, required: true }, [], empty],
	])('%j from %j is refused', (type, raw, said) => {
		const { code, message, hint } = detailsOf(type, raw);
		expect(`${code}: ${message}. ${hint}`).toEqual(typeof said === 'string' ? `NODE_${said}` : said);
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

test('an ID is one value', () => {
	const locator = { displayName: 'Post', type: 'resourceLocator' as const };
	for (const [raw, kind] of [
		[['post_1'], 'a list'],
		[{ mode: 'id', value: ['post_1', 'post_2'] }, 'a list'],
		[{ mode: 'id', value: { id: 'post_1' } }, 'an object'],
	] as const)
		expect(detailsOf(locator, raw).message).toBe(`'Post' is ${kind}, not one value`);
});

test.each([
	[
		[{ name: 'x' }, { platform: { id: 'linkedin' } }, 'bluesky:acc_A'],
		['x', 'linkedin', 'bluesky:acc_A'],
	],
	[{ x: { status: 'completed' }, linkedin: {} }, ['x', 'linkedin']],
	[
		[{ platform: 'x', status: 'completed' }, 'linkedin'],
		['x', 'linkedin'],
	],
	[{ name: 'LinkedIn' }, ['linkedin']],
	[[{ id: 7, value: 'x', color: 'blue' }], ['x']],
])('platforms of a post that was read have any form that a post has: %j', (given, names) => {
	const platforms = field({ name: 'platforms', type: 'multiOptions' });
	expect(readAll([platforms], { platforms: given } as IDataObject).platforms).toEqual(names);
});

test('switches by platform name no platform, and the platform of an account is not its name', () => {
	const platforms = field({ name: 'platforms', type: 'multiOptions' });
	const switches = { x: true, linkedin: false };
	expect(readAll([platforms], { platforms: switches }).platforms).not.toContain('x');
	const accounts = field({ name: 'accounts', type: 'multiOptions' });
	const account = { platform: 'x', id: 'acc_1' };
	for (const given of [[account], account])
		expect(readAll([accounts], { accounts: given }).accounts).toEqual([JSON.stringify(account)]);
});

test('where accounts can be named, records stay whole: their IDs may be those of accounts', () => {
	const typeOptions = { loadOptionsMethod: 'getTargets' };
	const platforms = field({ name: 'platforms', type: 'multiOptions', typeOptions });
	const namesOf = (given: IDataObject | string[]) =>
		readAll([platforms], { platforms: given } as IDataObject);
	const account = { platform: 'x', id: 'acc_1' };
	expect(namesOf(account).platforms).toEqual([JSON.stringify(account)]);
	expect(namesOf({ x: { id: 'a' } }).platforms).toEqual(['{"platform":"x","id":"a"}']);
	expect(namesOf(['x', 'bluesky:acc_A']).platforms).toEqual(['x', 'bluesky:acc_A']);
});

test.each<[string, object, string, string]>([
	[
		'Invalid expression',
		{ messageTemplate: 'No path back to referenced node', nodeCause: 'Set' },
		"Invalid expression (node 'Set')",
		'No path back to referenced node. ',
	],
	[
		'Invalid expression',
		{ messageTemplate: 'Missing', causeDetailed: 'Set gave none' },
		'Invalid expression',
		'Missing. Set gave none. ',
	],
	["Referenced node doesn't exist", { nodeCause: 'Rows' }, "Referenced node doesn't exist (node 'Rows')", ''],
	[
		"Node 'Set' hasn't been executed",
		{ messageTemplate: 'Consider {{ $if( $("{{nodeName}}").isExecuted ) }}' },
		"Node 'Set' hasn't been executed",
		'',
	],
	[
		'Data not found',
		{
			description: 'Could not trace back to <b>node</b> <a href="https://docs.example">More info</a>',
			messageTemplate: 'Can’t get data for expression under ‘%%PARAMETER%%’ field',
		},
		'Data not found',
		'Could not trace back to node. ',
	],
])(
	"an expression that n8n can't evaluate names its field and says what n8n knows: %s",
	(text, known, said, why) => {
		const raw = new ExpressionError(text, known);
		const { code, message, hint } = detailsOf({}, raw);
		expect(code).toBe('NODE_EXPRESSION');
		expect(message).toBe(`'The Field' can't be evaluated: ${said}`);
		expect(hint).toBe(`${why}Check the expression of 'The Field'.`);
	},
);

test('a filter whose expression gives nothing is named in a hint', () => {
	const options = ['platform', 'status', 'plain'].map((name) => field({ name, displayName: name }));
	const filters = field({ name: 'filters', type: 'collection', default: {}, options });
	const hint = jest.fn();
	const stored = { filters: { platform: '={{ $json.p }}', status: '={{ $json.s }}', plain: '' } };
	const given = { filters: { platform: '', status: 'failed', plain: '' } };
	const read = readAll([field({ options }), filters], given, hint, { stored });
	expect(read).toMatchObject({ filters: { status: 'failed' } });
	// Whoever doesn't show hints gets the same.
	expect(readAll([filters], given, undefined, { stored })).toMatchObject({ filters: { status: 'failed' } });
	expect(hint.mock.calls).toEqual([["'platform' is empty, so results weren't filtered by it", 'info']]);
});

test('an empty field of an update is named in a hint, whether an expression gave nothing or nothing was filled in', () => {
	const options = ['Text', 'Status', 'Time', 'Note'].map((name) => field({ name, displayName: name }));
	const updateFields = field({ name: 'updateFields', type: 'collection', default: {}, options });
	const hint = jest.fn();
	const given = { updateFields: { Text: undefined, Status: 'draft', Time: '' } } as unknown as IDataObject;
	expect(readAll([updateFields], given, hint)).toMatchObject({ updateFields: { Status: 'draft' } });
	expect(hint.mock.calls).toEqual(
		['Text', 'Time'].map((name) => [`'${name}' is empty, so it isn't changed`, 'info']),
	);
});

describe("a user's own ID", () => {
	const ownId = { name: 'idempotencyKey', displayName: 'My Own ID' };
	const idOf = (raw: unknown) =>
		read({ type: 'collection', default: {}, options: [field(ownId)] }, { idempotencyKey: raw });

	test.each<[unknown, string]>([
		[['a'], 'a list'],
		[{ a: 1 }, 'an object'],
		[false, 'false'],
	])('is a text or a number: %j is refused', (raw, kind) =>
		expect(failureOf(() => idOf(raw)).details).toMatchObject({
			...{ code: 'NODE_PARAMETER_TEXT', message: `'My Own ID' is ${kind}, not text` },
		}),
	);

	test.each<[unknown, string]>([
		[7, '7'],
		['#N/A', '#N/A'],
		[new Date(0), '1970-01-01T00:00:00.000Z'],
	])('of %j is %j', (raw, id) => expect(idOf(raw)).toEqual({ idempotencyKey: id }));
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
		[['failed', 'scheduled'], 'a list'],
		[{ name: 'failed' }, 'an object'],
	])('is one value: %j is refused, not sent or searched for as JSON', (raw, kind) => {
		for (const more of [
			{ allowArbitraryValues: true },
			{ typeOptions: { loadOptionsMethod: 'getPlatforms' } },
		])
			expect(detailsOf({ ...choice, ...more }, raw)).toMatchObject({
				...{ code: 'NODE_PARAMETER_CHOICE', message: `'The Field' is ${kind}, not one value` },
			});
	});

	test('that the node has not is refused, alone and in a collection', () => {
		const details = {
			...{ code: 'NODE_PARAMETER_CHOICE', message: "'The Field' has no option 'BETA'" },
			hint: 'Choose one of: alpha (Alpha), beta (Beta).',
		};
		expect(detailsOf(choice, 'BETA')).toMatchObject(details);
		const collection = { type: 'collection' as const, default: {}, options: [field(choice)] };
		expect(detailsOf(collection, { field: 'BETA' })).toMatchObject(details);
	});
});

describe('collections', () => {
	const count = field({ name: 'count', type: 'number', default: 1 });
	const collection = { type: 'collection' as const, default: {}, options: [field({ name: 'text' }), count] };

	test('have the entries that were added, each in its type; empty ones are left out', () => {
		expect(read(collection, { text: 7, count: '2', unknown: 1 })).toEqual({ text: '7', count: 2 });
		for (const nothing of [{ text: '', count: '' }, { text: null, count: undefined }, undefined, null, ''])
			expect(read(collection, nothing)).toEqual({});
	});

	test.each(['approvedCode', 'maxPosts', 'previewOnly', 'ifRefused', 'idempotencyKeyMode', 'ifPast'])(
		'%s, a guard, is refused where its expression gives nothing',
		(name) => {
			const guard = { ...collection, options: [field({ name })] };
			for (const nothing of ['', '  ', null, undefined])
				expect(detailsOf(guard, { [name]: nothing }).code).toBe('NODE_PARAMETER_EMPTY');
			expect([read(guard, {}), read(guard, { [name]: '7' })]).toEqual([{}, { [name]: '7' }]);
		},
	);

	test('an entry that is not shown is left out', () => {
		const hidden = field({ name: 'count', displayOptions: { show: { text: ['a'] } } });
		const both = { ...collection, options: [field({ name: 'text' }), hidden] };
		expect(read(both, { text: 'a', count: 'b' })).toEqual({ text: 'a', count: 'b' });
		expect(read(both, { text: 'b', count: 'b' })).toEqual({ text: 'b' });
	});

	test.each<[unknown, boolean]>([
		...[0, null, undefined, ''].map((no): [unknown, boolean] => [no, false]),
		[1, true],
	])('a switch that a database, or an unset checkbox, gives as %j counts as %s', (raw, isOn) => {
		const on = field({ name: 'on', type: 'boolean', default: false });
		const [yes, no] = [true, false].map((one) =>
			field({ name: one ? 'page' : 'limit', displayOptions: { show: { on: [one] } } }),
		);
		const given = { on: raw, page: 'a', limit: 'b' } as IDataObject;
		const seen = isOn ? { on: true, page: 'a', limit: '' } : { on: false, page: '', limit: 'b' };
		expect(readAll([on, yes!, no!], given)).toMatchObject(seen);
		expect(read({ ...collection, options: [on, yes!, no!] }, given)).toEqual(
			isOn ? { on: true, page: 'a' } : { ...(raw === 0 ? { on: false } : {}), limit: 'b' },
		);
	});

	test("a sheet's TRUE shows what depends on a switch; what is no switch's value is refused where it is seen", () => {
		const on = field({ name: 'on', type: 'boolean', default: false });
		const page = field({ name: 'page', displayOptions: { show: { on: [true] } } });
		const both = { ...collection, options: [on, page] };
		for (const yes of ['TRUE', 'true', true])
			expect(read(both, { on: yes, page: 'a' })).toEqual({ on: true, page: 'a' });
		expect(read(both, { on: 'false', page: 'a' })).toEqual({ on: false });
		expect(detailsOf(both, { on: 'perhaps' }).code).toMatch(/^NODE_/);
	});

	const amount = field({
		name: 'amount',
		displayName: 'Amount',
		type: 'number',
		typeOptions: { minValue: 0 },
	});
	const unit = field({
		...{ name: 'unit', displayName: 'Unit', type: 'options', default: 'hours' },
		options: ['hours', 'days'].map((value) => ({ name: value, value })),
	});
	const values = [amount, unit, field({ name: 'text' })];
	const once = {
		...{ type: 'fixedCollection' as const, default: {} },
		options: [{ name: 'time', displayName: 'Time', values }],
	};

	test('with sections: once, or several times', () => {
		const given = { amount: '2', unit: 'days', unknown: 1 };
		const time = { amount: 2, unit: 'days', text: '' };
		expect(read(once, { time: given, other: {} })).toEqual({ time });
		const several = { ...once, typeOptions: { multipleValues: true } };
		expect(read(several, { time: given })).toEqual({ time: [time] });
		const both = [{ amount: 0 }, { amount: 1, text: 7 }];
		expect(read(several, { time: both })).toEqual({
			time: [
				{ amount: 0, unit: 'hours', text: '' },
				{ amount: 1, unit: 'hours', text: '7' },
			],
		});
		expect(read(once, {})).toEqual({});
	});

	test.each<[IDataObject, string]>([
		...[' ', '', 'soon', [1], null, true, undefined].map((one): [IDataObject, string] => [
			{ amount: one as string, unit: 'hours' },
			"'The Field: Amount' is not a number",
		]),
		[{ amount: '-1', unit: 'hours' }, "'The Field: Amount' is -1"],
		[{ amount: 1, unit: 'weeks' }, "'The Field: Unit' has no option 'weeks'"],
	])('what is wrong in a section names field and entry: %j', (time, message) =>
		expect(detailsOf(once, { time }).message).toBe(message),
	);
});

describe('a text that people read', () => {
	const text = { name: 'text', displayName: 'Text' };
	const given = (raw: unknown) =>
		read({ ...text, name: 'field', type: 'fixedCollection', ...section }, { a: { text: raw } });
	const section = {
		displayName: 'Text per Platform',
		options: [{ name: 'a', displayName: 'A', values: [field(text)] }],
	};
	test.each<[unknown, string]>([
		['Hello', 'Hello'],
		[7, '7'],
		[new Date(0), '1970-01-01T00:00:00.000Z'],
		[{ toISO: () => '2026-01-01' }, '2026-01-01'],
		['half \ud83d', 'half '],
		...[
			' ',
			'\u00a0',
			'\u200b',
			'\ufeff\n',
			'\u2060 \u00ad',
			'\u3164',
			'\uffa0',
			'\ufe0f',
			'\u034f',
			null,
			undefined,
		].map((one): [unknown, string] => [one, '']),
		// A sign that is seen, though it only formats.
		['\u0600', '\u0600'],
		['\u200bHi', '\u200bHi'],
		['\ufeffFrom a \ufeff sheet', 'From a \ufeff sheet'],
		['{"post":"Hello"}', '{"post":"Hello"}'],
	])('%j is read as %j', (raw, expected) => expect(given(raw)).toEqual({ a: { text: expected } }));

	test.each<[unknown, boolean]>([
		['half \ud83d', true],
		[`${'a'.repeat(279)}👍`.slice(0, 280), true],
		['👨‍👩‍👧'.slice(0, 4), true],
		['👨‍👩‍👧'.slice(0, 3), false],
		['whole 👍', false],
		['\\ud83d', false],
		[{ toISO: () => '2026-01-01' }, false],
	])('half an emoji in %j is told: %s', (raw, isTold) => {
		const hint = jest.fn();
		// What is called length makes no array of it.
		const values = { text: raw, length: 1 };
		read({ ...text, name: 'field', type: 'fixedCollection', ...section }, { a: values }, hint);
		read({ name: 'field', type: 'json' }, { a: 'half \ud83d' }, hint);
		expect(hint.mock.calls).toEqual(isTold ? [[expect.stringMatching(/middle of an emoji/)]] : []);
	});

	test.each<[unknown, RegExp, RegExp]>([
		[{ post: 'Hello', title: 'Hi' }, /is an object, not text$/, /^Choose one of its fields: post, title\.$/],
		[['a', 'b'], /is a list, not text$/, /holds text/],
		[true, /is true, not text$/, /holds text/],
		[NaN, /is NaN, not text$/, /calculates with something/],
		[Infinity, /is Infinity, not text$/, /calculates with something/],
		[Buffer.from('Hello'), /is an object, not text$/, /holds text/],
		[new Uint8Array(2), /is an object, not text$/, /holds text/],
		['a\0b', /contains a NUL character$/, /Remove it/],
	])('%j is refused', (raw, message, hint) => {
		const { details } = failureOf(() => given(raw));
		expect(details).toMatchObject({ code: 'NODE_PARAMETER_TEXT', message: expect.stringMatching(message) });
		expect(details).toMatchObject({
			message: expect.stringContaining('Text'),
			hint: expect.stringMatching(hint),
		});
	});
});

describe('a row of a sheet', () => {
	const fields = [
		field({ name: 'platforms', displayName: 'Platforms', type: 'multiOptions', default: [], required: true }),
		field({ name: 'text', displayName: 'Text' }),
		field({ name: 'at', displayName: 'At', required: true }),
		field({ name: 'mediaFrom', default: 'none' }),
	];
	const details = (given: IDataObject) => failureOf(() => readAll(fields, given)).details;
	test.each<[IDataObject, string]>([
		[{}, "'Platforms', 'Text' and 'At' are empty"],
		[{ platforms: '', text: null, at: '' }, "'Platforms', 'Text' and 'At' are empty"],
		[{ platforms: [], text: '\ufeff', at: '2026-12-25' }, "'Platforms' and 'Text' are empty"],
		[{ text: 'Hi', at: '2026-12-25' }, "'Platforms' is empty"],
		[{ at: '2026-12-25', mediaFrom: 'url' }, "'Platforms' is empty"],
		[{ platforms: 'x', text: 'Hi' }, "'At' is empty"],
	])('of %j says all that it lacks: %s', (row, message) => {
		const hint = `Fill in ${message.replace(/ (is|are) empty$/, '')}.`;
		expect(details(row)).toMatchObject({ code: 'NODE_PARAMETER_EMPTY', message, hint });
	});

	test('whose first column has the BOM of its file in its name: the error shows what can not be seen', () => {
		const row = { '\ufeffplatforms': 'x', text: 'Hi', at: '2026-12-25' };
		const given = { text: 'Hi', at: '2026-12-25' };
		const { hint } = failureOf(() => readAll(fields, given, undefined, { item: row })).details;
		expect(hint).toBe(
			"Fill in 'Platforms'. The input has a field 'U+FEFF platforms': an invisible character stands before its name.",
		);
	});
});

test("a value without a name in 'Additional Fields' isn't sent, and a hint says so", () => {
	const hint = jest.fn();
	const fields = [{ name: '', value: 'Jam' }];
	const given = { options: { additionalFieldRows: { fields } } };
	const context = {
		getNodeParameter: (name: string) => (name === 'options' ? given.options : ''),
		getNode: () => ({ type: 'socialPublishing', typeVersion: 1, parameters: {} }),
	} as unknown as IExecuteFunctions;
	const operation = { fields: [], options: [], method: 'POST' } as unknown as Operation;
	expect(readParams(context, operation, 0, hint).options).toMatchObject({ additionalFields: {} });
	expect(hint.mock.calls).toEqual([["'Additional Fields' has a value without a name, so it isn't sent"]]);
});
