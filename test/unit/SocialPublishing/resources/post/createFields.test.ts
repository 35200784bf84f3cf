import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { options } from '../../../../../nodes/SocialPublishing/resources/post/createFields';
import { paramsOf } from '../operations';

test('a node as it is dropped posts to platforms, at a time, without media, and ten posts at most', () => {
	expect(paramsOf(create, { scheduledAt: '2026-06-01T15:00', platforms: ['x'] })).toEqual({
		postTo: 'platforms',
		platforms: ['x'],
		accounts: [],
		text: '',
		when: 'at',
		scheduledAt: '2026-06-01T15:00',
		delayAmount: 1,
		delayUnit: 'hours',
		slotDays: ['mon', 'tue', 'wed', 'thu', 'fri'],
		slotTimes: '09:00, 12:30, 17:00',
		mediaFrom: 'none',
		binaryFields: 'data',
		mediaUrls: '',
		options: {},
	});
	expect(options.find(({ name }) => name === 'mostPosts')!.default).toBe(10);
});
