import { isError } from 'lodash';
import { DateTime } from 'luxon';
import {
	ExpressionError,
	type GenericValue,
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

const words = { name: 'Get', value: 'get', action: 'Get a post', description: 'Get a post' };

/** What an operation with these fields gets where they hold these values. */
function readAll(fields: INodeProperties[], given: IDataObject) {
	const context = {
		getInputData: () => [{ json: {} }],
		getNodeParameter: (name: string, _index: number, missing: unknown) => {
			if (isError(given[name])) throw given[name];
			return name in given ? given[name] : missing;
		},
		getNode: () => ({ type: 'socialPublishing', typeVersion: 1, parameters: {} }),
	} as unknown as IExecuteFunctions;
	const operation: Operation = { ...words, fields, options: [], method: 'GET' };
	return readParams(context, operation, 0, jest.fn());
}

/** What an operation with this field gets where the node, an expression or a model gives `raw`. */
function read(more: Partial<INodeProperties>, raw: unknown): unknown {
	const { field: value, options, ...rest } = readAll([field(more)], { field: raw as string });
	expect([options, rest]).toEqual([{}, {}]);
	return value;
}
const detailsOf = (more: Partial<INodeProperties>, raw: unknown) => failureOf(() => read(more, raw)).details;

const number = { type: 'number', typeOptions: { minValue: 0 } } as const;
const boolean = { type: 'boolean' } as const;
const list = { type: 'multiOptions' } as const;
const locator = { type: 'resourceLocator' } as const;
const choice: Partial<INodeProperties> = {
	type: 'options',
	options: [
		{ name: 'Send', value: 'send' },
		{ name: 'Stop', value: 'stop' },
	],
};
const urls = { name: 'field', displayName: 'The Field' };

test.each<[Partial<INodeProperties>, unknown, unknown[]]>([
	[{}, 'text', ['text', '\ufefftext']],
	[{}, '7', [7]],
	[{}, '', [null, undefined, ' ', '\u200b\u2060', '\n\u2800']],
	[{}, 'half ', ['half \ud83d']],
	[{}, '2099-06-01T10:00:00.000Z', [DateTime.fromISO('2099-06-01T10:00:00Z', { zone: 'utc' })]],
	[number, 7.5, [7.5, ' 7.5 ']],
	[number, 0, [0]],
	[boolean, true, [true, 'TRUE', ' true ', 1, '1']],
	[boolean, false, [false, 'false', 0, '', null, undefined]],
	[list, ['a', 'b'], [['a', 'b'], 'a, b', 'a;b', 'a\nb', '["a","b"]']],
	[list, [], ['', [], null]],
	[list, ['[a', 'b'], ['[a, b', ['[a', ' ', 'b', null]]],
	[locator, 'id_1', ['id_1', { mode: 'id', value: ' id_1 ' }]],
	[choice, 'stop', ['stop']],
	[{ ...choice, allowArbitraryValues: true }, 'other', ['other']],
])('of %j is %j', (more, value, all) => {
	for (const raw of all) expect([raw, read(more, raw)]).toEqual([raw, value]);
});

test.each<[Partial<INodeProperties>, unknown, string]>([
	[{}, { start: '2027-01-16', end: null }, 'is an object: choose one of its fields (start, end)'],
	[
		{ type: 'dateTime' },
		{ dateTime: '2027-01-16', timeZone: 'UTC' },
		'choose one of its fields (dateTime, timeZone)',
	],
	[{ type: 'dateTime' }, [1], 'is a list, not text'],
	[locator, { mode: 'id', value: { id: 'a' } }, 'is an object: choose one of its fields (id)'],
	[list, [{ id: 'acc_1', platform: 'x' }], 'is an object: choose one of its fields (id, platform)'],
	[choice, ['send'], 'is a list, not text'],
	[{}, true, 'is true, not text'],
	[{}, Number.NaN, 'is NaN, not text'],
	[number, 'seven', 'is not a number'],
	[number, ' ', 'is not a number'],
	[number, Infinity, 'is not a number'],
	[number, -1, 'is -1'],
	[boolean, 'maybe', 'is neither true nor false'],
	[choice, 'maybe', "has no option 'maybe'"],
	[choice, '', 'is empty'],
	[{ type: 'collection', options: [] }, 'text', 'is not an object'],
	[{ required: true }, ' ', 'is empty'],
])('of %j can not be %j: %s', (more, raw, said) => {
	const { message } = detailsOf(more, raw);
	expect(message.startsWith("'The Field' ")).toBe(true);
	expect(message).toContain(said);
});

test('names, addresses and values of the API may be a list or an object', () => {
	const field = { ...urls, name: 'mediaUrls', type: 'string', default: '' } as const;
	expect(readAll([field], { mediaUrls: [{ read_url: 'https://a' }] }).mediaUrls).toBe(
		'[{"read_url":"https://a"}]',
	);
});

test('all required fields that are empty are named at once, without those that are not shown', () => {
	const fields = [
		field({ name: 'a', displayName: 'A', required: true }),
		field({ name: 'b', displayName: 'B', required: true }),
		field({ name: 'c', displayName: 'C', required: true, displayOptions: { show: { b: ['yes'] } } }),
	];
	expect(failureOf(() => readAll(fields, {})).message).toBe("'A' and 'B' are empty");
});

test("an expression that n8n can't evaluate names its field", () => {
	const error = new ExpressionError('Referenced node does not exist', { description: 'Look at it.' });
	expect(detailsOf({}, error)).toMatchObject({
		message: "'The Field' can't be evaluated: Referenced node does not exist",
		hint: "Look at it. Check the expression of 'The Field'.",
	});
});

describe('entries of a collection', () => {
	const options = (...entries: Array<Partial<INodeProperties>>) =>
		field({ name: 'collection', displayName: 'Collection', type: 'collection', options: entries.map(field) });
	const entriesOf = (entries: Array<Partial<INodeProperties>>, given: IDataObject) =>
		readAll([options(...entries)], { collection: given }).collection;

	test('are those that were added and have a value', () => {
		const entries = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
		expect(entriesOf(entries, { a: 'x', b: '' })).toEqual({ a: 'x' });
	});

	test.each(['avoidDuplicates', 'ifPast', 'ifRefused', 'maxPosts', 'preview'])(
		'%s, a guard, is refused where its expression gives nothing',
		(name) => {
			for (const nothing of ['', ' ', null, undefined])
				expect(() => entriesOf([{ name }], { [name]: nothing })).toThrow("'The Field' is empty");
		},
	);

	test('of sections are named with their field', () => {
		const amount = field({ ...number, name: 'amount', displayName: 'Amount', default: 1 });
		const spacing: Partial<INodeProperties> = {
			type: 'fixedCollection',
			options: [{ name: 'time', displayName: 'Time', values: [amount] }],
		};
		const of = (raw: GenericValue) => entriesOf([spacing], { field: { time: { amount: raw } } });
		expect(of('2')).toEqual({ field: { time: { amount: 2 } } });
		expect(() => of(-1)).toThrow("'The Field: Amount' is -1");
	});
});

test.each(['', { value: '' }, { value: ' ' }])('a workspace that is empty is refused: %j', (workspaceId) => {
	expect(() => readAll([], { options: { workspaceId } })).toThrow("'Workspace' is empty");
	expect(readAll([], { options: { workspaceId: { value: 'ws_1' } } })).toEqual({
		options: { workspaceId: 'ws_1' },
	});
});
