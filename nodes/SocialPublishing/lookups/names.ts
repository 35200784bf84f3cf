import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../../api/errors';
import type { LookupSource } from './source';

const plain = (text: string): string => text.trim().toLowerCase().replace(/^@/, '');

/** What can't be an ID: a name of several words, or a handle. */
export const isName = (text: string): boolean => /\s|^@/.test(text);

/** How alike two words are at least where one is a typo of the other, see {@link likeness}. */
const TYPO = 0.6;

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

/** The known word that was meant by one with a typo in it; undefined where none is alike. */
export function typoOf(known: readonly string[], word: string): string | undefined {
	const [best] = closest(known, word, 1);
	return best && likeness(best, plain(word)) >= TYPO ? best : undefined;
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
export function findId(list: IDataObject[], wanted: string, source: LookupSource, label: string): string {
	if (list.some(({ id }) => String(id) === wanted)) return wanted;
	const called = list.filter((one) => source.names(one).some((name) => plain(name) === plain(wanted)));
	if (called.length === 1) return String(called[0]!.id);
	const show = (one: IDataObject): string => `${source.label(one)} (${String(one.id)})`;
	if (called.length > 1)
		throw refusal(
			'NAME_AMBIGUOUS',
			`'${label}' is not clear: ${called.length} are called ${wanted}`,
			`Give the ID of the one you mean: ${called.slice(0, 3).map(show).join(', ')}${called.length > 3 ? ', …' : ''}.`,
		);
	throw refusal(
		'NAME_UNKNOWN',
		`'${label}' is neither an ID nor a name that the service lists: ${wanted}`,
		suggestion(list, wanted, source),
	);
}

/** The closest three of a list. */
function suggestion(list: IDataObject[], wanted: string, source: LookupSource): string {
	const byText = new Map(
		list.flatMap((one) => [String(one.id), ...source.names(one)].map((text) => [text, one] as const)),
	);
	const near = new Set(closest([...byText.keys()], wanted, byText.size).map((text) => byText.get(text)!));
	const shown = [...near].slice(0, 3).map((one) => `${source.label(one)} (${String(one.id)})`);
	return shown.length > 0
		? `The closest are: ${shown.join(', ')}. Choose one from the list or give its ID.`
		: 'The service lists none. Check the workspace.';
}
