import { isNil, uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../api/texts';
import { locatorValue } from '../shared/locator';
import { readBoolean, readEntries, readNumber } from '../shared/parameters';

export type Settings = ReturnType<typeof settingsOf>;

/** The parameters, with the default for what is left out or empty. @throws Failure where a value makes no sense */
export function settingsOf(context: { getNodeParameter(name: string, fallback: unknown): unknown }) {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const given = (value: unknown, missing: unknown) => (isNil(value) || value === '' ? missing : value);
	const number = (label: string, missing: number, value: unknown) =>
		readNumber(label, given(value, missing), 1);
	const flag = (label: string, missing: boolean, value: unknown) => readBoolean(label, given(value, missing));
	const chosen = readEntries(context.getNodeParameter('events', []));
	return {
		events: uniq([...chosen, ...readEntries(options.additionalEvents)]),
		includePost: flag('Include Post', true, context.getNodeParameter('includePost', true)),
		/** Empty: the events of all brands. */
		brandIds: readEntries(options.brandIds),
		description: textOf(options.description).trim(),
		/** How far a delivery's send time may be off (spec, "Signature" 4). */
		toleranceMs: number('Max Clock Difference (Seconds)', 300, options.tolerance) * 1000,
		rememberEvents: Math.floor(number('Events to Remember', 5000, options.rememberEvents)),
		workspaceId: locatorValue(options.workspaceId),
		catchUp: flag('Recover Missed Events', true, options.catchUp),
		catchUpFromPosts: flag('Recover From Posts', false, options.catchUpFromPosts),
		checkEveryMs: number('Check Every (Minutes)', 15, options.checkEvery) * 60_000,
	};
}

/** Only the signed body counts, not the headers with event name and ID (spec, "Signature" 1). */
export const isAskedFor = (event: IDataObject, { events, brandIds }: Settings): boolean =>
	events.includes(String(event.type)) &&
	(brandIds.length === 0 || brandIds.includes(String(event.brand_id ?? '')));
