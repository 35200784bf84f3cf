import { type Ours, OwnN8n } from '../support/e2e/ownN8n';
import { kills, killsWithout } from '../support/e2e/kills';

/** n8n killed under load; 20 times in `npm run soak -- trigger`. Needs an n8n of its own. */
describe('the trigger when n8n crashes', () => {
	let own: OwnN8n;
	let unpublished: Ours;

	beforeAll(async () => {
		own = await OwnN8n.start(24, { typeVersion: 1.2, options: { checkEvery: 1 } });
		unpublished = await own.published('Unpublished', 'post.failed');
		await own.works(unpublished);
		await own.unpublish(unpublished);
	}, 300_000);

	afterAll(async () => await own?.close(), 120_000);

	test('1.1 behind a health check: no event is lost, none is handed on by two finished executions, one subscription', async () => {
		const found = await kills(own.field, own.n8n, 2);
		expect(found).toMatchObject({ lost: 0, swallowed: 0, doubled: 0, deadLetters: 0 });
		// It asks nothing when n8n starts: what was subscribed before n8n died is still in force.
		expect(own.service.store.webhooks.size).toBe(1);
		await own.field.clear();
		expect(own.service.store.webhooks.size).toBe(0);
	}, 600_000);

	test('1.2 with nothing in front of n8n: nothing lost, nothing twice', async () => {
		const found = await killsWithout(own.field, own.n8n, 2);
		expect(found).toMatchObject({ lost: 0, doubled: 0 });
	}, 900_000);

	test('unpublished before that: no look and no start of n8n has subscribed again', () => {
		expect(own.subscriptions(unpublished)).toEqual([]);
	});
});
