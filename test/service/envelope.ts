import { randomBytes } from 'node:crypto';
import { statusOf as specified } from '../support/specification';

/** The codes of the spec, and ours where it shows none: what is not there; a bug in this service. */
const STATUS: Readonly<Record<string, number>> = {
	...specified,
	PUBLIC_API_NOT_FOUND: 404,
	PUBLIC_API_INTERNAL_FAILED: 500,
};

/** The status of a code; 500 for a code that nobody knows. */
export const statusOf = (code: string): number => STATUS[code] ?? 500;

/** Thrown anywhere in the service, answered as the failure envelope. */
export class ApiError extends Error {
	readonly status: number;

	constructor(
		readonly code: string,
		message: string,
	) {
		super(message);
		this.status = statusOf(code);
	}
}

export const bodyInvalid = (message: string) => new ApiError('PUBLIC_API_BODY_INVALID', message);
export const notFound = (message: string) => new ApiError('PUBLIC_API_NOT_FOUND', message);

/** Spec, "Response envelope". `data` is ours: the post that a 422 has persisted. */
export const failure = (code: string, message: string, request_id: string, data?: unknown) => ({
	success: false,
	error: { code, message },
	...(data === undefined ? {} : { data }),
	request_id,
});

export const newId = (prefix: string) => `${prefix}_${randomBytes(9).toString('hex')}`;
