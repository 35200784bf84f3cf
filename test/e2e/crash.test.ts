import { kills } from '../support/e2e/kills';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';

/** n8n killed under load; 20 times in `npm run soak -- trigger`. A post that is sent meanwhile: trigger-restarts.test.ts. */

let own: OwnN8n;
let unpublished: Ours;

beforeAll(async () => {
	own = await OwnN8n.start(24, { options: { checkEvery: 1 } });
	unpublished = await own.published('Unpublished', 'post.failed');
	await own.works(unpublished);
	await own.unpublish(unpublished);
});

afterAll(async () => await own?.close());

test('killed under load: nothing is lost, nothing is handed on twice, and there is one subscription', async () => {
	expect(await kills(own.field, own.n8n, 2)).toMatchObject({ lost: 0, doubled: 0 });
	expect(own.service.store.webhooks.size).toBe(1);
	// No look and no start of n8n has subscribed again what was unpublished before.
	expect(own.subscriptions(unpublished)).toEqual([]);
	await own.field.clear();
	expect(own.service.store.webhooks.size).toBe(0);
});
