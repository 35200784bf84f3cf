import { omitBy, uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../api/texts';
import { locatorValue } from '../shared/locator';
import { readBoolean, readEntries, readNumber } from '../shared/parameters';

export type Settings = ReturnType<typeof settingsOf>;

/** What counts where it is left out or empty. */
const defaults = { includePost: true, tolerance: 300, rememberEvents: 5000, catchUp: true, checkEvery: 15 };

/** The parameters, with the default for what is left out or empty. @throws Failure where a value makes no sense */
export function settingsOf(context: { getNodeParameter(name: string, fallback: unknown): unknown }) {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const all = { ...options, includePost: context.getNodeParameter('includePost', true) };
	const given: IDataObject = { ...defaults, ...omitBy(all, (value) => textOf(value) === '') };
	return {
		events: uniq([context.getNodeParameter('events', []), options.additionalEvents].flatMap(readEntries)),
		includePost: readBoolean('Include Post', given.includePost),
		/** Empty: the events of all brands. */
		brandIds: readEntries(options.brandIds),
		description: textOf(options.description).trim(),
		/** How far a delivery's send time may be off (spec, "Signature" 4). */
		toleranceMs: readNumber('Max Clock Difference (Seconds)', given.tolerance, 1) * 1000,
		rememberEvents: Math.floor(readNumber('Events to Remember', given.rememberEvents, 1)),
		workspaceId: locatorValue(options.workspaceId),
		catchUp: readBoolean('Recover Missed Events', given.catchUp),
		catchUpFromPosts: readBoolean('Recover From Posts', given.catchUpFromPosts),
		checkEveryMs: readNumber('Check Every (Minutes)', given.checkEvery, 1) * 60_000,
	};
}

/** Only the signed body counts, not the headers with event name and ID (spec, "Signature" 1). */
export const isAskedFor = ({ type, brand_id }: IDataObject, { events, brandIds }: Settings): boolean =>
	events.includes(String(type)) && (brandIds.length === 0 || brandIds.includes(textOf(brand_id)));
