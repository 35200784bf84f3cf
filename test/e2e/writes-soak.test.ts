import { writes } from '../../tools/soak/support/writes';
import { sharedN8n } from './shared';

/** `npm run soak -- writes`, scaled down. */
test('posts through a service that fails one request in five, stopped and retried three times: each once', async () => {
	const rows = await writes(await sharedN8n(), 40);
	expect(rows.filter(({ ok }) => !ok)).toEqual([]);
}, 600_000);
