import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { Failure, refusal } from '../../api/failure';
import { locatorValue, textOf } from '../lookups/locatorValue';
import { shortened } from '../lookups/source';
import type { Operation } from './operation';
import { fieldsOf } from './properties';

/**
 * The parameters of one item, each in the type that its field promises, wherever the value came from: typed in,
 * an expression, or a model that fills in a tool.
 * @throws Failure naming the parameter
 */
export function readParams(context: IExecuteFunctions, operation: Operation, index: number): IDataObject {
	const node = context.getNode();
	const fields = fieldsOf(operation);
	const raw = Object.fromEntries(
		fields.map(({ name, default: missing }) => [name, context.getNodeParameter(name, index, missing)]),
	) as INodeParameters;
	return Object.fromEntries(
		fields.map((field) => {
			// A value that the person doesn't see may be anything.
			if (!NodeHelpers.displayParameter(raw, field, node, null))
				return [field.name, readValue(field, field.default, raw)];
			const value = readSafely(field, raw[field.name], raw);
			if (field.required) requireFilled(field, value);
			checkChoice(field, value);
			return [field.name, value];
		}),
	) as IDataObject;
}

const isEmpty = (value: unknown): boolean =>
	value === '' || value === undefined || value === null || (Array.isArray(value) && value.length === 0);

function requireFilled({ displayName }: INodeProperties, value: unknown): void {
	if (!isEmpty(value)) return;
	throw refusal('PARAMETER_EMPTY', `'${displayName}' is empty`, `Fill in '${displayName}'.`);
}

/** A value in the type of its field; what can't even be written as text is refused like any other. */
function readSafely(field: INodeProperties, raw: unknown, all: INodeParameters): unknown {
	try {
		return readValue(field, raw, all);
	} catch (error) {
		// Anything else is nested too deeply for the engine, or in itself.
		throw error instanceof Failure ? error : tooDeep(field);
	}
}

const tooDeep = ({ displayName }: INodeProperties): Failure =>
	refusal(
		'PARAMETER_TOO_DEEP',
		`'${displayName}' is nested too deeply`,
		`Put at most ${MAX_NESTING} objects or lists inside each other.`,
	);

/** How many objects or lists may stand inside each other. */
const MAX_NESTING = 100;

/** Without recursion: a value that is nested too deeply must not overflow the stack here. */
function isTooDeep(value: unknown): boolean {
	let level = [value].filter(isObject);
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_NESTING) return true;
		// Each once, also where an object stands in itself.
		level = [...new Set(level.flatMap((one) => Object.values(one).filter(isObject)))];
	}
	return false;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * A value in the type of its field.
 * @param all the node's parameters, on which it depends whether an entry of a collection is shown
 */
function readValue(field: INodeProperties, raw: unknown, all: INodeParameters): unknown {
	switch (field.type) {
		case 'resourceLocator':
			return locatorValue(raw);
		case 'number':
			return numberOf(field, raw);
		case 'boolean':
			return booleanOf(field, raw);
		case 'multiOptions':
			return listOf(raw);
		case 'json':
			return jsonOf(field, raw);
		case 'collection':
			return collectionOf(field, raw, all);
		case 'fixedCollection':
			return sectionsOf(field, raw);
		default:
			return textIn(field, raw);
	}
}

/**
 * Refuses a value that the node has no choice for. What the service chooses from (`allowArbitraryValues`, or a list that it
 * is asked for) may grow: there the service says.
 */
function checkChoice(field: INodeProperties, value: unknown): void {
	const { displayName, type, allowArbitraryValues, typeOptions } = field;
	if (type !== 'options' || allowArbitraryValues || typeOptions?.loadOptionsMethod) return;
	const choices = (field.options ?? []) as INodePropertyOptions[];
	if (choices.some((one) => one.value === value)) return;
	throw refusal(
		'PARAMETER_CHOICE',
		`'${displayName}' has no option '${shortened(String(value))}'`,
		`Choose one of: ${choices.map(({ name, value: one }) => `${String(one)} (${name})`).join(', ')}.`,
	);
}

/** A text; a calculation that failed is none. */
function textIn({ displayName }: INodeProperties, raw: unknown): string {
	if (typeof raw === 'number' && !Number.isFinite(raw))
		throw refusal(
			'PARAMETER_TEXT',
			`'${displayName}' is ${raw}, not a text`,
			'Check the expression: it calculates with something that is not a number.',
		);
	return textOf(raw);
}

function numberOf(field: INodeProperties, raw: unknown): number {
	const number = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
	const { minValue } = field.typeOptions ?? {};
	if (typeof number !== 'number' || !Number.isFinite(number))
		throw refusal('PARAMETER_NUMBER', `'${field.displayName}' is not a number`, 'Enter digits only.');
	if (minValue !== undefined && number < minValue)
		throw refusal('PARAMETER_NUMBER', `'${field.displayName}' is ${number}`, `Enter ${minValue} or more.`);
	return number;
}

function booleanOf(field: INodeProperties, raw: unknown): boolean {
	const text = textOf(raw).trim().toLowerCase();
	if (text === 'true' || text === '1') return true;
	if (text === 'false' || text === '0' || text === '') return false;
	throw refusal(
		'PARAMETER_BOOLEAN',
		`'${field.displayName}' is neither true nor false`,
		'Use true or false, without quotes.',
	);
}

/** A list: as such, as JSON, or comma-separated. */
function listOf(raw: unknown): string[] {
	if (Array.isArray(raw)) return raw.map((one) => textOf(one).trim()).filter((one) => one !== '');
	const text = textOf(raw).trim();
	if (text.startsWith('['))
		try {
			return listOf(JSON.parse(text));
		} catch {
			// no JSON after all: read it as comma-separated
		}
	return text
		.split(',')
		.map((one) => one.trim())
		.filter((one) => one !== '');
}

function jsonOf(field: INodeProperties, raw: unknown): IDataObject {
	let value: unknown = raw;
	if (typeof raw === 'string')
		try {
			value = raw.trim() === '' ? {} : JSON.parse(raw);
		} catch (error) {
			throw refusal(
				'PARAMETER_JSON',
				`'${field.displayName}' is not valid JSON: ${(error as Error).message}`,
				'Use the format {"name": "value"}.',
			);
		}
	if (value === undefined || value === null) return {};
	if (typeof value !== 'object' || Array.isArray(value))
		throw refusal(
			'PARAMETER_JSON',
			`'${field.displayName}' is not a JSON object`,
			'Use the format {"name": "value"}.',
		);
	if (isTooDeep(value)) throw tooDeep(field);
	return value as IDataObject;
}

/** The sections that the user added: each an object, or several where the field takes several. */
function sectionsOf(field: INodeProperties, raw: unknown): IDataObject {
	const several = field.typeOptions?.multipleValues === true;
	const given = objectOf(field, raw);
	if (isTooDeep(given)) throw tooDeep(field);
	const sections = (field.options ?? []) as INodePropertyCollection[];
	return Object.fromEntries(
		sections
			.filter(({ name }) => given[name] !== undefined)
			.map(({ name, values }) => {
				const entries = [given[name]].flat().map((one) => entryOf(field, values, one));
				return [name, several ? entries : entries[0]];
			}),
	) as IDataObject;
}

/** One entry of a section; its numbers and choices are read where it is known what they belong to. */
function entryOf(field: INodeProperties, values: INodeProperties[], raw: unknown): IDataObject {
	const given = objectOf(field, raw);
	const read = values
		.filter(({ type }) => type === 'string' || type === 'json')
		.map((one) => [
			one.name,
			one.type === 'json' ? jsonOf(one, given[one.name]) : textIn(one, given[one.name]),
		]);
	return { ...given, ...(Object.fromEntries(read) as IDataObject) };
}

function objectOf(field: INodeProperties, raw: unknown): IDataObject {
	if (raw === undefined || raw === null || raw === '') return {};
	if (typeof raw === 'object' && !Array.isArray(raw)) return raw as IDataObject;
	throw refusal(
		'PARAMETER_COLLECTION',
		`'${field.displayName}' is not an object`,
		`Fill in '${field.displayName}' in the node, or give an object with the fields that it has there.`,
	);
}

/** Guards: one whose expression gives nothing is refused. n8n would ask for a `required` one that wasn't added, too. */
const neverEmpty = ['approvedCode'];

/** The entries that the user added and sees, each read like a field of its own; empty ones are left out. */
function collectionOf(field: INodeProperties, raw: unknown, all: INodeParameters): IDataObject {
	const given = objectOf(field, raw);
	const entries = (field.options ?? []) as INodeProperties[];
	return Object.fromEntries(
		entries
			.filter(({ name }) => given[name] !== undefined || (neverEmpty.includes(name) && name in given))
			.filter((entry) => NodeHelpers.displayParameter(given as INodeParameters, entry, null, null, all))
			.map((entry) => [entry, readValue(entry, given[entry.name], all)] as const)
			.filter(([entry, value]) => {
				if (neverEmpty.includes(entry.name)) requireFilled(entry, value);
				return !isEmpty(value);
			})
			.map(([entry, value]) => {
				checkChoice(entry, value);
				return [entry.name, value];
			}),
	) as IDataObject;
}
