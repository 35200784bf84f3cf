import { embedded } from './harness';

/** What the page for people does. */

const { service, create } = embedded({ seed: 'demo' });

test('"Publish the next hour" publishes what is due, and leaves the clock, so that an hour from now stays in the future', async () => {
	const post = async (minutes: number) => {
		const scheduled_at = new Date(Date.now() + minutes * 60_000).toISOString();
		return (await create({ scheduled_at })).id as string;
	};
	const [soon, later] = [await post(30), await post(90)];
	await fetch(`${service().url}/_control/due`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ within: 3_600_000 }),
	});
	const statuses = [soon, later].map((id) => service().store.posts.get(id)!.status);
	expect(statuses).toEqual(['completed', 'scheduled']);
	expect(await post(60)).toEqual(expect.any(String));
});
