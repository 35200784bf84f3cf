import { compact } from 'lodash';
import { jsonParse } from 'n8n-workflow';

import { refusal } from '../api/failure';
import { textOf } from '../api/texts';

/** A number, or a text that is one. @throws Failure naming the parameter */
export function readNumber(label: string, raw: unknown, minValue = -Infinity, isWhole = false): number {
	const number = typeof raw === 'string' && raw.trim() !== '' ? Number(raw) : raw;
	if (typeof number !== 'number' || !Number.isFinite(number))
		throw refusal('PARAMETER_NUMBER', `'${label}' is not a number`, 'Enter digits only.');
	if (isWhole && !Number.isInteger(number))
		throw refusal('PARAMETER_NUMBER', `'${label}' is ${number}`, 'Enter a whole number.');
	if (number >= minValue) return number;
	throw refusal('PARAMETER_NUMBER', `'${label}' is ${number}`, `Enter ${minValue} or more.`);
}

/** A switch's value, or the text that an expression made of it. @throws Failure naming the parameter */
export function readBoolean(label: string, raw: unknown): boolean {
	const text = textOf(raw).trim().toLowerCase();
	if (['true', '1'].includes(text)) return true;
	if (['false', '0', ''].includes(text)) return false;
	const hint = 'Use true or false, without quotes.';
	throw refusal('PARAMETER_BOOLEAN', `'${label}' is neither true nor false`, hint);
}

/** A list: as such, as JSON, or in a text, as sheets have it: separated by commas, semicolons or lines. */
export function readEntries(raw: unknown): string[] {
	if (Array.isArray(raw)) return compact(raw.map((one) => textOf(one).trim()));
	const text = textOf(raw).trim();
	const split = text.split(/[,;\n]/);
	return readEntries(text.startsWith('[') ? jsonParse<unknown>(text, { fallbackValue: split }) : split);
}
