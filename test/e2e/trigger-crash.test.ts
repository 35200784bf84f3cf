import { type Ours, OwnN8n } from '../support/e2e/ownN8n';
import { kills } from '../support/e2e/kills';

/** n8n killed under load; 20 times in `npm run soak -- trigger`. Needs an n8n of its own. */
describe('the trigger when n8n crashes', () => {
	let own: OwnN8n;
	let unpublished: Ours;

	beforeAll(async () => {
		own = await OwnN8n.start(24, { options: { checkEvery: 1 } });
		unpublished = await own.published('Unpublished', 'post.failed');
		await own.works(unpublished);
		await own.unpublish(unpublished);
	});

	afterAll(async () => await own?.close());

	test('nothing is lost, nothing is handed on twice, and there is one subscription', async () => {
		const found = await kills(own.field, own.n8n, 2);
		expect(found).toMatchObject({ lost: 0, doubled: 0 });
		expect(own.service.store.webhooks.size).toBe(1);
		// No look and no start of n8n has subscribed again what was unpublished before.
		expect(own.subscriptions(unpublished)).toEqual([]);
		await own.field.clear();
		expect(own.service.store.webhooks.size).toBe(0);
	});
});
