import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { toFailure } from '../../../../nodes/api/failure';
import { records } from '../../../../nodes/api/lists';
import type {
	CheckContext,
	ItemContext,
	ListRequest,
	Operation,
	Request,
} from '../../../../nodes/SocialPublishing/engine/operation';
import { readParams } from '../../../../nodes/SocialPublishing/engine/params';
import type { WriteRequest } from '../../../../nodes/SocialPublishing/writes/write';

/** Noon in UTC, 14:00 in Berlin. */
export const NOW = Date.parse('2026-06-01T12:00:00Z');

export interface Given {
	/** What the service answers, by path, or throws; `{}` where nothing is given. */
	answers?: Record<string, unknown>;
	/** Of each answer. */
	headers?: IDataObject;
	item?: Partial<ItemContext>;
}

/** An item whose requests are noted and answered at once. */
export function fakeItem({ answers = {}, headers = {}, item = {} }: Given = {}) {
	const asked: Request[] = [];
	const made = new Map<string, unknown>();
	const written: WriteRequest[] = [];
	const answerOf = async (name: string, request: Request): Promise<any> => {
		const given = answers[name] ?? (name.startsWith('write ') ? { id: `made_${written.length}` } : {});
		if (given instanceof Error) throw given;
		return typeof given === 'function' ? await given(request) : given;
	};
	const get = async (request: Request) => {
		asked.push(request);
		return { data: await answerOf(request.path, request), headers };
	};
	const context = {
		index: 0,
		now: NOW,
		zone: 'Europe/Berlin',
		postFormat: 'integrationGuide',
		previewOnly: false,
		apiUrl: 'https://api.example.com/v1',
		get,
		write: async (request: WriteRequest) => {
			const whole = (await request.complete?.(request.body ?? {})) ?? request.body;
			const body = request.atSending?.(whole ?? {}) ?? whole;
			written.push({ ...request, body });
			return { body, response: await answerOf(`write ${request.path}`, request) };
		},
		preview: async (request: WriteRequest) => {
			written.push(request);
			return await answerOf(`write ${request.path}`, request);
		},
		sentBefore: () => undefined,
		warn: () => undefined,
		inform: () => undefined,
		list: async ({ listNames, ...request }: ListRequest) =>
			records((await get({ ...request, expects: { list: listNames } })).data, listNames),
		once: async <T>(name: string, make: () => Promise<T>): Promise<T> => {
			if (!made.has(name)) made.set(name, await make());
			return made.get(name) as T;
		},
		sentPosts: async () => [],
		...item,
	} as unknown as ItemContext;
	return { context, asked, written };
}

/** Parameters as a node stores them, as the operation gets them; fields left out have their default. */
export function paramsOf(operation: Operation, given: IDataObject) {
	const context = {
		getNodeParameter: (field: string, _index: number, missing: unknown) =>
			field in given ? given[field] : missing,
		getNode: () => ({ typeVersion: 1, parameters: {} }),
	} as unknown as IExecuteFunctions;
	return readParams(context, operation, 0) as never;
}

/** What an operation of one call asks for. */
export const requestOf = (operation: Operation, given: IDataObject = {}, more: Given = {}): WriteRequest =>
	operation.request!(paramsOf(operation, given), fakeItem(more).context);

/** What it makes of an answer. */
export const shapeOf = (operation: Operation, given: IDataObject, data: unknown): unknown =>
	operation.shape!(data as IDataObject, paramsOf(operation, given), fakeItem().context);

/** An operation of several calls: its items or failures, and what was asked for. */
export async function runOf(operation: Operation, given: IDataObject = {}, more: Given = {}) {
	const { context, asked, written } = fakeItem(more);
	const outcomes = await operation.run!(context, paramsOf(operation, given)).catch((error: unknown) => [
		toFailure(error),
	]);
	return { outcomes, asked, written };
}

/** What a check knows: parameters are typed in, nothing was sent before, no file is there. */
export const checkContext = (more: Partial<CheckContext> = {}): CheckContext => ({
	...fakeItem().context,
	isFixed: () => true,
	wasSent: () => false,
	continueOnFail: false,
	requireFile: (field: string) => {
		throw new Error(`needs ${field}`);
	},
	...more,
});

/** Checks an item before anything is sent. */
export const checkOf = (operation: Operation, given: IDataObject, more: Partial<CheckContext> = {}) =>
	operation.check!(paramsOf(operation, given), checkContext(more));
