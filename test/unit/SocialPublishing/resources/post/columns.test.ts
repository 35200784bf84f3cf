import { asRow } from '../../../../../nodes/SocialPublishing/resources/post/columns';

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
	const local = '2026-06-02T10:00:00+02:00';
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
	for (const scheduled_at of [undefined, '0001-01-01T00:00:00Z'])
		expect(asRow({ scheduled_at }, zone, true)).toEqual({});
});
