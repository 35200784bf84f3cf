import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { limitConcurrency } from '../../api/concurrency';
import { connect } from '../../api/connect';
import { Failure, toErrorItem, toFailure, toNodeError, type Outcome } from '../../api/errors';
import { records } from '../../api/paging';
import type { LookupSource } from '../lookups/source';
import { createItemContext } from './itemContext';
import type { CommonOptions, ItemContext, Operation, Resource } from './operation';
import { findOperation } from './operation';
import { withNames } from './nameResolution';
import { readParams } from './params';
import { severalFailures } from './partialFailure';
import { RunContext } from './runContext';

/**
 * Input items → operation → output items: parallelism, order, pairedItem and continue-on-fail, written once.
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
	const slots = limitConcurrency(operation.parallel ? runContext.concurrency : 1);
	let stopped = false;

	const perItem = await Promise.all(
		Array.from({ length: count }, async (_, index) => {
			const { outcomes, after } = await slots(async () => {
				if (stopped) return nothing;
				const worked = await runItem(runContext, operation, index);
				if (!goOn && worked.outcomes.some(stops)) stopped = true;
				return worked;
			});
			// Waiting takes no place from items that are still to be worked on.
			return after ? await after() : outcomes;
		}),
	);
	await runContext.showWarnings();

	return [
		perItem.flatMap((outcomes, index) => {
			if (!goOn) throwFailed(runContext, outcomes, index);
			return outcomes.map((outcome) => ({
				json: outcome instanceof Failure ? { error: toErrorItem(outcome.details) } : outcome,
				pairedItem: { item: index },
			}));
		}),
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

/** What one item gives; whatever goes wrong becomes an outcome. */
async function runItem(runContext: RunContext, operation: Operation, index: number): Promise<Worked> {
	try {
		const params = readParams(runContext.context, operation, index);
		const options = params.options as CommonOptions;
		const item = await createItemContext(runContext, index, options);
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
	const request = operation.request!(params as never, item);
	const data = operation.method === 'GET' ? await item.get(request) : await item.write(request);
	const shaped = operation.shape ? operation.shape(data as IDataObject, params as never) : data;
	if (!operation.list) return [shaped as IDataObject].flat();
	const list = records(shaped, operation.list);
	return params.returnAll ? list : list.slice(0, params.limit as number);
}

function throwFailed({ context, isTool }: RunContext, outcomes: Outcome[], index: number): void {
	const failures = outcomes.filter((outcome) => outcome instanceof Failure);
	if (failures.length === 0) return;
	const failure = outcomes.length === 1 ? failures[0]! : severalFailures(outcomes);
	const { message, hint } = failure.details;
	// Of a tool's error a model sees the message only.
	const told = isTool ? failure.with({ message: `${message}. ${hint}` }) : failure;
	throw toNodeError(context.getNode(), told, index);
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
