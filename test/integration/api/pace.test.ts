import { once } from 'node:events';

import { runNode } from '../../support/engine';
import { startFiles } from '../../support/fileServer';

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
