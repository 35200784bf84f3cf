import { embedded } from './harness';

/** What the page for people does. */

const { service, call, draft } = embedded({ seed: 'demo' });
const create = async (more: object) => (await call('POST', '/posts', { body: draft(more) })).data;

const press = async (path: string, body = {}) =>
	await fetch(`${service().url}/_control/${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});

test('"Publish the next hour" publishes what is due, and leaves the clock, so that an hour from now stays in the future', async () => {
	const post = async (minutes: number) => {
		const scheduled_at = new Date(Date.now() + minutes * 60_000).toISOString();
		return (await create({ scheduled_at })).id as string;
	};
	const [soon, later] = [await post(30), await post(90)];
	await press('due', { within: 3_600_000 });
	const statuses = [soon, later].map((id) => service().store.posts.get(id)!.status);
	expect(statuses).toEqual(['completed', 'scheduled']);
	expect(await post(60)).toEqual(expect.any(String));
});

test.each([
	['publish', 'completed'],
	['fail', 'failed'],
])('%s of a post of the future: it is among the %s posts up to now', async (action, status) => {
	const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
	const { id } = await create({ scheduled_at });
	await press(`posts/${id}/${action}`);
	const query = { status, to: new Date().toISOString() };
	const listed = await call('GET', '/posts', { query });
	expect(listed.data.items).toContainEqual(expect.objectContaining({ id, status }));
});
