import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { options } from '../../../../../nodes/SocialPublishing/resources/post/createFields';
import { paramsOf } from '../operations';

test('a node as it is dropped posts to platforms, in an hour, without media, and ten posts at most', () => {
	expect(paramsOf(create, { platforms: ['x'] })).toEqual({
		postTo: 'platforms',
		platforms: ['x'],
		accounts: [],
		text: '',
		when: 'delay',
		scheduledAt: '',
		delayAmount: 1,
		delayUnit: 'hours',
		slotDays: ['mon', 'tue', 'wed', 'thu', 'fri'],
		slotTimes: '09:00, 12:30, 17:00',
		mediaFrom: 'none',
		binaryFields: 'data',
		mediaUrls: '',
		options: {},
	});
	const added = options.map(({ name, default: start }) => [name, start]);
	expect(Object.fromEntries(added)).toMatchObject({ mostPosts: 10, waitForPublication: true });
});
