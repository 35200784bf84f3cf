import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import type { Client } from '../../api/client';
import { limitConcurrency } from '../../api/concurrency';
import { connect } from '../../api/connect';
import { Failure, toFailure, type Outcome } from '../../api/failure';
import { toErrorItem, toNodeError } from '../../api/toNodeError';
import { records } from '../../api/lists';
import { checkRows, recountPosts, type Row } from './checkRows';
import { createItemContext } from './itemContext';
import type { CommonOptions, ItemContext, Operation, Resource } from './operation';
import { findOperation } from './operation';
import { readParams } from './params';
import { ofRun, rowsRefused, sentIn, sentList, severalFailures } from './partialFailure';
import { RunContext } from './runContext';

/**
 * Input items → checks of all → operation → output items: parallelism, order, pairedItem and continue-on-fail, written once.
 * @throws NodeApiError or NodeOperationError of the first item that failed, unless the node continues on failures
 */
export async function execute(
	context: IExecuteFunctions,
	resources: readonly Resource[],
): Promise<INodeExecutionData[][]> {
	const operation = findOperationOf(context, resources);
	const run = new RunContext(context, operation, connect(context));
	const client = await run.client.catch(toFailure);
	// n8n hands a tool its parameters, but no item.
	const count = context.getInputData().length || (run.isTool ? 1 : 0);
	const continueOnFail = context.continueOnFail();
	const rows = Array.from({ length: count }, (_, index) => rowOf(run, client, index));
	await checkRows(run, operation, rows);
	const wrong = rows.find(({ failure }) => failure);
	if (wrong && !continueOnFail) {
		const failure =
			operation.method === 'GET' ? wrong.failure! : rowsRefused(rows, await run.earlierPosts(), run.zone);
		throw await errorOf(run, operation, failure, wrong.index);
	}

	const slots = limitConcurrency(operation.parallel ? run.concurrency : 1);
	let isAborted = false;
	const worked = await Promise.all(
		rows.map(async (row) => {
			const { outcomes, after } = await slots(async () => {
				if (isAborted) return { outcomes: [] };
				const one = await runRow(operation, row);
				if (!continueOnFail && one.outcomes.some(abortsRun)) isAborted = true;
				return one;
			});
			// Waiting takes no place from items that are still to be worked on.
			return await run.withoutKey(after ? await after() : outcomes);
		}),
	);
	const perItem = operation.compare?.(worked) ?? worked;
	await run.showWarnings();
	run.showPreviews(perItem.flat());
	recountPosts(run, operation, rows, perItem);
	if (!rows.every(({ item }) => item?.previewOnly)) await run.endRound(perItem.flat());

	const failed = perItem.findIndex((outcomes) => outcomes.some((one) => one instanceof Failure));
	if (failed >= 0 && !continueOnFail)
		throw await errorOf(run, operation, await failureOf(run, operation, perItem, failed), failed);
	const posts = failed >= 0 && operation.method !== 'GET' ? sentList(sentIn(perItem)) : undefined;
	return [perItem.flatMap((outcomes, item) => outcomes.map((outcome) => itemOf(outcome, item, posts)))];
}

interface Worked {
	outcomes: Outcome[];
	/** What is waited for afterwards; gives the outcomes that count then. */
	after?: () => Promise<Outcome[]>;
}

/**
 * Whether the items behind this one are left for a retry. Not for a conflict: an earlier try of this execution has sent
 * the item, with another text; the others may never have been sent.
 */
const abortsRun = (outcome: Outcome): boolean =>
	outcome instanceof Failure && outcome.details.code !== 'PUBLIC_API_IDEMPOTENCY_CONFLICT';

/** An input item with its parameters read, or what is wrong with them. */
function rowOf(run: RunContext, client: Client | Failure, index: number): Row {
	try {
		const params = readParams(run.context, run.operation, index);
		if (client instanceof Failure) return { index, params, failure: client };
		return { index, params, item: createItemContext(run, client, index, params.options as CommonOptions) };
	} catch (error) {
		return { index, failure: toFailure(error) };
	}
}

/** What one item gives; whatever goes wrong becomes an outcome. */
async function runRow(operation: Operation, { params, item, failure }: Row): Promise<Worked> {
	if (failure || !params || !item) return { outcomes: failure ? [failure] : [] };
	try {
		const { run: several, after } = operation;
		const outcomes = several ? await several(item, params as never) : await single(item, operation, params);
		if (!after) return { outcomes };
		const wait = async (): Promise<Outcome[]> => await after(item, outcomes, params as never);
		return { outcomes, after: async () => await wait().catch((error: unknown) => [toFailure(error)]) };
	} catch (error) {
		return { outcomes: [toFailure(error)] };
	}
}

/** An operation of one call; none where its work is all in `after`. */
async function single(item: ItemContext, operation: Operation, params: IDataObject): Promise<IDataObject[]> {
	if (!operation.request) return [];
	const expects = operation.list ? { list: operation.list } : ('record' as const);
	const request = operation.request(params as never, item);
	const reads = operation.method === 'GET';
	if (!reads && item.previewOnly) return [await item.preview(request)];
	const data = reads ? (await item.get({ expects, ...request })).data : (await item.write(request)).response;
	const shaped = operation.shape ? operation.shape(data as IDataObject, params as never, item) : data;
	if (!operation.list) return [shaped as IDataObject].flat();
	const list = records(shaped, operation.list);
	return params.returnAll ? list : list.slice(0, params.limit as number);
}

function itemOf(outcome: Outcome, item: number, posts: IDataObject | undefined): INodeExecutionData {
	if (!(outcome instanceof Failure)) return { json: outcome, pairedItem: { item } };
	const error = { ...toErrorItem(outcome.details), ...(posts ? { posts } : {}) };
	return { json: { error }, pairedItem: { item } };
}

/** What a run ends with: the first item's failure, and what had been sent. */
async function failureOf(
	run: RunContext,
	operation: Operation,
	perItem: Outcome[][],
	row: number,
): Promise<Failure> {
	const outcomes = perItem[row]!;
	const failure = outcomes.length === 1 ? (outcomes[0] as Failure) : severalFailures(outcomes);
	if (operation.method === 'GET') return failure;
	const { context, isTool, isByHand, journal, manualRerun } = run;
	const keyMode = context.getNodeParameter('options.idempotencyKeyMode', row, 'execution');
	const isRemembered = isByHand && (await manualRerun)?.isKept;
	return ofRun(failure, {
		row,
		count: perItem.length,
		sent: operation.countPosts && !isTool ? journal.posts : sentIn(perItem),
		zone: run.zone,
		again: isTool || keyMode !== 'execution' ? 'none' : isRemembered ? 'missing' : 'all',
	});
}

/** A failure as n8n shows it. */
async function errorOf(run: RunContext, operation: Operation, failure: Failure, row: number): Promise<Error> {
	const { message, hint } = failure.details;
	// Of a tool's error a model sees the message only.
	const reported = run.isTool ? failure.with({ message: `${message.replace(/\.$/, '')}. ${hint}` }) : failure;
	const [safe] = await run.withoutKey([reported]);
	// Of a write among several rows the message names the row, from 1: n8n's own "[item 0]" would contradict it.
	const namesRow = operation.method !== 'GET' && run.context.getInputData().length > 1;
	return toNodeError(run.context.getNode(), safe, namesRow ? undefined : row);
}

function findOperationOf(context: IExecuteFunctions, resources: readonly Resource[]): Operation {
	const resource = context.getNodeParameter('resource', 0) as string;
	const value = context.getNodeParameter('operation', 0) as string;
	const operation = findOperation(resources, resource, value);
	if (!operation)
		throw new NodeOperationError(
			context.getNode(),
			`This version of the node has no operation '${value}' of '${resource}'`,
			{
				description: 'Choose another operation, or update the package under Settings, Community nodes.',
			},
		);
	return operation;
}
