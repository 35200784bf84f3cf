import get from 'lodash/get';
import set from 'lodash/set';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { Failure, toFailure, type ErrorDetails, type Outcome } from '../../api/errors';
import { sourceOf } from '../lookups';
import { findId, isName } from '../lookups/names';
import type { LookupSource } from '../lookups/source';
import type { Operation } from './operation';
import { optionsOf } from './properties';

/** Where a locator stands among the parameters, and the list it picks from. */
interface Locator {
	path: string;
	label: string;
	source: LookupSource;
	value: string;
}

/** The filled-in locators of an operation that pick from a list with names; the workspace first. */
function locatorsOf(operation: Operation, params: IDataObject): Locator[] {
	const options = optionsOf(operation).options as INodeProperties[];
	const places = [
		...options.map((field) => ({ field, path: `options.${field.name}` })),
		...operation.fields.map((field) => ({ field, path: field.name })),
	];
	return places.flatMap(({ field, path }) => {
		const source = sourceOf(searchMethodOf(field));
		const value: unknown = get(params, path);
		return source && typeof value === 'string' && value !== ''
			? [{ path, label: field.displayName, source, value }]
			: [];
	});
}

const searchMethodOf = ({ modes }: INodeProperties): string | undefined =>
	modes?.find(({ type }) => type === 'list')?.typeOptions?.searchListMethod;

/** Whether an answer tells that the service does not know the ID that was given. */
const isUnknown = ({ ignoresWorkspace }: LookupSource, { code, status }: ErrorDetails): boolean =>
	ignoresWorkspace ? code === 'PUBLIC_API_WORKSPACE_FORBIDDEN' : status === 404;

/** The parameters with an ID in place of each name: for checks before anything is looked up. */
export function withPlaceholders(operation: Operation, params: IDataObject): IDataObject {
	const names = locatorsOf(operation, params).filter(({ value }) => isName(value));
	if (names.length === 0) return params;
	const copy = { ...params, options: { ...(params.options as IDataObject) } };
	for (const { path } of names) set(copy, path, 'name');
	return copy;
}

/** Looks up what can't be an ID; names in `params` are replaced. */
export async function resolveNames(
	operation: Operation,
	params: IDataObject,
	list: (source: LookupSource) => Promise<IDataObject[]>,
): Promise<void> {
	for (const { path, label, source, value } of locatorsOf(operation, params))
		if (isName(value)) set(params, path, findId(await list(source), value, source, label));
}

/**
 * Works on an item whose locators may hold names instead of IDs. What can't be an ID is looked up first; everything
 * else is sent as it is, and looked up only where the service does not know it: an ID costs no request more.
 * @param params of the item; names in them are replaced
 * @param list the records of a source in the item's workspace
 * @throws Failure naming the closest three
 */
export async function withNames<W extends { outcomes: Outcome[] }>(
	operation: Operation,
	params: IDataObject,
	list: (source: LookupSource) => Promise<IDataObject[]>,
	work: () => Promise<W>,
): Promise<W> {
	await resolveNames(operation, params, list);
	const locators = locatorsOf(operation, params);

	const worked = await work();
	const [failure] = worked.outcomes;
	if (!(failure instanceof Failure) || !worked.outcomes.every((one) => one instanceof Failure)) return worked;
	const doubtful = locators.find((one) => !isName(one.value) && isUnknown(one.source, failure.details));
	if (!doubtful) return worked;
	const { path, label, source, value } = doubtful;
	const known = await list(source).catch(() => undefined);
	if (!known) return worked;
	const id = tryTo(() => findId(known, value, source, label));
	if (id instanceof Failure)
		return {
			...worked,
			outcomes: worked.outcomes.map((one) => (one as Failure).with({ hint: id.details.hint })),
		};
	if (id === value) return worked;
	set(params, path, id);
	return await work();
}

function tryTo<T>(act: () => T): T | Failure {
	try {
		return act();
	} catch (error) {
		return toFailure(error);
	}
}
