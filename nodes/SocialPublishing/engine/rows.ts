import { attempt, isEmpty, isError, range } from 'lodash';
import type { IDataObject } from 'n8n-workflow';

import { inTurn } from '../../api/concurrency';
import { toFailure, type Failure, type Outcome } from '../../api/failure';
import { withFields } from '../writes/body';
import { notSent } from '../writes/hints';
import { dividedRow } from '../writes/rows';
import { scheduledAtIn } from '../writes/key';
import { creates, type Write } from '../writes/write';
import { hintOfMore, Item } from './item';
import type { OneRequest, Operation, Plan } from './operation';
import { readParams } from './params';
import type { Run } from './run';
import { withColumns } from './tables';

/** One input item on its way through a run. */
export interface Row {
	readonly index: number;
	/** Left out where its parameters can't be read. */
	readonly planned?: Planned;
	/** Why it isn't sent. */
	failure?: Failure;
	/** What became of it, once it was sent. */
	outcomes?: Outcome[];
}

/** What a row is going to do. */
export interface Planned {
	item: Item;
	params: IDataObject;
	plan: Plan;
	/** @throws Failure where it is too late, or can't be sent */
	check?: () => void;
	preview?: () => IDataObject;
	send(): Promise<Outcome[]>;
}

/** Reads the parameters of all rows and plans each, in their order: only reads are sent for that. */
export async function planRows(run: Run, operation: Operation): Promise<Row[]> {
	return await inTurn(range(run.count), async (index) => {
		try {
			return { index, planned: await plannedRow(run, operation, index) };
		} catch (error) {
			return { index, failure: toFailure(error) };
		}
	});
}

async function plannedRow(run: Run, operation: Operation, index: number): Promise<Planned> {
	const identity = run.writer?.rows[index];
	if (identity?.isDivided) throw dividedRow;
	await run.refuseOtherCredential(index);
	const hint = (message: string) => run.report.hint(message, 'warning', index);
	const params = readParams(run.n8n, operation, index, hint);
	const item = new Item(run, index, params.options as IDataObject);
	if (identity?.isForeign && !item.isPreview && creates(operation)) hint(cameFromElsewhere);
	if (operation.request) return oneCall(operation, params, item);
	const plan = (await operation.plan?.(params, item)) ?? { item, writes: [] };
	return { item, params, plan, send: async () => (await operation.send?.(plan, params)) ?? [] };
}

const cameFromElsewhere =
	"The error in this item is another node's, or of another execution, so the item is sent as new. If the earlier attempt may have gone out, look for duplicates in the service. To prevent them, set Options → Avoid Duplicates to 'My Own ID'.";

function oneCall(operation: Operation, params: IDataObject, item: Item): Planned {
	const request = operation.request!(params, item);
	const plan = { item, params };
	if (operation.method === 'GET')
		return { ...plan, plan: { item, writes: [] }, send: async () => await read(operation, request, plan) };
	const { path, finish } = request;
	const isBare = operation.method === 'DELETE' || (!request.body && isEmpty(item.apiFields));
	const body = isBare ? request.body : withFields(request.body, item.apiFields);
	const final = () => (body && finish ? finish(body) : body);
	const write: Write = { path, target: path, says: request.says ?? body ?? {}, time: scheduledAtIn(body) };
	return {
		...plan,
		plan: { item, writes: [write] },
		check: () => void final(),
		preview: () => {
			const late = attempt(final);
			const warnings = isError(late) ? [`Would be refused: ${late.message}`] : [];
			item.hint(notSent, 'info');
			return item.writer.preview(item, write, body, warnings);
		},
		send: async () => {
			const sent = await item.writer.send(item, write, { body: final });
			return await shaped(operation, sent.response, plan, sent.body);
		},
	};
}

type OfRow = Pick<Planned, 'item' | 'params'>;

async function shaped({ shape }: Operation, data: unknown, { item, params }: OfRow, sent?: IDataObject) {
	const all = shape ? await shape(data as IDataObject, params, item, sent) : data;
	return [all as IDataObject].flat();
}

async function read(operation: Operation, request: OneRequest, ofRow: OfRow): Promise<Outcome[]> {
	const { item, params } = ofRow;
	const { rows, ownColumns } = operation;
	if (request.expects !== 'list')
		return await shaped(operation, (await item.get({ expects: 'record', ...request })).data, ofRow);
	const most = params.returnAll ? Infinity : ((params.limit as number | undefined) ?? Infinity);
	const listed = await item.list({ most, ...request });
	const all = rows ? await rows(listed.records, params, item) : listed.records;
	const list = all.slice(0, most);
	if (list.length < most) hintOfMore(item, listed);
	return ownColumns ? list : withColumns(list);
}
