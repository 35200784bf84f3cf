import { refusal } from '../../../../../nodes/api/failure';
import { asRow, namedRow } from '../../../../../nodes/SocialPublishing/resources/post/columns';
import { fakeItem } from '../operations';

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

test('what its accounts are called is asked for once, unless the post says it, or says no platform', async () => {
	const accounts = [{ id: 'acc_1', platform: 'x', name: 'Plum' }];
	const { context, asked } = fakeItem({ answers: { '/accounts': accounts } });
	expect(await namedRow({ id: 'p', account: 'Own', platform: 'x' }, context)).toMatchObject({
		account: 'Own',
	});
	expect(await namedRow({ id: 'p' }, context)).toEqual({ id: 'p' });
	expect(asked).toEqual([]);
	for (const platform of ['x', 'twitter'])
		expect(await namedRow({ platform }, context)).toMatchObject({ account: 'Plum' });
	expect(await namedRow({ platform: 'linkedin' }, context)).toMatchObject({ account: '' });
	expect(asked).toHaveLength(1);
});

test('of two accounts of a platform, which of them a post went to is not said, also where one is disconnected', async () => {
	const accounts = ['ok', 'expired'].map((status, id) => ({ id: id + 1, platform: 'x', name: 'X', status }));
	const { context } = fakeItem({ answers: { '/accounts': accounts } });
	expect(await namedRow({ platform: 'x' }, context)).toEqual({ platform: 'x', account: '' });
});

test('accounts that can not be read fail no post that was read or changed', async () => {
	const refused = refusal('KEY', 'no', 'no').with({ status: 401 });
	const { context } = fakeItem({ answers: { '/accounts': refused } });
	expect(await namedRow({ platform: 'x' }, context)).toEqual({ platform: 'x', account: '' });
});

test('a post that is out says when it was published, in the time zone of the workflow', () => {
	const times = { scheduled_at: '2026-06-02T08:00:00Z', published_at: '2026-06-02T08:04:00Z' };
	const local = '2026-06-02 10:04';
	expect(asRow({ ...times, status: 'completed' }, zone)).toMatchObject({ published_at_local: local });
	expect(asRow({ scheduled_at: times.scheduled_at }, zone)).not.toHaveProperty('published_at_local');
});
