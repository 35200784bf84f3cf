import { arrayIn, identity, isRecord } from '../../../nodes/api/lists';

describe('a list whose shape is not shown', () => {
	const one = { id: 1 };
	type Row = [data: unknown, found: object[], isList: boolean];
	test.each<Row>([
		...[[], [one]].flatMap((list): Row[] => [
			[list, list, true],
			[{ count: 1, items: list }, list, true],
			[{ other: list }, list, true],
		]),
		// What the service says of its answer is no list.
		...['errors', 'warnings'].flatMap((name): Row[] => [
			[{ [name]: [] }, [], false],
			[{ [name]: [{ id: 2 }], other: [one] }, [one], true],
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
		const all = arrayIn(data, ['gone', 'items']);
		expect(all?.filter(isRecord) ?? []).toEqual(found);
		expect(all?.every(isRecord) ?? false).toBe(isList);
	});
});

test.each<[unknown, boolean]>([
	['p', true],
	[7, true],
	[Number.MAX_SAFE_INTEGER, true],
	// Another one may be read as the same number.
	[Number.MAX_SAFE_INTEGER + 1, false],
	['', false],
	[undefined, false],
])('two records with the ID %j are the same one: %s', (id, isSame) => {
	const [one, other] = ['a', 'b'].map((text) => identity({ id, text } as never));
	expect(one === other).toBe(isSame);
});
