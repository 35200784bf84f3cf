import { once } from 'lodash';
import type { IExecuteFunctions } from 'n8n-workflow';

import { limitConcurrency, type Limit } from '../../api/concurrency';
import { Failure, isFailure, toFailure, type Outcome } from '../../api/failure';
import { memoryOf } from '../writes/executionScope';
import { checkRows } from './checks';
import { chosenOperation, type Operation, type Resource } from './operation';
import { errorItems, errorOf, failuresOf, unopened } from './report';
import { planRows, type Row } from './rows';
import { CONCURRENCY, Run } from './run';

/**
 * One run of the node: input items → parameters → plans → requests → output items.
 * @throws n8n's error: of all rows that can't be sent, or of the first one that failed
 */
export async function execute(n8n: IExecuteFunctions, resources: readonly Resource[]) {
	const operation = chosenOperation(n8n, resources);
	const continuesOnFail = n8n.continueOnFail();
	const run = await Run.open(n8n, operation).catch((error: unknown) => unopened(n8n, operation, error));
	if (run instanceof Failure) {
		if (!continuesOnFail) throw errorOf(n8n, run);
		return [errorItems(n8n, run)];
	}
	const leave = await turnOf(n8n);
	try {
		const rows = await planRows(run, operation);
		for (const { planned } of rows) if (planned) run.writer?.ask(planned.item, planned.plan.writes);
		await checkRows(operation, rows);
		if (rows.some(({ failure }) => failure) && !continuesOnFail) throw run.report.error(rows);
		await previewRows(operation, rows);
		await sendRows(run, operation, rows);
		leave();
		await waitForRows(run, operation, rows);
		endRun(run, rows);
		run.report.showHints(rows);
		if (rows.some(hasFailed) && !continuesOnFail) throw run.report.error(rows);
		return [run.report.items(rows)];
	} finally {
		leave();
	}
}

const hasFailed = (row: Row): boolean => failuresOf(row).length > 0;

/** An agent may call a tool several times at once: in turn, each call knows what those before it sent. */
const turns = new WeakMap<object, Limit>();

async function turnOf(n8n: IExecuteFunctions): Promise<() => void> {
	const memory = memoryOf(n8n);
	if (!turns.has(memory)) turns.set(memory, limitConcurrency(1));
	return await new Promise((begin) => {
		void turns.get(memory)!(async () => await new Promise<void>((leave) => begin(once(leave))));
	});
}

/** Shows what rows that are previewed would send; the others are sent. */
async function previewRows({ preview }: Operation, rows: readonly Row[]): Promise<void> {
	const shown = rows.filter(({ failure, planned }) => !failure && planned!.item.isPreview);
	const previews = await preview?.(shown.map(({ planned }) => planned!.plan));
	for (const [position, row] of shown.entries())
		row.outcomes = previews?.[position] ?? [row.planned!.preview!()];
}

/**
 * Sends the rows, in their order where one goes out at once. After one that fails, no further one is begun, unless an earlier
 * try had left it in doubt or kept as failed: so each retry gets further than the last.
 */
async function sendRows(run: Run, operation: Operation, rows: readonly Row[]): Promise<void> {
	const isInOrder = !operation.parallel || rows.some(({ planned }) => planned?.plan.isInOrder);
	const limit = limitConcurrency(isInOrder ? 1 : CONCURRENCY);
	let isStopped = false;
	const send = async (row: Row) => {
		if (isStopped || row.failure || row.outcomes) return;
		const wasOpen = run.writer?.ofRow(row.index).some(({ state }) => state !== 'succeeded');
		row.outcomes = await row.planned!.send().catch(failed);
		isStopped ||= row.outcomes.some(isFailure) && !wasOpen && !run.n8n.continueOnFail();
	};
	await Promise.all(rows.map(async (row) => await limit(async () => await send(row))));
}

/** Waits for what becomes of the rows that were sent, all at the same time; not in a run that has failed. */
async function waitForRows(run: Run, { wait }: Operation, rows: readonly Row[]): Promise<void> {
	if (!wait || (rows.some(hasFailed) && !run.n8n.continueOnFail())) return;
	await Promise.all(
		rows.map(async (row) => {
			if (!row.outcomes || row.planned!.item.isPreview) return;
			const { params, item, plan } = row.planned!;
			row.outcomes = await wait(row.outcomes, params, item, plan).catch(failed);
		}),
	);
}

/** By hand: what was sent is remembered where a row failed, see `manualRerun.ts`. */
function endRun({ writer }: Run, rows: readonly Row[]): void {
	const isSent = rows.some(({ outcomes, planned }) => outcomes && !planned!.item.isPreview);
	if (!writer?.rerun || !isSent) return;
	const ended = rows.map((row) => ({
		id: writer.rows[row.index]!.id,
		hasFailed: hasFailed(row) || !row.outcomes,
	}));
	writer.rerun.end(ended, writer.journal.all);
}

const failed = (error: unknown): Outcome[] => [toFailure(error)];
