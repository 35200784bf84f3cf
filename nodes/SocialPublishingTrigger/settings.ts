import type { IDataObject } from 'n8n-workflow';

/** More than 22 hours (the service's last retry) of one account. */
export const DEFAULT_REMEMBERED = 5000;

/** What the user set, in the form in which it is used. */
export type Settings = ReturnType<typeof settingsOf>;

/** The parameters, with the default for whatever is left out or makes no sense. In an execution the item has to be added. */
export function settingsOf(context: { getNodeParameter(name: string, fallback: unknown): unknown }) {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const chosen = readList(context.getNodeParameter('events', []));
	return {
		/** All events to subscribe to, each once. */
		events: [...new Set([...chosen, ...readList(options.additionalEvents)])],
		includePost: is(true, context.getNodeParameter('includePost', true)),
		/** Empty: the events of all brands. */
		brandIds: readList(options.brandIds),
		description: readText(options.description),
		/** How far a delivery's send time may be off (spec, "Signature" 4). */
		toleranceMs: positive(options.tolerance, 300) * 1000,
		rememberEvents: Math.floor(positive(options.rememberEvents, DEFAULT_REMEMBERED)),
		/** '' for the credential's. */
		workspaceId: readText(options.workspaceId),
		catchUp: !is(false, options.catchUp),
		/** Whether posts are read where deliveries don't name what was missed. */
		catchUpFromPosts: is(true, options.catchUpFromPosts),
		checkEveryMs: positive(options.checkEvery, 15) * 60_000,
	};
}

/** Only the signed body counts, not the headers with event name and ID (spec, "Signature" 1). */
export const isAskedFor = (event: IDataObject, { events, brandIds }: Settings): boolean =>
	events.includes(String(event.type)) &&
	(brandIds.length === 0 || brandIds.includes(String(event.brand_id ?? '')));

/** A switch's value, or the text that an expression made of it. */
const is = (wanted: boolean, value: unknown): boolean => value === wanted || value === String(wanted);

/** A list as such, or comma-separated. */
const readList = (value: unknown): string[] =>
	(Array.isArray(value) ? value : readText(value).split(',')).map(readText).filter((one) => one !== '');

/** A text or number; of a resource locator, its value. */
function readText(value: unknown): string {
	const inner = typeof value === 'object' && value !== null ? (value as IDataObject).value : value;
	return typeof inner === 'string' || typeof inner === 'number' ? String(inner).trim() : '';
}

/** A number of at least 1. */
function positive(value: unknown, missing: number): number {
	const number = Number(value);
	return Number.isFinite(number) && number >= 1 ? number : missing;
}
