import { attempt, filter, has, isError, isPlainObject, map, mapValues, some } from 'lodash';
import type { IDataObject, IExecuteFunctions, INodeParameters, INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { refusal, type Failure } from '../../api/failure';
import { isRecord } from '../../api/lists';
import { platformNames } from '../../api/records';
import { filled, shortened, textOf, visible } from '../../api/texts';
import { locatorValue } from '../../shared/locator';
import { readBoolean, readEntries, readNumber } from '../../shared/parameters';
import { withFields } from '../writes/write';
import type { Operation } from './operation';
import { fieldsFrom, type CommonOptions } from './options';
import { fieldsOf } from './properties';

/**
 * The parameters of one item, each in the type that its field promises, wherever the value came from: typed in,
 * an expression, or a model that fills in a tool.
 * @throws Failure naming the parameter
 */
export function readParams(
	context: IExecuteFunctions,
	operation: Operation,
	index: number,
	hint?: (message: string, level?: 'info') => void,
): IDataObject {
	const fields = fieldsOf(operation);
	const rawOf = ({ name, displayName, default: missing }: INodeProperties): unknown => {
		try {
			return context.getNodeParameter(name, index, missing);
		} catch (error) {
			throw notEvaluated(displayName, error as Error);
		}
	};
	const raw = Object.fromEntries(fields.map((field) => [field.name, rawOf(field)])) as INodeParameters;
	// A value that the person doesn't see may be anything.
	const seen = withSwitches(fields, raw);
	const shown = fields.filter((field) => NodeHelpers.displayParameter(seen, field, context.getNode(), null));
	const valueOf = (field: INodeProperties): unknown =>
		readValue(field, shown.includes(field) ? raw[field.name] : field.default, raw);
	const read = Object.fromEntries(fields.map((field) => [field.name, valueOf(field)])) as IDataObject;
	const missing = shown.filter(({ name, required }) => required && isBlank(read[name]));
	// An empty row of a sheet says all that it lacks.
	const isBare = ({ name }: INodeProperties): boolean =>
		name === 'text' && isEmpty(read.text) && (read.mediaFrom ?? 'none') === 'none';
	if (missing[0]) {
		// An expression finds nothing in a field whose name begins with the BOM of a file.
		const named = Object.keys(context.getInputData()[index]?.json ?? {}).find((name) =>
			/^\p{DI}/u.test(name),
		);
		const failure = empty(...shown.filter((one) => missing.includes(one) || isBare(one)));
		if (named === undefined) throw failure;
		const unseen = `The input has a field '${visible(named)}': an invisible character stands before its name.`;
		throw failure.with({ hint: `${failure.details.hint} ${unseen}` });
	}
	/** The entries of a collection that give nothing, of those whose expressions may, or of all that were added. */
	const emptied = (collection: string, isGiven = isExpression): INodeProperties[] => {
		const entries = fields.find(({ name }) => name === collection)?.options as INodeProperties[] | undefined;
		const values = read[collection] as IDataObject;
		return filter(entries, ({ name }) => isGiven(context, collection, name) && isEmpty(values[name]));
	};
	// A locator left empty in the panel means the credential's; one whose expression gives nothing might mean any.
	const workspace = emptied('options').find(({ name }) => name === 'workspaceId');
	if (workspace) throw empty(workspace);
	for (const { displayName } of emptied('filters'))
		hint?.(`'${displayName}' is empty, so results weren't filtered by it`, 'info');
	for (const { displayName } of emptied('updateFields', (_context, ...path) => has(raw, path)))
		hint?.(`'${displayName}' is empty, so it isn't changed`, 'info');
	if (hasHalfSign(raw) && !hasHalfSign(read)) hint?.(mended);
	const options = read.options as CommonOptions;
	const rows = options.additionalFieldRows?.fields;
	if (rows) {
		const named = fieldsFrom(rows, 'Additional Fields', hint);
		options.additionalFields = withFields(named, options.additionalFields);
	}
	return read;
}

/** An expression that n8n can't evaluate, with what n8n's error leaves to the editor to say. */
function notEvaluated(
	label: string,
	error: Error & { description?: string; context?: IDataObject },
): Failure {
	const { nodeCause, messageTemplate, causeDetailed } = error.context ?? {};
	const node = nodeCause ? ` (node '${textOf(nodeCause)}')` : '';
	const why = filled([messageTemplate, causeDetailed, error.description].map(textOf));
	// Without n8n's placeholders, its link and its marks.
	const said = why
		.filter((text) => !/\{\{|%%/.test(text))
		.map((text) => text.replace(/ ?<a .*?<\/a>|<[^>]+>/g, '').replace(/\.?$/, '. '));
	return refusal(
		'EXPRESSION',
		`'${label}' can't be evaluated: ${error.message}${node}`,
		`${said.join('')}Check the expression of '${label}'.`,
	);
}

/** Whether the user gave an entry of a collection as an expression. */
function isExpression(context: IExecuteFunctions, collection: string, name: string): boolean {
	const entry = (context.getNode().parameters?.[collection] as IDataObject | undefined)?.[name];
	const given = isRecord(entry) ? entry.value : entry;
	return typeof given === 'string' && given.startsWith('=');
}

const isEmpty = (value: unknown): boolean =>
	value === '' || value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** Empty, or nothing that anybody would see. */
const isBlank = (value: unknown): boolean =>
	isEmpty(typeof value === 'string' ? value.replace(/^[\s\p{DI}]+$/u, '') : value);

function empty(...fields: INodeProperties[]) {
	const names = fields.map(({ displayName }) => `'${displayName}'`).join(', ');
	const labels = names.replace(/, ([^,]*)$/, ' and $1');
	return refusal(
		'PARAMETER_EMPTY',
		`${labels} ${fields.length > 1 ? 'are' : 'is'} empty`,
		`Fill in ${labels}.`,
	);
}

const mended = 'A text was cut in the middle of an emoji, so the incomplete emoji was removed.';

/** Whether a text in it has half an emoji, such as `slice(0, 280)` leaves. */
const hasHalfSign = (value: unknown): boolean =>
	typeof value === 'string'
		? /\p{Cs}/u.test(value)
		: (Array.isArray(value) || isPlainObject(value)) && Object.values(value as object).some(hasHalfSign);

/**
 * A value in the type of its field.
 * @param all the node's parameters, on which it depends whether an entry of a collection is shown
 */
type Reader = (field: INodeProperties, raw: unknown, all: INodeParameters) => unknown;

const readValue: Reader = (field, raw, all) => (readers[field.type] ?? textIn)(field, raw, all);

/** By type of the field; the others are texts. */
const readers: Partial<Record<INodeProperties['type'], Reader>> = {
	resourceLocator: (field, raw) =>
		locatorValue(singleValue(field, isRecord(raw) && 'value' in raw ? raw.value : raw)),
	number: ({ displayName: label, typeOptions: { minValue, numberPrecision } = {} }, raw) =>
		readNumber(label, raw, minValue, numberPrecision === 0),
	boolean: ({ displayName: label }, raw) => readBoolean(label, raw),
	options: choiceOf,
	multiOptions: ({ name, typeOptions }, raw) => {
		// Whether a record is an account's, only the accounts tell.
		const areKept = typeOptions?.loadOptionsMethod === 'getTargets';
		return readEntries(name === 'platforms' ? platformNames(raw, areKept) : isRecord(raw) ? [raw] : raw);
	},
	json: jsonOf,
	collection: collectionOf,
	fixedCollection: sectionsOf,
};

/**
 * A value that the node has a choice for. What the service chooses from (`allowArbitraryValues`, or a list that it is asked
 * for) may grow: there the service says.
 */
function choiceOf(field: INodeProperties, raw: unknown): string {
	const { displayName: label, allowArbitraryValues, typeOptions } = field;
	const text = textIn(field, singleValue(field, raw));
	const choices = (field.options ?? []) as Array<{ name: string; value: string }>;
	if (allowArbitraryValues || typeOptions?.loadOptionsMethod || map(choices, 'value').includes(text))
		return text;
	const listed = choices.map(({ name, value }) => `${value} (${name})`).join(', ');
	const given = shortened(text);
	throw refusal('PARAMETER_CHOICE', `'${label}' has no option '${given}'`, `Choose one of: ${listed}.`);
}

/** As it is. @throws Failure for a list and an object: sent as JSON, it would be a value that nothing has */
function singleValue({ displayName: label }: INodeProperties, raw: unknown): unknown {
	if (!Array.isArray(raw) && !isPlainObject(raw)) return raw;
	const kind = Array.isArray(raw) ? 'a list' : 'an object';
	throw refusal('PARAMETER_CHOICE', `'${label}' is ${kind}, not one value`, 'Give a single value.');
}

/** A text; a calculation that failed is none. */
function textIn(field: INodeProperties, raw: unknown): string {
	const { displayName: label } = field;
	if (typeof raw !== 'number' || Number.isFinite(raw)) {
		if (field.name === 'text') return postText(label, raw);
		return field.name === 'idempotencyKey' ? plainText(label, raw) : textOf(raw);
	}
	const hint = 'Check the expression: it calculates with something that is not a number.';
	throw refusal('PARAMETER_TEXT', `'${label}' is ${raw}, not text`, hint);
}

/** What is text, or reads like one: never JSON. */
function plainText(label: string, raw: unknown): string {
	const isDate = raw instanceof Date || (isRecord(raw) && typeof raw.toISO === 'function');
	if (typeof raw === 'boolean' || (typeof raw === 'object' && raw !== null && !isDate)) {
		const kind = Array.isArray(raw) ? 'a list' : typeof raw === 'boolean' ? String(raw) : 'an object';
		// The bytes of a file have numbers as names.
		const names = isRecord(raw) ? Object.keys(raw).filter((name) => !/^\d+$/.test(name)) : [];
		const hint =
			names.length > 0
				? `Choose one of its fields: ${shortened(names.join(', '))}.`
				: 'Choose a field that holds text.';
		throw refusal('PARAMETER_TEXT', `'${label}' is ${kind}, not text`, hint);
	}
	return textOf(raw);
}

/** What people read, without half an emoji or the BOM of a file; what nobody would see is empty. */
function postText(label: string, raw: unknown): string {
	const text = plainText(label, raw).replace(/^\ufeff|\p{Cs}/gu, '');
	if (text.includes('\0'))
		throw refusal('PARAMETER_TEXT', `'${label}' contains a NUL character`, 'Remove it from the text.');
	return /^[\s\p{DI}\u2800]*$/u.test(text) ? '' : text;
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
function sectionsOf(field: INodeProperties, raw: unknown): IDataObject {
	const given = objectOf(field, raw);
	const read: IDataObject = {};
	for (const { name, values } of field.options as Array<{ name: string; values: INodeProperties[] }>) {
		if (given[name] === undefined) continue;
		const entries = [given[name]].flat().map((one) => entryOf(field, values, one));
		read[name] = field.typeOptions?.multipleValues ? entries : entries[0]!;
	}
	return read;
}

function entryOf(field: INodeProperties, values: INodeProperties[], raw: unknown): IDataObject {
	const given = objectOf(field, raw);
	const read: IDataObject = {};
	for (const one of values) {
		// Several fields have an 'Amount' or a 'Platform'.
		const named = { ...one, displayName: `${field.displayName}: ${one.displayName}` };
		const value = one.name in given ? given[one.name] : one.default;
		read[one.name] = readValue(named, value, {}) as IDataObject;
	}
	return read;
}

/** Guards: one whose expression gives nothing is refused. n8n would ask for a `required` one that wasn't added, too. */
const neverEmpty = ['approvedCode', 'mostPosts', 'previewOnly', 'onWarnings', 'idempotencyKeyMode', 'ifPast'];

/** A sheet's TRUE is a text, a database's a 1: n8n's conditions for other fields never hold on either. */
const withSwitches = (fields: INodeProperties[], given: INodeParameters): INodeParameters =>
	mapValues(given, (raw, name) => {
		const read = some(fields, { name, type: 'boolean' }) ? attempt(readBoolean, name, raw) : raw;
		return isError(read) ? raw : read;
	}) as INodeParameters;

/** The entries that the user added and sees, each read like a field of its own; empty ones are left out. */
function collectionOf(field: INodeProperties, values: unknown, all: INodeParameters): IDataObject {
	const given = objectOf(field, values);
	const read: IDataObject = {};
	const entries = field.options as INodeProperties[];
	const seen = withSwitches(entries, given);
	for (const entry of entries) {
		const { name } = entry;
		if (!(name in given) || !NodeHelpers.displayParameter(seen, entry, null, null, all)) continue;
		const raw = given[name];
		if (neverEmpty.includes(name) && isEmpty(typeof raw === 'string' ? raw.trim() : raw)) throw empty(entry);
		const value = isEmpty(raw) ? '' : readValue(entry, raw, all);
		if (!isEmpty(value)) read[name] = value as IDataObject;
	}
	return read;
}
