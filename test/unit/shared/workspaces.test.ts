import type { IHttpRequestOptions } from 'n8n-workflow';

import { searchWorkspaces } from '../../../nodes/shared/workspaces';
import { through } from '../SocialPublishingTrigger/fakes';

/** The dropdown of workspaces. */

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const workspaces = [{ id: 'ws_1', name: 'Bakery' }, { id: 'ws_2', name: 'Lake side' }, { id: 3 }];

async function search(filter?: string, answer = async (): Promise<object> => ok) {
	const sent: IHttpRequestOptions[] = [];
	const credential = {
		apiKey: 'key',
		baseUrl: 'https://api.example.com',
		apiPath: '/v1',
		workspaceId: 'ws_9',
	};
	const context = {
		getNode: () => ({ name: 'Trigger' }),
		getCredentials: async () => credential,
		helpers: {
			httpRequestWithAuthentication: async (_: string, options: IHttpRequestOptions) => {
				sent.push(options);
				return await answer();
			},
		},
	};
	const { results } = await through(searchWorkspaces.call(context as never, filter));
	return { results, sent };
}
const ok = { statusCode: 200, headers: {}, body: { success: true, data: { workspaces } } };

test('lists those of the key, by name or else by ID, whatever workspace the credential names', async () => {
	const { results, sent } = await search();
	expect(results).toEqual([
		{ name: 'Bakery', value: 'ws_1' },
		{ name: 'Lake side', value: 'ws_2' },
		{ name: '3', value: '3' },
	]);
	expect(sent).toMatchObject([{ method: 'GET', url: 'https://api.example.com/v1/workspaces' }]);
	expect(sent[0]!.headers).not.toHaveProperty('x-service-workspace-id');
});

test.each([
	['bAKE', ['ws_1']],
	['WS_', ['ws_1', 'ws_2']],
	['y ws_1', ['ws_1']],
	['no such', []],
])('shows those that %j is a part of', async (filter, expected) => {
	expect((await search(filter)).results.map(({ value }) => value)).toEqual(expected);
});

test("a failed look-up shows the service's message and never becomes an option", async () => {
	const error = { code: 'PUBLIC_API_KEY_EXPIRED', message: 'no' };
	const expired = { statusCode: 401, headers: {}, body: { success: false, error } };
	await expect(search('', async () => expired)).rejects.toMatchObject({
		name: 'NodeApiError',
		message: 'The API key has expired',
		node: { name: 'Trigger' },
	});
});

test('keeps nobody waiting for more than ten seconds', async () => {
	const start = Date.now();
	const hangs = async () => await new Promise<object>(() => undefined);
	await expect(search('', hangs)).rejects.toMatchObject({ name: 'NodeApiError' });
	const seconds = (Date.now() - start) / 1000;
	expect(seconds).toBeGreaterThan(5);
	expect(seconds).toBeLessThanOrEqual(11);
});
