import { truncate } from 'lodash';
import { jsonParse } from 'n8n-workflow';

/** Text as it was given; what is no text in the way it reads. */
export function textOf(raw: unknown): string {
	if (raw === undefined || raw === null) return '';
	if (typeof raw === 'object' && 'toISO' in raw && typeof raw.toISO === 'function')
		return String(raw.toISO() ?? 'Invalid DateTime');
	if (raw instanceof Date) return Number.isNaN(raw.getTime()) ? 'Invalid Date' : raw.toISOString();
	return typeof raw === 'object' ? JSON.stringify(raw) : String(raw);
}

export const shortened = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** The first 40 characters of a text, in one line. */
export const excerpt = (text = ''): string =>
	truncate(text.replace(/\s+/g, ' ').trim(), { length: 40, omission: '…' }).replace(/ …$/, '…');

export const firstFew = (list: ReadonlyArray<string | number>, most = 5, separator = ', '): string =>
	[...list.slice(0, most), ...(list.length > most ? ['…'] : [])].join(separator);

/** What was given, with what can't be seen in it. */
export const visible = (text: string): string =>
	shortened(
		text.replace(/[\p{Cf}\p{DI}]/gu, (one) => ` U+${one.codePointAt(0)!.toString(16).toUpperCase()} `).trim(),
	);

/** Those of the values that are texts with something in them. */
export const filled = (values: unknown[]): string[] =>
	values.filter((value): value is string => typeof value === 'string' && value.trim() !== '');

/** What expressions, dates and cells leave where something went wrong. */
const leftOvers =
	/^\s*(=?\{\{.*\}\}|(\[object \w+\],?)+|undefined|null|NaN|Loading\.\.\.|Invalid Date(Time)?|#(N\/A|REF!|VALUE!|NAME\?|ERROR!|DIV\/0!|NUM!|NULL!))\s*$/s;

/** What a machine leaves in a text, and what to do about it. */
const machineMarks: ReadonlyArray<readonly [RegExp, string]> = [
	// Of an expression, or meant to be filled in by one.
	[/\[object Object\]|\{\{\s*\$\w.{0,300}?\}\}/, 'check the expression'],
	// `New: undefined`, `undefined undefined`; not "an undefined term".
	[/(?<=(^|[:#@|–-]) *)undefined(?= *($|[|–]))|undefined[ ,]+undefined/m, 'check the expression'],
	// Written out instead of a line break; not in `C:\notes` or `\d+`.
	[/\\n(?=\\n|[A-Z#@•*–-])|(?<=[.!?…)"])\\n/, 'it should be a line break'],
	// What a model puts around its answer, with or without words before and behind it.
	[/```\w*/, 'remove the code fence'],
	// Of a page or a feed, which networks show as it is.
	[
		/&(#\d+|#x[\da-f]+|amp|quot|apos|lt|gt|nbsp);|<\/?(p|br|div|span|strong|em|ul|li|h\d|a|img)( [^<>]*)?\/?>/i,
		'use a field without HTML',
	],
];

/** Of a text that is nothing but left over, or has such a part. @param label in quotes; of what people read, there is none */
export function leftOverWarnings(text: string, label?: string): string[] {
	const whole = label ?? 'The whole text';
	if (leftOvers.test(text)) return [`${whole} is '${shortened(text.trim())}': check the expression`];
	if (isJson(text)) return [`${whole} is JSON: choose the field that holds the text`];
	return machineMarks.flatMap(([mark, advice]) => {
		const [found] = mark.exec(text) ?? [];
		return found ? [`${label ?? 'The text'} contains '${shortened(found)}': ${advice}`] : [];
	});
}

const isJson = (text: string): boolean =>
	/^\s*[[{]/.test(text) && typeof jsonParse<unknown>(text, { fallbackValue: '' }) === 'object';
