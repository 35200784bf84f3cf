import compact from 'lodash/compact';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
} from 'n8n-workflow';
import { jsonParse, NodeHelpers } from 'n8n-workflow';

import { Failure, refusal } from '../../api/failure';
import { isRecord } from '../../api/lists';
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
const readSafely: Reader = (field, raw, all) => {
	try {
		return readValue(field, raw, all);
	} catch (error) {
		// Anything else is nested too deeply for the engine, or in itself.
		throw error instanceof Failure ? error : tooDeep(field);
	}
};

const tooDeep = ({ displayName }: INodeProperties): Failure =>
	refusal(
		'PARAMETER_TOO_DEEP',
		`'${displayName}' is nested too deeply`,
		`Put at most ${MAX_NESTING} objects or lists inside each other.`,
	);

/** How many objects or lists may stand inside each other. */
const MAX_NESTING = 100;

/** Without recursion: a value that is nested too deeply must not overflow the stack here. */
function refuseTooDeep(field: INodeProperties, value: object): void {
	let level = [value];
	for (let depth = 0; level.length > 0; depth++) {
		if (depth > MAX_NESTING) throw tooDeep(field);
		// Each once, also where an object stands in itself.
		level = [...new Set(level.flatMap((one) => Object.values(one).filter(isObject)))];
	}
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * A value in the type of its field.
 * @param all the node's parameters, on which it depends whether an entry of a collection is shown
 */
type Reader = (field: INodeProperties, raw: unknown, all: INodeParameters) => unknown;

const readValue: Reader = (field, raw, all) => (readers[field.type] ?? textIn)(field, raw, all);

/** By type of the field; the others are texts. */
const readers: Partial<Record<INodeProperties['type'], Reader>> = {
	resourceLocator: (_field, raw) => locatorValue(raw),
	number: numberOf,
	boolean: booleanOf,
	multiOptions: (_field, raw) => listOf(raw),
	json: jsonOf,
	collection: collectionOf,
	fixedCollection: sectionsOf,
};

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
	if (Array.isArray(raw)) return compact(raw.map((one) => textOf(one).trim()));
	const text = textOf(raw).trim();
	const split = text.split(',');
	return listOf(text.startsWith('[') ? jsonParse<unknown>(text, { fallbackValue: split }) : split);
}

function jsonOf(field: INodeProperties, raw: unknown): IDataObject {
	let value = typeof raw === 'string' && raw.trim() === '' ? {} : (raw ?? {});
	if (typeof value === 'string')
		try {
			value = (JSON.parse(value) as object | null) ?? {};
		} catch (error) {
			throw refusal(
				'PARAMETER_JSON',
				`'${field.displayName}' is not valid JSON: ${(error as Error).message}`,
				'Use the format {"name": "value"}.',
			);
		}
	if (!isRecord(value))
		throw refusal(
			'PARAMETER_JSON',
			`'${field.displayName}' is not a JSON object`,
			'Use the format {"name": "value"}.',
		);
	refuseTooDeep(field, value);
	return value;
}

/** The sections that the user added: each an object, or several where the field takes several. */
function sectionsOf(field: INodeProperties, raw: unknown): IDataObject {
	const given = objectOf(field, raw);
	refuseTooDeep(field, given);
	const sections = (field.options as INodePropertyCollection[]).filter(
		({ name }) => given[name] !== undefined,
	);
	return Object.fromEntries(
		sections.map(({ name, values }) => {
			const entries = [given[name]].flat().map((one) => entryOf(field, values, one));
			return [name, field.typeOptions?.multipleValues ? entries : entries[0]];
		}),
	) as IDataObject;
}

/** One entry of a section; its numbers and choices are read where it is known what they belong to. */
function entryOf(field: INodeProperties, values: INodeProperties[], raw: unknown): IDataObject {
	const given = objectOf(field, raw);
	const read = values
		.filter(({ type }) => type === 'string' || type === 'json')
		.map((one) => [one.name, readValue(one, given[one.name], {})]);
	return { ...given, ...(Object.fromEntries(read) as IDataObject) };
}

function objectOf({ displayName }: INodeProperties, raw: unknown): IDataObject {
	if (raw === undefined || raw === null || raw === '') return {};
	if (isRecord(raw)) return raw;
	throw refusal(
		'PARAMETER_COLLECTION',
		`'${displayName}' is not an object`,
		`Fill in '${displayName}' in the node, or give an object with the fields that it has there.`,
	);
}

/** Guards: one whose expression gives nothing is refused. n8n would ask for a `required` one that wasn't added, too. */
const neverEmpty = ['approvedCode', 'mostPosts'];

/** The entries that the user added and sees, each read like a field of its own; empty ones are left out. */
function collectionOf(field: INodeProperties, raw: unknown, all: INodeParameters): IDataObject {
	const given = objectOf(field, raw);
	const read: IDataObject = {};
	for (const entry of field.options as INodeProperties[]) {
		const { name } = entry;
		const isGuard = neverEmpty.includes(name) && name in given;
		if (given[name] === undefined && !isGuard) continue;
		if (!NodeHelpers.displayParameter(given as INodeParameters, entry, null, null, all)) continue;
		const value = readValue(entry, given[name], all);
		if (isGuard) requireFilled(entry, value);
		if (isEmpty(value)) continue;
		checkChoice(entry, value);
		read[name] = value as IDataObject;
	}
	return read;
}
