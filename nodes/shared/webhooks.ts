import type { IDataObject } from 'n8n-workflow';

/** A subscription as the service lists it; what the list does not show is undefined. */
export interface RemoteSubscription {
	id?: string;
	url?: string;
	events?: string[];
	isDisabled: boolean;
}

/** Spec: `GET /webhooks`; the fields of a record are not shown. */
export function readSubscription(record: IDataObject): RemoteSubscription {
	const { id, url, events } = record;
	const hasId = (typeof id === 'string' && id !== '') || typeof id === 'number';
	return {
		...(hasId ? { id: String(id) } : {}),
		...(typeof url === 'string' ? { url } : {}),
		...(Array.isArray(events) ? { events: events.map(String) } : {}),
		isDisabled: isDisabled(record),
	};
}

/** How a disabled webhook is told is not shown: these are the usual ways. */
const isDisabled = ({ status, active, enabled, disabled }: IDataObject): boolean =>
	status === 'disabled' ||
	status === 'inactive' ||
	active === false ||
	enabled === false ||
	disabled === true;
