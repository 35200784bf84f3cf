import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { limitConcurrency } from '../../api/concurrency';
import { connect } from '../../api/connect';
import { Failure, toFailure, type Outcome } from '../../api/errors';
import { toErrorItem, toNodeError } from '../../api/toNodeError';
import { records } from '../../api/lists';
import type { LookupSource } from '../lookups/source';
import { announceDuration } from './announce';
import { checkRows, type Row } from './checkRows';
import { createItemContext } from './itemContext';
import type { CommonOptions, ItemContext, Operation, Resource } from './operation';
import { findOperation } from './operation';
import { withNames } from './nameResolution';
import { readParams } from './params';
import { ofRun, sentIn, severalFailures, summaryOf } from './partialFailure';
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
	const runContext = new RunContext(context, operation, connect(context));
	// n8n hands a tool its parameters, but no item.
	const count = context.getInputData().length || (runContext.isTool ? 1 : 0);
	const goOn = context.continueOnFail();
	const rows = Array.from({ length: count }, (_, index) => rowOf(runContext, operation, index));
	await checkRows(runContext, operation, rows);
	const wrong = rows.find(({ failure }) => failure);
	if (wrong && !goOn) {
		const told = await runContext.withoutKey([wrong.failure!]);
		throw errorOf(runContext, operation, rows.length, [told], wrong.index);
	}

	await announceDuration(runContext, operation, rows);
	const slots = limitConcurrency(operation.parallel ? runContext.concurrency : 1);
	let stopped = false;
	const worked = await Promise.all(
		rows.map(async (row) => {
			const { outcomes, after } = await slots(async () => {
				if (stopped) return nothing;
				const one = await runRow(operation, row);
				if (!goOn && one.outcomes.some(stops)) stopped = true;
				return one;
			});
			// Waiting takes no place from items that are still to be worked on.
			return await runContext.withoutKey(after ? await after() : outcomes);
		}),
	);
	const perItem = operation.compare?.(worked) ?? worked;
	await runContext.showWarnings();
	const isPreview = rows.some(({ params }) => (params?.options as CommonOptions | undefined)?.previewOnly);
	if (!isPreview) await runContext.ended(perItem.flat().some((one) => one instanceof Failure));

	const failed = perItem.findIndex((outcomes) => outcomes.some((one) => one instanceof Failure));
	if (failed >= 0 && !goOn) throw errorOf(runContext, operation, count, perItem, failed);
	const sent = failed >= 0 && operation.method !== 'GET' ? summaryOf(perItem) : [];
	return [
		perItem.flatMap((outcomes, index) =>
			outcomes.map((outcome) => ({
				json:
					outcome instanceof Failure
						? {
								error: {
									...toErrorItem(outcome.details),
									...(sent.length > 0 ? { posts: sent } : {}),
								},
							}
						: outcome,
				pairedItem: { item: index },
			})),
		),
	];
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
const stops = (outcome: Outcome): boolean =>
	outcome instanceof Failure && outcome.details.code !== 'PUBLIC_API_IDEMPOTENCY_CONFLICT';

const nothing: Worked = { outcomes: [] };

/** An input item with its parameters read, or what is wrong with them. */
function rowOf(run: RunContext, operation: Operation, index: number): Row {
	try {
		const params = readParams(run.context, operation, index);
		const item = createItemContext(run, index, params.options as CommonOptions);
		// Reported where the item is worked on; without this the promise itself would count as unhandled.
		item.catch(() => undefined);
		return { index, params, item };
	} catch (error) {
		return { index, failure: toFailure(error) };
	}
}

/** What one item gives; whatever goes wrong becomes an outcome. */
async function runRow(operation: Operation, { params, item: promise, failure }: Row): Promise<Worked> {
	if (failure || !params || !promise) return { outcomes: failure ? [failure] : [] };
	try {
		const item = await promise;
		const list = async (source: LookupSource): Promise<IDataObject[]> => await item.list(source);
		return await withNames(operation, params, list, async () => await work(item, operation, params));
	} catch (error) {
		return { outcomes: [toFailure(error)] };
	}
}

async function work(item: ItemContext, operation: Operation, params: IDataObject): Promise<Worked> {
	const { request, run: several, after } = operation;
	try {
		const outcomes = several
			? await several(item, params as never)
			: request
				? await single(item, operation, params)
				: [];
		if (!after) return { outcomes };
		const wait = async (): Promise<Outcome[]> => await after(item, outcomes, params as never);
		return { outcomes, after: async () => await wait().catch((error: unknown) => [toFailure(error)]) };
	} catch (error) {
		return { outcomes: [toFailure(error)] };
	}
}

/** An operation of one call. */
async function single(item: ItemContext, operation: Operation, params: IDataObject): Promise<IDataObject[]> {
	const expects = operation.list ? { list: operation.list } : ('record' as const);
	const asked = operation.request!(params as never, item);
	const request = operation.method === 'GET' ? { expects, ...asked } : asked;
	const data = operation.method === 'GET' ? await item.get(request) : await item.write(request);
	// What would be sent is no answer.
	if (operation.method !== 'GET' && item.previewOnly) return [data as IDataObject];
	const shaped = operation.shape ? operation.shape(data as IDataObject, params as never) : data;
	if (!operation.list) return [shaped as IDataObject].flat();
	const list = records(shaped, operation.list);
	return params.returnAll ? list : list.slice(0, params.limit as number);
}

/** What a run ends with: the first item's failure, and what had been sent. */
function errorOf(
	{ context, isTool, remembersByHand }: RunContext,
	operation: Operation,
	count: number,
	perItem: Outcome[][],
	index: number,
): Error {
	const outcomes = perItem[perItem.length > index ? index : 0]!;
	const failures = outcomes.filter((outcome) => outcome instanceof Failure);
	const own = outcomes.length === 1 ? failures[0]! : severalFailures(outcomes);
	const keyMode = context.getNodeParameter('options.idempotencyKeyMode', index, 'execution');
	const failure =
		operation.method === 'GET'
			? own
			: ofRun(own, {
					row: index,
					count,
					sent: sentIn(perItem),
					again: isTool || keyMode !== 'execution' ? 'none' : remembersByHand ? 'missing' : 'all',
				});
	const { message, hint } = failure.details;
	// Of a tool's error a model sees the message only.
	const told = isTool ? failure.with({ message: `${message.replace(/\.$/, '')}. ${hint}` }) : failure;
	return toNodeError(context.getNode(), told, index);
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
