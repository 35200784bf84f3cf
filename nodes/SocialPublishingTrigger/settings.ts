import { uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../api/failure';

export type Settings = ReturnType<typeof settingsOf>;

/** The parameters, with the default for what is left out. @throws Failure where a value makes no sense */
export function settingsOf(context: { getNodeParameter(name: string, fallback: unknown): unknown }) {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const chosen = namesIn(context.getNodeParameter('events', []));
	return {
		events: uniq([...chosen, ...namesIn(options.additionalEvents)]),
		includePost: readFlag('Include Post', true, context.getNodeParameter('includePost', true)),
		/** Empty: the events of all brands. */
		brandIds: namesIn(options.brandIds),
		description: readText(options.description),
		/** How far a delivery's send time may be off (spec, "Signature" 4). */
		toleranceMs: positive('Max Clock Difference (Seconds)', 300, options.tolerance) * 1000,
		rememberEvents: Math.floor(positive('Events to Remember', 5000, options.rememberEvents)),
		workspaceId: readText(options.workspaceId),
		catchUp: readFlag('Recover Missed Events', true, options.catchUp),
		catchUpFromPosts: readFlag('Recover From Posts', false, options.catchUpFromPosts),
		checkEveryMs: positive('Check Every (Minutes)', 15, options.checkEvery) * 60_000,
	};
}

/** Only the signed body counts, not the headers with event name and ID (spec, "Signature" 1). */
export const isAskedFor = (event: IDataObject, { events, brandIds }: Settings): boolean =>
	events.includes(String(event.type)) &&
	(brandIds.length === 0 || brandIds.includes(String(event.brand_id ?? '')));

/** A switch's value, or the text that an expression made of it. */
function readFlag(label: string, missing: boolean, value: unknown): boolean {
	const text = String(isMissing(value) ? missing : value)
		.trim()
		.toLowerCase();
	if (['true', '1'].includes(text)) return true;
	if (['false', '0'].includes(text)) return false;
	const hint = 'Use true or false, without quotes.';
	throw refusal('PARAMETER_BOOLEAN', `'${label}' is neither true nor false`, hint);
}

/** A list as such, or comma-separated. */
const namesIn = (value: unknown): string[] =>
	(Array.isArray(value) ? value : readText(value).split(',')).map(readText).filter((one) => one !== '');

/** A text or number; of a resource locator, its value. */
function readText(value: unknown): string {
	const inner = typeof value === 'object' && value !== null ? (value as IDataObject).value : value;
	return typeof inner === 'string' || typeof inner === 'number' ? String(inner).trim() : '';
}

function positive(label: string, missing: number, value: unknown): number {
	if (isMissing(value)) return missing;
	const number = Number(readText(value) || NaN);
	if (Number.isFinite(number) && number >= 1) return number;
	throw refusal('PARAMETER_NUMBER', `'${label}' is not a number of 1 or more`, 'Enter 1 or more.');
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';
