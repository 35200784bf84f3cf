import { attempt, get, isError, isPlainObject, map } from 'lodash';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeProperties,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { refusal, type Failure } from '../../api/failure';
import { isRecord } from '../../api/lists';
import { shortened, textOf } from '../../api/texts';
import { locatorValue } from '../../shared/locator';
import { readBoolean, readEntries, readNumber } from '../../shared/parameters';
import type { Operation } from './operation';
import { fieldsOf } from './properties';
import { isToolRun } from './toolRun';

/** Options whose expression may give nothing only by mistake: left out, each of them would let a post go out. */
const NEVER_EMPTY = ['avoidDuplicates', 'ifPast', 'ifRefused', 'maxPosts', 'preview'];

/** Texts that may be a list or a record, as JSON: names, addresses, times, and values of the API. */
const TAKES_LISTS = ['binaryFields', 'mediaUrls', 'slotTimes', 'value'];

/** What it depends on whether a field is shown. */
interface Reading {
	all: INodeParameters;
	type: INodeTypeDescription;
}

/**
 * The parameters of one item, each in the type that its field promises, wherever the value came from: typed in,
 * an expression, or a model that fills in a tool. A field that isn't shown has its default.
 * @throws Failure naming the parameter
 */
export function readParams(
	context: IExecuteFunctions,
	operation: Operation,
	index: number,
	hint?: (message: string, level?: 'info') => void,
): IDataObject {
	const fields = fieldsOf(operation);
	const all = Object.fromEntries(fields.map((field) => [field.name, rawOf(context, field, index)]));
	// What n8n's conditions tell a tool by.
	const type = { name: isToolRun(context) ? 'Tool' : '' } as INodeTypeDescription;
	const reading = { all: all as INodeParameters, type };
	const isShown = (field: INodeProperties): boolean =>
		NodeHelpers.displayParameter(reading.all, field, context.getNode(), type);
	const shown = fields.filter(isShown);
	const valueOf = (field: INodeProperties): unknown =>
		readValue(field, shown.includes(field) ? all[field.name] : field.default, reading);
	const read = Object.fromEntries(fields.map((field) => [field.name, valueOf(field)])) as IDataObject;
	const missing = shown.filter(({ name, required }) => required && isEmpty(read[name]));
	if (missing.length > 0) throw empty(...missing);
	/** The entries of a collection whose expressions give nothing. */
	const emptied = (collection: string): INodeProperties[] => {
		const entries = (fields.find(({ name }) => name === collection)?.options ?? []) as INodeProperties[];
		const values = read[collection] as IDataObject;
		return entries.filter(({ name }) => isExpression(context, collection, name) && isEmpty(values[name]));
	};
	// A locator left empty in the panel means the credential's; one whose expression gives nothing might mean any.
	const workspace = emptied('options').find(({ name }) => name === 'workspaceId');
	if (workspace) throw empty(workspace);
	const isGiven = read.mediaFrom !== undefined && read.mediaFrom !== 'none';
	if (isGiven && read.text === '' && isExpression(context, 'text'))
		hint?.("'Text' is empty: its expression gave nothing");
	for (const { displayName } of emptied('filters'))
		hint?.(`'${displayName}' is empty, so results weren't filtered by it`, 'info');
	for (const { displayName } of emptied('updateFields'))
		hint?.(`'${displayName}' is empty, so it isn't changed`, 'info');
	return read;
}

/** A parameter as n8n evaluates it. @throws Failure where n8n can't */
function rawOf(context: IExecuteFunctions, field: INodeProperties, index: number): unknown {
	const { name, displayName, type, default: missing } = field;
	const raw: unknown = attempt(() => context.getNodeParameter(name, index, missing));
	if (isError(raw)) {
		const { description } = raw as Error & { description?: string };
		const hint = [description, `Check the expression of '${displayName}'.`].filter(Boolean).join(' ');
		throw refusal('EXPRESSION', `'${displayName}' can't be evaluated: ${raw.message}`, hint);
	}
	// A sheet's TRUE is a text: conditions of other fields don't hold on that.
	return type === 'boolean' ? readBoolean(displayName, raw) : raw;
}

/** Whether the user gave a field, or an entry of a collection, as an expression. */
function isExpression(context: IExecuteFunctions, ...path: string[]): boolean {
	const entry: unknown = get(context.getNode().parameters, path);
	const given = isRecord(entry) ? entry.value : entry;
	return typeof given === 'string' && given.startsWith('=');
}

/** What nobody would see, such as spaces, is empty. */
const isEmpty = (value: unknown): boolean =>
	value === undefined ||
	value === null ||
	(Array.isArray(value) && value.length === 0) ||
	(typeof value === 'string' && /^[\s\p{DI}\u2800]*$/u.test(value));

function empty(...fields: INodeProperties[]): Failure {
	const labels = fields.map(({ displayName }) => `'${displayName}'`).join(' and ');
	const verb = fields.length > 1 ? 'are' : 'is';
	return refusal('PARAMETER_EMPTY', `${labels} ${verb} empty`, `Fill in ${labels}.`);
}

type Reader = (field: INodeProperties, raw: unknown, reading: Reading) => unknown;

/** A value in the type of its field. */
const readValue: Reader = (field, raw, reading) => (readers[field.type] ?? textIn)(field, raw, reading);

/** By type of the field; the others are texts. */
const readers: Partial<Record<INodeProperties['type'], Reader>> = {
	resourceLocator: (field, raw) =>
		locatorValue(textIn(field, isRecord(raw) && 'value' in raw ? raw.value : raw)),
	number: ({ displayName: label, typeOptions: { minValue, numberPrecision } = {} }, raw) =>
		readNumber(label, raw, minValue, numberPrecision === 0),
	boolean: ({ displayName: label }, raw) => readBoolean(label, raw),
	options: choiceOf,
	multiOptions: (field, raw) =>
		readEntries(Array.isArray(raw) ? raw.map((one) => textIn(field, one)) : textIn(field, raw)),
	json: jsonOf,
	collection: collectionOf,
	fixedCollection: sectionsOf,
};

/**
 * A text without half an emoji or the BOM of a file; one that nobody would see is empty.
 * @throws Failure for what is no text, naming the fields to choose from
 */
function textIn({ displayName: label, name }: INodeProperties, raw: unknown): string {
	const wrong = TAKES_LISTS.includes(name) ? undefined : notText(raw);
	if (wrong)
		throw refusal(
			'PARAMETER_TEXT',
			`'${label}' is ${wrong}`,
			'Choose a field that holds a single text or number.',
		);
	const text = textOf(raw).replace(/^\ufeff|\p{Cs}/gu, '');
	return isEmpty(text) ? '' : text;
}

/** What a value is that is no text, number or time; undefined for one that is. */
function notText(raw: unknown): string | undefined {
	if (typeof raw === 'boolean' || Number.isNaN(raw) || raw === Infinity) return `${String(raw)}, not text`;
	if (Array.isArray(raw)) return 'a list, not text';
	if (!isPlainObject(raw)) return undefined;
	const fields = Object.keys(raw as object).join(', ');
	return fields ? `an object: choose one of its fields (${shortened(fields)})` : 'an object, not text';
}

/**
 * A value that the node has a choice for. What the service chooses from (`allowArbitraryValues`, or a list that it is asked
 * for) may grow: there the service says.
 */
function choiceOf(field: INodeProperties, raw: unknown): string {
	const { displayName: label, allowArbitraryValues, typeOptions } = field;
	const text = textIn(field, raw);
	const choices = (field.options ?? []) as Array<{ name: string; value: string }>;
	if (allowArbitraryValues || typeOptions?.loadOptionsMethod || map(choices, 'value').includes(text))
		return text;
	if (text === '') throw empty(field);
	const listed = choices.map(({ name, value }) => `${value} (${name})`).join(', ');
	throw refusal(
		'PARAMETER_CHOICE',
		`'${label}' has no option '${shortened(text)}'`,
		`Choose one of: ${listed}.`,
	);
}

function jsonOf({ displayName: label }: INodeProperties, raw: unknown): IDataObject {
	const hint = 'Use the format {"name": "value"}.';
	let value = typeof raw === 'string' && raw.trim() === '' ? {} : (raw ?? {});
	try {
		if (typeof value === 'string') value = (JSON.parse(value) as object | null) ?? {};
	} catch (error) {
		throw refusal('PARAMETER_JSON', `'${label}' is not valid JSON: ${(error as Error).message}`, hint);
	}
	if (isRecord(value)) return value;
	throw refusal('PARAMETER_JSON', `'${label}' is not a JSON object`, hint);
}

function objectOf({ displayName: label }: INodeProperties, raw: unknown): INodeParameters {
	if (raw === undefined || raw === null || raw === '') return {};
	if (isRecord(raw)) return raw as INodeParameters;
	const hint = `Fill in '${label}' in the node, or give an object with the fields that it has there.`;
	throw refusal('PARAMETER_COLLECTION', `'${label}' is not an object`, hint);
}

/** The sections that the user added: each an object, or several where the field takes several. */
function sectionsOf(field: INodeProperties, raw: unknown, reading: Reading): IDataObject {
	const given = objectOf(field, raw);
	const read: IDataObject = {};
	for (const { name, values } of field.options as Array<{ name: string; values: INodeProperties[] }>) {
		if (given[name] === undefined) continue;
		const entries = [given[name]].flat().map((one) => entryOf(field, values, one, reading));
		read[name] = field.typeOptions?.multipleValues ? entries : entries[0]!;
	}
	return read;
}

function entryOf(
	field: INodeProperties,
	values: INodeProperties[],
	raw: unknown,
	reading: Reading,
): IDataObject {
	const given = objectOf(field, raw);
	const read: IDataObject = {};
	for (const one of values) {
		// Several fields have an 'Amount' or a 'Platform'.
		const named = { ...one, displayName: `${field.displayName}: ${one.displayName}` };
		const value = one.name in given ? given[one.name] : one.default;
		read[one.name] = readValue(named, value, reading) as IDataObject;
	}
	return read;
}

/** The entries that the user added and sees, each read like a field of its own; empty ones are left out. */
function collectionOf(field: INodeProperties, values: unknown, reading: Reading): IDataObject {
	const given = objectOf(field, values);
	const read: IDataObject = {};
	for (const entry of field.options as INodeProperties[]) {
		const { name } = entry;
		const isShown = NodeHelpers.displayParameter(given, entry, null, reading.type, reading.all);
		if (!(name in given) || !isShown) continue;
		const raw = given[name];
		if (NEVER_EMPTY.includes(name) && isEmpty(raw)) throw empty(entry);
		const value = isEmpty(raw) ? '' : readValue(entry, raw, reading);
		if (!isEmpty(value)) read[name] = value as IDataObject;
	}
	return read;
}
