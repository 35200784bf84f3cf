import { triggerHints } from '../../../nodes/SocialPublishingTrigger/properties';
import { events } from '../../support/specification';

test('until something arrives, the node says how to cause the first of the chosen events', () => {
	const saidFor = (...chosen: string[]) =>
		triggerHints
			.filter(({ displayCondition }) => {
				const [, code] = /^=\{\{(.*)\}\}$/.exec(String(displayCondition))!;
				return new Function('$parameter', `return ${code}`)({ events: chosen }) as boolean;
			})
			.map(({ message }) => message);
	expect(saidFor('post.failed', 'post.published')).toEqual([expect.stringContaining('make a post fail')]);
	for (const event of events) expect(saidFor(event)).toHaveLength(1);
	expect([saidFor(), saidFor('later.event')]).toEqual([[], []]);
});
