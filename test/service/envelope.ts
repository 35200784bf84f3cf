import { randomBytes } from 'node:crypto';

/** Spec, "Response envelope". */
export const success = (data: unknown, requestId: string) => ({ success: true, data, request_id: requestId });

/** Spec, "Response envelope". `data` is ours: the post that a 422 has persisted. */
export const failure = (code: string, message: string, requestId: string, data?: unknown) => ({
	success: false,
	error: { code, message },
	...(data === undefined ? {} : { data }),
	request_id: requestId,
});

export const newId = (prefix: string) => `${prefix}_${randomBytes(9).toString('hex')}`;

let requests = 0;
const run = randomBytes(4).toString('hex');

/** Cheap: one for every request. */
export const newRequestId = () => `req_${run}${(++requests).toString(36).padStart(7, '0')}`;
