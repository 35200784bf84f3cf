import type { IDataObject } from 'n8n-workflow';

/** A subscription as the service lists it; what the list does not show is undefined. */
export interface RemoteSubscription {
	id?: string;
	url?: string;
	events?: string[];
	isDisabled: boolean;
}

/** Spec: `GET /webhooks`; the fields of a record are not shown. */
export function readSubscription({ url, events, ...record }: IDataObject): RemoteSubscription {
	const id = idOf(record.id);
	return {
		...(id ? { id } : {}),
		...(typeof url === 'string' ? { url } : {}),
		...(Array.isArray(events) ? { events: events.map(String) } : {}),
		isDisabled: isDisabled(record),
	};
}

export const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** An ID as a text; some services count. */
export const idOf = (value: unknown): string | undefined =>
	isText(value) ? value : typeof value === 'number' ? String(value) : undefined;

/** How a disabled webhook is told is not shown: these are the usual ways. */
const isDisabled = ({ status, active, enabled, disabled }: IDataObject): boolean =>
	status === 'disabled' ||
	status === 'inactive' ||
	active === false ||
	enabled === false ||
	disabled === true;
