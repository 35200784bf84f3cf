import compact from 'lodash/compact';
import min from 'lodash/min';
import type { IDataObject } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { refusal, toFailure, type Failure, type Outcome } from '../../api/failure';
import { records } from '../../api/lists';
import { customKey } from '../writes/key';
import { withFields, type SentWrite, type Write } from '../writes/write';
import { Item } from './item';
import type { Operation, Plan } from './operation';
import type { CommonOptions } from './options';
import { readParams } from './params';
import type { Run } from './run';

/** An input item on its way. */
export interface Row {
	readonly index: number;
	readonly params?: IDataObject;
	readonly item?: Item;
	/** Of an operation that plans: all that {@link send} is going to send. */
	readonly plan?: Plan;
	/** What is wrong with it, once that is known. */
	failure?: Failure;
	/** Sends what was planned, or reads. */
	send(): Promise<Outcome[]>;
}

/** n8n must not stand still for longer while rows are planned. */
const LONGEST_BLOCK_MS = 100;

/** All rows, planned in their order: only reads were sent for that. */
export async function planRows(run: Run, operation: Operation, count: number): Promise<Row[]> {
	const rows: Row[] = [];
	let resumedAt = Date.now();
	for (let index = 0; index < count; index++) {
		rows.push(await plannedRow(run, operation, index));
		if (Date.now() - resumedAt < LONGEST_BLOCK_MS) continue;
		await sleep(0);
		resumedAt = Date.now();
	}
	if (!rows.some(({ failure }) => failure) || run.n8n.continueOnFail()) limitPosts(run, rows);
	return rows;
}

async function plannedRow(run: Run, operation: Operation, index: number): Promise<Row> {
	try {
		const params = readParams(run.n8n, operation, index);
		const options = params.options as CommonOptions;
		if (options.idempotencyKeyMode === 'custom') customKey(options.idempotencyKey ?? '');
		const item = new Item(run, index, options);
		const row = { index, params, item };
		const { plan: makePlan, send, run: read, request } = operation;
		if (makePlan) {
			const plan = await makePlan(params as never, item);
			return { ...row, plan, send: async () => await send!(plan as never, item) };
		}
		if (read) return { ...row, send: async () => await read(item, params as never) };
		return { ...row, send: request ? oneCall(operation, params, item) : async () => [] };
	} catch (error) {
		return { index, failure: toFailure(error).withNotProcessed(true), send: async () => [] };
	}
}

/** Sends the request of an operation of one call. */
function oneCall(operation: Operation, params: IDataObject, item: Item): Row['send'] {
	const { method, shape, list: listNames } = operation;
	const request = operation.request!(params as never, item);
	const write = method === 'GET' ? undefined : withAdditionalFields(operation, item, request);
	const expects = listNames ? { list: listNames } : ('record' as const);
	return async () => {
		if (write && item.previewOnly) return [item.preview(write)];
		const { body, response }: Partial<SentWrite> = write ? await item.write(write) : {};
		const data = response ?? (await item.get({ expects, ...request })).data;
		const shaped = shape ? shape(data as IDataObject, params as never, item, body) : data;
		if (!listNames) return [shaped as IDataObject].flat();
		const list = records(shaped, listNames);
		return params.returnAll ? list : list.slice(0, params.limit as number);
	};
}

/** The write of an operation of one call, with the user's additional fields; throws if it's too late for it. */
function withAdditionalFields({ method }: Operation, item: Item, request: Write): Write {
	const { additionalFields = {} } = item.options;
	const isAdded = (method === 'POST' || method === 'PATCH') && Object.keys(additionalFields).length > 0;
	if (!isAdded && !request.body) return request;
	const write = { ...request, body: withFields(request.body, isAdded ? additionalFields : {}) };
	if (write.finish && item.sentForItem(write.path).length === 0) write.finish(write.body);
	return write;
}

/** Option *Max Posts per Execution*: posts of all rounds of a loop and all calls of a tool in this execution. */
function limitPosts(run: Run, rows: Row[]): void {
	const posting = rows.filter(({ failure, item }) => !failure && !item?.previewOnly);
	const limits = posting.map(({ params }) => Number((params!.options as IDataObject).mostPosts));
	const most = min(compact(limits));
	if (most === undefined) return;
	const before = run.postsSent;
	const wanted = posting.flatMap(({ plan }) => plan?.posts ?? []).filter(({ isSent }) => !isSent).length;
	if (before + wanted <= most) return;
	const tooMany = refusal(
		'MOST_POSTS',
		`This execution may send ${postCount(most)}: ${before} ${before === 1 ? 'was' : 'were'} sent already, ${postCount(wanted)} more ${wanted === 1 ? 'is' : 'are'} asked for`,
		"Request fewer posts, or raise 'Max Posts per Execution' in the node's options.",
	).withNotProcessed(true);
	for (const row of posting) row.failure = tooMany;
}

const postCount = (count: number): string => `${count} ${count === 1 ? 'post' : 'posts'}`;
