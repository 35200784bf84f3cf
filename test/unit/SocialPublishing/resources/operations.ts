import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { toFailure, type Failure, type Outcome } from '../../../../nodes/api/failure';
import { isRecord, listIn } from '../../../../nodes/api/lists';
import { readList, type Listed } from '../../../../nodes/api/pages';
import type { Item, ListRequest, ReadRequest } from '../../../../nodes/SocialPublishing/engine/item';
import type { Operation, Plan } from '../../../../nodes/SocialPublishing/engine/operation';
import { apiFieldsOf, type CommonOptions } from '../../../../nodes/SocialPublishing/engine/options';
import { readParams } from '../../../../nodes/SocialPublishing/engine/params';
import { withColumns } from '../../../../nodes/SocialPublishing/engine/tables';
import type { PlannedFile } from '../../../../nodes/SocialPublishing/media/files';
import { resources } from '../../../../nodes/SocialPublishing/resources';
import type { Outgoing, Write, Writer } from '../../../../nodes/SocialPublishing/writes/write';

/** Noon in UTC, 14:00 in Berlin. */
export const NOW = Date.parse('2026-06-01T12:00:00Z');

export interface Given {
	/** What the service answers, by path, or throws; `{}`, or an empty list, where nothing is given. Of writes by `write <path>`. */
	answers?: Record<string, unknown>;
	/** Of each answer. */
	headers?: IDataObject;
	/** Binary fields that the item doesn't have. */
	missingFiles?: string[];
	item?: Partial<Item>;
	writer?: Partial<Writer>;
}

/** Files that are uploaded at once; `uploaded` lists them. */
function fakeUploads(missing: string[] = []) {
	const uploaded: string[] = [];
	const fileOf = async ({ source }: PlannedFile) => ({
		record: { filename: source },
		readUrl: `https://s/${source}?sig`,
	});
	const uploads = {
		requireFile: async ({ source }: PlannedFile, isDirect: boolean) => {
			if (missing.includes(source)) throw new Error(`needs ${source}${isDirect ? ' in memory' : ''}`);
		},
		describe: ({ source }: PlannedFile) => ({ name: source }),
		targetsOf: (files: PlannedFile[]) => files.map(({ source }) => `file-${source}`),
		writesOf: (files: PlannedFile[], path: string) =>
			files.map(({ source }) => ({ path, target: `file-${source}`, says: {} })),
		preview: fileOf,
		shown: ({ source }: PlannedFile) => ({
			...{ name: source, contentType: 'image/png', sizeBytes: 1 },
			bytes: Buffer.from(source),
		}),
		attached: async (files: PlannedFile[]) => {
			uploaded.push(...files.map(({ source }) => source));
			return await Promise.all(files.map(fileOf));
		},
		all: async (files: PlannedFile[]) => files.map(({ source }) => ({ file: source })),
		direct: async (files: PlannedFile[]) => files.map(({ source }) => ({ file: source })),
	} as unknown as Item['uploads'];
	return { uploads, uploaded };
}

/** Of an item: what comes of the wait for a post. */
export const waiting = (waitFor: (id: string, options: object) => Promise<IDataObject>) =>
	({
		shared: () => ({
			until: async (id: string, _workspaceId: string, options: object) => await waitFor(id, options),
		}),
	}) as unknown as Partial<Item>;

/** An item whose requests are noted and answered at once. */
export function fakeItem(
	{ answers = {}, headers = {}, missingFiles, item = {}, writer }: Given = {},
	options: CommonOptions = {},
) {
	const asked: ReadRequest[] = [];
	const made = new Map<string, Promise<unknown>>();
	const written: Array<Write & Outgoing> = [];
	const { uploads, uploaded } = fakeUploads(missingFiles);
	const answerOf = async (name: string, request: ReadRequest): Promise<any> => {
		const nothing = request.expects === 'list' ? [] : {};
		const given = answers[name] ?? (name.startsWith('write ') ? { id: `made_${written.length}` } : nothing);
		if (given instanceof Error) throw given;
		return typeof given === 'function' ? await given(request) : given;
	};
	const get = async (request: ReadRequest) => {
		asked.push(request);
		return { data: await answerOf(request.path, request), headers };
	};
	const context: Item = {
		index: 0,
		options,
		now: NOW,
		zone: 'Europe/Berlin',
		postFormat: 'integrationGuide',
		isPreview: (options.preview ?? 'off') !== 'off',
		keyMode: options.avoidDuplicates?.by?.mode ?? 'execution',
		ownId: options.avoidDuplicates?.by?.id,
		apiFields: apiFieldsOf(options),
		workspaceId: options.workspaceId ?? '',
		apiUrl: 'https://api.example.com/v1',
		continueOnFail: false,
		uploads,
		get,
		writer: {
			journal: { all: [] },
			known: () => undefined,
			send: async (_item: Item, write: Write, outgoing: Outgoing) => {
				const body = outgoing.finish?.(outgoing.body ?? {}) ?? outgoing.body;
				written.push({ ...write, ...outgoing, body });
				return { body, response: await answerOf(`write ${write.path}`, { ...write, workspaceId: '' }) };
			},
			preview: (_item: Item, { path }: Write, body?: IDataObject) => ({
				preview: true,
				request: { method: 'POST', path, body },
			}),
			...writer,
		},
		hint: () => undefined,
		list: async (request: ListRequest) => await readList(async (one) => await context.get(one), request),
		listAside: async <T>(request: ListRequest, read: (listed: Listed) => T) =>
			await context.once(request.path, async () => read(await context.list(request))).catch(() => undefined),
		once: async <T>(name: string, make: () => Promise<T>): Promise<T> => {
			if (!made.has(name)) made.set(name, make());
			return (await made.get(name)) as T;
		},
		...item,
	} as unknown as Item;
	return { context, asked, written, uploaded };
}

/** An operation of the table, such as `post.create`. */
export function operationOf(name: string): Operation {
	const [resource, value] = name.split('.');
	return resources.find((one) => one.value === resource)!.operations.find((one) => one.value === value)!;
}

/** Parameters as a node stores them, as the operation gets them; fields left out have their default. */
export function paramsOf(operation: Operation, given: IDataObject) {
	const context = {
		getInputData: () => [],
		getNodeParameter: (field: string, _index: number, missing: unknown) =>
			field in given ? given[field] : missing,
		getNode: () => ({ type: 'socialPublishing', typeVersion: 1, parameters: {} }),
	} as unknown as IExecuteFunctions;
	return readParams(context, operation, 0) as never;
}

/** What an operation of one call asks for. */
export const requestOf = (
	operation: Operation,
	given: IDataObject = {},
	more: Given = {},
): ReturnType<NonNullable<Operation['request']>> =>
	operation.request!(paramsOf(operation, given), fakeItem(more).context);

/** What it makes of an answer; a promise where it asks the service for more. */
export function shapeOf(
	operation: Operation,
	given: IDataObject,
	data: unknown,
	sent?: IDataObject,
	more: Given = {},
): unknown {
	const [params, { context }] = [paramsOf(operation, given), fakeItem(more)];
	if (!operation.rows) return operation.shape!(data as IDataObject, params, context, sent);
	const records = listIn(data)!.filter(isRecord);
	const { returnAll, limit } = params as IDataObject;
	const isWanted = operation.filter?.(params) ?? (() => true);
	const found = records.filter(isWanted).slice(0, returnAll ? undefined : (limit as number));
	const rows = operation.rows(found, params, context);
	const made = (all: IDataObject[]) => (operation.ownColumns ? all : withColumns(all));
	return Array.isArray(rows) ? made(rows) : rows.then(made);
}

/** An operation of several reads: its items or failures, and what was asked for. */
export async function runOf(operation: Operation, given: IDataObject = {}, more: Given = {}) {
	const { context, asked, written } = fakeItem(more);
	const outcomes = await operation.run!(context, paramsOf(operation, given)).catch((error: unknown) => [
		toFailure(error),
	]);
	return { outcomes, asked, written };
}

/** What an item would send, of an operation with a plan; throws what is wrong with the row. */
export async function planOf<One extends Plan = Plan>(
	operation: Operation,
	given: IDataObject = {},
	more: Given = {},
) {
	const params = paramsOf(operation, given);
	const fake = fakeItem(more, (params as { options: CommonOptions }).options);
	const plan = (await operation.plan!(params, fake.context)) as One;
	const wrong: ReadonlyMap<unknown, Failure> | undefined = await operation.check?.([plan as never]);
	if (wrong?.has(plan)) throw wrong.get(plan)!;
	return { ...fake, item: fake.context, params, plan };
}

/** What the plan of an item looks like in its preview. */
export async function previewOf(operation: Operation, given: IDataObject = {}, more: Given = {}) {
	const { item, plan, ...rest } = await planOf(operation, given, more);
	const [outcomes] = await operation.preview!([plan as never]);
	return { ...rest, item, plan, outcomes: outcomes! };
}

/** An operation with a plan, planned and sent: its items or failures, and what was written; throws as {@link planOf}. */
export async function sendOf<One extends Plan = Plan>(
	operation: Operation,
	given: IDataObject = {},
	more: Given = {},
) {
	const planned = await planOf<One>(operation, given, more);
	const { item, params, plan } = planned;
	const failed = (error: unknown): Outcome[] => [toFailure(error)];
	const sent = await operation.send!(plan as never).catch(failed);
	const outcomes = operation.wait
		? await operation.wait(sent, params, item, plan as never).catch(failed)
		: sent;
	return { ...planned, outcomes };
}
