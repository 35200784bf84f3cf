import pick from 'lodash/pick';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Operation, Resource } from '../../../../nodes/SocialPublishing/engine/operation';
import {
	fieldsOf as topFieldsOf,
	hints,
	optionsOf,
	properties,
} from '../../../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../../../nodes/SocialPublishing/resources';
import { SocialPublishing } from '../../../../nodes/SocialPublishing/SocialPublishing.node';

/** What holds for the whole table of operations, whatever is added to it. */
const node = new SocialPublishing();

const operations = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}.${operation.value}`,
		resource,
		operation,
	})),
);

const sorted = (names: string[]): string[] => [...names].sort((a, b) => (a < b ? -1 : 1));
const unique = (values: unknown[]): void => expect(values).toEqual([...new Set(values)]);

/** All fields of an operation, those in collections too. */
function fieldsOf(operation: Operation): INodeProperties[] {
	const inside = (field: INodeProperties): INodeProperties[] => {
		const { options = [] } = field as { options?: any[] };
		if (field.type === 'collection') return [field, ...(options as INodeProperties[]).flatMap(inside)];
		if (field.type === 'fixedCollection')
			return [
				field,
				...options.flatMap(({ values }: { values: INodeProperties[] }) => values.flatMap(inside)),
			];
		return [field];
	};
	return [...operation.fields, optionsOf(operation)].flatMap(inside);
}

describe('resources', () => {
	test('are unique, in the order in which people need them', () => {
		unique(resources.map(({ value }) => value));
		expect(resources.map(({ value }) => value).slice(0, 2)).toEqual(['post', 'inbox']);
		expect(resources.at(-1)!.value).toBe('webhook');
		expect(resources[0]!.operations[0]!.value).toBe('create');
	});

	test.each(resources.map((resource) => [resource.value, resource] as const))(
		'%s: operations are unique',
		(_value, resource) => unique(resource.operations.map(({ value }) => value)),
	);

	test('each operation has words of its own on the canvas, in an expression that n8n can read', () => {
		const { subtitle = '' } = node.description;
		const words = JSON.parse(/\((\{.*?\})\)/.exec(subtitle)![1]!) as Record<string, string>;
		expect(Object.keys(words)).toEqual(operations.map(({ name }) => name));
		expect(words['post.create']).toBe('Create post');
		unique(Object.values(words));
	});

	test('each operation has a sentence of its own that says what it does: a model chooses by them', () => {
		const actions = operations.map(({ operation }) => operation.action);
		unique(actions);
		for (const action of actions) expect(action).toMatch(/^[A-Z][a-z]+( \w+)+$/);
	});
});

describe.each(operations)('$name', ({ operation, resource }) => {
	const fields = fieldsOf(operation);

	test('reads as n8n asks for', () => {
		const { name, value, action, description } = operation;
		expect(name).toMatch(/^[A-Z]/);
		expect(action).not.toMatch(/\b(a|an|the)\b|\.$/i);
		expect(description).not.toBe(action);
		expect(description).not.toMatch(/\.$/);
		if (value === 'getAll') {
			expect(name).toBe('Get Many');
			expect(action).toMatch(/^Get many /);
			expect(operation.fields.map((field) => field.name).slice(0, 2)).toEqual(['returnAll', 'limit']);
		}
		// A model that is given the node as a tool reads these.
		expect(`${description} ${action}`.toLowerCase()).toContain(resource.name.toLowerCase().split(' ').pop()!);
	});

	test('has fields that are unique, described and have a default of their type', () => {
		unique(topFieldsOf(operation).map(({ name }) => name));
		for (const field of fields) {
			expect({ field: field.name, displayName: field.displayName }).toEqual({
				field: expect.stringMatching(/^[a-z][A-Za-z]*$/),
				displayName: expect.stringMatching(/^[A-Z]/),
			});
			if (field.name !== 'options' && field.type !== 'collection')
				expect({ [field.name]: field.description }).toEqual({
					[field.name]: expect.stringMatching(/^\S.{11}/),
				});
			const { default: value } = field;
			const types: Record<string, unknown> = {
				boolean: expect.any(Boolean),
				number: expect.any(Number),
				multiOptions: expect.any(Array),
				collection: {},
				fixedCollection: expect.any(Object),
				resourceLocator: { mode: 'list', value: '' },
			};
			expect({ [field.name]: value }).toEqual({ [field.name]: types[field.type] ?? expect.any(String) });
			if (field.type === 'options' && field.options)
				expect(field.options.map((option) => (option as INodePropertyOptions).value)).toContain(value);
		}
	});

	test('has choices and entries once, long lists of choices in alphabetical order', () => {
		for (const { name, type, options } of fields) {
			if (!options || type === 'fixedCollection') continue;
			const names = options.map((option) => option.name);
			// Events are in the order in which people react to them, as in the trigger, and days in that of the week.
			if (type !== 'collection' && !['events', 'slotDays'].includes(name) && names.length > 4)
				expect({ [name]: names }).toEqual({ [name]: sorted(names) });
			unique(options.map((option) => ('value' in option ? option.value : option.name)));
		}
	});

	test('states no visibility for resource and operation: the table adds it', () => {
		for (const { displayOptions } of fields) {
			const { resource: one, operation: other } = displayOptions?.show ?? {};
			expect([one, other]).toEqual([undefined, undefined]);
		}
	});

	test('asks only methods that the node has', () => {
		const { loadOptions, listSearch } = node.methods;
		for (const { typeOptions, modes } of fields) {
			if (typeOptions?.loadOptionsMethod) expect(loadOptions).toHaveProperty(typeOptions.loadOptionsMethod);
			const search = modes?.find(({ type }) => type === 'list')?.typeOptions?.searchListMethod;
			if (modes) expect(listSearch).toHaveProperty(search!);
			if (modes) expect(modes.map(({ name }) => name)).toEqual(['list', 'id']);
		}
	});

	test('is one request, a run of its own, or all in what is waited for', () => {
		const { request, run, after } = operation;
		expect([request, run ?? (request ? undefined : after)].filter(Boolean)).toHaveLength(1);
	});
});

test('several items run at the same time where the interface says so, and nowhere else', () => {
	const parallel = operations.filter(({ operation }) => operation.parallel).map(({ name }) => name);
	expect(sorted(parallel)).toEqual(['media.upload', 'post.create', 'post.get', 'post.getAnalytics']);
});

test('every field stands once for each operation, with its visibility', () => {
	const shown = properties(resources).filter(({ name }) => name !== 'resource' && name !== 'operation');
	expect(shown).toHaveLength(operations.reduce((sum, { operation }) => sum + operation.fields.length + 1, 0));
	for (const { displayOptions } of shown) {
		expect(displayOptions!.show!.resource).toHaveLength(1);
		expect(displayOptions!.show!.operation).toHaveLength(1);
	}
});

test('before a run the node says that Execute step publishes, where it would', () => {
	const [hint, ...others] = hints(resources);
	expect(hint).toMatchObject({ type: 'info', whenToDisplay: 'beforeExecution' });
	for (const part of [
		'"resource"] === "post"',
		'"operation"] === "create"',
		'!$parameter["options"]?.["previewOnly"]',
	])
		expect(hint!.displayCondition).toContain(part);
	expect(others).toEqual([]);
});

describe('the dropdowns', () => {
	const dropdowns = (table: readonly Resource[]) =>
		properties(table).filter(({ name }) => name === 'resource' || name === 'operation');

	test('resources, then operations of each; starting at posts', () => {
		const shared = { type: 'options', noDataExpression: true };
		expect(dropdowns(resources)).toEqual([
			{
				...shared,
				displayName: 'Resource',
				name: 'resource',
				options: resources.map(({ name, value }) => ({ name, value })),
				default: 'post',
			},
			...resources.map(({ value, operations: all }) => ({
				...shared,
				displayName: 'Operation',
				name: 'operation',
				displayOptions: { show: { resource: [value] } },
				options: all.map((one) => pick(one, ['name', 'value', 'action', 'description'])),
				default: expect.stringMatching(all.map((one) => `^${one.value}$`).join('|')),
			})),
		]);
	});

	test('start at what is done first', () => {
		const resourceOf = (value: string, ...all: string[]): Resource => ({
			name: value,
			value,
			operations: all.map((one) => ({ value: one, fields: [], options: [] }) as never),
		});
		const defaults = (...table: Resource[]) => dropdowns(table).map((one) => one.default);
		const table = [resourceOf('a', 'x', 'create'), resourceOf('b', 'x', 'getAll'), resourceOf('c', 'x', 'y')];
		expect(defaults(...table)).toEqual(['a', 'create', 'getAll', 'x']);
	});
});
