import pick from 'lodash/pick';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { Operation, Resource } from '../../../../nodes/SocialPublishing/engine/operation';
import {
	fieldsOf as topFieldsOf,
	hints,
	properties,
	subtitle,
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
		const { type, options = [] } = field as { type: string; options?: any[] };
		if (type === 'collection') return [field, ...options.flatMap(inside)];
		if (type !== 'fixedCollection') return [field];
		return [field, ...options.flatMap(({ values }) => values.flatMap(inside))];
	};
	return topFieldsOf(operation).flatMap(inside);
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
		const [, json, rest] = /^=\{\{ \((\{.*?\})\)(.*)$/.exec(subtitle(resources))!;
		expect(rest).toBe(
			'[$parameter["resource"] + "." + $parameter["operation"]] || $parameter["operation"] + ": " + $parameter["resource"] }}',
		);
		const words = JSON.parse(json!) as Record<string, string>;
		expect(Object.keys(words)).toEqual(operations.map(({ name }) => name));
		expect(words).toMatchObject({ 'post.create': 'Create post', 'post.getAll': 'Get many posts' });
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

	// Defaults, order and titles of what is typed in: eslint-plugin-n8n-nodes-base.
	test('has fields with a name of their own, a description, and a default that can be chosen', () => {
		unique(topFieldsOf(operation).map(({ name }) => name));
		for (const { name, type, description = '', options, default: value } of fields) {
			expect(name).toMatch(/^[a-z][A-Za-z]*$/);
			if (type !== 'collection')
				expect([name, description]).toEqual([name, expect.stringMatching(/^\S.{11}/)]);
			const choices = (options ?? []) as INodePropertyOptions[];
			if (type === 'options' && options) expect(choices.map((one) => one.value)).toContain(value);
			if (type !== 'fixedCollection') unique(choices.map((one) => one.value ?? one.name));
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
		for (const { name: field, typeOptions, modes } of fields) {
			if (typeOptions?.loadOptionsMethod) expect(loadOptions).toHaveProperty(typeOptions.loadOptionsMethod);
			const search = modes?.find(({ type }) => type === 'list')?.typeOptions?.searchListMethod;
			if (modes) expect(listSearch).toHaveProperty(search!);
			const byHand = field.endsWith('Id') ? 'id' : 'name';
			if (modes) expect(modes.map(({ name }) => name)).toEqual(['list', byHand]);
		}
	});

	test('is one request, reads of its own, a plan that is sent, or all in what is waited for', () => {
		const { method, request, run, plan, send, preview, after } = operation;
		const own = [request, run, plan].filter(Boolean);
		expect(own.length > 0 ? own : [after]).toEqual([expect.anything()]);
		for (const one of [send, preview]) expect(one === undefined).toBe(plan === undefined);
		if (run) expect(method).toBe('GET');
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
	const [hint, ...others] = hints;
	expect(hint).toMatchObject({
		...{ type: 'info', whenToDisplay: 'beforeExecution', location: 'outputPane' },
		message: expect.stringContaining("turn on the option 'Preview Only'"),
	});
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
		const table = [
			resourceOf('a', 'x', 'create'),
			resourceOf('post', 'x', 'getAll'),
			resourceOf('c', 'x', 'y'),
		];
		expect(defaults(...table)).toEqual(['post', 'create', 'getAll', 'x']);
	});
});
