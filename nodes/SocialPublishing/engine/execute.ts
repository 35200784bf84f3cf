import times from 'lodash/times';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { limitConcurrency, type Limit } from '../../api/concurrency';
import { Failure, toFailure, type Outcome } from '../../api/failure';
import { toErrorItem, toNodeError } from '../../api/toNodeError';
import { chosenOperation, type Operation, type Resource } from './operation';
import { planRows, type Row } from './plans';
import { isToolRun, Run } from './run';
import { joined } from './severalFailures';

/** An agent may call a tool several times at once: in turn, each call knows what those before it sent. */
const turns = new WeakMap<object, Limit>();

export async function execute(n8n: IExecuteFunctions, resources: readonly Resource[]) {
	const operation = chosenOperation(n8n, resources);
	if (operation.method === 'GET' || !isToolRun(n8n)) return await executeNow(n8n, operation);
	const memory = n8n.getContext('node');
	if (!turns.has(memory)) turns.set(memory, limitConcurrency(1));
	return await turns.get(memory)!(async () => await executeNow(n8n, operation));
}

/**
 * Input items → parameters → plans → requests → output items: checks, parallelism, order, pairedItem and continue-on-fail,
 * written once.
 * @throws NodeApiError or NodeOperationError of the first item that failed, unless the node continues on failures
 */
async function executeNow(n8n: IExecuteFunctions, operation: Operation): Promise<INodeExecutionData[][]> {
	const continueOnFail = n8n.continueOnFail();
	// n8n hands a tool its parameters, but no item.
	const count = n8n.getInputData().length || (isToolRun(n8n) ? 1 : 0);
	const run = await Run.open(n8n, operation).catch(toFailure);
	if (run instanceof Failure) {
		const message = joined(run.details.message, 'This run sent nothing');
		const failure = operation.method === 'GET' ? run : run.with({ message });
		if (!continueOnFail) throw toNodeError(n8n.getNode(), failure);
		return [times(count, (item) => itemOf(failure, item))];
	}

	const rows = await planRows(run, operation, count);
	const wrong = rows.find(({ failure }) => failure);
	if (wrong && !continueOnFail) {
		// Earlier rounds of a loop may have sent something.
		run.endRound([wrong.failure!]);
		throw errorOf(run, run.report.rowsRefused(rows), wrong.index, operation);
	}

	run.setConcurrency(operation.parallel ? rows.find(({ item }) => item)?.item?.options.concurrency : 1);
	const previews = await previewsOf(operation, rows);
	let isAborted = false;
	const perItem = await Promise.all(
		rows.map(async (row) => {
			const outcomes = await run.limit(async () => {
				if (isAborted) return [];
				const sent = row.failure ? [row.failure] : (previews.get(row) ?? (await row.send().catch(failed)));
				if (!continueOnFail && sent.some(abortsRun)) isAborted = true;
				return sent;
			});
			// Waiting doesn't occupy a concurrency slot.
			return (await waited(operation, row, outcomes)).map((one) => run.withoutKey(one));
		}),
	);

	if (!rows.every(({ item }) => item?.previewOnly)) run.endRound(perItem.flat());
	run.report.warnOfPreviews(perItem);
	const first = perItem.findIndex((outcomes) => outcomes.some((one) => one instanceof Failure));
	run.report.showHints(first >= 0);
	if (first >= 0 && !continueOnFail)
		throw errorOf(run, run.report.runFailed(perItem[first]!, first, count), first, operation);
	const asFailedItem = run.report.failedItems();
	return [
		perItem.flatMap((outcomes, index) =>
			outcomes.map((one) => itemOf(one instanceof Failure ? asFailedItem(one, index) : one, index)),
		),
	];
}

const failed = (error: unknown): Outcome[] => [toFailure(error)];

/** What the rows with *Preview Only* would send, of an operation that compares them. */
async function previewsOf({ preview }: Operation, rows: Row[]): Promise<Map<Row, Outcome[]>> {
	const previewed = preview ? rows.filter(({ item, failure }) => !failure && item?.previewOnly) : [];
	const planned = previewed.map(({ item, plan }) => ({ item: item!, plan: plan as never }));
	const all = await preview?.(planned).catch((error: unknown) => planned.map(() => failed(error)));
	return new Map(previewed.map((row, index) => [row, all![index]!]));
}

/** The outcomes that count after what is waited for. */
async function waited({ after }: Operation, row: Row, outcomes: Outcome[]): Promise<Outcome[]> {
	const { item, params, failure } = row;
	if (!after || failure || item!.previewOnly) return outcomes;
	return await after(item!, outcomes, params as never).catch(failed);
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
