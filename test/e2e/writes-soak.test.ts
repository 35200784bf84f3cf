import { postNode, postThroughFaults } from '../support/e2e/writes';
import { sharedN8n } from './shared';

/** `npm run soak -- writes`, scaled down: one request in five fails, the execution is stopped and retried three times. */
test('posts with $now in the text, while the service fails and executions are stopped: each once', async () => {
	const size = 40;
	const post = () => postNode('={{ $json.text }} {{ $now.toMillis() }}');
	const posted = await postThroughFaults(await sharedN8n(), size, 'with $now', post);
	expect(posted).toMatchObject({ posts: size, missing: 0, doubled: 0, wrong: 0 });
});
