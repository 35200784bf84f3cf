import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject } from 'n8n-workflow';

import type { RunOptions } from '../../support/engine';
import { stopTime, throughTime } from '../../support/virtualTime';
import {
	asked,
	contextOf,
	createPost,
	credentialOf,
	item,
	posts,
	run,
	type Service,
	startService,
} from '../../support/service';

describe('retries and pace', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService();
	});
	afterEach(async () => await service.close());

	const rows = (count: number) => Array.from({ length: count }, (_, n) => item({ n }));
	const many = { text: '={{ "Text " + $json.n }}' };

	test('after a 429 all parallel requests pause for as long as it says, and the wait counts once', async () => {
		const limited = { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '2', times: 5 } as const;
		service.faults.add({ ...limited, method: 'POST' });
		const options = { maxRetryWait: 3, concurrency: 5 };
		const { error } = await run(service, createPost({ ...many, options }), { items: rows(20) });
		expect(error).toBeUndefined();
		expect(posts(service)).toHaveLength(20);
		const at = asked(service, 'POST').map(({ receivedAt }) => receivedAt);
		// Five went out and were refused; none of the others before the pause was over.
		expect(at[5]! - at[4]!).toBeGreaterThanOrEqual(1_900);
	});

	describe('how long a run takes is said at its beginning, once the limit is known', () => {
		/** A run on the lowest plan: its hint, what was logged, and how much had been sent when it was. */
		async function announced(parameters: IDataObject, more: Partial<RunOptions> = {}) {
			const logged: Array<{ message: string; sent: number }> = [];
			const info = jest.spyOn(Container.get(Logger), 'info').mockImplementation((message) => {
				logged.push({ message, sent: posts(service).length });
			});
			stopTime();
			const result = await throughTime(
				run(service, parameters, {
					credential: credentialOf(service, { apiKey: service.keys.lowest }),
					...more,
				}),
			).finally(() => {
				jest.useRealTimers();
				info.mockRestore();
			});
			const hints = result.hints.filter(({ message }) => /requests/.test(message));
			// A limit that is used up is waited out before it is exceeded.
			expect(service.requests.filter(({ status }) => status === 429)).toEqual([]);
			return { result, hints, logged: logged.filter(({ message }) => /requests/.test(message)) };
		}
		test('50 posts: in the log after the first answers, and as a hint', async () => {
			const { result, hints, logged } = await announced(createPost(many), { items: rows(50) });
			expect(result.error).toBeUndefined();
			expect(posts(service)).toHaveLength(50);
			const message = expect.stringMatching(
				/^50 requests took \d+ (seconds|minutes) because your plan allows 20 a minute\.$/,
			);
			expect(hints).toEqual([{ message, type: 'info', location: 'outputPane' }]);
			const before = 'Node: 50 requests, 20 a minute allowed: about 2 minutes';
			expect(logged).toEqual([{ message: before, sent: expect.any(Number) }]);
			expect(logged[0]!.sent).toBeLessThanOrEqual(5);
			expect(result.hints.filter(({ type }) => type === 'warning')).toEqual([]);
		});

		test('a retry counts what is left', async () => {
			const first = await announced(createPost({ ...many, options: { concurrency: 1 } }), {
				items: rows(30),
			});
			const memory = contextOf(first.result);
			await service.close();
			service = await startService();
			const again = await announced(createPost({ ...many, options: { concurrency: 1 } }), {
				items: rows(60),
				contextData: memory,
			});
			expect(posts(service)).toHaveLength(30);
			expect(again.hints.map(({ message }) => message)).toEqual([
				expect.stringMatching(/^30 requests took .* 20 a minute/),
			]);
		});
	});

	test('a deprecation is a hint, once for the whole run', async () => {
		service.faults.add({
			kind: 'headers',
			headers: { Deprecation: 'true', Sunset: '2027-06-01T00:00:00Z' },
			method: 'POST',
			times: 0,
		});
		const { hints } = await run(service, createPost({ when: 'delay' }), { items: rows(3) });
		expect(hints).toHaveLength(1);
		expect(hints[0].message).toMatch(/deprecated.*2027-06-01/);
	});
});
