import type { IDataObject } from 'n8n-workflow';

import { eventsOf, type Settings } from './settings';

/** Only the signed body counts, not the headers with event name and ID (spec, "Signature" 1). */
export function isAskedFor(event: IDataObject, chosenEvents: unknown, settings: Settings): boolean {
	if (!eventsOf(chosenEvents, settings).includes(String(event.type))) return false;
	const { brandIds } = settings;
	return brandIds.length === 0 || brandIds.includes(String(event.brand_id ?? ''));
}
