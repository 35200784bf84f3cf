import { map, pick, sortBy, uniq } from 'lodash';
import {
	NodeHelpers,
	type INodeProperties,
	type INodePropertyOptions,
	type INodeTypeDescription,
} from 'n8n-workflow';

import type { Operation } from '../../../../nodes/SocialPublishing/engine/operation';
import {
	fieldsOf as topFieldsOf,
	hints,
	optionsOf,
	properties,
	subtitle,
} from '../../../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../../../nodes/SocialPublishing/resources';
import { SocialPublishing } from '../../../../nodes/SocialPublishing/SocialPublishing.node';

/** What holds for the whole table of operations, whatever is added to it; which fields, options and values there are: `tools/docs/surface.txt`. */
const node = new SocialPublishing();

const operations = resources.flatMap((resource) =>
	resource.operations.map((operation) => ({
		name: `${resource.value}.${operation.value}`,
		resource,
		operation,
	})),
);
const namesOf = (fields: readonly unknown[] = []) => (fields as INodeProperties[]).map(({ name }) => name);
const expectUnique = (values: unknown[]): void => expect(values).toEqual(uniq(values));

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

test('resources and operations are unique, in the order in which people need them', () => {
	const values = resources.map(({ value }) => value);
	expect([values.slice(0, 2), values.at(-1)]).toEqual([['post', 'inbox'], 'webhook']);
	expect(resources[0]!.operations[0]!.value).toBe('create');
	expectUnique(operations.map(({ name }) => name));
});

test('each operation has words of its own: on the canvas in an expression that n8n can read, and for a model to choose by', () => {
	const [, json, rest] = /^=\{\{ \((\{.*?\})\)(.*)$/.exec(subtitle(resources))!;
	expect(rest).toBe(
		'[$parameter["resource"] + "." + $parameter["operation"]] || $parameter["operation"] + ": " + $parameter["resource"] }}',
	);
	const words = JSON.parse(json!) as Record<string, string>;
	expect(Object.keys(words)).toEqual(operations.map(({ name }) => name));
	expect(words).toMatchObject({ 'post.create': 'Create post', 'post.getAll': 'Get many posts' });
	expectUnique(Object.values(words));
	const actions = operations.map(({ operation }) => operation.action);
	expectUnique(actions);
	for (const action of actions) expect(action).toMatch(/^[A-Z][a-z]+( \w+)+$/);
});

describe.each(operations)('$name', ({ operation, resource }) => {
	const fields = fieldsOf(operation);

	test('reads as n8n asks for', () => {
		const { name, value, action, description } = operation;
		expect(name).toMatch(/^[A-Z]/);
		expect(action).not.toMatch(/\b(a|an|the)\b|\.$/i);
		expect(description).not.toMatch(/\.$/);
		if (value === 'getAll') {
			expect([name, action]).toEqual(['Get Many', expect.stringMatching(/^Get many /)]);
			expect(namesOf(operation.fields).slice(0, 2)).toEqual(['returnAll', 'limit']);
			expect(operation.fields[1]!.displayOptions).toEqual({ show: { returnAll: [false] } });
		}
		// A model that is given the node as a tool reads these.
		expect(`${description} ${action}`.toLowerCase()).toContain(resource.name.toLowerCase().split(' ').pop()!);
	});

	// Defaults, order and titles of what is typed in: eslint-plugin-n8n-nodes-base.
	test('has fields with a name and a description of their own, without visibility: the table adds it', () => {
		expectUnique(namesOf(topFieldsOf(operation)));
		for (const { name, type, description, displayOptions } of fields) {
			expect(name).toMatch(/^[a-z][A-Za-z]*$/);
			expect([name, type, description]).toEqual([
				...[name, type, type === 'collection' ? undefined : expect.stringMatching(/^\S.{11}/)],
			]);
			expect(pick(displayOptions?.show, 'resource', 'operation')).toEqual({});
		}
	});

	test('has choices of their own, one of which is the default; its options stand by name', () => {
		const chosen = fields.filter(({ type, options }) => type === 'options' && options);
		for (const { options, default: value } of chosen) {
			const values = map(options as INodePropertyOptions[], 'value');
			expect(values).toContain(value);
			expectUnique(values);
		}
		const { options } = optionsOf(operation);
		expect(options).toEqual(sortBy(options, 'displayName'));
	});

	test('asks only methods that the node has', () => {
		const { loadOptions, listSearch } = node.methods;
		for (const { name: field, typeOptions, modes } of fields) {
			if (typeOptions?.loadOptionsMethod) expect(loadOptions).toHaveProperty(typeOptions.loadOptionsMethod);
			if (!modes) continue;
			const search = modes.find(({ type }) => type === 'list')?.typeOptions?.searchListMethod;
			expect(listSearch).toHaveProperty(search!);
			expect(namesOf(modes)).toEqual(['list', field.endsWith('Id') ? 'id' : 'name']);
		}
	});

	test('where its values are expressions, n8n shows and requires no field of another operation', () => {
		const all = properties(resources);
		const given = fields.map(({ name }) => [name, '={{ $json.a }}']);
		const at = { resource: resource.value, operation: operation.value };
		const shown = all.filter((one) =>
			NodeHelpers.displayParameter({ ...Object.fromEntries(given), ...at }, one, null, null),
		);
		expect(namesOf(shown)).toEqual(['resource', 'operation', ...namesOf(topFieldsOf(operation))]);
	});

	test('is one request, what is sent, or all in what is waited for', () => {
		const { method, request, plan, send, preview, wait, rows, shape } = operation;
		const own = [request, send].filter(Boolean);
		// Of a list, or of one record.
		expect([rows, shape].filter(Boolean).length).toBeLessThan(2);
		expect(own.length > 0 ? own : [wait]).toEqual([expect.anything()]);
		expect(preview === undefined).toBe(plan === undefined);
		if (send) expect(plan === undefined).toBe(method === 'GET');
	});
});

const optionsIn = (operation: Operation) => optionsOf(operation).options as INodeProperties[];

test('Max Posts per Execution is shown in the tool for agents alone', () => {
	const field = optionsIn(resources[0]!.operations[0]!).find(({ name }) => name === 'maxPosts')!;
	const shownIn = (name: string) =>
		NodeHelpers.displayParameter({}, field, null, { name } as INodeTypeDescription);
	expect(['socialPublishing', 'socialPublishingTool'].map(shownIn)).toEqual([false, true]);
});

test('no field is required by n8n where an expression decides whether it is shown: it would stop the node before it runs', () => {
	const ofFiles = operations.filter(({ resource }) => ['post', 'media'].includes(resource.value));
	const required = ofFiles.flatMap(({ operation }) => fieldsOf(operation)).filter((one) => one.required);
	expect(required.filter(({ displayOptions }) => displayOptions?.show).map(({ name }) => name)).toEqual([]);
});

test('lists that a workspace decides on depend on its value', () => {
	const paths = operations.flatMap(({ operation }) =>
		fieldsOf(operation).flatMap(({ typeOptions }) => typeOptions?.loadOptionsDependsOn ?? []),
	);
	expect(uniq(paths)).toEqual(['options.workspaceId.value']);
});

test('before a run the node says that Execute step publishes, where it would', () => {
	const message = expect.stringContaining('add Options → Preview');
	const shown = { type: 'info', whenToDisplay: 'beforeExecution', location: 'outputPane', message };
	expect(hints).toMatchObject([shown]);
	for (const part of ['"resource"] === "post"', '"operation"] === "create"', '$parameter["options"]'])
		expect(hints[0]!.displayCondition).toContain(part);
});

test('the dropdowns take no expression, and have the words by which the editor lists an operation', () => {
	const [resource, ofPosts, ...others] = properties(resources).slice(0, 1 + resources.length);
	for (const one of [resource!, ofPosts!, ...others]) expect(one.noDataExpression).toBe(true);
	const { name, value, operations: all } = resources[0]!;
	expect(resource!.options).toContainEqual({ name, value });
	const words = all.map((one) => pick(one, ['name', 'value', 'action', 'description']));
	expect(ofPosts).toMatchObject({ displayOptions: { show: { resource: [value] } }, options: words });
});
