import type { IDataObject } from 'n8n-workflow';

import { Failure, refusal, toFailure, type Outcome } from '../../api/failure';
import { binaryData } from '../media/sources';
import { canonical, customKey, hashOf } from '../writes/key';
import type { CheckContext, CommonOptions, ItemContext, Operation } from './operation';
import type { RunContext } from './runContext';

/** An input item on its way. */
export interface Row {
	readonly index: number;
	readonly params?: IDataObject;
	readonly item?: ItemContext;
	/** What is wrong with it, once that is known. */
	failure?: Failure;
}

/**
 * Checks all items before the first write: first what needs no request, then what one read of the service tells. What is
 * wrong is put into the row.
 */
export async function checkRows(run: RunContext, operation: Operation, rows: Row[]): Promise<void> {
	const rerun = await run.manualRerun.catch(() => undefined);
	const contexts = new Map<Row, CheckContext>();
	for (const row of rows)
		await attempt(row, (item, params) => {
			const wasSent = (path: string, part: string): boolean =>
				item.sentBefore(path, part) !== undefined || rerun?.wasSent(run.idOf(row.index, path, part)) === true;
			const context = checkContext(run, item, wasSent);
			contexts.set(row, context);
			const { idempotencyKeyMode, idempotencyKey = '' } = params.options as CommonOptions;
			if (idempotencyKeyMode === 'custom') customKey(idempotencyKey);
			if (operation.check) operation.check(params as never, context);
			else if (operation.request) checkRequest(operation, params, context);
		});
	if (rows.some(({ failure }) => failure) && !run.context.continueOnFail()) return;
	checkPostCount(run, operation, rows);
	const { verify } = operation;
	if (!verify) return;
	for (const row of rows)
		await attempt(row, async (item, params) => await verify(item, params as never, contexts.get(row)!));
}

async function attempt(row: Row, check: (item: ItemContext, params: IDataObject) => unknown): Promise<void> {
	if (row.failure || !row.params || !row.item) return;
	try {
		await check(row.item, row.params);
	} catch (error) {
		row.failure = toFailure(error);
	}
}

/** Whether the request can be made of the parameters, and may go out now. */
function checkRequest(operation: Operation, params: IDataObject, check: CheckContext): void {
	const { path, part = '', body = {}, atSending } = operation.request!(params as never, check);
	if (atSending && !check.wasSent(path, part)) atSending(body);
}

const checkContext = (
	{ context: n8n }: RunContext,
	{ index, postFormat, apiUrl, zone, now }: ItemContext,
	wasSent: CheckContext['wasSent'],
): CheckContext => ({
	index,
	postFormat,
	apiUrl,
	zone,
	now,
	wasSent,
	continueOnFail: n8n.continueOnFail(),
	isFixed: (parameter) => isFixed(n8n.getNode().parameters[parameter]),
	requireFile: (field) => void binaryData(n8n, index, field),
});

/** Whether a parameter as it stands in the workflow is typed in, and no expression. */
const isFixed = (stored: unknown): boolean => !JSON.stringify(stored ?? '').includes('"=');

/** How many posts each round, or call of a tool, made in this execution. */
const postCounts = (run: RunContext): Record<string, number> =>
	(run.context.getContext('node').posts ??= {}) as Record<string, number>;

/** The same round, and the same call of a tool, tried again counts once. */
const callName = (run: RunContext, rows: Row[]): string =>
	run.isTool ? hashOf(canonical(rows.map(({ params }) => params))) : `round ${run.round}`;

/** Option *Max Posts per Execution*: posts of all rounds and calls of the node in this execution. */
function checkPostCount(run: RunContext, { countPosts }: Operation, rows: Row[]): void {
	if (!countPosts) return;
	const posting = rows.filter(({ failure, params, item }) => !failure && params && !item?.previewOnly);
	const most = posting.reduce((least, { params }) => Math.min(least, mostPosts(params!)), Infinity);
	if (most === Infinity) return;
	const name = callName(run, rows);
	const counts = postCounts(run);
	const wanted = posting.reduce((sum, { params }) => sum + countPosts(params as never), 0);
	const before = Object.entries(counts).reduce((sum, [one, posts]) => sum + (one === name ? 0 : posts), 0);
	if (before + wanted > most) for (const row of posting) row.failure = tooManyPosts(most, before, wanted);
	else counts[name] = wanted;
}

const mostPosts = ({ options }: IDataObject): number =>
	Number((options as IDataObject).mostPosts ?? 0) || Infinity;

const tooManyPosts = (most: number, before: number, wanted: number): Failure =>
	refusal(
		'MOST_POSTS',
		`This execution may send ${posts(most)}: ${before} ${before === 1 ? 'was' : 'were'} sent already, ${posts(wanted)} more ${wanted === 1 ? 'is' : 'are'} asked for`,
		"Request fewer posts, or raise 'Max Posts per Execution' in the node's options.",
	);

const posts = (count: number): string => `${count} ${count === 1 ? 'post' : 'posts'}`;

/** Of the posts that were counted beforehand, those that were certainly not sent count no longer. */
export function recountPosts(
	run: RunContext,
	{ countPosts }: Operation,
	rows: Row[],
	perItem: Outcome[][],
): void {
	const counts = postCounts(run);
	const name = callName(run, rows);
	if (!countPosts || counts[name] === undefined) return;
	const sent = perItem
		.flat()
		.filter((one) =>
			one instanceof Failure ? run.journal.isTaken(one.details.idempotency_key ?? '') : !one.preview,
		);
	counts[name] = sent.reduce((sum, one) => sum + platformsOf(one), 0);
}

const platformsOf = (one: Outcome): number =>
	String((one instanceof Failure ? one.details : one).platform ?? '').split(', ').length;
