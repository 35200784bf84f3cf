import type { IDataObject, INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { Failure, type ErrorDetails } from './failure';

/** The details as they stand in an item, in a fixed order. */
export const toErrorItem = ({ message, hint, code, status, retryable, ...rest }: ErrorDetails): IDataObject =>
	JSON.parse(JSON.stringify({ message, hint, code, status, retryable, ...rest })) as IDataObject;

type NodeError = NodeApiError | NodeOperationError;

/**
 * A failure in n8n's error classes: `NodeOperationError` for our own refusals, else `NodeApiError`. n8n adds `itemIndex` to
 * the message ("[item 0]"): leave it out where the message names a row.
 */
export function toNodeError(node: INode, error: unknown, itemIndex?: number): NodeError {
	const nodeError = inClassOfN8n(node, error, itemIndex);
	// n8n stores an execution whose message has the word `canceled` as canceled: no error workflow, no retry.
	nodeError.message = nodeError.message.replace(/(cance)(l)(?=ed)/gi, '$1$2$2');
	return nodeError;
}

function inClassOfN8n(node: INode, error: unknown, itemIndex?: number): NodeError {
	if (error instanceof NodeApiError || error instanceof NodeOperationError) return error;
	if (!(error instanceof Failure)) return new NodeOperationError(node, error as Error, { itemIndex });
	const { message, hint, code, status, retryable } = error.details;
	// n8n shows descriptions as HTML.
	const description = hint.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/\n/g, '<br>');
	const isOwn = code.startsWith('NODE_') && status === 0 && !retryable;
	const httpCode = status ? String(status) : undefined;
	const nodeError = isOwn
		? new NodeOperationError(node, message, { description, itemIndex, level: 'warning' })
		: new NodeApiError(node, { message }, { message, description, itemIndex, httpCode });
	nodeError.context.data = toErrorItem(error.details);
	return nodeError;
}
