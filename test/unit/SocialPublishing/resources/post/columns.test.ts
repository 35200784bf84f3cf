import { asRow } from '../../../../../nodes/SocialPublishing/resources/post/columns';
import { times } from '../../../../../nodes/SocialPublishing/resources/post/when';

const zone = 'Europe/Berlin';

test('a post of the service has the columns of Create, and all of its own fields', () => {
	const post = {
		id: 'p',
		note: null,
		platforms: ['x', 'linkedin'],
		content: { text: 'Hi' },
		schedule_at: '2026-06-02T08:00:00Z',
	};
	const row = asRow(post, zone);
	const local = '2026-06-02 10:00';
	expect(row).toEqual({ ...post, platform: 'x, linkedin', text: 'Hi', scheduled_at_local: local });
	expect(Object.keys(row).slice(0, 4)).toEqual(['platform', 'scheduled_at_local', 'text', 'id']);
});

test('what is null in a column gives way to what the post says elsewhere', () => {
	const none = { platform: null, text: null, link: null, account: null };
	const post = { ...none, platforms: ['x', 'tiktok'], content: { text: 'Hi' }, permalink: 'https://x.com/1' };
	expect(asRow(post, zone, true, 'Plum')).toEqual({
		...{ platform: 'x, tiktok', account: 'Plum', text: 'Hi', link: 'https://x.com/1' },
	});
	expect(asRow({ text: null }, zone)).toEqual({ text: null });
});

test('simplified: these columns alone', () => {
	const simple = { platform: 'x', account: 'Plum', status: 'scheduled', text: 'Hi', id: 'p' };
	expect(asRow({ note: 1, ...simple }, zone, true)).toEqual(simple);
	expect(asRow({ note: 1 }, zone, true)).toEqual({});
});

test('a post that is out says when it was published, in the time zone of the workflow', () => {
	const times = { scheduled_at: '2026-06-02T08:00:00Z', published_at: '2026-06-02T08:04:00Z' };
	const local = '2026-06-02 10:04';
	expect(asRow({ ...times, status: 'completed' }, zone)).toMatchObject({ published_at_local: local });
	expect(asRow({ scheduled_at: times.scheduled_at }, zone)).not.toHaveProperty('published_at_local');
});

test("a service's time as it is, and in the workflow's zone to the minute; what is none is left out", () => {
	for (const value of [undefined, null, '', 'soon', 2027, {}]) expect(times(value, zone)).toEqual({});
	expect(times('2026-07-01T08:00:00.123Z', zone)).toEqual({
		scheduled_at: '2026-07-01T08:00:00.123Z',
		...{ scheduled_at_local: '2026-07-01 10:00', time_zone: zone },
	});
});
