import {
	attempt,
	get,
	isEqual,
	isError,
	isNil,
	isPlainObject,
	isString,
	keyBy,
	map,
	mapValues,
} from 'lodash';
import type {
	IDataObject,
	IExecuteFunctions,
	INodeParameters,
	INodeProperties,
	INodePropertyCollection,
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
import { inWords } from './words';

/** Options that are empty only by mistake: left out, each of them would let a post go out, or elsewhere. */
const NEVER_EMPTY = ['avoidDuplicates', 'ifPast', 'ifRefused', 'maxPosts', 'preview', 'workspaceId'];

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
	hint: (message: string) => void,
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
	const hasFiles = (read.mediaFrom ?? 'none') !== 'none';
	if (hasFiles && read.text === '' && isExpression(context, 'text'))
		hint("'Text' is empty: its expression gave nothing");
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

/** Whether the user gave a field as an expression. */
const isExpression = (context: IExecuteFunctions, name: string): boolean =>
	String(context.getNode().parameters[name]).startsWith('=');

/** What nobody would see, such as spaces, is empty. */
const isEmpty = (value: unknown): boolean =>
	isNil(value) || isEqual(value, []) || (isString(value) && /^[\s\p{DI}\u2800]*$/u.test(value));

function empty(...fields: INodeProperties[]): Failure {
	const labels = inWords(fields.map(({ displayName }) => `'${displayName}'`));
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

function objectOf({ displayName: label }: INodeProperties, raw: unknown): INodeParameters {
	const given = isEmpty(raw) ? {} : raw;
	if (isRecord(given)) return given as INodeParameters;
	const hint = `Fill in '${label}' in the node, or give an object with the fields that it has there.`;
	throw refusal('PARAMETER_COLLECTION', `'${label}' is not an object`, hint);
}

/** The sections that the user added: each an object, or several where the field takes several. */
function sectionsOf(field: INodeProperties, raw: unknown, reading: Reading): IDataObject {
	const given = objectOf(field, raw);
	const added = (field.options as INodePropertyCollection[]).filter(({ name }) => name in given);
	const entriesOf = ({ name, values }: INodePropertyCollection) => {
		const entries = [given[name]].flat().map((one) => entryOf(field, values, one, reading));
		return field.typeOptions?.multipleValues ? entries : entries[0];
	};
	return Object.fromEntries(added.map((one) => [one.name, entriesOf(one)]));
}

function entryOf(field: INodeProperties, values: INodeProperties[], raw: unknown, reading: Reading) {
	const given = { ...mapValues(keyBy(values, 'name'), 'default'), ...objectOf(field, raw) };
	// Several fields have an 'Amount' or a 'Platform'.
	const named = values.map((one) => ({ ...one, displayName: `${field.displayName}: ${one.displayName}` }));
	return Object.fromEntries(named.map((one) => [one.name, readValue(one, given[one.name], reading)]));
}

/** The entries that the user added and sees, each read like a field of its own; empty ones are left out. */
function collectionOf(field: INodeProperties, values: unknown, reading: Reading): IDataObject {
	const given = objectOf(field, values);
	const shown = (field.options as INodeProperties[]).filter(
		(entry) =>
			entry.name in given && NodeHelpers.displayParameter(given, entry, null, reading.type, reading.all),
	);
	const lost = shown.find(
		({ name }) => NEVER_EMPTY.includes(name) && isEmpty(get(given, [name, 'value'], given[name])),
	);
	if (lost) throw empty(lost);
	const added = shown.filter(({ name }) => !isEmpty(given[name]));
	const read = added.map((entry) => [entry.name, readValue(entry, given[entry.name], reading)] as const);
	return Object.fromEntries(read.filter(([, value]) => !isEmpty(value))) as IDataObject;
}
