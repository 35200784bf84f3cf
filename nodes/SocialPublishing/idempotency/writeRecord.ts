import type { IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import type { ErrorDetails } from '../../api/errors';
import type { KeyMode } from './key';
import type { State } from './transitions';

/** A request as it goes out. */
export interface FrozenRequest {
	method: IHttpRequestMethods;
	path: string;
	/** Node's or credential's, as it was then; '' for none. */
	workspaceId?: string;
	/** Left out of multipart requests. */
	body?: IDataObject;
}

/** As n8n stores it. */
export interface WriteRecord {
	key: string;
	state: Exclude<State, 'new'>;
	mode: KeyMode;
	run: string;
	item: string;
	method: string;
	path: string;
	/** '' for none. */
	workspaceId: string;
	targets: string[];
	part: string;
	request?: FrozenRequest;
	answer?: IDataObject;
	failure?: ErrorDetails;
}
