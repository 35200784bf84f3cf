import type { IDataObject } from 'n8n-workflow';

import { DEFAULT_CHECK_EVERY_MINUTES, DEFAULT_REMEMBERED, DEFAULT_TOLERANCE_S } from './properties';

/** What the user set, in the form in which it is used. */
export interface Settings {
	/** Empty: the events of all brands. */
	brandIds: string[];
	description: string;
	toleranceMs: number;
	rememberEvents: number;
	/** '' for the credential's. */
	workspaceId: string;
	additionalEvents: string[];
	/** Whether missed events are recovered. */
	catchUp: boolean;
	/** Whether posts are read where deliveries can't tell what was missed. */
	catchUpFromPosts: boolean;
	/** How often the trigger checks its subscription. */
	checkEveryMs: number;
}

/** The options collection, with the default for whatever is left out or makes no sense. */
export function readOptions(options: IDataObject): Settings {
	return {
		brandIds: listOf(options.brandIds),
		description: textOf(options.description).trim(),
		toleranceMs: (positive(options.tolerance) ?? DEFAULT_TOLERANCE_S) * 1000,
		rememberEvents: Math.floor(positive(options.rememberEvents) ?? DEFAULT_REMEMBERED),
		workspaceId: idOf(options.workspaceId),
		additionalEvents: listOf(options.additionalEvents),
		catchUp: !is(false, options.catchUp),
		catchUpFromPosts: is(true, options.catchUpFromPosts),
		checkEveryMs: (positive(options.checkEvery) ?? DEFAULT_CHECK_EVERY_MINUTES) * 60_000,
	};
}

/** The events to subscribe to, each once. */
export const eventsOf = (chosen: unknown, { additionalEvents }: Settings): string[] => [
	...new Set([...listOf(chosen), ...additionalEvents]),
];

/** Only the signed body counts, not the headers with event name and ID (spec, "Signature" 1). */
export function isAskedFor(event: IDataObject, chosenEvents: unknown, settings: Settings): boolean {
	if (!eventsOf(chosenEvents, settings).includes(String(event.type))) return false;
	const { brandIds } = settings;
	return brandIds.length === 0 || brandIds.includes(String(event.brand_id ?? ''));
}

/** A switch's value, or the text that an expression made of it. */
const is = (wanted: boolean, value: unknown): boolean => value === wanted || value === String(wanted);

/** A list as such, or comma-separated. */
const listOf = (value: unknown): string[] =>
	(Array.isArray(value) ? value.map(textOf) : textOf(value).split(','))
		.map((one) => one.trim())
		.filter((one) => one !== '');

const textOf = (value: unknown): string =>
	typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** A resource locator's value, or a bare ID from an expression. */
const idOf = (value: unknown): string =>
	textOf(typeof value === 'object' && value !== null ? (value as IDataObject).value : value).trim();

/** A number of at least 1. */
function positive(value: unknown): number | undefined {
	const number = Number(value);
	return Number.isFinite(number) && number >= 1 ? number : undefined;
}
