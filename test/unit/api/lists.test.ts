import fc from 'fast-check';
import { uniqBy } from 'lodash';

import { arrayIn, isRecord, pages, records } from '../../../nodes/api/lists';
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
			runs(60),
		);
	});

	test('empty pages, pages of what is known already and batches that moved on are no end while there is more', async () => {
		const kinds = fc.constantFrom('new', 'moved', 'empty', 'again');
		await fc.assert(
			fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 60 }), async (given) => {
				const answers = given.map((kind, i) => {
					const ids = { new: [i], moved: [i - 1, i], empty: [], again: [0] }[kind];
					return ids.map((n) => ({ id: `batch_${n}` }));
				});
				let asked = 0;
				const found = await pages(async ({ page }) => {
					expect(page).toBe(++asked);
					const pagination = { total: given.length * 50, hasNext: page < given.length };
					return { batches: answers[page - 1], pagination };
				}, Infinity);
				expect(found).toEqual(uniqBy(answers.flat(), 'id'));
				expect(asked).toBe(given.length);
			}),
			runs(50),
		);
	});

	test.each([
		['the same page again and again', [{ id: 'a' }], 21],
		['empty pages for ever', [], 20],
	])('a service that gives %s is stopped', async (_name, batches, most) => {
		let asked = 0;
		const ask = async () => {
			asked++;
			return { batches, pagination: { hasNext: true } };
		};
		const words = new RegExp(`more after page ${most}, but its last \\d+ pages contained nothing new$`);
		await expect(pages(ask, Infinity)).rejects.toMatchObject({
			message: expect.stringMatching(words),
			details: { code: 'NODE_PAGES_REPEAT', hint: expect.stringMatching(/'Return All'.*'Limit'/) },
		});
		expect(asked).toBe(most);
	});

	test('records without an id are told apart by what is in them', async () => {
		const different = [{ name: 'a' }, { name: 'b' }, { id: null, name: 'a' }, { id: '', name: 'a' }];
		const batches = [...different, { name: 'a' }];
		expect(await pages(async () => ({ batches }), Infinity)).toEqual(different);
	});

	test.each([[undefined], [null], [1], ['true'], ['false'], [{}]])(
		'hasNext %j says nothing: a page that is not full ends the list',
		async (hasNext) => {
			for (const count of [0, 7, 50, 100, 120]) {
				const { ask, asked } = service(count);
				const found = await pages(async (query) => {
					const { batches } = await ask(query);
					return { batches, pagination: { hasNext } };
				}, Infinity);
				expect(found).toHaveLength(count);
				expect(asked).toHaveLength(Math.floor(count / 50) + 1);
			}
			// One that ignores the page; one without pagination.
			const batches = Array.from({ length: 50 }, (_, i) => ({ id: i }));
			expect(await pages(async () => ({ batches, pagination: { hasNext } }), Infinity)).toEqual(batches);
			expect(await pages(async () => [{ id: 'a' }], Infinity)).toEqual([{ id: 'a' }]);
		},
	);
});

describe('a list whose shape is not shown', () => {
	const one = { id: 1 };
	type Row = [data: unknown, found: object[], isList: boolean];
	test.each<Row>([
		...[[], [one]].flatMap((list): Row[] => [
			[list, list, true],
			[{ count: 1, items: list }, list, true],
			[{ other: list }, list, true],
		]),
		// A known name comes first, whatever other arrays stand beside it, in whatever order.
		[{ warnings: [{ id: 2 }], items: [one], a: [{ id: 2 }] }, [one], true],
		[{ items: [], links: [one] }, [], true],
		[{ notes: ['a'], none: [] }, [], true],
		[{ warnings: [], notes: ['a'], things: [one], more: [{ id: 2 }] }, [one], true],
		...[null, 'text', 7, [{ id: 2 }]].flatMap((other): Row[] => [
			[[other, one], [one], false],
			[{ items: [other, one] }, [one], false],
			[{ other: [one, other] }, [one], false],
		]),
		...[
			undefined,
			null,
			'text',
			7,
			{ count: 0 },
			{ notes: ['a'] },
			{ items: null },
			{ items: 7, more: [one] },
		].map((none): Row => [none, [], false]),
	])('%j has the records %j, and nothing else: %s', (data, found, isList) => {
		expect(records(data, ['gone', 'items'])).toEqual(found);
		expect(arrayIn(data, ['gone', 'items'])?.every(isRecord) ?? false).toBe(isList);
	});
});
