import type { IDataObject, INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { Failure, type ErrorDetails } from './failure';

const credentialCodes = new Set([
	'PUBLIC_API_AUTH_REQUIRED',
	'PUBLIC_API_KEY_INVALID',
	'PUBLIC_API_KEY_EXPIRED',
]);

/** n8n's own words for why something failed, where they fit. */
function causeOf({ code, status, retry_after_seconds, retryable }: ErrorDetails) {
	if (status === 429)
		return {
			cause: 'rate-limited' as const,
			...(retry_after_seconds === undefined ? {} : { retryAfterMs: retry_after_seconds * 1000 }),
		};
	if (status === 401 || credentialCodes.has(code)) return { cause: 'credential-invalid' as const };
	if (status === 403) return { cause: 'configuration-invalid' as const };
	if (status >= 500 || (status === 0 && retryable)) return { cause: 'temporarily-unavailable' as const };
	return undefined;
}

/** The details as they stand in an item: nothing undefined, in a fixed order. */
export const toErrorItem = ({ message, hint, code, status, retryable, ...rest }: ErrorDetails): IDataObject =>
	JSON.parse(JSON.stringify({ message, hint, code, status, retryable, ...rest })) as IDataObject;

/**
 * The one way from a failure to n8n's error classes: `NodeOperationError` for our own refusals, else `NodeApiError`. What
 * happened is the message, what to do the description; everything else stands under *Error details*.
 * Anything that is no {@link Failure} is returned as n8n would show it.
 * @param itemIndex n8n adds it to the message ("[item 0]"): leave it out where the message names a row
 */
export function toNodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (!(error instanceof Failure)) return new NodeOperationError(node, error as Error, { itemIndex });
	const { details } = error;
	const description = details.hint;
	const failure = causeOf(details);
	const own = details.code.startsWith('NODE_') && details.status === 0 && !details.retryable;
	const nodeError = own
		? new NodeOperationError(node, details.message, { description, itemIndex, level: 'warning' })
		: new NodeApiError(node, { message: details.message } as JsonObject, {
				message: details.message,
				description,
				itemIndex,
				...(details.status ? { httpCode: String(details.status) } : {}),
				...(failure ? { failure } : {}),
			});
	nodeError.context.data = toErrorItem(details);
	return nodeError;
}
