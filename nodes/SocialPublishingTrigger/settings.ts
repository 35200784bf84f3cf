import { omitBy, uniq } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { textOf } from '../api/texts';
import { locatorValue } from '../shared/locator';
import { readBoolean, readEntries, readNumber } from '../shared/parameters';
import { triggerOptions, triggerProperties } from './properties';

export type Settings = ReturnType<typeof settingsOf>;

/** What the editor shows is said there alone. */
const fields = [...triggerProperties, ...triggerOptions];
const defaults = Object.fromEntries(fields.map((field) => [field.name, field.default]));
const labels = Object.fromEntries(fields.map((field) => [field.name, field.displayName]));

/** The parameters, with the default for what is left out or empty. @throws Failure where a value makes no sense */
export function settingsOf(context: { getNodeParameter(name: string, fallback: unknown): unknown }) {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const all = { ...options, includePost: context.getNodeParameter('includePost', true) };
	const given: Record<string, unknown> = { ...defaults, ...omitBy(all, (value) => textOf(value) === '') };
	const number = (name: string) => readNumber(labels[name]!, given[name], 1);
	const boolean = (name: string) => readBoolean(labels[name]!, given[name]);
	return {
		events: uniq([context.getNodeParameter('events', []), options.additionalEvents].flatMap(readEntries)),
		includePost: boolean('includePost'),
		/** Empty: the events of all brands. */
		brandIds: readEntries(options.brandIds),
		description: textOf(options.description).trim(),
		/** How far a delivery's send time may be off (spec, "Signature" 4). */
		toleranceMs: number('tolerance') * 1000,
		rememberEvents: Math.floor(number('rememberEvents')),
		workspaceId: locatorValue(options.workspaceId),
		catchUp: boolean('catchUp'),
		catchUpFromPosts: boolean('catchUpFromPosts'),
		checkEveryMs: number('checkEvery') * 60_000,
	};
}

/** Only the signed body counts, not the headers with event name and ID (spec, "Signature" 1). */
export const isAskedFor = ({ type, brand_id }: IDataObject, { events, brandIds }: Settings): boolean =>
	events.includes(String(type)) && (brandIds.length === 0 || brandIds.includes(textOf(brand_id)));
