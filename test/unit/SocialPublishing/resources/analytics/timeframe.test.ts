import {
	rangeOfDays,
	timeframeDays,
} from '../../../../../nodes/SocialPublishing/resources/analytics/timeframe';
import { NOW } from '../operations';

test.each([
	[7, '2026-05-25T12:00:00Z'],
	[0.5, '2026-06-01T00:00:00Z'],
	[timeframeDays.all_time, '2016-06-01T12:00:00Z'],
	[1e12, '2016-06-01T12:00:00Z'],
])('%d days end now, on whole seconds', (days, from) => {
	expect(rangeOfDays(days, NOW + 400)).toEqual({ from, to: '2026-06-01T12:00:00Z' });
});
