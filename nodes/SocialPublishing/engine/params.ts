import type { IDataObject, IExecuteFunctions, INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { refusal } from '../../api/errors';
import { locatorValue, textOf } from '../lookups/locatorValue';
import type { Operation } from './operation';
import { fieldsOf, isOfVersion } from './properties';

/**
 * The parameters of one item, each in the type that its field promises, wherever the value came from: typed in,
 * an expression, or a model that fills in a tool.
 * @throws Failure naming the parameter
 */
export function readParams(context: IExecuteFunctions, operation: Operation, index: number): IDataObject {
	const node = context.getNode();
	const fields = fieldsOf(operation, node);
	const raw = Object.fromEntries(
		fields.map(({ name, default: missing }) => [name, context.getNodeParameter(name, index, missing)]),
	) as INodeParameters;
	return Object.fromEntries(
		fields.map((field) => {
			const value = readValue(field, raw[field.name], node);
			const isShown = NodeHelpers.displayParameter(raw, field, node, null);
			if (field.required && isShown && isEmpty(value))
				throw refusal(
					'PARAMETER_EMPTY',
					`'${field.displayName}' is empty`,
					`Fill in '${field.displayName}'.`,
				);
			return [field.name, value];
		}),
	) as IDataObject;
}

const isEmpty = (value: unknown): boolean =>
	value === '' || value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** A value in the type of its field. */
function readValue(field: INodeProperties, raw: unknown, node: INode): unknown {
	switch (field.type) {
		case 'resourceLocator':
			return locatorValue(raw);
		case 'number':
			return numberOf(field, raw);
		case 'boolean':
			return raw === true || raw === 'true';
		case 'multiOptions':
			return listOf(raw);
		case 'json':
			return jsonOf(field, raw);
		case 'collection':
			return collectionOf(field, raw, node);
		case 'fixedCollection':
			return raw ?? {};
		case 'dateTime':
			return raw instanceof Date ? raw.toISOString() : textOf(raw);
		default:
			return textOf(raw);
	}
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
				'Write it as {"name": "value"}.',
			);
		}
	if (value === undefined || value === null) return {};
	if (typeof value !== 'object' || Array.isArray(value))
		throw refusal(
			'PARAMETER_JSON',
			`'${field.displayName}' is not a JSON object`,
			'Write it as {"name": "value"}.',
		);
	return value as IDataObject;
}

/** The entries that the user added, each read like a field of its own; empty ones are left out. */
function collectionOf(field: INodeProperties, raw: unknown, node: INode): IDataObject {
	const given = (typeof raw === 'object' && raw !== null ? raw : {}) as IDataObject;
	const entries = (field.options ?? []) as INodeProperties[];
	return Object.fromEntries(
		entries
			.filter((entry) => given[entry.name] !== undefined && isOfVersion(entry, node))
			.map((entry) => [entry.name, readValue(entry, given[entry.name], node)])
			.filter(([, value]) => !isEmpty(value)),
	) as IDataObject;
}
