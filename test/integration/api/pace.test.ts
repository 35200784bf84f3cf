import { once } from 'node:events';

import { runNode } from '../../support/engine';
import { startFiles } from '../../support/fileServer';
import { asked, createPost, credentialOf, item, posts, run, useService } from '../../support/service';
import { stopTime, throughTime } from '../../support/virtualTime';

describe('retries and pace', () => {
	const service = useService();

	const rows = (count: number) => Array.from({ length: count }, (_, n) => item({ n }));
	const many = { text: '={{ "Text " + $json.n }}' };

	test('after a 429 all parallel requests pause for as long as it says, and the wait counts once', async () => {
		const limited = { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '2', times: 5 } as const;
		service().faults.add({ ...limited, method: 'POST' });
		const options = { maxRetryWait: 3, concurrency: 5 };
		const { error } = await run(service(), createPost({ ...many, options }), { items: rows(20) });
		expect(error).toBeUndefined();
		expect(posts(service())).toHaveLength(20);
		const at = asked(service(), 'POST').map(({ receivedAt }) => receivedAt);
		// Five went out and were refused; none of the others before the pause was over.
		expect(at[5]! - at[4]!).toBeGreaterThanOrEqual(1_900);
	});

	test('50 posts on the lowest plan: a limit that is used up is waited out before it is exceeded', async () => {
		stopTime();
		const credential = credentialOf(service(), { apiKey: service().keys.lowest });
		const running = run(service(), createPost(many), { credential, items: rows(50) });
		const { error } = await throughTime(running).finally(() => jest.useRealTimers());
		expect(error).toBeUndefined();
		expect(posts(service())).toHaveLength(50);
		expect(service().requests.filter(({ status }) => status === 429)).toEqual([]);
	});

	test('a deprecation is a hint, once for the whole run', async () => {
		service().faults.add({
			kind: 'headers',
			headers: { Deprecation: 'true', Sunset: '2027-06-01T00:00:00Z' },
			method: 'POST',
			times: 0,
		});
		const { hints } = await run(service(), createPost({ when: 'delay' }), { items: rows(3) });
		expect(hints).toHaveLength(1);
		expect(hints[0].message).toMatch(/deprecated.*2027-06-01/);
	});
});

test('an answer without end is closed when its time is up', async () => {
	const server = await startFiles();
	const closed = new Promise<void>((done) => {
		server.on('/api/public/v1/posts/post_1', (_request, response) => {
			response.writeHead(200, { 'content-type': 'application/json' });
			const beat = setInterval(() => response.write(' '), 100);
			void once(response, 'close').then(() => (clearInterval(beat), done()));
		});
	});
	const parameters = { resource: 'post', operation: 'waitForStatus', postId: 'post_1', waitTimeout: 1 };
	const { error } = await runNode({ parameters, credential: { baseUrl: server.url, apiKey: 'sk_test_1' } });
	expect(error.message).toContain('did not respond in time');
	await closed;
	await server.close();
});
