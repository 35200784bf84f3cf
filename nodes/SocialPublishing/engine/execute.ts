import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { Failure, refusal, toFailure, type Outcome } from '../../api/failure';
import { records } from '../../api/lists';
import { toErrorItem, toNodeError } from '../../api/toNodeError';
import { customKey } from '../writes/key';
import { withFields, type Write } from '../writes/write';
import { Item, type ReadRequest } from './item';
import { findOperation, type Operation, type Plan, type Resource } from './operation';
import type { CommonOptions } from './options';
import { readParams } from './params';
import { isToolRun, Run } from './run';

/** An input item on its way. */
interface Row {
	readonly index: number;
	readonly params?: IDataObject;
	readonly item?: Item;
	/** The request of an operation of one call, or the plan of several. */
	planned?: (ReadRequest & Write) | Plan;
	/** What is wrong with it, once that is known. */
	failure?: Failure;
}

/** n8n must not stand still for longer while rows are planned. */
const LONGEST_BLOCK_MS = 100;

/**
 * Input items → parameters → plans → requests → output items: checks, parallelism, order, pairedItem and continue-on-fail,
 * written once.
 * @throws NodeApiError or NodeOperationError of the first item that failed, unless the node continues on failures
 */
export async function execute(
	n8n: IExecuteFunctions,
	resources: readonly Resource[],
): Promise<INodeExecutionData[][]> {
	const operation = operationOf(n8n, resources);
	const continueOnFail = n8n.continueOnFail();
	// n8n hands a tool its parameters, but no item.
	const count = n8n.getInputData().length || (isToolRun(n8n) ? 1 : 0);
	const run = await Run.open(n8n, operation).catch((error: unknown) =>
		notOpened(toFailure(error), operation),
	);
	if (run instanceof Failure) {
		if (!continueOnFail) throw toNodeError(n8n.getNode(), run);
		return [Array.from({ length: count }, (_, item) => itemOf(run, item))];
	}

	const rows = await plannedRows(run, operation, count);
	const wrong = rows.find(({ failure }) => failure);
	if (wrong && !continueOnFail) throw errorOf(run, run.report.rowsRefused(rows), wrong.index, operation);

	const previews = await previewsOf(operation, rows);
	let isAborted = false;
	const perItem = await Promise.all(
		rows.map(async (row) => {
			const outcomes = await run.limit(async () => {
				if (isAborted) return [];
				const sent =
					previews.get(row) ?? (await sendRow(operation, row).catch((error) => [toFailure(error)]));
				if (!continueOnFail && sent.some(abortsRun)) isAborted = true;
				return sent;
			});
			// Waiting doesn't occupy a concurrency slot.
			return (await waited(operation, row, outcomes)).map((one) => run.withoutKey(one));
		}),
	);

	const isPreview = rows.every(({ item }) => item?.previewOnly);
	if (!isPreview) run.endRound(perItem.flat());
	run.report.warnOfPreviews(perItem);
	const failed = perItem.findIndex((outcomes) => outcomes.some((one) => one instanceof Failure));
	run.report.showHints(failed >= 0);
	if (failed >= 0 && !continueOnFail)
		throw errorOf(run, run.report.runFailed(perItem[failed]!, failed, count), failed, operation);
	return [
		perItem.flatMap((outcomes, index) =>
			outcomes.map((one) => itemOf(one instanceof Failure ? run.report.itemFailed(one, index) : one, index)),
		),
	];
}

/** All rows with their plans: nothing that changes something was sent yet. */
async function plannedRows(run: Run, operation: Operation, count: number): Promise<Row[]> {
	const rows: Row[] = [];
	let resumedAt = Date.now();
	for (let index = 0; index < count; index++) {
		rows.push(await plannedRow(run, operation, index));
		if (Date.now() - resumedAt < LONGEST_BLOCK_MS) continue;
		await sleep(0);
		resumedAt = Date.now();
	}
	const options = rows.find(({ item }) => item)?.item?.options;
	run.setConcurrency(operation.parallel ? options?.concurrency : 1);
	if (!rows.some(({ failure }) => failure) || run.n8n.continueOnFail()) limitPosts(run, rows);
	return rows;
}

/** An input item with its parameters read and all that it is going to send, or what is wrong with it. */
async function plannedRow(run: Run, operation: Operation, index: number): Promise<Row> {
	try {
		const params = readParams(run.n8n, operation, index);
		const options = params.options as CommonOptions;
		if (options.idempotencyKeyMode === 'custom') customKey(options.idempotencyKey ?? '');
		const item = new Item(run, index, options);
		const { plan, request } = operation;
		if (plan) return { index, params, item, planned: await plan(params as never, item) };
		if (!request) return { index, params, item };
		const planned = request(params as never, item);
		return {
			index,
			params,
			item,
			planned: operation.method === 'GET' ? planned : writeOf(operation, item, planned),
		};
	} catch (error) {
		return { index, failure: toFailure(error).withNotProcessed(true) };
	}
}

/** The write of an operation of one call, with the user's additional fields; throws if it's too late for it. */
function writeOf({ method }: Operation, item: Item, request: ReadRequest & Write): Write {
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
	const most = posting.reduce((least, { params }) => Math.min(least, mostPostsOf(params)), Infinity);
	if (most === Infinity) return;
	const before = run.postsSent;
	const wanted = posting
		.flatMap(({ planned }) => (planned as Plan).posts ?? [])
		.filter(({ isSent }) => !isSent).length;
	if (before + wanted > most) for (const row of posting) row.failure = tooManyPosts(most, before, wanted);
}

const mostPostsOf = (params: IDataObject = {}): number =>
	Number((params.options as IDataObject).mostPosts ?? 0) || Infinity;

const tooManyPosts = (most: number, before: number, wanted: number): Failure =>
	refusal(
		'MOST_POSTS',
		`This execution may send ${postCount(most)}: ${before} ${before === 1 ? 'was' : 'were'} sent already, ${postCount(wanted)} more ${wanted === 1 ? 'is' : 'are'} asked for`,
		"Request fewer posts, or raise 'Max Posts per Execution' in the node's options.",
	);

const postCount = (count: number): string => `${count} ${count === 1 ? 'post' : 'posts'}`;

/** What the rows with *Preview Only* would send. */
async function previewsOf(operation: Operation, rows: Row[]): Promise<Map<Row, Outcome[]>> {
	const previewed = rows.filter(({ item, failure }) => !failure && item?.previewOnly);
	const previews = operation.preview
		? await operation.preview(previewed.map(({ item, planned }) => ({ item: item!, plan: planned as never })))
		: previewed.map((row) => [previewOf(row)]);
	return new Map(previewed.map((row, index) => [row, previews[index]!]));
}

function previewOf({ item, planned }: Row): Outcome {
	try {
		return item!.preview(planned as Write);
	} catch (error) {
		return toFailure(error).withNotProcessed(true);
	}
}

/** What one row gives. */
async function sendRow(operation: Operation, { params, item, planned, failure }: Row): Promise<Outcome[]> {
	if (failure) return [failure];
	const { method, run, send, shape, list: listNames } = operation;
	if (run) return await run(item!, params as never);
	if (send) return await send(planned as never, item!);
	if (!planned) return [];
	const expects = listNames ? { list: listNames } : ('record' as const);
	const data =
		method === 'GET'
			? (await item!.get({ expects, ...(planned as ReadRequest) })).data
			: (await item!.write(planned as Write)).response;
	const shaped = shape ? shape(data as IDataObject, params as never, item!) : data;
	if (!listNames) return [shaped as IDataObject].flat();
	const list = records(shaped, listNames);
	return params!.returnAll ? list : list.slice(0, params!.limit as number);
}

/** The outcomes that count after what is waited for. */
async function waited(operation: Operation, row: Row, outcomes: Outcome[]): Promise<Outcome[]> {
	const { item, params, failure } = row;
	if (!operation.after || failure || item!.previewOnly) return outcomes;
	return await operation
		.after(item!, outcomes, params as never)
		.catch((error: unknown) => [toFailure(error)]);
}

/**
 * Whether the rows after this one are left for a retry. Not for a conflict: an earlier try of this execution has sent the
 * row, with another text; the others may never have been sent.
 */
const abortsRun = (outcome: Outcome): boolean =>
	outcome instanceof Failure && outcome.details.code !== 'PUBLIC_API_IDEMPOTENCY_CONFLICT';

const itemOf = (outcome: Outcome, item: number): INodeExecutionData => ({
	json: outcome instanceof Failure ? { error: toErrorItem(outcome.details) } : outcome,
	pairedItem: { item },
});

/** A failure as n8n shows it. */
function errorOf(run: Run, failure: Failure, row: number, { method }: Operation): Error {
	const { message, hint } = failure.details;
	// Of a tool's error a model sees the message only.
	const reported = run.isTool ? failure.with({ message: `${message} ${hint}` }) : failure;
	// Of a write among several rows the message names the row, from 1: n8n's own "[item 0]" would contradict it.
	const namesRow = method !== 'GET' && run.n8n.getInputData().length > 1;
	return toNodeError(run.n8n.getNode(), run.withoutKey(reported), namesRow ? undefined : row);
}

/** The credential is wrong. */
const notOpened = (failure: Failure, { method }: Operation): Failure =>
	method === 'GET'
		? failure
		: failure.with({ message: `${failure.details.message}. This run sent nothing.` });

function operationOf(n8n: IExecuteFunctions, resources: readonly Resource[]): Operation {
	const resource = n8n.getNodeParameter('resource', 0) as string;
	const value = n8n.getNodeParameter('operation', 0) as string;
	const operation = findOperation(resources, resource, value);
	if (operation) return operation;
	throw new NodeOperationError(
		n8n.getNode(),
		`This version of the node has no operation '${value}' of '${resource}'`,
		{ description: 'Choose another operation, or update the package under Settings, Community nodes.' },
	);
}
