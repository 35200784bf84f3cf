import type { IDataObject } from 'n8n-workflow';

/** How far a delivery's send time may be off (spec, "Signature" 4). */
const DEFAULT_TOLERANCE_S = 300;
/** More than 22 hours (the service's last retry) of one account. */
export const DEFAULT_REMEMBERED = 5000;
const DEFAULT_CHECK_EVERY_MINUTES = 15;

/** What the user set in the options, in the form in which it is used. */
export interface Options {
	additionalEvents: string[];
	/** Empty: the events of all brands. */
	brandIds: string[];
	description: string;
	toleranceMs: number;
	rememberEvents: number;
	/** '' for the credential's. */
	workspaceId: string;
	/** Whether missed events are recovered. */
	catchUp: boolean;
	/** Whether posts are read where deliveries can't tell what was missed. */
	catchUpFromPosts: boolean;
	/** How often the trigger checks its subscription. */
	checkEveryMs: number;
}

export interface Settings extends Options {
	/** All events to subscribe to, each once. */
	events: string[];
}

/** The options collection, with the default for whatever is left out or makes no sense. */
export function readOptions(options: IDataObject): Options {
	return {
		additionalEvents: listOf(options.additionalEvents),
		brandIds: listOf(options.brandIds),
		description: textOf(options.description).trim(),
		toleranceMs: (positive(options.tolerance) ?? DEFAULT_TOLERANCE_S) * 1000,
		rememberEvents: Math.floor(positive(options.rememberEvents) ?? DEFAULT_REMEMBERED),
		workspaceId: idOf(options.workspaceId),
		catchUp: !is(false, options.catchUp),
		catchUpFromPosts: is(true, options.catchUpFromPosts),
		checkEveryMs: (positive(options.checkEvery) ?? DEFAULT_CHECK_EVERY_MINUTES) * 60_000,
	};
}

/** What the user set, everywhere but in an execution. */
export function settingsOf(context: {
	getNodeParameter(name: string, fallback: unknown): unknown;
}): Settings {
	const options = readOptions(context.getNodeParameter('options', {}) as IDataObject);
	const chosen = listOf(context.getNodeParameter('events', []));
	return { ...options, events: [...new Set([...chosen, ...options.additionalEvents])] };
}

/** Only the signed body counts, not the headers with event name and ID (spec, "Signature" 1). */
export const isAskedFor = (event: IDataObject, { events, brandIds }: Settings): boolean =>
	events.includes(String(event.type)) &&
	(brandIds.length === 0 || brandIds.includes(String(event.brand_id ?? '')));

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
