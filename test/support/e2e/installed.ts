import { itemsOf, type N8nClient, poll } from '../../n8n/client';
import { credentialFor, example } from '../../n8n/examples';
import type { Service } from '../../service';

/** What somebody does first who has installed the package: import the first two examples and give them a key. */
export async function importFirst(n8n: N8nClient, service: Service): Promise<FirstWorkflows> {
	const data = credentialFor(service, service.keys.full);
	const credential = await n8n.createCredential('Social Publishing account', 'socialPublishingApi', data);
	const ids = { socialPublishingApi: credential };
	const schedule = await n8n.createWorkflow(await example('schedule-a-post'), ids);
	const react = await n8n.createWorkflow(await example('react-to-published'), ids);
	await n8n.activate(react);
	await poll(
		'the subscription',
		() => service.store.webhooks.size,
		(count) => count === 1,
	);

	const bothWork = async () => {
		const run = await n8n.runWorkflow(schedule);
		expect(run.data.resultData.error).toBeUndefined();
		const [post] = itemsOf(run, 'Schedule the post');
		expect(post).toMatchObject({ status: 'scheduled' });
		const before = (await n8n.executions(react)).length;
		service.lifecycle.publish(service.store.posts.get(post.id)!);
		const reaction = await n8n.waitForExecution(react, { count: before + 1, status: 'success' });
		expect(itemsOf(reaction, 'When a post is published')).toEqual([
			expect.objectContaining({
				type: 'post.published',
				data: expect.objectContaining({ post_id: post.id }),
			}),
		]);
	};
	return { schedule, bothWork };
}

export interface FirstWorkflows {
	/** The ID of the one that schedules a post. */
	schedule: string;
	/** Fails unless that one schedules a post, and the other one hears of it when it is published. */
	bothWork: () => Promise<void>;
}
