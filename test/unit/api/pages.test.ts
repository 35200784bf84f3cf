import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Answer } from '../../../nodes/api/answers';
import { lists } from '../../../nodes/api/contract';
import { refusal } from '../../../nodes/api/failure';
import { readList, type NextPage } from '../../../nodes/api/pages';
import { runs } from '../../support/property';

const API = 'https://service.example/api/public/v1';

/** How a list says that there is more, and takes the request for it. `undefined`: it can't be followed. */
type Form = (at: {
	page: number;
	cursor: string;
	isLast: boolean;
}) => { data?: IDataObject; beside?: IDataObject; link?: string; headers?: IDataObject } | undefined;

const forms: Record<string, Form> = {
	'hasNext in pagination': ({ page, isLast }) => ({ data: { pagination: { page, hasNext: !isLast } } }),
	'has_more beside data': ({ isLast }) => ({ beside: { has_more: !isLast } }),
	'pages from 0': ({ page, isLast }) => ({ data: { meta: { page: page - 1, has_next: !isLast } } }),
	next_cursor: ({ cursor, isLast }) => ({ data: { next_cursor: isLast ? null : cursor } }),
	'endCursor, also of the last page': ({ cursor, isLast }) => ({
		data: { pageInfo: { endCursor: cursor, hasNextPage: !isLast } },
	}),
	'next_page as a number': ({ page, isLast }) => ({ beside: { next_page: isLast ? null : page + 1 } }),
	'next_page as a token': ({ cursor, isLast }) => ({
		data: { next_cursor: '', next_page: isLast ? '' : `${cursor}/` },
	}),
	'an address': ({ cursor, isLast }) => ({
		data: { links: { next: isLast ? null : `${API}/things?after=${cursor}` } },
	}),
	'an address without a host': ({ cursor, isLast }) =>
		isLast ? {} : { data: { _links: { next: { href: `/api/public/v1/things?after=${cursor}` } } } },
	'the query of an address': ({ cursor, isLast }) => (isLast ? {} : { beside: { next: `?after=${cursor}` } }),
	Link: ({ cursor, isLast }) => (isLast ? {} : { link: `<${API}/things?after=${cursor}>; rel="next"` }),
	'a total': ({ isLast }) => ({ data: { meta: { total: isLast ? 0 : 9_999 } } }),
	'a total of items': ({ isLast }) => ({ beside: { totalItems: isLast ? 0 : 9_999 } }),
	'a total of results': ({ isLast }) => ({ data: { resultCount: 7, totalResults: isLast ? 0 : 9_999 } }),
	'a number of pages': ({ page, isLast }) => ({
		data: { pagination: { page, total_pages: isLast ? page : 99 } },
	}),
	'a number of pages, from 0': ({ page, isLast }) => ({
		data: { meta: { page: page - 1, lastPage: String(isLast ? page : 99) } },
	}),
	'a flag that is a text': ({ isLast }) => ({ beside: { has_more: String(!isLast) } }),
	'a flag that is a number': ({ isLast }) => ({ data: { paging: { hasMore: isLast ? 0 : 1 } } }),
	'an address with http': ({ cursor, isLast }) => ({
		data: { next: isLast ? null : `${API.replace('https', 'http')}/things?after=${cursor}` },
	}),
	'a number as the cursor, 0 at the end': ({ page, isLast }) => ({
		data: { next_cursor: isLast ? 0 : page },
	}),
	'Link with other parameters': ({ cursor, isLast }) => ({
		link: isLast
			? `<${API}/things?after=0>; title="a, b; c"; rel="first prev"`
			: `<${API}>; rel=self, <${API}/things?after=${cursor}>; title="next, please"; rel="last next"`,
	}),
	'a page that counts itself, from 0': ({ page, isLast }) => ({
		data: { number: page - 1, totalPages: isLast ? page : 99, last: isLast },
	}),
	'a page in a record, from 0': ({ page, isLast }) => ({
		data: { page: { number: page - 1, totalPages: isLast ? page : 99 } },
	}),
	'Link with http': ({ cursor, isLast }) =>
		isLast ? {} : { link: `<${API.replace('https', 'http')}/things?after=${cursor}>; rel=next` },
	'X-Total-Count': ({ isLast }) => ({ headers: { 'x-total-count': isLast ? '0' : '9999' } }),
	'X-Next-Page, as GitLab has it': ({ page, isLast }) => ({
		headers: {
			'x-page': `${page}`,
			'x-next-page': isLast ? '' : `${page + 1}`,
			'x-total-pages': `${isLast ? page : 99}`,
		},
	}),
	'Content-Range': ({ isLast }) => ({ headers: { 'content-range': `items 0-6/${isLast ? 0 : 9_999}` } }),
	'result_info, as Cloudflare has it': ({ page, isLast }) => ({
		beside: { result_info: { page, total_pages: isLast ? page : 99 } },
	}),
	IsTruncated: ({ isLast }) => ({ data: { IsTruncated: !isLast } }),
	'list_info, as Zoho has it': ({ page, isLast }) => ({
		data: { filter: { page: '', next: null }, list_info: { has_more_rows: !isLast, row_count: page } },
	}),
	'next_results, as X has it': ({ cursor, isLast }) => ({
		data: { search_metadata: { next_results: isLast ? '' : `?after=${cursor}` } },
	}),
};

/** A service whose pages are asked for in any form; a page that it doesn't know is the first one. */
function service(total: number, size: number, form: Form, isPageOfZero = false) {
	const asked: NextPage[] = [];
	const all = Array.from({ length: total }, (_, i) => ({ id: `id_${i}` }));
	const ask = async ({ path = '/things', qs = {} }: NextPage): Promise<Answer> => {
		asked.push({ path, qs });
		if (path !== '/things') throw refusal('TEST', `asked ${path}`, '');
		const token = qs.cursor ?? qs.after;
		const limit = Number(qs.limit ?? size);
		const index =
			token === undefined
				? Number(qs.page ?? (isPageOfZero ? 0 : 1)) - (isPageOfZero ? 0 : 1)
				: Number.parseInt(String(token), 10);
		const isLast = (index + 1) * limit >= total;
		const said = form({ page: index + 1, cursor: String(index + 1), isLast }) ?? {};
		const data = { items: all.slice(index * limit, (index + 1) * limit), ...said.data };
		return { status: 200, data, headers: { link: said.link, ...said.headers }, beside: said.beside ?? {} };
	};
	return { all, ask, asked };
}

test.each(Object.keys(forms))('a list is read to its end, each record once, with %s', async (name) => {
	const sizes = fc.integer({ min: 1, max: 30 });
	const counts = fc.integer({ min: 0, max: 90 });
	const most = fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 100 }));
	await fc.assert(
		fc.asyncProperty(counts, sizes, most, async (total, size, enough) => {
			const { all, ask, asked } = service(total, size, forms[name]!, name.endsWith('from 0'));
			const { records, hasMore, isComplete } = await readList(ask, API, {
				listNames: ['items'],
				most: enough,
			});
			expect(records).toEqual(all.slice(0, enough));
			expect(hasMore).toBe(enough < total);
			if (hasMore) expect(isComplete).toBe(false);
			expect(asked.length).toBe(Math.max(1, Math.ceil(Math.min(enough, total) / size)));
		}),
		runs(10, 3),
	);
});

describe('a list that goes on where it cannot be followed says that there is more', () => {
	const page = [{ id: 1 }, { id: 2 }, { id: 3 }];
	test.each<[what: string, said: IDataObject, link: string, asked: number]>([
		['at another host', { next: 'https://elsewhere.example/api/public/v1/things?page=2' }, '', 1],
		['at another path of the host', { next: 'https://service.example/admin' }, '', 1],
		[
			'at another port of the host',
			{},
			'<https://service.example:81/api/public/v1/things?page=2>; rel=next',
			1,
		],
		['at an address that is none', { next: '//' }, '', 1],
		['with a cursor that it then refuses', { next_cursor: 'refused' }, '', 2],
		['with the same page again and again', { hasMore: true }, '', 2],
		['with more than it gives', { total_count: 4 }, '', 2],
		['with more elements than it gives', { totalElements: 9, totalPages: 1 }, '', 2],
		['with a cursor that is too large to be exact', { next_cursor: 2 ** 60 }, '', 1],
		['at an address that names something twice', { next: `${API}/things?type[]=a&type[]=b` }, '', 1],
	])('%s', async (_what, said, link, count) => {
		let asked = 0;
		const ask = async ({ qs }: NextPage) => {
			asked++;
			if (qs?.cursor === 'refused') throw refusal('CURSOR', 'unknown', '').with({ status: 400 });
			return { status: 200, data: { items: page }, headers: { link }, beside: said };
		};
		expect(await readList(ask, API, { listNames: ['items'] })).toMatchObject({
			...{ records: page, hasMore: true, isComplete: false },
		});
		expect(asked).toBe(count);
	});

	test.each([401, 403, 500])('but a next page that answers %s is a failure', async (status) => {
		const ask = async ({ qs }: NextPage) => {
			if (qs) throw refusal('TEST', 'no', '').with({ status, retryable: status === 500 });
			return { status: 200, data: { items: page, has_more: true }, headers: {} };
		};
		await expect(readList(ask, API, { listNames: ['items'] })).rejects.toThrow('no');
	});
});

test.each<[pages: number[], most: number]>([
	[[1, 0, 0, 2], 3],
	[[0, 1], 1],
	[[1, ...Array<number>(21).fill(0), 2], 1],
])(
	'pages behind a cursor of %j records, up to 20 of them empty in a row: %d are read',
	async (counts, most) => {
		const ask = async ({ qs }: NextPage) => {
			const page = Number(qs?.cursor ?? 0);
			const items = Array.from({ length: counts[page]! }, (_, i) => ({ id: `${page}_${i}` }));
			const next_cursor = page + 1 < counts.length ? page + 1 : null;
			return { status: 200, data: { items, next_cursor }, headers: {} };
		};
		const read = await readList(ask, API, { listNames: ['items'] });
		expect([read.records.length, read.hasMore]).toEqual([most, counts.length > 20]);
	},
);

test('a total in a header that is of something else costs one request, and leaves open whether there is more', async () => {
	const form: Form = () => ({ headers: { 'x-total-count': '40' } });
	const { all, ask, asked } = service(3, 7, form);
	const { records, hasMore, isComplete } = await readList(ask, API, { listNames: ['items'] });
	expect([records, hasMore, isComplete, asked.length]).toEqual([all, false, false, 2]);
});

test('a next page of 0 is none', async () => {
	const ask = async ({ qs }: NextPage) => ({
		...{ status: 200, headers: {} },
		data: { items: [{ id: qs ? 2 : 1 }], next_page: 0 },
	});
	const { records, hasMore } = await readList(ask, API, { listNames: ['items'] });
	expect([records, hasMore]).toEqual([[{ id: 1 }], false]);
});

test.each([
	[0, {}, true],
	[7, {}, true],
	[10, {}, false],
	[25, {}, false],
	[100, {}, false],
	[100, { pagination: { hasNext: false } }, true],
	[50, { next_cursor: null }, true],
	[50, { pagination: { page: 1, total_pages: 1 } }, true],
	// As long as it says itself that a page may be.
	[15, { pagination: { page: 1, per_page: 15 } }, false],
	[14, { pagination: { page: 1, per_page: '15' } }, true],
	[30, { limit: 30 }, false],
	// It says something of pages that can't be read.
	[3, { pagination: { page: 1 } }, false],
	[3, { paging: { cursors: { after: 'a' } } }, false],
	[3, { page_info: { more_to_come: 'yes' } }, false],
	[3, { pageInfo: 'page 1 of 2' }, false],
	[3, { next: { page: 2 } }, false],
	[3, { next: { page: 2 }, next_cursor: null, total: 3 }, false],
	[3, { next: true }, false],
	[3, { next_cursor: true }, false],
	[3, { hasMore: 10 }, false],
	[3, { hasMore: '0/1' }, false],
	[3, { next_offset: 3 }, false],
	[3, { more: true }, false],
	[3, { '@odata.nextLink': '/things' }, false],
	[3, { cursor: { after: 'a' } }, false],
	[3, { meta: { pages: 2 } }, false],
	[3, { count: 4 }, false],
	[3, { last_evaluated_key: 'k' }, false],
	[3, { NextContinuationToken: 'k' }, false],
	[3, { paging_info: { next_offset: 3 } }, false],
	// Records of something else say nothing of the list.
	[
		3,
		{ rate_limit: { limit: 60, remaining: 59 }, stats: { total: 9 }, workspace: { limit: 3, next: 'a' } },
		true,
	],
	[3, { truncated: false }, true],
	[3, { count: 3, offset: 0, more: false, pages: ['a'], last_synced_at: 'today' }, true],
	[3, { pagination: {} }, true],
	[3, { pagination: { total: 3 } }, true],
	[3, { meta: { took_ms: 3 } }, true],
	// What is called length makes no array of it.
	[3, { length: 3 }, true],
	[3, { meta: { length: 3 } }, true],
	[3, { length: 3, next_offset: 3 }, false],
	[3, { pages: ['a'] }, true],
	[3, { pages: 2 }, false],
])('whether %d records are all: %j', async (count, said, isComplete) => {
	const items = Array.from({ length: count }, (_, i) => ({ id: i + 1 }));
	const ask = async () => ({ status: 200, data: { items, ...said }, headers: {} });
	const read = await readList(ask, API, { listNames: ['items'] });
	expect(read).toMatchObject({ hasMore: false, isComplete });
	// Of what it doesn't say anything, a list of a usual length says nothing that can't be read.
	if (isComplete || count >= 10) expect(read.isUnclear ?? false).toBe(false);
	else expect(read.isUnclear).toBe(true);
});

const profiles = [{ id: 1 }];
const pages = [{ id: 2 }, { id: 3 }];
test.each<[data: object, count: number, isComplete: boolean, isUnclear: boolean]>([
	[{ profiles, pages }, 1, false, true],
	[{ instagram: profiles, linkedin: [null, ...pages] }, 1, false, true],
	[{ none: [], pages }, 2, true, false],
	// It has the name of the list, so the other one need not be a part of it.
	[{ items: profiles, pages }, 1, false, false],
	[{ items: [], pages }, 0, false, false],
	// These can't be: they have no IDs.
	[{ profiles, warnings: [{ message: 'no' }], errors: [], links: ['a'], none: [null] }, 1, true, false],
	[{ items: profiles, warnings: [{ message: 'no' }], brand: { id: 4 } }, 1, true, false],
])(
	'an answer with several lists may not have been read whole: %j',
	async (data, count, isComplete, isUnclear) => {
		const read = await readList(async () => ({ status: 200, data, headers: {} }), API, {
			listNames: ['items'],
		});
		expect([read.records.length, read.isComplete, read.isUnclear ?? false]).toEqual([
			...[count, isComplete, isUnclear],
		]);
	},
);

test('an inbox in two lists, of comments and of messages, may not have been read whole', async () => {
	const data = { comments: profiles, messages: pages };
	const read = await readList(async () => ({ status: 200, data, headers: {} }), API, lists.inbox);
	expect(read).toMatchObject({ isComplete: false, isUnclear: true });
});

test.each([
	null,
	{},
	'x',
	{ items: null },
	{ items: { id: 1 } },
	{ items: ['wh_1'] },
	{ items: ['wh_1', { id: 1 }] },
	{ items: [{ id: 1 }, [{ id: 2 }]] },
])(
	'an answer that is not a list of records, where any is taken, says nothing of what there is: %j',
	async (data) => {
		const ask = async () => ({ status: 200, data, headers: {} });
		const read = await readList(ask, API, { listNames: ['items'], expects: 'anything' } as never);
		expect(read).toMatchObject({ hasMore: false, isComplete: false });
	},
);

test.each([[], { items: [] }, { items: [{ id: 1 }] }])(
	'a list that can be read is complete: %j',
	async (data) => {
		const ask = async () => ({ status: 200, data, headers: {} });
		expect(await readList(ask, API, { listNames: ['items'] })).toMatchObject({ isComplete: true });
	},
);

test('other lists on the last page alone are not understood, and no hint where there is more', async () => {
	const read = async (isMore: boolean) => {
		const ask = async ({ qs }: NextPage) => ({
			...{ status: 200, headers: {} },
			data: qs ? { things: profiles, pages, has_more: isMore } : { things: [{ id: 0 }], has_more: true },
		});
		return await readList(ask, API, { listNames: ['items'] });
	};
	expect(await read(false)).toMatchObject({ hasMore: false, isUnclear: true, isComplete: false });
	expect(await read(true)).toMatchObject({ hasMore: true, isUnclear: false, isComplete: false });
});

test.each([
	[1, 1, true],
	[2, 2, true],
	[3, 4, true],
	[5, 5, false],
])(
	'pages are read until %d wanted records are there: %d pages, and more: %s',
	async (most, asked, hasMore) => {
		// Every second one of ten, two a page; of page 3 none.
		const isWanted = ({ id }: IDataObject) => Number(id) % 2 === 0 && id !== 4;
		let count = 0;
		const ask = async () => {
			const items = [2 * count, 2 * count + 1].map((id) => ({ id }));
			return { status: 200, data: { items, has_more: ++count < 5 }, headers: {} };
		};
		const read = await readList(ask, API, { listNames: ['items'], most, counts: isWanted });
		expect(read.records.map(({ id }) => id)).toEqual(Array.from({ length: 2 * count }, (_, id) => id));
		expect([count, read.hasMore]).toEqual([asked, hasMore]);
	},
);

test('a header with many parameters is read at once, and what says that it is the last page ends the list', async () => {
	const link = `<${API}/things>${'; a= '.repeat(60)}${'<'.repeat(100_000)}`;
	const ask = async () => ({
		status: 200,
		data: { items: [{ id: 1 }], last: true, first: true },
		headers: { link },
	});
	expect(await readList(ask, API, { listNames: ['items'] })).toMatchObject({
		...{ hasMore: false, isUnclear: undefined, isComplete: true },
	});
});

test.each<[string, object, string]>([
	['in the header', {}, '<things?after=3>; rel=next'],
	['in the answer', { next: 'things?after=3' }, ''],
])('an address %s that has no path is one beside the list', async (_where, said, link) => {
	const asked: NextPage[] = [];
	const ask = async ({ path, qs }: NextPage) => {
		asked.push({ path, qs });
		const isFirst = asked.length === 1;
		const items = Array.from({ length: 10 }, (_, i) => ({ id: 10 * asked.length + i }));
		return { status: 200, data: { items, ...(isFirst ? said : {}) }, headers: isFirst ? { link } : {} };
	};
	const { records, hasMore, isComplete } = await readList(ask, API, {
		path: '/things',
		listNames: ['items'],
	});
	expect([records.length, hasMore, isComplete]).toEqual([20, false, true]);
	expect(asked[1]).toEqual({ path: '/things', qs: { after: '3' } });
});

const on = (network: string) => ({ id: 1, network });
/** Both IDs are read as 9007199254740992. */
const large = (name: string) => ({ id: name === 'a' ? 2 ** 53 : 2 ** 53 + 1, name });

test.each<[string, IDataObject[][]]>([
	[
		'equal records without an ID',
		[
			[{ name: 'a' }, { name: 'a' }],
			[{ name: 'a' }, { name: 'b' }],
		],
	],
	['records whose IDs are too large to be exact', [[large('a')], [large('b')]]],
	[
		'records with an ID that others have, too',
		[
			[on('x'), on('linkedin')],
			[on('tiktok'), on('facebook')],
		],
	],
])('%s are all kept, on a later page, too', async (_what, pages) => {
	const ask = async ({ qs }: NextPage) => {
		const page = Number(qs?.page ?? 1);
		return { status: 200, data: { items: pages[page - 1], has_more: page < pages.length }, headers: {} };
	};
	expect((await readList(ask, API, { listNames: ['items'] })).records).toEqual(pages.flat());
});

describe('pages of approvals', () => {
	const paged = { listNames: ['batches'], pageSize: 50 };
	const answer = (batches: object[], pagination?: object): Answer => ({
		...{ status: 200, data: { batches, pagination }, headers: {} },
	});

	test('any number, any limit: at most 50 a page, no page too many', async () => {
		const counts = fc.integer({ min: 0, max: 330 });
		const limits = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(Infinity));
		await fc.assert(
			fc.asyncProperty(counts, limits, fc.boolean(), async (total, most, isSaid) => {
				const form: Form = ({ isLast }) => (isSaid ? { data: { pagination: { hasNext: !isLast } } } : {});
				const { all, ask, asked } = service(total, 10, form);
				const { records } = await readList(ask, API, { ...paged, listNames: ['items'], most });
				expect(records).toEqual(all.slice(0, most));
				// A full page that says nothing may have others behind it.
				const wanted = Math.min(total, most);
				const size = Math.min(most, 50);
				expect(asked.filter(({ qs }) => qs?.limit !== size)).toEqual([]);
				const least = Math.max(1, Math.ceil(wanted / size));
				expect(asked.length).toBe(
					isSaid || wanted < total || wanted % size !== 0 || wanted === most
						? least
						: least + (wanted > 0 ? 1 : 0),
				);
			}),
			runs(60),
		);
	});

	test('pages whose items moved on are no end while there is more', async () => {
		const kinds = fc.constantFrom('new', 'moved', 'empty', 'again');
		await fc.assert(
			fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 20 }), async (given) => {
				const pages = given.map((kind, i) => ({ new: [i], moved: [i - 1, i], empty: [], again: [0] })[kind]);
				let asked = 0;
				const ask = async ({ qs }: NextPage) => {
					expect(qs?.page).toBe(++asked);
					return answer(
						pages[asked - 1]!.map((n) => ({ id: `batch_${n}`, asked })),
						{ hasNext: asked < given.length },
					);
				};
				const { records, hasMore } = await readList(ask, API, paged);
				expect(records.map(({ id }) => id)).toEqual([...new Set(pages.flat())].map((n) => `batch_${n}`));
				expect([asked, hasMore]).toEqual([given.length, false]);
			}),
			runs(50),
		);
	});

	test.each([
		[`${API}/approvals/2?a=1`, { limit: 50, a: '1' }],
		['/api/public/v1/approvals/2', { limit: 50 }],
		['http://service.example/api/public/v1/approvals/2', { limit: 50 }],
	])('the address that a page names is asked: %s', async (next, query) => {
		const asked: unknown[] = [];
		const ask = async ({ path, qs }: NextPage) => {
			asked.push([path, qs]);
			return answer([{ id: asked.length }], asked.length === 1 ? { next } : {});
		};
		expect((await readList(ask, API, paged)).records).toEqual([{ id: 1 }, { id: 2 }]);
		expect(asked[1]).toEqual(['/approvals/2', query]);
	});

	test.each<[count: number, most: number, said: object, asked: number, hasMore: boolean]>([
		[50, Infinity, {}, 2, false],
		[50, Infinity, { hasNext: false }, 1, false],
		[50, 50, {}, 1, true],
		[50, 50, { hasNext: false }, 1, false],
		[50, 49, { hasNext: false }, 1, true],
	])('a service that gives the same %d to each request, %d wanted, and says %j', async (...row) => {
		const [count, most, said, requests, hasMore] = row;
		let asked = 0;
		const ask = async () => (
			asked++,
			answer(
				Array.from({ length: count }, (_, id) => ({ id })),
				said,
			)
		);
		const read = await readList(ask, API, { ...paged, most });
		expect([read.records.length, asked, read.hasMore]).toEqual([Math.min(count, most), requests, hasMore]);
	});

	test.each([
		['the same page', [{ id: 'a' }], 22],
		['empty pages', [], 21],
		['new ones', undefined, 1000],
	])('a service that gives %s for ever is stopped, and has more', async (_name, batches, most) => {
		let asked = 0;
		const ask = async () =>
			answer(++asked > most ? [] : (batches ?? [{ id: asked }]), { hasNext: asked <= most });
		const read = await readList(ask, API, paged);
		expect(read).toMatchObject({ hasMore: true, isComplete: false, ...(batches && { records: batches }) });
		expect(asked).toBe(most);
	});
});
