import { errors, statusOf as specified } from '../support/specification';

/**
 * Ours, where the spec shows no code: a path, webhook or inbox item that is not there; a failure of our own
 * making (a bug in this service).
 */
const OWN = { PUBLIC_API_NOT_FOUND: 404, PUBLIC_API_INTERNAL_FAILED: 500 } as const;

type KeyOfEach<T> = T extends T ? keyof T : never;
type OfEndpoint = KeyOfEach<(typeof errors.endpoint)[keyof typeof errors.endpoint]>;
export type ErrorCode =
	keyof typeof errors.auth | keyof typeof errors.request | OfEndpoint | keyof typeof OWN;

const STATUS: Record<string, number> = { ...specified, ...OWN };

/** The status of a code; 500 for a code that nobody knows. */
export const statusOf = (code: string): number => STATUS[code] ?? 500;

/** Thrown anywhere in the service, answered as the failure envelope. */
export class ApiError extends Error {
	readonly status: number;

	constructor(
		readonly code: ErrorCode,
		message: string,
	) {
		super(message);
		this.status = statusOf(code);
	}
}

export const bodyInvalid = (message: string) => new ApiError('PUBLIC_API_BODY_INVALID', message);
export const notFound = (message: string) => new ApiError('PUBLIC_API_NOT_FOUND', message);
