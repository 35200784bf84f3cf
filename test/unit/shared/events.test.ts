import { eventOptions } from '../../../nodes/shared/events';
import { EVENT_NAMES } from '../../service/types';

test('the 14 events of both lists of the spec are offered, each with a name and a description', () => {
	expect(eventOptions.map(({ value }) => value).sort()).toEqual([...EVENT_NAMES].sort());
	expect(EVENT_NAMES).toHaveLength(14);
	expect(new Set(eventOptions.map(({ name }) => name)).size).toBe(14);
	for (const { name, value, description } of eventOptions) {
		// The name says what the value says: `post.batch_approved`, "Post Batch Approved".
		expect(name.toLowerCase()).toBe(String(value).replace(/[._]/g, ' '));
		expect(description).toMatch(/^[A-Z]/);
	}
});

test('the two that most workflows want come first, then by name', () => {
	const [first, second, ...others] = eventOptions.map(({ name }) => name);
	expect([first, second]).toEqual(['Post Published', 'Post Failed']);
	expect(others).toEqual([...others].sort());
});
