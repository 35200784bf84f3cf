import { call } from '../support/e2e/flow';
import { kills } from '../support/e2e/kills';
import { type Ours, OwnN8n } from '../support/e2e/ownN8n';
import { allWords, answerOnly, sender, textsAt, untilSent, words } from '../support/e2e/sending';

/** n8n killed under load; 20 times in `npm run soak -- trigger`. Needs an n8n of its own. */
describe('when n8n crashes', () => {
	let own: OwnN8n;
	let unpublished: Ours;

	beforeAll(async () => {
		own = await OwnN8n.start(24, { options: { checkEvery: 1 } });
		unpublished = await own.published('Unpublished', 'post.failed');
		await own.works(unpublished);
		await own.unpublish(unpublished);
	});

	afterAll(async () => await own?.close());

	test('the trigger: nothing is lost, nothing is handed on twice, and there is one subscription', async () => {
		const found = await kills(own.field, own.n8n, 2);
		expect(found).toMatchObject({ lost: 0, doubled: 0 });
		expect(own.service.store.webhooks.size).toBe(1);
		// No look and no start of n8n has subscribed again what was unpublished before.
		expect(own.subscriptions(unpublished)).toEqual([]);
		await own.field.clear();
		expect(own.service.store.webhooks.size).toBe(0);
	});

	test('a post that is being sent: after a retry from the start, every post once', async () => {
		const { service, field, n8n } = own;
		answerOnly(service, 6);
		const id = await field.n8n.createWorkflow(sender(), { socialPublishingApi: field.credential });
		await field.n8n.activate(id);
		await call(field.n8n, id, { items: words(20) });
		await untilSent(service, 6);
		await n8n.kill();
		service.faults.clear();
		expect(service.store.posts.size).toBeLessThan(20);
		await n8n.restart();
		const crashed = await field.n8n.waitForExecution(id);
		expect(crashed.status).toBe('crashed');
		const retry = await field.n8n.retryExecution(crashed.id);
		expect(retry.status).toBe('success');
		expect(textsAt(service)).toEqual(allWords(20));
	});
});
