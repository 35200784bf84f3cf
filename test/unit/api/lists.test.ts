import { listIn } from '../../../nodes/api/lists';

const one = { id: 1 };

test.each<[unknown, unknown[] | undefined]>([
	[[one], [one]],
	// As the spec shows it, whatever arrays are added beside it.
	[{ items: [one], count: 1, notes: [] }, [one]],
	[{ notes: ['a'], rows: [] }, []],
	// Where the spec shows no name, the only array.
	[{ accounts: [one], total: 1 }, [one]],
	[{ accounts: [one], others: [] }, undefined],
	...[undefined, null, 'text', 7, {}, { items: null }].map((data): [unknown, undefined] => [data, undefined]),
])('%j has the list %j', (data, list) => expect(listIn(data)).toEqual(list));
