import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { toFailure } from '../../../../nodes/api/errors';
import type { ItemContext, Request, WriteRequest } from '../../../../nodes/SocialPublishing/engine/operation';
import { findOperation } from '../../../../nodes/SocialPublishing/engine/operation';
import { readParams } from '../../../../nodes/SocialPublishing/engine/params';
import { resources } from '../../../../nodes/SocialPublishing/resources';

/** Noon in UTC, 14:00 in Berlin. */
export const NOW = Date.parse('2026-06-01T12:00:00Z');

export interface Given {
	/** What the service answers, by path, or throws; `{}` where nothing is given. */
	answers?: Record<string, unknown>;
	item?: Partial<ItemContext>;
}

/** An item whose requests are noted and answered at once. */
export function fakeItem({ answers = {}, item = {} }: Given = {}) {
	const asked: Request[] = [];
	const written: WriteRequest[] = [];
	const answer = async (request: Request): Promise<any> => {
		asked.push(request);
		const given = answers[request.path] ?? {};
		if (given instanceof Error) throw given;
		return typeof given === 'function' ? await given(request) : given;
	};
	const context = {
		index: 0,
		now: NOW,
		zone: 'Europe/Berlin',
		postFormat: 'integrationGuide',
		previewOnly: false,
		apiUrl: 'https://api.example.com/v1',
		isFixed: () => true,
		get: answer,
		answer: async (request: Request) => ({ data: await answer(request), headers: {} }),
		write: async (request: WriteRequest) => {
			written.push(request);
			request.check?.();
			request.sent?.(request.body);
			const given = answers[`write ${request.path}`] ?? { id: `made_${written.length}` };
			if (given instanceof Error) throw given;
			return typeof given === 'function' ? await given(request) : given;
		},
		sentBefore: async () => [],
		list: async ({ path }: { path: string }) => (answers[path] ?? []) as IDataObject[],
		...item,
	} as unknown as ItemContext;
	return { context, asked, written };
}

/** An operation by its name (`post.create`), with parameters as a node stores them; fields left out have their default. */
export function operationOf(name: string, given: IDataObject) {
	const [resource, value] = name.split('.') as [string, string];
	const operation = findOperation(resources, resource, value)!;
	const context = {
		getNodeParameter: (field: string, _index: number, missing: unknown) => given[field] ?? missing,
		getNode: () => ({ typeVersion: 1, parameters: {} }),
	} as unknown as IExecuteFunctions;
	return { operation, params: readParams(context, operation, 0) as never };
}

/** What an operation of one call asks for. */
export function requestOf(name: string, given: IDataObject, more: Given = {}): WriteRequest {
	const { operation, params } = operationOf(name, given);
	return operation.request!(params, fakeItem(more).context);
}

/** What it makes of an answer. */
export function shapeOf(name: string, given: IDataObject, data: unknown): unknown {
	const { operation, params } = operationOf(name, given);
	return operation.shape!(data as IDataObject, params);
}

/** An operation of several calls: its items or failures, and what was asked for. */
export async function runOf(name: string, given: IDataObject, more: Given = {}) {
	const { operation, params } = operationOf(name, given);
	const { context, asked, written } = fakeItem(more);
	const outcomes = await operation.run!(context, params).catch((error: unknown) => [toFailure(error)]);
	return { outcomes, asked, written };
}
