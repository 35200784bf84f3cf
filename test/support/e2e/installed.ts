import { itemsOf, type N8nClient, poll } from '../../n8n/client';
import { accountOf, example, publishTrigger } from '../../n8n/examples';
import type { Service } from '../../service';

/** What somebody does first who has installed the package: import the first two examples and give them a key. */
export async function importFirst(
	n8n: N8nClient,
	service: Service,
	save: N8nClient['createWorkflow'] = async (...what) => await n8n.createWorkflow(...what),
): Promise<FirstWorkflows> {
	const account = await accountOf(n8n, service);
	const schedule = await save(await example('schedule-a-post'), account);
	const react = await save(await example('react-to-published'), account);
	await publishTrigger(n8n, service, react);

	const bothWork = async () => {
		const run = await n8n.runWorkflow(schedule);
		expect(run.data.resultData.error).toBeUndefined();
		const posts = itemsOf(run, 'Schedule the post');
		expect(posts.map(({ platform, status }) => [platform, status])).toEqual([
			['linkedin', 'scheduled'],
			['x', 'scheduled'],
		]);
		const [{ id: post }] = posts;
		service.lifecycle.publish(service.store.posts.get(post)!);
		// Posts of earlier runs may fall due by now.
		const reactions = async () => {
			const ended = (await n8n.executions(react)).filter(({ status }) => status === 'success');
			const items = ended.map(async ({ id }) => itemsOf(await n8n.execution(id), 'Pick what matters'));
			return (await Promise.all(items)).filter(([picked]) => picked?.postId === post);
		};
		const [picked] = await poll('the reaction', reactions, ({ length }) => length > 0);
		expect(picked).toEqual([{ postId: post, publishedAt: expect.any(String) }]);
	};
	return { schedule, bothWork };
}

export interface FirstWorkflows {
	/** The ID of the one that schedules a post. */
	schedule: string;
	/** Fails unless that one schedules a post, and the other one hears of it when it is published. */
	bothWork: () => Promise<void>;
}
