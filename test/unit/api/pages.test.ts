import type { IDataObject } from 'n8n-workflow';

import type { Answer } from '../../../nodes/api/answers';
import { Failure, refusal } from '../../../nodes/api/failure';
import { readList, type ListOptions } from '../../../nodes/api/pages';

/** Reads a list of a service that gives these answers, one for each request. */
async function read(
	answers: Array<Partial<Answer> | Failure>,
	options: ListOptions & { qs?: IDataObject } = {},
) {
	const asked: Array<IDataObject | undefined> = [];
	const send = async ({ qs }: { qs?: IDataObject }): Promise<Answer> => {
		const answer = answers[asked.push(qs) - 1] ?? { data: [] };
		if (answer instanceof Failure) throw answer;
		return { status: 200, data: [], headers: {}, ...answer };
	};
	const listed = await readList(send, options);
	return { ids: listed.records.map(({ id }) => id), hasMore: listed.hasMore, asked };
}

const records = (...ids: number[]) => ids.map((id) => ({ id }));
const page = (hasNext: boolean, ...ids: number[]) => ({
	data: { batches: records(...ids), pagination: { hasNext } },
});

test('pages are read as the spec shows it: `page` grows until `hasNext` is false', async () => {
	const { ids, hasMore, asked } = await read([page(true, 1, 2), page(false, 3)], { qs: { a: 1 } });
	expect([ids, hasMore]).toEqual([[1, 2, 3], false]);
	expect(asked).toEqual([{ a: 1 }, { a: 1, page: 2 }]);
});

test('`pagination` may stand beside a bare list', async () => {
	const bare = (hasNext: boolean, id: number) => ({ data: records(id), beside: { pagination: { hasNext } } });
	expect((await read([bare(true, 1), bare(false, 2)])).ids).toEqual([1, 2]);
});

test('an endpoint with a page size is asked for no more than is wanted', async () => {
	const { asked, hasMore } = await read([page(true, 1, 2)], { pageSize: 50, most: 2 });
	expect([asked, hasMore]).toEqual([[{ page: 1, limit: 2 }], true]);
	expect((await read([page(true, 1), page(false, 2)], { pageSize: 50 })).asked[1]).toEqual({
		...{ page: 2, limit: 50 },
	});
});

test('no more are given than are wanted', async () => {
	expect(await read([{ data: records(1, 2, 3) }], { most: 2 })).toMatchObject({ ids: [1, 2], hasMore: true });
	expect(await read([{ data: records(1, 2) }], { most: 2 })).toMatchObject({ ids: [1, 2], hasMore: false });
});

test('what comes again on the next page counts once; a page that brings nothing new is the last', async () => {
	const { ids, hasMore, asked } = await read([
		page(true, 1, 2),
		page(true, 2, 3),
		page(true, 3),
		page(false, 4),
	]);
	expect([ids, hasMore, asked.length]).toEqual([[1, 2, 3], true, 3]);
	expect((await read([{ data: records(1, 1) }])).ids).toEqual([1, 1]);
});

test('of two records with one ID, both count: a service may number its accounts for each platform', async () => {
	const accounts = (hasNext: boolean, platform: string) => ({
		data: { accounts: [{ id: 1, platform }], pagination: { hasNext } },
	});
	expect((await read([accounts(true, 'x'), accounts(false, 'tiktok')])).ids).toEqual([1, 1]);
});

test.each<[string, Partial<Answer>]>([
	['has_more', { data: { items: records(1), has_more: true } }],
	['next_cursor', { data: records(1), beside: { pagination: { next_cursor: 'a' } } }],
	['next_page', { data: { items: records(1), pagination: { next_page: '/b' } } }],
	['a Link header', { data: records(1), headers: { link: '</b>; rel="next"' } }],
])('%s says that there is more, and is not followed', async (_form, answer) => {
	expect(await read([answer])).toMatchObject({ ids: [1], hasMore: true, asked: [undefined] });
});

test.each<Partial<Answer>>([
	{ data: { items: records(1), has_more: false, next_cursor: null, next_page: '', total: 50 } },
	{ data: records(1), headers: { link: '</b>; rel=deprecation' } },
])('%j says nothing of more', async (answer) =>
	expect(await read([answer])).toMatchObject({ hasMore: false }),
);

test('a page that fails is a failure: half a list would look like a whole one', async () => {
	const failure = refusal('A', 'No', 'Try.');
	await expect(read([failure])).rejects.toBe(failure);
	await expect(read([page(true, 1), failure])).rejects.toBe(failure);
});
