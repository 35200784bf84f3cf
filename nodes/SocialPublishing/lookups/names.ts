import sumBy from 'lodash/sumBy';
import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../../api/errors';
import type { NamedSource } from './source';

const plain = (text: string): string => text.trim().toLowerCase().replace(/^@/, '');

/** As much of a text as is compared with names: no name is longer. */
const COMPARED = 200;

/** How often each pair of neighbouring letters comes in a text, and how many pairs there are. */
interface Pairs {
	count: Map<string, number>;
	size: number;
}

function pairsOf(text: string): Pairs {
	const letters = [...plain(text.slice(0, COMPARED))];
	const count = new Map<string, number>();
	letters.forEach((letter, i) => {
		const pair = letter + (letters[i + 1] ?? '');
		count.set(pair, (count.get(pair) ?? 0) + 1);
	});
	return { count, size: letters.length };
}

/** How alike two words are at least where one is a typo of the other. */
const TYPO = 0.6;

/** How alike two texts are, 0 to 1: by the share of the pairs of letters that they have in common. */
function likeness(mine: Pairs, theirs: Pairs): number {
	const shared = sumBy([...mine.count], ([pair, times]) => Math.min(times, theirs.count.get(pair) ?? 0));
	return (2 * shared) / (mine.size + theirs.size || 1);
}

/** The known word that was meant by one with a typo in it; undefined where none is alike. */
export function typoOf(known: readonly string[], word: string): string | undefined {
	const [best] = closest(known, word, 1);
	return best && likeness(pairsOf(best), pairsOf(word)) >= TYPO ? best : undefined;
}

/** The names most like the wanted one, best first. */
export function closest(names: readonly string[], wanted: string, count = 3): string[] {
	const mine = pairsOf(wanted);
	const scores = new Map(names.map((name) => [name, likeness(mine, pairsOf(name))]));
	return [...scores.keys()].sort((a, b) => scores.get(b)! - scores.get(a)!).slice(0, count);
}

/**
 * The ID of the record that is meant: by ID, by name or by @handle.
 * @param label of the parameter, as the user sees it
 * @throws Failure naming the closest three where none or several are called so
 */
export function findId(list: IDataObject[], wanted: string, source: NamedSource, label: string): string {
	if (list.some(({ id }) => String(id) === wanted)) return wanted;
	const called = list.filter((one) => source.names(one).some((name) => plain(name) === plain(wanted)));
	if (called.length === 1) return String(called[0]!.id);
	const show = (one: IDataObject): string => `${source.label(one)} (${String(one.id)})`;
	if (called.length > 1)
		throw refusal(
			'NAME_AMBIGUOUS',
			`'${label}' is ambiguous: ${called.length} are called ${shown(wanted)}`,
			`Use one of these IDs: ${called.slice(0, 3).map(show).join(', ')}${called.length > 3 ? ', …' : ''}.`,
		);
	throw refusal(
		'NAME_UNKNOWN',
		`'${label}' matches no ID or name in the service's list: ${shown(wanted)}`,
		suggestion(list, wanted, source),
	);
}

/** What was given, short enough for a message. */
export const shown = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** The closest three of a list. */
function suggestion(list: IDataObject[], wanted: string, source: NamedSource): string {
	const byText = new Map(
		list.flatMap((one) => [String(one.id), ...source.names(one)].map((text) => [text, one] as const)),
	);
	const near = new Set(closest([...byText.keys()], wanted, byText.size).map((text) => byText.get(text)!));
	const nearest = [...near].slice(0, 3).map((one) => `${source.label(one)} (${String(one.id)})`);
	return nearest.length > 0
		? `The closest are: ${nearest.join(', ')}. Choose one from the list or enter its ID.`
		: "The service's list is empty. Check the workspace.";
}
