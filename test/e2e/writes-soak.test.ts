import { postNode, postThroughFaults } from '../support/e2e/writes';
import { sharedN8n } from './shared';

/** `npm run soak -- writes`, scaled down: one request in five fails, the execution is stopped and retried three times. */
test.each([
	['with the same text on every try', '={{ $json.text }}'],
	['with $now in the text', '={{ $json.text }} {{ $now.toMillis() }}'],
])('posts %s, while the service fails and executions are stopped: each once', async (what, text) => {
	const size = 40;
	const posted = await postThroughFaults(await sharedN8n(), size, what, () => postNode(text));
	expect(posted).toMatchObject({ posts: size, missing: 0, doubled: 0, wrong: 0 });
});
