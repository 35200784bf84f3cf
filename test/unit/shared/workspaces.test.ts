import { searchWorkspaces } from '../../../nodes/shared/workspaces';
import {
	ok,
	refused,
	through,
	type Reply,
	anewForEachTest,
	n8n,
	service,
} from '../SocialPublishingTrigger/fakes';

/** The dropdown of workspaces. */

anewForEachTest(async () => (n8n.workspaceId = 'ws_9'));

const workspaces = [{ id: 'ws_1', name: 'Bakery' }, { id: 'ws_2', name: 'Lake side' }, { id: 3 }];

async function search(filter?: string, answer: Reply = ok({ workspaces })) {
	service.fault = () => () => answer;
	const { results } = await through(searchWorkspaces.call(n8n.context('manual'), filter));
	return results;
}

test('lists those of the key, by name or else by ID, whatever workspace the credential names', async () => {
	expect(await search()).toEqual([
		{ name: 'Bakery', value: 'ws_1' },
		{ name: 'Lake side', value: 'ws_2' },
		{ name: '3', value: '3' },
	]);
	expect(service.sent).toMatchObject([{ method: 'GET', path: '/workspaces', workspace: undefined }]);
});

test.each([
	['bAKE', ['ws_1']],
	['WS_', ['ws_1', 'ws_2']],
	['y ws_1', ['ws_1']],
	['no such', []],
])('shows those that %j is a part of', async (filter, expected) => {
	expect((await search(filter)).map(({ value }) => value)).toEqual(expected);
});

test("a failed look-up shows the service's message and never becomes an option", async () => {
	await expect(search('', refused(401, 'PUBLIC_API_KEY_EXPIRED'))).rejects.toMatchObject({
		name: 'NodeApiError',
		message: 'The API key has expired',
		node: { name: 'Trigger' },
	});
});

test('keeps nobody waiting for more than ten seconds', async () => {
	const start = Date.now();
	service.before = async () => await new Promise(() => undefined);
	await expect(search()).rejects.toMatchObject({ name: 'NodeApiError' });
	const seconds = (Date.now() - start) / 1000;
	expect(seconds).toBeGreaterThan(5);
	expect(seconds).toBeLessThanOrEqual(11);
});
