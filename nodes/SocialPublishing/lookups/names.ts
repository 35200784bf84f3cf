import get from 'lodash/get';
import set from 'lodash/set';
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { Facts } from '../../api/errors';
import { Failure, refusal } from '../../api/errors';
import { directories, type Directory } from './source';
import type { Operation, Outcome } from '../engine/operation';
import { optionsOf } from '../engine/operation';
import { toFailure } from '../engine/partialFailure';

const plain = (text: string): string => text.trim().toLowerCase().replace(/^@/, '');

/** What can't be an ID: a name of several words, or a handle. */
export const isName = (text: string): boolean => /\s|^@/.test(text);

/** How alike two texts are, 0 to 1: by the pairs of letters that they share. */
function likeness(a: string, b: string): number {
	const pairs = (text: string): string[] => [...text].map((letter, i) => letter + (text[i + 1] ?? ''));
	const [mine, theirs] = [pairs(a), pairs(b)];
	const rest = [...theirs];
	const shared = mine.filter((pair) => {
		const at = rest.indexOf(pair);
		if (at >= 0) rest.splice(at, 1);
		return at >= 0;
	});
	return (2 * shared.length) / (mine.length + theirs.length || 1);
}

/** The names most like the wanted one, best first. */
export function closest(names: readonly string[], wanted: string, count = 3): string[] {
	const score = (name: string): number => likeness(plain(name), plain(wanted));
	return [...new Set(names)].sort((a, b) => score(b) - score(a)).slice(0, count);
}

/**
 * The ID of the record that is meant: by ID, by name or by @handle.
 * @param label of the parameter, as the user sees it
 * @throws Failure naming the closest three where none or several are called so
 */
export function findId(list: IDataObject[], wanted: string, directory: Directory, label: string): string {
	if (list.some(({ id }) => String(id) === wanted)) return wanted;
	const called = list.filter((one) => directory.names(one).some((name) => plain(name) === plain(wanted)));
	if (called.length === 1) return String(called[0]!.id);
	const show = (one: IDataObject): string => `${directory.label(one)} (${String(one.id)})`;
	if (called.length > 1)
		throw refusal(
			'NAME_AMBIGUOUS',
			`'${label}' is not clear: ${called.length} are called ${wanted}`,
			`Give the ID of the one you mean: ${called.slice(0, 3).map(show).join(', ')}${called.length > 3 ? ', …' : ''}.`,
		);
	throw refusal(
		'NAME_UNKNOWN',
		`'${label}' is neither an ID nor a name that the service lists: ${wanted}`,
		suggestion(list, wanted, directory),
	);
}

/** The closest three of a list. */
function suggestion(list: IDataObject[], wanted: string, directory: Directory): string {
	const byText = new Map(
		list.flatMap((one) => [String(one.id), ...directory.names(one)].map((text) => [text, one] as const)),
	);
	const near = new Set(closest([...byText.keys()], wanted, byText.size).map((text) => byText.get(text)!));
	const shown = [...near].slice(0, 3).map((one) => `${directory.label(one)} (${String(one.id)})`);
	return shown.length > 0
		? `The closest are: ${shown.join(', ')}. Choose one from the list or give its ID.`
		: 'The service lists none. Check the workspace.';
}

/** Where a locator stands among the parameters, and the list it picks from. */
interface Locator {
	path: string;
	label: string;
	directory: Directory;
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
		const directory = directories[searchOf(field) ?? ''];
		const value: unknown = get(params, path);
		return directory && typeof value === 'string' && value !== ''
			? [{ path, label: field.displayName, directory, value }]
			: [];
	});
}

const searchOf = ({ modes }: INodeProperties): string | undefined =>
	modes?.find(({ type }) => type === 'list')?.typeOptions?.searchListMethod;

/** Whether an answer tells that the service does not know the ID that was given. */
const isUnknown = ({ everywhere }: Directory, { code, status }: Facts): boolean =>
	everywhere ? code === 'PUBLIC_API_WORKSPACE_FORBIDDEN' : status === 404;

/**
 * Works on an item whose locators may hold names instead of IDs. What can't be an ID is looked up first; everything
 * else is sent as it is, and looked up only where the service does not know it: an ID costs no request more.
 * @param params of the item; names in them are replaced
 * @param list the records of a directory in the item's workspace
 * @throws Failure naming the closest three
 */
export async function withNames<W extends { outcomes: Outcome[] }>(
	operation: Operation,
	params: IDataObject,
	list: (directory: Directory) => Promise<IDataObject[]>,
	work: () => Promise<W>,
): Promise<W> {
	const locators = locatorsOf(operation, params);
	for (const { path, label, directory, value } of locators.filter((one) => isName(one.value)))
		set(params, path, findId(await list(directory), value, directory, label));

	const worked = await work();
	const [failure] = worked.outcomes;
	if (!(failure instanceof Failure) || !worked.outcomes.every((one) => one instanceof Failure)) return worked;
	const doubtful = locators.find((one) => !isName(one.value) && isUnknown(one.directory, failure.facts));
	if (!doubtful) return worked;
	const { path, label, directory, value } = doubtful;
	const known = await list(directory).catch(() => undefined);
	if (!known) return worked;
	const id = tryTo(() => findId(known, value, directory, label));
	if (id instanceof Failure)
		return {
			...worked,
			outcomes: worked.outcomes.map((one) => (one as Failure).with({ hint: id.facts.hint })),
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
