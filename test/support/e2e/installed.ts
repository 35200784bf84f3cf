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
		service.lifecycle.publish(service.store.posts.get(post.id)!);
		// Posts of earlier runs may fall due by now.
		const reactions = async () => {
			const ended = (await n8n.executions(react)).filter(({ status }) => status === 'success');
			const items = ended.map(async ({ id }) => itemsOf(await n8n.execution(id), 'When a post is published'));
			return (await Promise.all(items)).filter(([event]) => event?.data.post_id === post.id);
		};
		const [events] = await poll('the reaction', reactions, ({ length }) => length > 0);
		expect(events).toEqual([expect.objectContaining({ type: 'post.published' })]);
	};
	return { schedule, bothWork };
}

export interface FirstWorkflows {
	/** The ID of the one that schedules a post. */
	schedule: string;
	/** Fails unless that one schedules a post, and the other one hears of it when it is published. */
	bothWork: () => Promise<void>;
}
