import { MOVING } from '../support/e2e/sending';
import { postNode, postThroughFaults } from '../support/e2e/writes';
import { sharedN8n } from './shared';

/** `npm run soak -- writes`, scaled down: one request in five fails, the execution is stopped and retried three times. */
test('posts with $now in the text, while the service fails and executions are stopped: each once', async () => {
	const size = 40;
	const posted = await postThroughFaults(await sharedN8n(), size, () => postNode(MOVING));
	expect(posted).toMatchObject({ stops: 3, posts: size, missing: 0, doubled: 0, wrong: 0 });
});
