import { startN8n, type N8n } from '../n8n/instance';
import { startService, type Service } from '../service';
import { Field } from '../tools/soak/support/field';
import { kills } from '../tools/soak/support/kills';

/** n8n killed under load; 20 times in `npm run soak -- trigger`. Needs an n8n of its own. */
describe('the trigger when n8n crashes', () => {
	let service: Service;
	let n8n: N8n;

	beforeAll(async () => {
		service = await startService();
		n8n = await startN8n();
	}, 300_000);

	afterAll(async () => {
		await n8n?.stop();
		await service.close();
	}, 120_000);

	test('no event is lost, none is handed on by two finished executions, and one subscription stays', async () => {
		const field = await Field.set(n8n, service);
		const found = await kills(field, n8n, 2);
		expect(found).toMatchObject({ lost: 0, swallowed: 0, doubled: 0, deadLetters: 0 });
		// n8n asks nothing when it starts: what was subscribed before it died is still in force.
		expect(service.store.webhooks.size).toBe(1);
		await field.clear();
		expect(service.store.webhooks.size).toBe(0);
	}, 600_000);
});
