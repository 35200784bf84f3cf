import sortBy from 'lodash/sortBy';
import uniqBy from 'lodash/uniqBy';
import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../../api/failure';
import type { NamedSource } from './source';

const plain = (text: string): string => text.trim().toLowerCase().replace(/^@/, '');

/** What was given, short enough for a message. */
export const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/**
 * The ID of the record that is meant: by ID, by name or by @handle.
 * @param label of the parameter, as the user sees it
 * @throws Failure naming three records where none or several have that name
 */
export function findId(list: IDataObject[], wanted: string, source: NamedSource, label: string): string {
	const all = uniqBy(list, ({ id }) => String(id));
	if (all.some(({ id }) => String(id) === wanted)) return wanted;
	const found = all.filter((one) => source.names(one).some((name) => plain(name) === plain(wanted)));
	if (found.length === 1) return String(found[0]!.id);
	const first = (some: IDataObject[]): string =>
		some
			.slice(0, 3)
			.map((one) => `${source.label(one)} (${String(one.id)})`)
			.join(', ');
	if (found.length > 1)
		throw refusal(
			'NAME_AMBIGUOUS',
			`'${label}' is ambiguous: ${found.length} are called ${shortened(wanted)}`,
			`Use one of these IDs: ${first(found)}${found.length > 3 ? ', …' : ''}.`,
		);
	throw refusal(
		'NAME_UNKNOWN',
		`'${label}' matches no ID or name in the service's list: ${shortened(wanted)}`,
		all.length > 0
			? `The closest are: ${first(sortBy(all, (one) => distance(one, wanted, source)))}. Choose one from the list or enter its ID.`
			: "The service's list is empty. Check the workspace.",
	);
}

/** How far a record is from what was given: a name or ID that begins with it comes first, then one that contains it. */
function distance(record: IDataObject, wanted: string, source: NamedSource): number {
	const texts = [String(record.id), ...source.names(record)].map(plain);
	if (texts.some((one) => one.startsWith(plain(wanted)))) return 0;
	return texts.some((one) => one.includes(plain(wanted))) ? 1 : 2;
}
