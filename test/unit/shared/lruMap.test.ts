import { LruMap } from '../../../nodes/shared/lruMap';

it('keeps the entries that were used last, read or written', () => {
	const map = new LruMap<string, number>(2);
	map.set('a', 1).set('b', 2);
	expect(map.get('a')).toBe(1);
	map.set('c', 3);
	expect([...map.keys()]).toEqual(['a', 'c']);
	expect([map.get('b'), map.has('a')]).toEqual([undefined, true]);
	map.set('a', 4).set('d', 5);
	expect([...map.values()]).toEqual([4, 5]);
});
