import { eventOptions } from '../../../nodes/shared/events';
import { events } from '../../support/specification';

test('the 14 events of both lists of the spec are offered, each with a name and a description', () => {
	expect(eventOptions.map(({ value }) => value).sort()).toEqual([...events].sort());
	expect(events).toHaveLength(14);
	for (const { name, description } of eventOptions) expect([name, description]).not.toContain('');
});

test('posts come first; comments are found by that word', () => {
	const names = eventOptions.map(({ name }) => name);
	expect(names.slice(0, 2)).toEqual(['Post Published', 'Post Failed']);
	expect(names.findIndex((name) => !name.startsWith('Post'))).toBe(5);
	expect(names.filter((name) => /comment/i.test(name))).toEqual(['New Comment or Message']);
});
