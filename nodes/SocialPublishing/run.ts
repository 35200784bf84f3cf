import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import pLimit from 'p-limit';

import { connect } from '../api/connect';
import { Failure, toErrorItem, toNodeError } from '../api/errors';
import { take } from '../api/paging';
import type { Directory } from './directories';
import { createItem } from './item';
import type { CommonOptions, Item, Operation, Outcome, Resource } from './operation';
import { findOperation } from './operation';
import { withNames } from './names';
import { readParams } from './params';
import { severalFailures, toFailure } from './partial';
import { Run } from './session';

const DEFAULT_CONCURRENCY = 5;

/**
 * Input items → operation → output items: parallelism, order, pairedItem and continue-on-fail, written once.
 * @throws NodeApiError or NodeOperationError of the first item that failed, unless the node continues on failures
 */
export async function run(
	context: IExecuteFunctions,
	resources: readonly Resource[],
): Promise<INodeExecutionData[][]> {
	const operation = findOperationOf(context, resources);
	const session = new Run(context, operation, connect(context));
	const count = context.getInputData().length;
	const goOn = context.continueOnFail();
	const slots = pLimit(operation.parallel ? concurrencyOf(context) : 1);
	let stopped = false;

	const perItem = await Promise.all(
		Array.from(
			{ length: count },
			async (_, index) =>
				await slots(async () => {
					if (stopped) return [];
					const outcomes = await runItem(session, operation, index);
					if (!goOn && outcomes.some((outcome) => outcome instanceof Failure)) stopped = true;
					return outcomes;
				}),
		),
	);
	context.addExecutionHints(...session.hints);

	return [
		perItem.flatMap((outcomes, index) => {
			if (!goOn) throwFailed(context, outcomes, index);
			return outcomes.map((outcome) => ({
				json: outcome instanceof Failure ? { error: toErrorItem(outcome.facts) } : outcome,
				pairedItem: { item: index },
			}));
		}),
	];
}

/** What one item gives; whatever goes wrong becomes an outcome. */
async function runItem(session: Run, operation: Operation, index: number): Promise<Outcome[]> {
	try {
		const params = readParams(session.context, operation, index);
		const options = params.options as CommonOptions;
		const item = await createItem(session, index, options);
		const list = async ({ path, everywhere }: Directory): Promise<IDataObject[]> => {
			const workspaceId = everywhere ? null : options.workspaceId;
			return await session.list(
				path,
				workspaceId ?? '',
				async () => await item.get({ path, ...(everywhere ? { workspaceId: null } : {}) }),
			);
		};
		const work = async (): Promise<{ outcomes: Outcome[] }> => ({
			outcomes: await outcomesOf(item, operation, params).catch((error: unknown) => [toFailure(error)]),
		});
		return (await withNames(operation, params, list, work)).outcomes;
	} catch (error) {
		return [toFailure(error)];
	}
}

const outcomesOf = async (item: Item, operation: Operation, params: IDataObject): Promise<Outcome[]> =>
	operation.run ? await operation.run(item, params as never) : await single(item, operation, params);

/** An operation of one call. */
async function single(item: Item, operation: Operation, params: IDataObject): Promise<IDataObject[]> {
	const request = operation.request!(params as never, item);
	const data = operation.method === 'GET' ? await item.get(request) : await item.write(request);
	const shaped = operation.shape ? operation.shape(data as IDataObject, params as never) : data;
	return operation.list ? take(shaped, params) : [shaped as IDataObject].flat();
}

function throwFailed(context: IExecuteFunctions, outcomes: Outcome[], index: number): void {
	const failures = outcomes.filter((outcome) => outcome instanceof Failure);
	if (failures.length === 0) return;
	const failure = outcomes.length === 1 ? failures[0]! : severalFailures(outcomes);
	throw toNodeError(context.getNode(), failure, index);
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

const concurrencyOf = (context: IExecuteFunctions): number =>
	Math.max(
		1,
		Number(context.getNodeParameter('options.concurrency', 0, DEFAULT_CONCURRENCY)) || DEFAULT_CONCURRENCY,
	);
