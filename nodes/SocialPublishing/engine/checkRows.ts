import type { IDataObject } from 'n8n-workflow';

import { refusal, toFailure, type Failure } from '../../api/errors';
import { canonical, customKey, hashOf } from '../idempotency/key';
import { binaryData } from '../media/sources';
import { resolveNames, withPlaceholders } from './nameResolution';
import type { CheckContext, CommonOptions, ItemContext, Operation } from './operation';
import type { RunContext } from './runContext';

/** An input item on its way. */
export interface Row {
	readonly index: number;
	readonly params?: IDataObject;
	readonly item?: Promise<ItemContext>;
	/** What is wrong with it, once that is known. */
	failure?: Failure;
}

/**
 * Checks all items before the first write: first what needs no request, then what the service has to be asked for. What is
 * wrong is put into the row.
 */
export async function checkRows(run: RunContext, operation: Operation, rows: Row[]): Promise<void> {
	// A wrong credential is reported by each item that needs it.
	const client = await run.client.catch(() => undefined);
	if (!client) return;
	const byHand = await run.byHand;
	const isFirstTry = run.isFirstTry && !byHand?.knowsAny;
	for (const row of rows)
		attempt(row, (params) => {
			const options = params.options as CommonOptions;
			if (options.idempotencyKeyMode === 'custom') customKey(options.idempotencyKey ?? '');
			const { postFormat, apiUrl } = client.address;
			const context = checkContext(run, row.index, { postFormat, apiUrl, isFirstTry });
			if (operation.check) operation.check(params as never, context);
			else operation.request?.(withPlaceholders(operation, params) as never, context);
		});
	if (rows.some(({ failure }) => failure) && !run.context.continueOnFail()) return;
	countPosts(run, operation, rows);
	const { verify } = operation;
	if (!verify) return;
	for (const row of rows) {
		if (row.failure || !row.params || !row.item) continue;
		try {
			const item = await row.item;
			await resolveNames(operation, row.params, async (source) => await item.list(source));
			await verify(item, row.params as never);
		} catch (error) {
			row.failure = toFailure(error);
		}
	}
}

function attempt(row: Row, check: (params: IDataObject) => void): void {
	if (row.failure || !row.params) return;
	try {
		check(row.params);
	} catch (error) {
		row.failure = toFailure(error);
	}
}

const checkContext = (
	{ context, now }: RunContext,
	index: number,
	known: Pick<CheckContext, 'postFormat' | 'apiUrl' | 'isFirstTry'>,
): CheckContext => ({
	index,
	...known,
	goesOn: context.continueOnFail(),
	zone: context.getTimezone(),
	now,
	isFixed: (parameter) => isFixed(context.getNode().parameters[parameter]),
	requireFile: (field) => void binaryData(context, index, field),
});

/** Whether a parameter as it stands in the workflow is typed in, and no expression. */
export const isFixed = (stored: unknown): boolean => !JSON.stringify(stored ?? '').includes('"=');

/**
 * Option *Most Posts per Execution*: posts of all runs and calls of the node in this execution. The same run, and the
 * same call of a tool, tried again counts once.
 */
function countPosts(run: RunContext, { countPosts: count }: Operation, rows: Row[]): void {
	const counted = rows.filter(({ failure, params }) => !failure && params);
	const most = Math.min(
		...counted.map(({ params }) => Number((params!.options as IDataObject).mostPosts ?? 0) || Infinity),
	);
	if (!count) return;
	const memory = (run.context.getContext('node').posts ??= {}) as Record<string, number>;
	const wanted = counted.reduce((sum, { params }) => sum + count(params as never), 0);
	const name = run.isTool ? hashOf(canonical(counted.map(({ params }) => params))) : `run:${run.runIndex(0)}`;
	const before = Object.entries(memory).reduce((sum, [one, posts]) => sum + (one === name ? 0 : posts), 0);
	if (before + wanted > most) {
		const asked = `${wanted} ${wanted === 1 ? 'post' : 'posts'}`;
		const failure = refusal(
			'MOST_POSTS',
			`This execution may send ${most} ${most === 1 ? 'post' : 'posts'}: ${before} ${before === 1 ? 'was' : 'were'} sent already, ${asked} more ${wanted === 1 ? 'is' : 'are'} asked for`,
			"Nothing of this was sent. Ask for fewer posts, or raise 'Most Posts per Execution' in the node's options.",
		);
		for (const row of counted) row.failure = failure;
		return;
	}
	if (most !== Infinity) memory[name] = wanted;
}
