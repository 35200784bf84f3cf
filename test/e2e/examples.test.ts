import { binaryOf, errorOf, itemsOf, type N8nClient, poll } from '../n8n/client';
import { credentialFor, example } from '../n8n/examples';
import { type Service, startService } from '../service';
import { sharedN8n } from './shared';

/** Every workflow of `examples/` as it is, but for the credentials, in the real n8n. */
describe('the examples', () => {
	let service: Service;
	let n8n: N8nClient;
	let credentials: Record<string, string>;
	const created: string[] = [];

	beforeAll(async () => {
		service = await startService();
		n8n = await sharedN8n();
		const data = credentialFor(service, service.keys.full);
		credentials = {
			socialPublishingApi: await n8n.createCredential(
				'Social Publishing account',
				'socialPublishingApi',
				data,
			),
		};
	});

	afterAll(async () => {
		for (const id of created) {
			await n8n.deactivate(id).catch(() => undefined);
			await n8n.deleteWorkflow(id);
		}
		await service.close();
	});

	async function imported(name: string): Promise<string> {
		const id = await n8n.createWorkflow(await example(name), credentials);
		created.push(id);
		return id;
	}

	async function published(name: string): Promise<string> {
		const id = await imported(name);
		const before = service.store.webhooks.size;
		await n8n.activate(id);
		await poll('the subscription', 60_000, async () =>
			service.store.webhooks.size > before ? true : undefined,
		);
		return id;
	}

	/** Posts that the service has already, some of them seeded in the state asked for. */
	async function seeded(count: number, status: string, platforms: string[], from?: string) {
		const response = await fetch(`${service.url}/_control/seed/posts`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ count, status, platforms, from, text: 'A seeded post' }),
		});
		const { ids } = (await response.json()) as { ids: string[] };
		return ids.map((id) => service.store.posts.get(id)!);
	}

	const scheduled = () => [...service.store.posts.values()].filter(({ status }) => status === 'scheduled');

	test('schedule-from-a-sheet: one post a row and platform; a second run schedules nothing more', async () => {
		const id = await imported('schedule-from-a-sheet');
		const run = await n8n.runWorkflow(id);
		expect(errorOf(run)).toBeUndefined();
		const items = itemsOf(run, 'Schedule each row');
		expect(items).toHaveLength(6);
		expect(scheduled().map(({ platforms }) => platforms.map(({ platform }) => platform).join())).toEqual([
			...['instagram', 'x', 'linkedin'],
			...['facebook', 'instagram', 'bluesky'],
		]);
		expect(scheduled()[2]?.text).toBe('We are looking for a baker. Come and meet us!');
		for (const { scheduledAt } of scheduled()) expect(Date.parse(scheduledAt!)).toBeGreaterThan(Date.now());

		const again = await n8n.runWorkflow(id);
		expect(itemsOf(again, 'Schedule each row').map((item) => item.id)).toEqual(items.map((item) => item.id));
		expect(scheduled()).toHaveLength(6);
	});

	test('alert-on-failed-posts: a message with the reason', async () => {
		const id = await published('alert-on-failed-posts');
		const [post] = await seeded(1, 'scheduled', ['linkedin']);
		service.lifecycle.fail(post!, 'The picture is too small.');
		const run = await n8n.waitForExecution(id, { status: 'success' });
		const [message] = itemsOf(run, 'Write the message');
		expect(message).toEqual({
			postId: post!.id,
			reason: 'The picture is too small.',
			message: expect.stringContaining(post!.text),
		});
		expect(message.message).toMatch(/^A post did not go out on linkedin: The picture is too small\./);
	});

	test('weekly-report: a page with a chart of the engagements', async () => {
		const from = new Date(Date.now() - 3 * 86_400_000).toISOString();
		await seeded(3, 'completed', ['linkedin'], from);
		await seeded(2, 'completed', ['instagram'], from);
		const id = await imported('weekly-report');
		const run = await n8n.runWorkflow(id, { trigger: 'Every Monday' });
		expect(errorOf(run)).toBeUndefined();
		const [report] = itemsOf(run, 'Draw the chart');
		expect(report.posts).toBe(5);
		expect(report.html.match(/<rect /g)).toHaveLength(2);
		const posts = Object.fromEntries(report.totals.map((one: any) => [one.platform, one.posts]));
		expect(posts).toEqual({ linkedin: 3, instagram: 2 });
		expect(binaryOf(run, 'Make a file')).toMatchObject({ data: { fileName: 'weekly-report.html' } });
	});
});
