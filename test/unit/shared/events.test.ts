import { eventOptions } from '../../../nodes/shared/events';
import { events } from '../../support/specification';

test('the 14 events of both lists of the spec are offered, each with a name and a description', () => {
	expect(eventOptions.map(({ value }) => value).sort()).toEqual([...events].sort());
	expect(events).toHaveLength(14);
	for (const { name, description } of eventOptions) expect([name, description]).not.toContain('');
});
