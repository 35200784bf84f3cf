import { pick, pickBy } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

export const isRecord = (value: unknown): value is IDataObject =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as a record; without fields where it is none. */
export const recordIn = (value: unknown): IDataObject => (isRecord(value) ? value : {});

/** The first of the values that is a text. */
export const textIn = (...values: unknown[]): string | undefined =>
	values.find((one): one is string => typeof one === 'string' && one !== '');

/** An event is a flat record; one that is nested deeper than this makes n8n fail when it stores the execution. */
const MAX_DEPTH = 64;

export const isTooDeep = (value: unknown, levels = MAX_DEPTH): boolean =>
	typeof value === 'object' &&
	value !== null &&
	(levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)));

/** JSON as a value; code behind a node could trip over `__proto__`. Not for what {@link isTooDeep}. */
export const parseWithoutProto = (json: string): unknown =>
	JSON.parse(json, (key, value: unknown) => (key === '__proto__' ? undefined : value));

/** What the spec calls the list in `data`: of posts, approvals and unified analytics. */
const shownNames = ['items', 'batches', 'rows'];

/** The list of an answer: `data` itself, the array in it that the spec names, or the only one. */
export function listIn(data: unknown): unknown[] | undefined {
	if (Array.isArray(data)) return data;
	const arrays = pickBy(recordIn(data), (value) => Array.isArray(value)) as Record<string, unknown[]>;
	const [shown] = Object.values(pick(arrays, shownNames));
	const [only, ...others] = Object.values(arrays);
	return shown ?? (others.length === 0 ? only : undefined);
}
