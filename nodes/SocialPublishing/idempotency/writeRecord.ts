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

/** What a record of version 0.1.0 has instead of method and path. */
export interface Version010 {
	/** First part of the path: `posts`. */
	kind: string;
	position: string;
	contentHash: string;
	/** Further parts of its key: its name where another item had taken the place, how often it followed a refusal. */
	more: string[];
}

/** As n8n stores it. */
export interface WriteRecord {
	key: string;
	state: Exclude<State, 'new'>;
	mode?: KeyMode;
	run: string;
	item: string;
	/** Of these four, what is undefined was not stored by version 0.1.0. */
	method?: string;
	path?: string;
	workspaceId?: string;
	targets?: string[];
	part: string;
	request?: FrozenRequest;
	answer?: IDataObject;
	failure?: ErrorDetails;
	version010?: Version010;
}
