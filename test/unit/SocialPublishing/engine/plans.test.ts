import type { IDataObject } from 'n8n-workflow';

import { refusal, type Failure } from '../../../../nodes/api/failure';
import { readList } from '../../../../nodes/api/pages';
import type { Operation } from '../../../../nodes/SocialPublishing/engine/operation';
import { planRows } from '../../../../nodes/SocialPublishing/engine/plans';
import { fakeRun, type GivenRun } from './fakeRun';

/** In n8n's engine: `test/integration/…/plans.test.ts`. */

const previewOnly = { name: 'previewOnly', type: 'boolean' };
const operationOf = (more: object) =>
	({
		method: 'POST',
		fields: [{ name: 'text', type: 'string' }],
		options: [previewOnly],
		...more,
	}) as unknown as Operation;

/** Rows with these options and texts, planned. */
async function planned(more: object, rows: IDataObject[] = [{}], given: GivenRun = {}) {
	const { run, ...fake } = fakeRun({ rows, ...given });
	if ((more as Partial<Operation>).method === 'GET') Object.assign(run, { writer: undefined });
	const all = await planRows(run, operationOf(more), rows.length);
	return { ...fake, rows: all, codes: all.map(({ failure }) => failure?.details.code) };
}
const preview = { options: { previewOnly: true } };

describe('operations with a plan', () => {
	const plan = async ({ text }: { text: string }) => {
		if (!text) throw refusal('EMPTY', 'No text', 'Write one.');
		return { text };
	};
	const send = async ({ text }: { text: string }) => [{ text }];

	test('are planned in order, wrong rows too; what is sent is the plan', async () => {
		const { rows, codes } = await planned({ plan, send }, [{ text: 'a' }, {}, { text: 'c' }]);
		expect(codes).toEqual([undefined, 'NODE_EMPTY', undefined]);
		const { failure } = rows[1]!;
		expect([failure!.notProcessed, await rows[1]!.send()]).toEqual([true, [failure]]);
		expect(await rows[1]!.after([{ sent: true }])).toEqual([{ sent: true }]);
		expect(await rows[2]!.send()).toEqual([{ text: 'c' }]);
		expect(rows[2]).toMatchObject({ index: 2, plan: { text: 'c' }, item: { index: 2 } });
	});

	test('a row for which the credential is another one is wrong', async () => {
		const { codes } = await planned({ plan, send }, [{ text: 'a' }, { text: 'b' }], { otherCredential: 1 });
		expect(codes).toEqual([undefined, 'NODE_CREDENTIAL_DIFFERS']);
	});

	test('are judged together, without those that are wrong already; so are rows that may be one of a failed run by hand', async () => {
		const asked = { path: '/posts', parts: [] };
		const all = async (one: { text: string }) => ({
			...(await plan(one)),
			...(one.text === 'c' ? {} : { asked }),
		});
		const check = jest.fn(async (plans: Array<{ text: string; failure?: Failure }>) => {
			for (const one of plans) if (one.text === 'b') one.failure = refusal('WRONG', 'no', '');
		});
		const given = ['a', '', 'b', 'c', 'd'].map((text) => ({ text }));
		const { rows, codes } = await planned({ plan: all, send, check }, given, { sent: [{}], unclear: 4 });
		expect(check.mock.calls).toMatchObject([[['a', 'b', 'c'].map((text) => ({ text }))]]);
		expect(codes).toEqual([undefined, 'NODE_EMPTY', 'NODE_WRONG', undefined, 'NODE_RERUN_UNCLEAR']);
		for (const row of [rows[2]!, rows[4]!])
			expect(await row.send()).toEqual([row.failure!.withNotProcessed(true)]);
		expect((await planned({ plan: all, send }, [{ text: 'c' }], { unclear: 0 })).codes).toEqual([undefined]);
	});

	test('several failures of a row come back: one that asks for nothing else is done with the first, another is refused', async () => {
		const named = async ({ text, to = '' }: { text: string; to?: string }) => ({
			...(await plan({ text })),
			names: to.split(','),
		});
		const fields = ['text', 'to'].map((name) => ({ name, type: 'string' }));
		const comeBack = async (...rows: IDataObject[]) => {
			const operation = { fields, plan: named, send };
			return await planned(operation, rows, { firstOf: { 1: 0, 2: 0, 3: 0 } });
		};
		const failed = { text: 'a', error: { code: 'A' } };
		const { rows, codes } = await comeBack(failed, { ...failed, error: {} }, { ...failed, text: 'b' }, {});
		// One that was changed is a row of its own by now; of one that can't be planned isn't known what it asks for.
		expect(codes).toEqual([undefined, undefined, 'NODE_ROW_DIVIDED', 'NODE_EMPTY']);
		expect(await rows[1]!.send()).toEqual([]);
		// Where the first can't be planned, it says why, and nothing of the row is lost.
		const wrong = await comeBack({ text: '' }, { text: '', error: {} }, { text: '', to: 'x' }, { text: 'x' });
		expect(wrong.codes).toEqual(['NODE_EMPTY', undefined, 'NODE_EMPTY', 'NODE_ROW_DIVIDED']);
		expect(await wrong.rows[1]!.send()).toEqual([]);
	});

	test('failures of a row that ask for different platforms, by what their errors say', async () => {
		const byError = ({ platform = 'x,b' }: IDataObject) => String(platform).split(',');
		const asked = (...all: IDataObject[]) => {
			const rows = all.map((error) => ({ text: 'a', error }));
			let index = 0;
			const operation = {
				send,
				plan: async (row: { text: string }) => ({ ...(await plan(row)), names: byError(all[index++]!) }),
			};
			return planned(operation, rows, { firstOf: { 1: 0 } });
		};
		expect((await asked({}, { platform: 'b' })).codes).toEqual([undefined, undefined]);
		expect((await asked({ platform: 'x' }, { platform: 'b' })).codes).toEqual([
			undefined,
			'NODE_ROW_DIVIDED',
		]);
		expect((await asked({ platform: 'x' }, {})).codes).toEqual([undefined, 'NODE_ROW_DIVIDED']);
	});

	test('what is waited for afterwards counts, but for previews', async () => {
		const after = async (_item: object, outcomes: object[], { text }: IDataObject) => [...outcomes, { text }];
		const { rows } = await planned({ plan, send, after }, [{ text: 'a' }, { text: 'b', ...preview }]);
		expect(await rows[0]!.after([{}])).toEqual([{}, { text: 'a' }]);
		expect(await rows[1]!.after([{}])).toEqual([{}]);
	});

	test('previews are made once, of all plans that are previewed', async () => {
		const showAll = jest.fn(async (all: IDataObject[]) => all.map((one) => [one]));
		const given = [{ text: 'a' }, { text: 'b', ...preview }, preview, { text: 'c', ...preview }];
		const { rows } = await planned({ plan, send, preview: showAll }, given);
		expect(showAll).not.toHaveBeenCalled();
		const sent = await Promise.all(rows.map(async (row) => await row.send()));
		expect(sent).toEqual([[{ text: 'a' }], [{ text: 'b' }], [rows[2]!.failure], [{ text: 'c' }]]);
		expect(showAll).toHaveBeenCalledTimes(1);
	});

	test.each<[unknown, string | undefined, string | undefined]>([
		['={{ $json.workspace }}', '', 'NODE_PARAMETER_EMPTY'],
		['={{ $json.workspace }}', undefined, 'NODE_PARAMETER_EMPTY'],
		['={{ $json.workspace }}', 'ws_1', undefined],
		['', '', undefined],
	])('the workspace %s that gives %s: %s', async (stored, value, code) => {
		const given = { parameters: { options: { workspaceId: { mode: 'id', value: stored } } } as IDataObject };
		const row = { text: 'a', options: { workspaceId: { mode: 'id', value } } } as IDataObject;
		const options = [{ name: 'workspaceId', type: 'resourceLocator' }];
		const { codes } = await planned({ plan, send, options }, [row], given);
		expect(codes).toEqual([code]);
	});

	test.each([
		[50, 2],
		[20, 0],
	])('of four rows planned in %d ms each, n8n has its turn %d times', async (ms, turns) => {
		let now = 1;
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
		const timer = jest.spyOn(global, 'setTimeout');
		await planned({ plan: async () => ({ took: (now += ms) }) }, [{}, {}, {}, {}]);
		expect(timer).toHaveBeenCalledTimes(turns);
		for (const one of [clock, timer]) one.mockRestore();
	});

	test('what is said of a parameter is said of its row', async () => {
		const { hinted } = await planned({ plan, send }, [{ text: 'a' }, { text: 'half \ud83d' }]);
		expect(hinted).toEqual([[expect.stringContaining('emoji'), 'warning', 1]]);
	});
});

describe('operations of one call', () => {
	const added = (additionalFields: IDataObject) => ({ options: { additionalFields } });
	const request = ({ text }: IDataObject) => ({ path: '/things', ...(text ? { body: { text } } : {}) });
	const things = { path: '/things', listNames: ['things'] };

	test('a read, as a record or a list up to its limit', async () => {
		const { rows, asked } = await planned({ method: 'GET', request });
		expect([await rows[0]!.send(), asked]).toEqual([
			[{ id: 'a' }],
			[[expect.objectContaining({ method: 'GET', path: '/things', expects: 'record' }), 60_000]],
		]);
		const data = [{ id: 1 }, { id: 2 }, { id: 3 }];
		const fields = [
			{ name: 'limit', type: 'number' },
			{ name: 'returnAll', type: 'boolean' },
		];
		const list = { method: 'GET', request: () => things, fields };
		for (const [row, count] of [
			[{ limit: 2 }, 2],
			[{ limit: 2, returnAll: true }, 3],
		] as const)
			expect(await (await planned(list, [row], { data })).rows[0]!.send()).toHaveLength(count);
		const own = { method: 'GET', request: () => things, rows: (all: IDataObject[]) => all };
		const given = { data: [{ a: 1 }, { b: 2 }] };
		const sameColumns = await (await planned(own, [{}], given)).rows[0]!.send();
		expect(sameColumns).toEqual([
			{ a: 1, b: null },
			{ a: null, b: 2 },
		]);
		const ownColumns = await (await planned({ ...own, ownColumns: true }, [{}], given)).rows[0]!.send();
		expect(ownColumns).toEqual(given.data);
		const shape = ({ id }: IDataObject) => [{ id }, { id }];
		const shaped = await planned({ method: 'GET', request, shape }, [{}]);
		expect(await shaped.rows[0]!.send()).toEqual([{ id: 'a' }, { id: 'a' }]);
	});

	test('a list that the node filters itself is read for those that pass, and no row is made of the others', async () => {
		const fields = [
			{ name: 'limit', type: 'number' },
			{ name: 'filters', type: 'collection', options: [{ name: 'kind', type: 'string' }] },
		];
		const filter = ({ filters: { kind } }: { filters: IDataObject }) =>
			kind ? (one: IDataObject) => one.kind === kind : undefined;
		const made = (records: IDataObject[]) => records.map(({ id }) => ({ made: id }));
		const list = { method: 'GET', request: () => things, filter, rows: made, fields };
		const data = ['a', 'b', 'a', 'a'].map((kind, id) => ({ id, kind }));
		const read = async (kind: string) => {
			const { rows, asked } = await planned(list, [{ limit: 2, filters: { kind } }], { data });
			const items = await rows[0]!.send();
			return [items.map((one) => (one as IDataObject).made), asked[0]![0].most];
		};
		expect(await read('a')).toEqual([[0, 2], Infinity]);
		expect(await read('')).toEqual([[0, 1], 2]);
	});

	test.each([
		[{ limit: 1, returnAll: true }, 3, true],
		[{ limit: 5 }, 3, true],
		[{ limit: 2 }, 2, false],
		[{}, 3, true],
	])('of a list that goes on where it can not be read, %j says so', async (row, count, isTold) => {
		const fields = [
			{ name: 'limit', type: 'number' },
			{ name: 'returnAll', type: 'boolean' },
		].filter(({ name }) => name in row);
		const given = { data: [{ id: 1 }, { id: 2 }, { id: 3 }], hasMore: true };
		const { rows, hinted } = await planned({ method: 'GET', request: () => things, fields }, [row], given);
		expect(await rows[0]!.send()).toHaveLength(count);
		expect(hinted.map(([message]) => message)).toEqual(
			isTold ? ["The service has more than these 3 results, but the next page couldn't be read"] : [],
		);
		const unclear = { ...given, hasMore: false, isUnclear: true };
		const other = await planned({ method: 'GET', request: () => things, fields }, [row], unclear);
		await other.rows[0]!.send();
		expect(other.hinted.map(([message]) => message)).toEqual(
			isTold
				? [
						"The service may have more than these 3 results: its answer has several lists, or mentions pages, in a way that this node can't read",
					]
				: [],
		);
	});

	test.each([
		[{ returnAll: true }, {}, 25, true],
		[{ returnAll: true }, {}, 24, false],
		[{ returnAll: true }, { has_more: false }, 25, false],
		[{ returnAll: true }, { total: 25 }, 25, false],
		// The list has its name: another one need not be a part of it.
		[{ returnAll: true }, { others: [{ id: 'a' }] }, 24, false],
		[{ returnAll: true, filters: { limit: 50 } }, {}, 25, false],
		[{ limit: 50 }, {}, 25, false],
	])(
		'%j of a list that says %j: whether %d records may be a page is said: %s',
		async (row, said, count, isTold) => {
			const types: IDataObject = { limit: 'number', returnAll: 'boolean', filters: 'json' };
			const fields = Object.keys(row).map((name) => ({ name, type: types[name] }));
			const ask = ({ filters: qs }: IDataObject) => ({ ...things, ...(qs ? { qs } : {}) });
			const items = Array.from({ length: count }, (_, id) => ({ id }));
			const send = async () => ({ status: 200, data: { items, ...said }, headers: {} });
			const listed = await readList(send, 'https://api.example.com/v1', { listNames: ['items'] });
			const given = { ...listed, data: listed.records };
			const { rows, hinted } = await planned({ method: 'GET', request: ask, fields }, [row], given);
			expect(await rows[0]!.send()).toHaveLength(count);
			expect(hinted.map(([message, level]) => [message, level])).toEqual(
				isTold
					? [
							[
								"There may be more than these 25 results: the service doesn't say whether this is the whole list or its first page",
								'info',
							],
						]
					: [],
			);
		},
	);

	test.each([
		['POST', { text: 'a' }, { text: 'a' }],
		['POST', { text: 'a', ...added({ text: 'b', more: [1] }) }, { text: 'b', more: [1] }],
		['POST', added({ more: 1 }), { more: 1 }],
		['POST', {}, undefined],
		['PATCH', { text: 'a', ...added({ more: 1 }) }, { text: 'a', more: 1 }],
		['DELETE', { text: 'a', ...added({ more: 1 }) }, { text: 'a' }],
	])('a %s of %j sends %j, with the additional fields', async (method, row, body) => {
		const options = [previewOnly, { name: 'additionalFields', type: 'json' }];
		const { rows, written } = await planned({ method, request, options }, [row]);
		expect(await rows[0]!.send()).toEqual([{ id: 'a' }]);
		expect(written).toEqual([body ? { path: '/things', body } : { path: '/things' }]);
	});

	test('a write is reported as it was sent, or as it would be', async () => {
		const shape = (_data: IDataObject, _params: never, _at: unknown, sent?: IDataObject) => ({ sent });
		const given = [{ text: 'a' }, { text: 'b', ...preview }];
		const { rows, written } = await planned({ request, shape }, given);
		expect(await rows[0]!.send()).toEqual([{ sent: { text: 'a' } }]);
		expect(rows[0]!.plan!.asked).toEqual({ path: '/things', parts: [{ text: 'a' }] });
		expect(await rows[1]!.send()).toEqual([{ preview: true, path: '/things', body: { text: 'b' } }]);
		expect(written).toHaveLength(1);
	});

	test('a write that comes too late is refused, unless an earlier try sent it, or it is previewed', async () => {
		const finish = ({ text }: IDataObject) => {
			throw refusal('PAST', String(text), 'Later.');
		};
		const late = { request: () => ({ path: '/things', body: { text: 'a' }, finish }) };
		expect((await planned(late)).codes).toEqual(['NODE_PAST']);
		const sent = [{ path: '/things', workspaceId: 'ws_own' }];
		expect((await planned(late, [{}], { sent })).codes).toEqual([undefined]);
		expect((await planned(late, [preview])).codes).toEqual([undefined]);
	});

	test.each([
		['POST', {}, 'NODE_RERUN_UNCLEAR'],
		['POST', { setsState: true }, undefined],
		['PATCH', {}, undefined],
		['GET', {}, undefined],
	])('a %s with %j that may be one of a failed run by hand: %s', async (method, more, code) =>
		expect((await planned({ method, request, ...more }, [{}], { unclear: 0 })).codes).toEqual([code]),
	);

	test('reads of several calls, and operations that only wait', async () => {
		const run = async (_item: object, { text }: IDataObject) => [{ text }];
		const several = await planned({ method: 'GET', run }, [{ text: 'a' }]);
		expect(await several.rows[0]!.send()).toEqual([{ text: 'a' }]);
		expect(await (await planned({ method: 'GET' })).rows[0]!.send()).toEqual([]);
	});
});
