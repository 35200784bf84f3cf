import { scheduleFirstPost } from '../n8n/firstPost';
import { startService } from '../service';

/** `npm start` as far as it goes without n8n. The rest, and the whole of it: test/e2e/readme.test.ts. */

test("the first example runs in n8n's engine: two posts at the service, five minutes from now", async () => {
	const service = await startService();
	try {
		const posts = await scheduleFirstPost(service);
		expect(posts.map(({ platform, status }) => [platform, status])).toEqual([
			['linkedin', 'scheduled'],
			['x', 'scheduled'],
		]);
		expect([...service.store.posts.keys()]).toEqual(posts.map(({ id }) => id));
		for (const { scheduledAt = '' } of service.store.posts.values()) {
			const minutes = (Date.parse(scheduledAt) - Date.now()) / 60_000;
			expect(minutes).toBeGreaterThan(3);
			expect(minutes).toBeLessThanOrEqual(5);
		}
	} finally {
		await service.close();
	}
});

test('what it could not schedule it says', async () => {
	const service = await startService();
	try {
		const { url, keys } = service;
		await expect(scheduleFirstPost({ url, keys: { ...keys, full: keys.revoked } })).rejects.toThrow(
			'"Schedule a post" failed: ',
		);
		expect(service.store.posts.size).toBe(0);
	} finally {
		await service.close();
	}
});
