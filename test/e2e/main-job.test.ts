import { itemsOf, type N8nClient, poll } from '../n8n/client';
import { credentialFor, example } from '../n8n/examples';
import { type Service, startService } from '../service';
import { step } from '../support/e2e/step';
import { sharedN8n } from './shared';

/** The package's idea in one piece: schedule a post, see it published, react to it. */
describe('the main job in a real n8n', () => {
	let service: Service;
	let n8n: N8nClient;
	let scheduleId: string;
	let reactId: string;
	let posts: any[];

	beforeAll(async () => {
		service = await startService();
		n8n = await sharedN8n();
	});

	afterAll(async () => {
		if (reactId) await n8n.deleteWorkflow(reactId);
		if (scheduleId) await n8n.deleteWorkflow(scheduleId);
		await service.close();
	});

	test('a post is scheduled, published, and reacted to', async () => {
		await step('the examples can be imported and given a credential', async () => {
			const data = credentialFor(service, service.keys.full);
			const credential = await n8n.createCredential('Social Publishing account', 'socialPublishingApi', data);
			const ids = { socialPublishingApi: credential };
			scheduleId = await n8n.createWorkflow(await example('schedule-a-post'), ids);
			reactId = await n8n.createWorkflow(await example('react-to-published'), ids);
		});

		await step('publishing the trigger workflow subscribes at the service', async () => {
			expect(service.store.webhooks.size).toBe(0);
			await n8n.activate(reactId);
			const webhook = await poll('the subscription', () => [...service.store.webhooks.values()][0]);
			expect(webhook.events).toEqual(['post.published']);
			expect(webhook.url.startsWith(`${n8n.webhookUrl}/webhook/`)).toBe(true);
		});

		await step(
			'Post Create puts one scheduled post for each platform into the service, and one item each into n8n',
			async () => {
				const run = await n8n.runWorkflow(scheduleId);
				expect(run.data.resultData.error).toBeUndefined();
				expect(run.status).toBe('success');
				posts = itemsOf(run, 'Schedule the post');
				expect(posts).toHaveLength(2);
				expect(service.store.posts.size).toBe(2);
				for (const [i, platform] of ['linkedin', 'x'].entries()) {
					const stored = service.store.posts.get(posts[i].id);
					expect(stored?.status).toBe('scheduled');
					expect(stored?.platforms.map((each) => each.platform)).toEqual([platform]);
					expect(Date.parse(stored?.scheduledAt ?? '')).toBeGreaterThan(Date.now());
					expect(posts[i]).toMatchObject({ status: 'scheduled', idempotency_key: expect.any(String) });
				}
				expect(await n8n.executions(reactId)).toEqual([]);
			},
		);

		await step('a published post runs the trigger workflow once, with the event', async () => {
			const [{ id }] = posts;
			service.lifecycle.publish(service.store.posts.get(id)!);
			const run = await n8n.waitForExecution(reactId, { status: 'success' });
			const [event] = itemsOf(run, 'When a post is published');
			expect(event).toMatchObject({ type: 'post.published', workspace_id: 'ws_main', data: { post_id: id } });
			expect(itemsOf(run, 'Pick what matters')).toEqual([{ postId: id, publishedAt: event.occurred_at }]);
			const deliveries = () => service.deliveries.history().filter((each) => each.event.id === event.id);
			await poll('the delivery to be recorded', deliveries, ([one]) => one?.status === 'delivered');
			expect(await n8n.executions(reactId)).toHaveLength(1);
		});

		await step(
			'unpublishing removes the subscription; a post published after that runs nothing',
			async () => {
				await n8n.deactivate(reactId);
				await poll(
					'the subscription to go',
					() => service.store.webhooks.size,
					(count) => count === 0,
				);
				service.lifecycle.publish(service.store.posts.get(posts[1].id)!);
				expect(service.store.posts.get(posts[1].id)?.status).toBe('completed');
				expect(await n8n.executions(reactId)).toHaveLength(1);
			},
		);
	});
});
