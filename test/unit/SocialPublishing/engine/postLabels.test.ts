import type { IDataObject } from 'n8n-workflow';

import { labels } from '../../../../nodes/SocialPublishing/engine/postLabels';

const zone = 'Europe/Berlin';

describe('posts in few words', () => {
	test.each<[IDataObject, string]>([
		[{ platform: 'x', scheduled_at: '2026-06-02T08:00:00Z' }, 'X, scheduled for 2026-06-02 10:00'],
		[
			{ platforms: ['x', 'tiktok'], schedule_at: '2026-06-02T08:00:00Z' },
			'X, TikTok, scheduled for 2026-06-02 10:00',
		],
		[{ platform: 'x', scheduled_at: 'soon' }, 'X'],
		[{ filename: 'a.png', id: 'f' }, 'a.png'],
		[{ id: 'wh_1' }, 'wh_1'],
		[{}, 'done'],
	])('%j: %s', (one, label) => expect(labels([one], zone)).toBe(label));

	test('five of them', () => {
		const posts = [0, 1, 2, 3, 4, 5].map((id) => ({ id }));
		expect(labels(posts.slice(0, 5), zone)).toBe('0; 1; 2; 3; 4');
		expect(labels(posts, zone)).toBe('0; 1; 2; 3; 4; …');
	});
});
