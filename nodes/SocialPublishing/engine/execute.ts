import { noop, pick, some, times } from 'lodash';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { limitConcurrency, type Limit } from '../../api/concurrency';
import {
	Failure,
	isFailure,
	serviceSays,
	toErrorItem,
	toFailure,
	toNodeError,
	type Outcome,
} from '../../api/failure';
import { memoryOf } from '../writes/executionScope';
import { keyInError } from '../writes/write';
import { chosenOperation, type Operation, type Resource } from './operation';
import { planRows } from './plans';
import { joined, type Words } from './report';
import { isToolRun, Run } from './run';

/** An agent may call a tool several times at once: sending in turn, each call knows what those before it sent. */
const turns = new WeakMap<object, Limit>();

export async function execute(n8n: IExecuteFunctions, resources: readonly Resource[], words: Words) {
	const operation = chosenOperation(n8n, resources);
	if (operation.method === 'GET' || !isToolRun(n8n)) return await executeNow(n8n, operation, words);
	const memory = memoryOf(n8n, true);
	if (!turns.has(memory)) turns.set(memory, limitConcurrency(1));
	return await new Promise<INodeExecutionData[][]>((resolve, reject) => {
		const run = async (sent: () => void) =>
			await executeNow(n8n, operation, words, sent).finally(sent).then(resolve, reject);
		void turns.get(memory)!(async () => await new Promise<void>((sent) => void run(sent)));
	});
}

/**
 * Input items → parameters → plans → requests → output items.
 * @param allSent called before it waits for what becomes of the last item
 * @throws n8n's error of the first item that stopped the run, or else failed
 */
async function executeNow(
	n8n: IExecuteFunctions,
	operation: Operation,
	words: Words,
	allSent: () => void = noop,
): Promise<INodeExecutionData[][]> {
	const continueOnFail = n8n.continueOnFail();
	// n8n hands a tool its parameters, but no item.
	const count = n8n.getInputData().length || (isToolRun(n8n) ? 1 : 0);
	const toItem = (one: Outcome, item: number): INodeExecutionData => ({
		json: one instanceof Failure ? { error: toErrorItem(one.details) } : one,
		pairedItem: { item },
		// A row that comes back from the error output needs its files.
		...(one instanceof Failure ? pick(n8n.getInputData()[item], 'binary') : {}),
	});
	const run = await Run.open(n8n, operation, words).catch(toFailure);
	if (run instanceof Failure) {
		const message = joined(run.message, ...(operation.method === 'GET' ? [] : ['This run sent nothing']));
		const failure = run.with({ message });
		if (!continueOnFail) throw toNodeError(n8n.getNode(), failure);
		const ofRow = (index: number) => failure.with({ idempotency_key: keyInError(n8n, index) });
		return [times(count, (index) => toItem(ofRow(index), index))];
	}

	const rows = await planRows(run, operation, count);
	const wrong = rows.flatMap(({ index, failure }) => (failure ? [{ index, failure }] : []));
	if (wrong[0] && !continueOnFail) {
		// Earlier rounds of a loop may have sent something.
		run.endRound([wrong[0].failure]);
		throw errorOf(run, run.report.rowsRefused(wrong, count), wrong[0].index);
	}

	if (!operation.parallel || some(rows, 'plan.isInOrder')) run.sendInOrder();
	// The results of other reads would be dropped.
	const stops = operation.method === 'GET' ? isFailure : stopsWrites;
	let stoppedAt = Infinity;
	let othersWait = false;
	let unsent = rows.length;
	const perItem = await Promise.all(
		rows.map(async (row) => {
			const outcomes = await run.limit(async () => {
				othersWait ||= stoppedAt < Infinity;
				if (othersWait) return [];
				const sent = await row.send().catch(failed);
				if (!continueOnFail && sent.some(stops)) stoppedAt = Math.min(stoppedAt, row.index);
				return sent;
			});
			if (--unsent === 0) allSent();
			// Waiting doesn't occupy a concurrency slot.
			const waitedFor = (await row.after(outcomes).catch(failed)).map((one) => run.withoutKey(one));
			if (operation.method === 'GET' && !continueOnFail && waitedFor.some(stops)) run.aborted.abort();
			if (row.item?.isPreview) run.report.previewed(waitedFor, row.index);
			return waitedFor;
		}),
	);

	if (!rows.every(({ item }) => item?.isPreview)) run.endRound(perItem.flat());
	// Behind one that fails in each retry, what the other rows wait for would never be seen.
	const first = stoppedAt < Infinity ? stoppedAt : perItem.findIndex((outcomes) => outcomes.some(isFailure));
	run.report.showHints();
	if (first >= 0 && !continueOnFail)
		throw errorOf(run, run.report.runFailed(perItem, first, rows[first]!.item?.keyMode, othersWait), first);
	const itemsOf = (outcomes: Outcome[], index: number) =>
		outcomes.map((one) => toItem(run.report.worded(one, index), index));
	return [perItem.flatMap(itemsOf)];
}

const failed = (error: unknown): Outcome[] => [toFailure(error)];

/** Whether the rows after this one are left for a retry; not where that would meet the failure again, and leave them once more. */
const stopsWrites = (outcome: Outcome): boolean => isFailure(outcome) && !serviceSays(outcome, 404, 409);

function errorOf(run: Run, failure: Failure, row: number): Error {
	const { message, hint } = failure.details;
	// n8n 2 adds the description for a model, older versions leave it out.
	const reported = isToolRun(run.n8n) ? failure.with({ message: joined(message, hint), hint: '' }) : failure;
	// Of a write among several rows the message names the row, from 1: n8n's own "[item 0]" would contradict it.
	const namesRow = run.writer && run.n8n.getInputData().length > 1;
	return toNodeError(run.n8n.getNode(), run.withoutKey(reported), namesRow ? undefined : row);
}
