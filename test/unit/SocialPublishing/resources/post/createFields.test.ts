import { create } from '../../../../../nodes/SocialPublishing/resources/post/create';
import { fields, options } from '../../../../../nodes/SocialPublishing/resources/post/createFields';
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

test('a field is shown for a choice that there is', () => {
	for (const field of fields) {
		if (!('displayOptions' in field)) continue;
		for (const [name, values] of Object.entries(field.displayOptions.show)) {
			const asked = fields.find((one) => one.name === name) as { options?: ReadonlyArray<{ value: string }> };
			const choices = asked.options!.map(({ value }) => value);
			expect(choices).toEqual(expect.arrayContaining([...values]));
		}
	}
});
