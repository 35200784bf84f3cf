import { triggerHints, triggerProperties } from '../../../nodes/SocialPublishingTrigger/properties';
import { events } from '../../support/specification';

test('what the user sets: saved workflows hold these names', () => {
	const options = triggerProperties.find(({ name }) => name === 'options')!.options!;
	expect(triggerProperties.map(({ name, default: value }) => [name, value])).toEqual([
		['events', ['post.published', 'post.failed']],
		['includePost', true],
		['notice', ''],
		['options', {}],
	]);
	const names = 'additionalEvents brandIds checkEvery description rememberEvents tolerance';
	const more = 'catchUpFromPosts catchUp workspaceId';
	expect(options.map(({ name }) => name).join(' ')).toBe(`${names} ${more}`);
});

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
