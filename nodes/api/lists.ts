import { omit } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** An event is a flat record; one that is nested deeper than this makes n8n fail when it stores the execution. */
const MAX_DEPTH = 64;

export const isTooDeep = (value: unknown, levels = MAX_DEPTH): boolean =>
	typeof value === 'object' &&
	value !== null &&
	(levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)));

/** JSON as a value; code behind a node could trip over `__proto__`. Not for what {@link isTooDeep}. */
export const parseWithoutProto = (json: string): unknown =>
	JSON.parse(json, (key, value: unknown) => (key === '__proto__' ? undefined : value));

/** What a service says of its answer. */
const remarks = ['errors', 'warnings'];

/** The array in an answer: a bare one, else under the first of `names` that has one, else the first one of records. */
export function arrayIn(data: unknown, names: readonly string[]): unknown[] | undefined {
	if (!isRecord(data)) return Array.isArray(data) ? data : undefined;
	const named = names.filter((name) => name in data).map((name): unknown => data[name]);
	if (named.length > 0) return named.find((value) => Array.isArray(value));
	const arrays = Object.values(omit(data, remarks)).filter((value): value is IDataObject[] =>
		Array.isArray(value),
	);
	return arrays.find((one) => one.some(isRecord)) ?? arrays.find(({ length }) => length === 0);
}

/** Whether an answer has another array of records, which may be a part of the list; what has no ID is none of it. */
export const hasOthers = (data: unknown, list: unknown): boolean =>
	isRecord(data) &&
	Object.values(data).some((one) => Array.isArray(one) && one !== list && one.some((each) => each?.id));

/** All of a record, as a text; one of what is nested too deeply has no end. */
export const whole = (one: IDataObject): string => JSON.stringify(isTooDeep(one) ? Object.keys(one) : one);

/** What tells a record from the others: its ID, which may be one of its platform alone, or all of it. */
export const identity = (one: IDataObject): string =>
	// Above 2^53, several numbers are read as one.
	one.id && (typeof one.id !== 'number' || one.id <= Number.MAX_SAFE_INTEGER)
		? JSON.stringify([one.id, one.platform])
		: whole(one);
