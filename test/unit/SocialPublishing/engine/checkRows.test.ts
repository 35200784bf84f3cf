import type { IDataObject } from 'n8n-workflow';

import { Failure } from '../../../../nodes/api/failure';
import { checkRows, recountPosts, type Row } from '../../../../nodes/SocialPublishing/engine/checkRows';
import type {
	CheckContext,
	ItemContext,
	Operation,
} from '../../../../nodes/SocialPublishing/engine/operation';
import { fakeItem } from '../resources/operations';

/** What an error says of rows: `partialFailure.test.ts`. In n8n's engine: `test/integration/…/checkRows.test.ts`. */

interface Given {
	/** The node's context. */
	memory?: IDataObject;
	/** As they are stored in the workflow. */
	parameters?: IDataObject;
	continueOnFail?: boolean;
	isTool?: boolean;
	round?: number;
	/** What a failed run by hand sent before this one, by ID. */
	sentByHand?: string[];
}

/** A run of the node whose only item has the binary field `data`; the journal has the key `taken`. */
const runOf = ({ memory = {}, parameters = {}, continueOnFail = false, sentByHand, ...given }: Given = {}) =>
	({
		context: {
			continueOnFail: () => continueOnFail,
			getContext: (kind: string) => (kind === 'node' ? memory : {}),
			getNode: () => ({ parameters }),
			getInputData: () => [{ json: {}, binary: { data: {} } }],
			helpers: {
				assertBinaryData: (_index: number, field: string) => {
					if (field !== 'data') throw new Error('no such field');
				},
			},
		},
		manualRerun: sentByHand
			? Promise.resolve({ wasSent: (id: string) => sentByHand.includes(id) })
			: Promise.reject(new Error('no credential')),
		idOf: (...parts: unknown[]) => parts.join('|'),
		journal: { isTaken: (key: string) => key === 'taken' },
		...{ isTool: false, round: 0, ...given },
	}) as never;
const rowOf = (index: number, params: IDataObject = {}, item: Partial<ItemContext> = {}): Row => ({
	index,
	params: { options: {}, ...params },
	item: { ...fakeItem().context, index, ...item },
});
const failure = (code: string, more: object = {}) => new Failure({ code, message: 'no', hint: '', ...more });
const operationOf = (more: object) => ({ method: 'POST', ...more }) as unknown as Operation;
const codesOf = (rows: Row[]) => rows.map((row) => row.failure?.details.code);

/** What is wrong with each row after the check. */
async function checked(rows: Row[], operation: object, given: Given = {}) {
	await checkRows(runOf(given), operationOf(operation), rows);
	return codesOf(rows);
}

describe('a check', () => {
	test('knows the row, the parameters as they are stored, and what was sent before', async () => {
		let context: CheckContext | undefined;
		const check = (_params: unknown, given: CheckContext) => void (context = given);
		const sentBefore = (path: string, part: string) => (part === 'x' ? { method: 'POST', path } : undefined);
		const parameters = { fixed: ['x'], moves: ['={{ $json.x }}'] };
		const sentByHand = ['3|/posts|tiktok'];
		const row = rowOf(3, {}, { sentBefore } as Partial<ItemContext>);
		await checked([row], { check }, { parameters, sentByHand, continueOnFail: true });
		const { index, postFormat, apiUrl, zone, now } = row.item!;
		expect(context).toMatchObject({ index, postFormat, apiUrl, zone, now, continueOnFail: true });
		const { isFixed, wasSent, requireFile } = context!;
		expect(['fixed', 'moves', 'missing'].map(isFixed)).toEqual([true, false, true]);
		expect(['x', 'tiktok', 'linkedin'].map((part) => wasSent('/posts', part))).toEqual([true, true, false]);
		expect(() => requireFile('data')).not.toThrow();
		expect(() => requireFile('photo')).toThrow("The item has no binary field 'photo'");
	});

	test('without one of its own the request is made, as it would go out now unless it was sent before', async () => {
		const atSending = jest.fn((body: IDataObject) => {
			throw failure(`PAST ${String(body.text)}`);
		});
		const request = ({ text }: IDataObject) => {
			if (!text) throw failure('EMPTY');
			return { path: '/posts', body: { text }, atSending };
		};
		const sentBefore = (path: string, part: string) => (path === '/posts' && part === '' ? {} : undefined);
		const rows = [rowOf(0, { text: 'a' }), rowOf(1), rowOf(2, { text: 'b' }, { sentBefore } as never)];
		expect(await checked(rows, { request })).toEqual(['PAST a', 'EMPTY', undefined]);
		expect(atSending).toHaveBeenCalledTimes(1);
		const bare = {
			request: () => ({ path: '/posts', atSending: (body: object) => expect(body).toEqual({}) }),
		};
		expect(await checked([rowOf(0)], bare)).toEqual([undefined]);
	});

	test("the user's own ID is checked where it is used", async () => {
		const modes = ['custom', 'content'].map((idempotencyKeyMode) => ({ idempotencyKeyMode }));
		const keyed = { idempotencyKeyMode: 'custom', idempotencyKey: 'row-1' };
		const rows = [...modes, keyed].map((options, index) => rowOf(index, { options }));
		expect(await checked(rows, {})).toEqual(['NODE_IDEMPOTENCY_KEY', undefined, undefined]);
	});

	test.each([
		[false, []],
		[true, [0, 3]],
	])(
		'what the service tells comes last; with a wrong row, continuing (%s): of %j',
		async (continueOnFail, asked) => {
			const rows = [0, 1, 2, 3].map((index) => rowOf(index));
			rows[2] = { index: 2, failure: failure('PARAMETER') };
			const seen: number[] = [];
			const check = (_params: unknown, { index }: CheckContext) => {
				if (index === 1) throw failure('WRONG');
			};
			const verify = async ({ index }: ItemContext, _params: unknown, context: CheckContext) => {
				seen.push(index);
				if (context.index === 3) throw failure('NOT_CONNECTED');
			};
			expect(await checked(rows, { check, verify }, { continueOnFail })).toEqual([
				...[undefined, 'WRONG', 'PARAMETER'],
				continueOnFail ? 'NOT_CONNECTED' : undefined,
			]);
			expect(seen).toEqual(asked);
		},
	);
});

describe('Max Posts per Execution', () => {
	const most = (mostPosts: unknown, posts = 1) => ({ posts, options: { mostPosts } });
	const countPosts = ({ posts }: { posts: number }) => posts;
	const rowsOf = (...all: IDataObject[]) => all.map((params, index) => rowOf(index, params));
	const messageOf = async (rows: Row[], given: Given = {}) => {
		await checked(rows, { countPosts }, given);
		expect(new Set(codesOf(rows)).size).toBe(1);
		return rows[0]!.failure?.message;
	};

	test.each<[Row[], string | undefined]>([
		[rowsOf(most(3), most(3, 2)), undefined],
		[rowsOf(most(0), most(undefined, 99)), undefined],
		[rowsOf(most(2), most(3, 2)), 'may send 2 posts: 0 were sent already, 3 posts more are asked for'],
		[rowsOf(most('1', 2)), 'may send 1 post: 0 were sent already, 2 posts more are asked for'],
	])('of one run (%#): %s', async (rows, message) => {
		expect(await messageOf(rows)).toEqual(message && `This execution ${message}`);
	});

	test('previews, wrong rows and operations that make no posts do not count', async () => {
		const memory = {};
		const wrong = { ...rowOf(2, most(1)), failure: failure('WRONG') };
		const rows = [rowOf(0, most(1)), rowOf(1, most(1), { previewOnly: true }), wrong];
		expect(await checked(rows, { countPosts }, { memory, continueOnFail: true })).toEqual([
			...[undefined, undefined, 'WRONG'],
		]);
		expect(memory).toEqual({ posts: { 'round 0': 1 } });
		expect(await checked(rowsOf(most(1, 2)), {})).toEqual([undefined]);
	});

	test('rounds and different calls of a tool count together, the same ones tried again once', async () => {
		for (const isTool of [false, true]) {
			const memory = {};
			const at = async (round: number, text: string) =>
				await messageOf(rowsOf({ ...most(2), text }), { memory, isTool, round });
			expect([await at(0, 'a'), await at(isTool ? 7 : 0, isTool ? 'a' : 'b')]).toEqual([
				undefined,
				undefined,
			]);
			expect(await at(1, 'c')).toBeUndefined();
			expect(await at(2, 'd')).toContain('2 were sent already, 1 post more is asked for');
		}
		const rows = rowsOf(most(1));
		await checked(rows, { countPosts }, { memory: { posts: { 'round 9': 1 } } });
		expect(rows[0]!.failure!.details).toMatchObject({
			code: 'NODE_MOST_POSTS',
			message: expect.stringContaining('may send 1 post: 1 was sent already'),
			hint: expect.stringContaining("raise 'Max Posts per Execution'"),
		});
		const again = { memory: { posts: { 'round 0': 2 } } };
		expect(await messageOf(rowsOf(most(2, 2)), again)).toBeUndefined();
	});

	test('what was certainly not sent counts no longer', async () => {
		const memory: { posts?: IDataObject } = {};
		const run = runOf({ memory });
		const rows = rowsOf(most(9, 5), most(9, 3));
		const create = operationOf({ countPosts });
		const outcomes = [
			[{ platform: 'x, linkedin' }, { preview: true, platform: 'x' }],
			[failure('A', { idempotency_key: 'taken', platform: 'x' }), failure('B', { platform: 'x' })],
		];
		recountPosts(run, create, rows, outcomes);
		expect(memory.posts).toEqual({});
		await checkRows(run, create, rows);
		expect(memory.posts).toEqual({ 'round 0': 8 });
		recountPosts(run, operationOf({}), rows, []);
		expect(memory.posts).toEqual({ 'round 0': 8 });
		recountPosts(run, create, rows, outcomes);
		expect(memory.posts).toEqual({ 'round 0': 3 });
	});
});

test('130,000 rows are no more than the stack takes', async () => {
	const rows = Array<Row>(130_000).fill({ index: 0, params: { options: { mostPosts: 200_000 } } });
	const [run, create] = [runOf(), operationOf({ countPosts: () => 1 })];
	await checkRows(run, create, rows);
	expect(rows[0]!.failure).toBeUndefined();
	const outcomes = Array<IDataObject[]>(rows.length).fill([{ platform: 'x' }]);
	expect(() => recountPosts(run, create, rows, outcomes)).not.toThrow();
});
