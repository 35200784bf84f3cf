import type { Failure } from '../../../../nodes/api/errors';
import { RateLimiter } from '../../../../nodes/api/rateLimiter';
import { PostPoller, type PollRequest } from '../../../../nodes/SocialPublishing/engine/postPoller';

const NOW = Date.parse('2027-06-01T10:00:00Z');
const due = (seconds: number) => new Date(NOW + seconds * 1000).toISOString();

describe('a post that is due after the wait is over', () => {
	const until = async (more: Partial<PollRequest> = {}) =>
		await new PostPoller(new RateLimiter(), () => NOW).until({
			id: 'post_1',
			waitFor: 'completed',
			timeout: 300_000,
			get: async () => ({ id: 'post_1', status: 'scheduled', scheduled_at: due(9 * 3600) }),
			...more,
		});

	test('is a failure where it should be published: when it is due, and what to do', async () => {
		const failure = await until().catch((error: Failure) => error);
		expect((failure as Failure).details).toMatchObject({
			code: 'NODE_NOT_YET_PUBLISHED',
			post: { status: 'scheduled' },
		});
		expect((failure as Failure).message).toBe(
			'Not published yet: due 2027-06-01T19:00:00.000Z, longer than Wait Timeout (300 s) (post ID: post_1)',
		);
		expect((failure as Failure).details.hint).toMatch(/Wait node/);
	});

	test('is an item that says so where any end is waited for', async () => {
		expect(await until({ waitFor: 'terminal' })).toMatchObject({
			status: 'scheduled',
			not_waited_for: expect.stringMatching(/^Not published yet: due 2027-06-01T19/),
		});
	});

	test('its time may be known from the request only', async () => {
		const get = async () => ({ id: 'post_1', status: 'scheduled' });
		await expect(until({ get, scheduledAt: due(301) })).rejects.toThrow(/Not published yet/);
	});
});
