import fc from 'fast-check';

import { listIn, pages, records } from '../../../nodes/api/lists';
import { runs } from '../../support/property';

describe('pages of approvals', () => {
	const service = (total: number) => {
		const asked: Array<{ page: number; limit: number }> = [];
		const ask = async ({ page, limit }: { page: number; limit: number }) => {
			asked.push({ page, limit });
			const batches = Array.from({ length: total }, (_, i) => ({ id: `batch_${i}` }));
			return {
				batches: batches.slice((page - 1) * limit, page * limit),
				pagination: { page, limit, total, hasNext: page * limit < total, hasPrev: page > 1 },
			};
		};
		return { asked, ask };
	};

	test('any number, any limit: the first so many, each once', async () => {
		const counts = fc.integer({ min: 0, max: 330 });
		const limits = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.constant(Infinity));
		await fc.assert(
			fc.asyncProperty(counts, limits, async (total, most) => {
				const { ask, asked } = service(total);
				const found = await pages(ask, most);
				const wanted = Math.min(total, most);
				expect(found.map(({ id }) => id)).toEqual(Array.from({ length: wanted }, (_, i) => `batch_${i}`));
				expect(asked.every(({ limit }) => limit <= 50)).toBe(true);
				expect(asked.length).toBe(Math.max(1, Math.ceil(wanted / Math.min(most, 50))));
			}),
			runs(100),
		);
	});

	test('a batch that moved to the next page in the meantime comes once', async () => {
		const answers = [['a', 'b'], ['b', 'c'], []].map((ids, i) => ({
			batches: ids.map((id) => ({ id })),
			pagination: { hasNext: i < 1 },
		}));
		const found = await pages(async ({ page }) => answers[page - 1], Infinity);
		expect(found.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
	});

	test('empty pages and pages of what is known already are no end while there is more', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.constantFrom('new', 'empty', 'again'), { minLength: 1, maxLength: 60 }),
				async (kinds) => {
					const asked: number[] = [];
					const ask = async ({ page }: { page: number }) => {
						asked.push(page);
						const kind = kinds[page - 1];
						const batches =
							kind === 'new' ? [{ id: `batch_${page}` }] : kind === 'again' ? [{ id: 'batch_0' }] : [];
						return { batches, pagination: { total: kinds.length * 50, hasNext: page < kinds.length } };
					};
					const found = (await pages(ask, Infinity)).map(({ id }) => id);
					const wanted = kinds.flatMap((kind, i) => (kind === 'new' ? [`batch_${i + 1}`] : []));
					expect(found.filter((id) => id !== 'batch_0')).toEqual(wanted);
					expect(asked).toEqual(kinds.map((_, i) => i + 1));
				},
			),
			runs(100),
		);
	});

	test.each([
		['the same page again and again', [{ id: 'a' }], undefined, 21],
		['the same page again and again, of records without an id', [{ name: 'a' }], 0, 21],
		['empty pages for ever', [], 100, 20],
		['empty pages for ever, of many', [], 1500, 31],
		['empty pages for ever, of more than there can be', [], 1e300, 200],
	])('a service that gives %s is stopped', async (_name, batches, total, most) => {
		let asked = 0;
		const ask = async () => {
			asked++;
			return { batches, pagination: { hasNext: true, total } };
		};
		await expect(pages(ask, Infinity)).rejects.toMatchObject({
			message: expect.stringMatching(
				new RegExp(`more after page ${most}, but its last \\d+ pages contained nothing new$`),
			),
			details: { code: 'NODE_PAGES_REPEAT', hint: expect.stringMatching(/'Return All'.*'Limit'/) },
		});
		expect(asked).toBe(most);
	});

	test('records without an id are told apart by what is in them', async () => {
		const batches = [
			{ name: 'a' },
			{ name: 'b' },
			{ name: 'a' },
			{ id: 0, name: 'a' },
			{ id: '', name: 'a' },
		];
		expect(await pages(async () => ({ batches }), Infinity)).toEqual([
			{ name: 'a' },
			{ name: 'b' },
			{ id: 0, name: 'a' },
			{ id: '', name: 'a' },
		]);
	});

	test('an answer without pagination that is not full is all there is', async () => {
		expect(await pages(async () => [{ id: 'a' }], Infinity)).toEqual([{ id: 'a' }]);
	});

	test.each([[undefined], [null], [1], [0], ['true'], ['false'], [{}]])(
		'hasNext %j says nothing: the total does, else a page that is not full ends the list',
		async (hasNext) => {
			for (const total of [undefined, null, 120, 'many'])
				for (const count of [0, 7, 50, 100, 120]) {
					const { ask, asked } = service(count);
					const found = await pages(async (query) => {
						const { batches } = await ask(query);
						return { batches, pagination: { hasNext, total: total === 120 ? count : total } };
					}, Infinity);
					expect(found).toHaveLength(count);
					expect(asked.length).toBeLessThanOrEqual(Math.floor(count / 50) + 1);
				}
			// One that ignores the page.
			const batches = Array.from({ length: 50 }, (_, i) => ({ id: i }));
			expect(await pages(async () => ({ batches, pagination: { hasNext } }), Infinity)).toEqual(batches);
		},
	);
});

describe('a list whose shape is not shown', () => {
	test('is a bare array, or the array in an object', () => {
		expect(records([{ id: 1 }], ['items'])).toEqual([{ id: 1 }]);
		expect(records({ count: 1, items: [{ id: 1 }] }, [])).toEqual([{ id: 1 }]);
		for (const other of [null, 'text', 7, [{ id: 2 }]]) {
			expect(records([other, { id: 1 }], ['items'])).toEqual([{ id: 1 }]);
			expect(records({ items: [other, { id: 1 }] }, ['items'])).toEqual([{ id: 1 }]);
		}
		for (const none of [
			{ count: 0 },
			null,
			undefined,
			'text',
			7,
			{ items: null },
			{ items: 7, more: [{}] },
		]) {
			expect(records(none, ['items'])).toEqual([]);
			expect(listIn(none, ['items'])).toBeUndefined();
		}
	});

	test('has records and nothing else', () => {
		for (const list of [[], [{ id: 1 }]])
			for (const data of [list, { items: list }, { other: list }]) expect(listIn(data, ['items'])).toBe(list);
		for (const list of [[null], [{ id: 1 }, 'text'], [[]], [7]])
			for (const data of [list, { items: list }, { other: list }])
				expect(listIn(data, ['items'])).toBeUndefined();
	});

	test('has its documented name first, whatever other arrays stand beside it, in whatever order', () => {
		const others = fc.dictionary(
			fc.constantFrom('warnings', 'errors', 'links', 'a', 'z'),
			fc.oneof(fc.constant([]), fc.constant([{ id: 'other' }]), fc.constant(['text']), fc.constant(null)),
		);
		const ids = fc.array(fc.nat().map((id) => ({ id })));
		fc.assert(
			fc.property(
				others,
				ids,
				fc.constantFrom('items', 'batches', 'rows'),
				fc.boolean(),
				(more, list, name, first) => {
					const data = first ? { [name]: list, ...more } : { ...more, [name]: list };
					expect(records(data, ['gone', name])).toEqual(list);
				},
			),
			runs(100),
		);
	});

	test('without a known name is the first array of objects', () => {
		expect(
			records({ warnings: [], notes: ['a'], things: [{ id: 1 }], more: [{ id: 2 }] }, ['items']),
		).toEqual([{ id: 1 }]);
	});
});
