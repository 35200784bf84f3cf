import type { IDataObject } from 'n8n-workflow';

const DEFAULT_TOLERANCE_S = 300;
/** More than 22 hours (the service's last retry) of one account. */
export const DEFAULT_REMEMBERED = 5000;
const DEFAULT_CHECK_EVERY_MINUTES = 15;

/** What the user set, in the form in which it is used. */
export interface Settings {
	/** All events to subscribe to, each once. */
	events: string[];
	includePost: boolean;
	/** Empty: the events of all brands. */
	brandIds: string[];
	description: string;
	/** How far a delivery's send time may be off (spec, "Signature" 4). */
	toleranceMs: number;
	rememberEvents: number;
	/** '' for the credential's. */
	workspaceId: string;
	/** Whether missed events are recovered. */
	catchUp: boolean;
	/** Whether posts are read where deliveries don't name what was missed. */
	catchUpFromPosts: boolean;
	/** How often the trigger checks its subscription. */
	checkEveryMs: number;
}

/** Reads a parameter: `getNodeParameter` of any context but an execution's, which also takes the item. */
interface ParameterContext {
	getNodeParameter(name: string, fallback: unknown): unknown;
}

/** The parameters, with the default for whatever is left out or makes no sense. */
export function settingsOf(context: ParameterContext): Settings {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const chosen = listOf(context.getNodeParameter('events', []));
	return {
		events: [...new Set([...chosen, ...listOf(options.additionalEvents)])],
		includePost: is(true, context.getNodeParameter('includePost', true)),
		brandIds: listOf(options.brandIds),
		description: textOf(options.description),
		toleranceMs: positive(options.tolerance, DEFAULT_TOLERANCE_S) * 1000,
		rememberEvents: Math.floor(positive(options.rememberEvents, DEFAULT_REMEMBERED)),
		workspaceId: textOf(options.workspaceId),
		catchUp: !is(false, options.catchUp),
		catchUpFromPosts: is(true, options.catchUpFromPosts),
		checkEveryMs: positive(options.checkEvery, DEFAULT_CHECK_EVERY_MINUTES) * 60_000,
	};
}

/** Only the signed body counts, not the headers with event name and ID (spec, "Signature" 1). */
export const isAskedFor = (event: IDataObject, { events, brandIds }: Settings): boolean =>
	events.includes(String(event.type)) &&
	(brandIds.length === 0 || brandIds.includes(String(event.brand_id ?? '')));

/** A switch's value, or the text that an expression made of it. */
const is = (wanted: boolean, value: unknown): boolean => value === wanted || value === String(wanted);

/** A list as such, or comma-separated. */
const listOf = (value: unknown): string[] =>
	(Array.isArray(value) ? value : textOf(value).split(',')).map(textOf).filter((one) => one !== '');

/** A text or number; of a resource locator, its value. */
function textOf(value: unknown): string {
	const inner = typeof value === 'object' && value !== null ? (value as IDataObject).value : value;
	return typeof inner === 'string' || typeof inner === 'number' ? String(inner).trim() : '';
}

/** A number of at least 1. */
function positive(value: unknown, missing: number): number {
	const number = Number(value);
	return Number.isFinite(number) && number >= 1 ? number : missing;
}
