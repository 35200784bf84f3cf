import { compact, difference, isEmpty, isEqual, map, omit, once, pick, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { inTurn } from '../../api/concurrency';
import { refusal, toFailure, type Failure, type Outcome } from '../../api/failure';
import { creates, saysOf, withFields, type Write } from '../writes/write';
import { hintOfMore, Item } from './item';
import type { Operation, Plan } from './operation';
import { withColumns } from './tables';
import { readParams } from './params';
import type { Run } from './run';

export interface Row {
	readonly index: number;
	readonly item?: Item;
	/** All that {@link send} is going to send. */
	readonly plan?: Plan;
	readonly failure?: Failure;
	/** Sends what was planned, or shows it, or reads. */
	send(): Promise<Outcome[]>;
	/** What counts after what is waited for. */
	after(outcomes: Outcome[]): Promise<Outcome[]>;
}

/** All rows, planned in their order: only reads were sent for that. */
export async function planRows(run: Run, operation: Operation, count: number): Promise<Row[]> {
	const rows: Row[] = [];
	await inTurn(range(count), async (index) => {
		const planned = plannedRow(run, operation, index);
		const row = await planned.catch((error: unknown) => wrongRow(index, toFailure(error)));
		const first = rows[run.writer?.firstOfRow(index) ?? index];
		rows.push(first ? restOf(run, row, first) : row);
	});
	recognize(run, rows);
	await operation.check?.(compact(map(rows, 'plan')) as never);
	for (const { index, plan } of rows) if (plan?.failure) rows[index] = wrongRow(index, plan.failure);
	showPlans(operation, rows);
	return rows;
}

/** By hand: what failed runs began of the rows; a row that may be one of several is wrong. */
function recognize(run: Run, rows: Row[]): void {
	const asking = rows.flatMap(({ item, plan }) => (item && plan?.asked ? { item, asked: plan.asked } : []));
	for (const { index, sent } of run.writer?.recognize(asking) ?? [])
		rows[index] = wrongRow(index, run.report.rowUnclear(sent));
}

const emptyRow = (index: number): Row => ({
	index,
	send: async () => [],
	after: async (outcomes) => outcomes,
});

/** Another failure of a row: of what the first asks for, too, nothing is left. */
function restOf({ n8n }: Run, row: Row, first: Row): Row {
	const held = ({ index }: Row) => omit(pick(n8n.getInputData()[index], ['json', 'binary']), 'json.error');
	// Somebody may have made several rows of it.
	const isCopy = isEqual(held(row), held(first));
	// What it asks for isn't known: only the same failure adds nothing.
	if (row.failure)
		return isCopy && row.failure.message === first.failure?.message ? emptyRow(row.index) : row;
	const isSame = isCopy && difference(row.plan?.names, first.plan?.names ?? []).length === 0;
	return isSame ? emptyRow(row.index) : wrongRow(row.index, dividedRow);
}

const dividedRow = refusal(
	'ROW_DIVIDED',
	'Several failures of this row came back together, and this one is not the same as the first',
	"To send what is missing, route this failure back by itself. If it is a row of its own now, remove the field 'error' from the item.",
);

const wrongRow = (index: number, failure: Failure): Row => ({
	...emptyRow(index),
	failure: failure.with({}, { processed: 'no' }),
	send: async () => [failure],
});

/** @throws Failure of what is wrong with the row */
async function plannedRow(run: Run, operation: Operation, index: number): Promise<Row> {
	const { request, run: read, plan: makePlan, send } = operation;
	await run.refuseOtherCredential(index);
	const hint = (message: string, level: 'info' | 'warning' = 'warning') =>
		run.report.hint(message, level, index);
	const params = readParams(run.n8n, operation, index, hint);
	const item = new Item(run, index, params.options as IDataObject);
	const after = async (outcomes: Outcome[]): Promise<Outcome[]> =>
		operation.after && !item.isPreview ? await operation.after(item, outcomes, params as never) : outcomes;
	const row = { index, item, after };
	if (request) return { ...row, ...oneCall(operation, params, item) };
	if (read) return { ...row, send: async () => await read(item, params as never) };
	const plan = await makePlan?.(params as never, item);
	return { ...row, plan, send: async () => (plan ? await send!(plan as never) : []) };
}

function oneCall(operation: Operation, params: IDataObject, item: Item): Pick<Row, 'send' | 'plan'> {
	const { method, shape, rows, filter, ownColumns } = operation;
	const request = operation.request!(params as never, item);
	const write = method === 'GET' ? undefined : withApiFields(operation, item, request);
	const most = params.returnAll ? Infinity : ((params.limit as number | undefined) ?? Infinity);
	const shaped = async (data: unknown, sent?: IDataObject): Promise<IDataObject[]> =>
		[(shape ? await shape(data as never, params as never, item, sent) : data) as IDataObject].flat();
	const send = async (): Promise<Outcome[]> => {
		if (write && item.isPreview) return [item.writer.preview(item, write)];
		if (write) {
			const { body, response } = await item.write(write);
			return await shaped(response, body);
		}
		if (request.expects !== 'list')
			return await shaped((await item.get({ expects: 'record', ...request })).data);
		const isWanted = filter?.(params as never);
		const listed = await item.list({ most: isWanted ? Infinity : most, ...request });
		const wanted = isWanted ? listed.records.filter(isWanted) : listed.records;
		const found = wanted.slice(0, most);
		const list = rows ? await rows(found, params as never, item) : found;
		if (list.length < most) hintOfMore(item, listed);
		return ownColumns ? list : withColumns(list);
	};
	const asked = write && creates(operation) ? { path: write.path, parts: saysOf(write) } : undefined;
	return { send, plan: { item, asked } };
}

/** The write of an operation of one call, with the user's own fields; throws where it can't be sent. */
function withApiFields({ method }: Operation, item: Item, request: Write): Write {
	const added = method === 'DELETE' ? {} : item.apiFields;
	const isBare = !request.body && isEmpty(added);
	const write = isBare ? request : { ...request, body: withFields(request.body, added) };
	if (!item.isPreview) item.writer.refuseUnsendable(item, write);
	return write;
}

/** Previews are made of the plans of all their rows together. */
function showPlans({ preview }: Operation, rows: Row[]): void {
	const shown = rows.filter(({ failure, item, plan }) => preview && !failure && plan && item!.isPreview);
	const previews = once(async () => await preview!(map(shown, 'plan') as never));
	for (const [position, row] of shown.entries()) row.send = async () => (await previews())[position]!;
}
