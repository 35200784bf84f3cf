import { sortBy, uniq } from 'lodash';
import { DateTime } from 'luxon';

import { titleOf } from '../../api/contract';
import { firstFew } from '../../api/texts';
import type { Entry } from '../writes/journal';
import { scheduledAtIn } from '../writes/key';

/** How many rows an error names. */
export const MAX_LISTED = 10;

/** Sentences behind each other. */
export const joined = (...sentences: string[]): string =>
	sentences
		.filter(Boolean)
		.map((one, _index, { length }) => (length > 1 && !/[.?!…]$/.test(one) ? `${one}.` : one))
		.join(' ');

/** "X", "X and LinkedIn", "X, LinkedIn and Bluesky" */
export const inWords = (names: readonly string[]): string =>
	[names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ');

/** "Row 2", "Rows 2 and 3", "Rows 1 to 4 and 6" */
export function rowsNamed(indexes: readonly number[]): string {
	const numbers = sortBy(uniq(indexes)).map((index) => index + 1);
	const spans: number[][] = [];
	for (const number of numbers) {
		const last = spans.at(-1);
		if (last?.at(-1) === number - 1) last.push(number);
		else spans.push([number]);
	}
	const names = spans.flatMap((span) =>
		span.length > 2 ? [`${span[0]} to ${span.at(-1)}`] : span.map(String),
	);
	const shown = names.length > MAX_LISTED ? [...names.slice(0, MAX_LISTED), '…'] : names;
	return `${numbers.length > 1 ? 'Rows' : 'Row'} ${inWords(shown)}`;
}

/** "X, 2 Jun 2126 10:00; LinkedIn" */
export const labelsOf = (entries: readonly Entry[], zone: string): string =>
	firstFew(uniq(entries.map((entry) => labelOf(entry, zone))), 5, '; ');

/** When a post that was sent is due: as the service says, or as it was asked to. */
export const dueAtOf = ({ body, response }: Entry): string | undefined =>
	scheduledAtIn(response) ?? scheduledAtIn(body);

/** "LinkedIn, 2 Jun 2126 10:00", "photo.jpg", or the ID of what was changed. */
function labelOf(entry: Entry, zone: string): string {
	const { path, target, body, response } = entry;
	const { filename, id } = { ...body, ...response };
	if (path !== '/posts') return String(filename ?? id ?? 'the request');
	const at = dueAtOf(entry);
	const time = at ? `, ${DateTime.fromISO(at, { zone }).toFormat('d LLL yyyy HH:mm', { locale: 'en' })}` : '';
	return titleOf(target.split(':')[0]!) + time;
}
