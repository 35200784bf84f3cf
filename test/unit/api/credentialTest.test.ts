import { Socket } from 'node:net';
import type { ICredentialsDecrypted, ICredentialTestFunctions, IDataObject } from 'n8n-workflow';

import { testCredential } from '../../../nodes/api/credentialTest';

const key = 'sk_a_key_of_the_service';

/** What n8n's old request function answers with `resolveWithFullResponse`: Node's request among it, full of circles. */
const answer = (statusCode: number, body: unknown) => {
	const request: Record<string, unknown> = { socket: new Socket(), header: `Authorization: Bearer ${key}` };
	request.res = { req: request };
	return { statusCode, statusMessage: '', headers: { 'content-type': 'application/json' }, body, request };
};

async function verdictOf(response: unknown, more: IDataObject = {}) {
	const request = jest.fn<Promise<unknown>, [IDataObject]>(async () => await Promise.resolve(response));
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	const data = { baseUrl: 'https://api.example.com', apiKey: key, ...more };
	const credential = { id: '1', name: 'one', type: 'socialPublishingApi', data } as ICredentialsDecrypted;
	return {
		...(await testCredential.call(context, credential)),
		asked: request.mock.calls.map(([one]) => one),
	};
}

describe('the credential test', () => {
	test('ends where n8n hands out its own request with the answer, and leaves that as it is', async () => {
		const response = answer(200, { success: true, data: [{ id: 'w1', name: 'Bakery' }] });
		expect(await verdictOf(response)).toMatchObject({
			status: 'OK',
			message: expect.stringMatching(/^The key is valid\. It uses the workspace Bakery \(w1\)\.$/),
		});
		expect(response.request.header).toContain(key);
	});

	test('says what is wrong with a key that the service refuses', async () => {
		const error = { code: 'PUBLIC_API_UNAUTHORIZED', message: `no such key: ${key}` };
		const { status, message } = await verdictOf(answer(401, { success: false, error }));
		expect(status).toBe('Error');
		expect(message).not.toContain(key);
	});

	test('asks for the workspaces, once, of no workspace, with the key, and follows no redirect', async () => {
		const { asked } = await verdictOf(answer(200, { success: true, data: [] }), { workspaceId: 'w1' });
		expect(asked).toEqual([
			expect.objectContaining({
				uri: 'https://api.example.com/api/public/v1/workspaces',
				method: 'GET',
				json: true,
				simple: false,
				resolveWithFullResponse: true,
				followRedirect: false,
				timeout: expect.any(Number),
			}),
		]);
		expect(asked[0]!.headers).toMatchObject({ Authorization: `Bearer ${key}` });
		expect(Object.keys(asked[0]!.headers as object).join()).not.toMatch(/workspace/i);
	});

	test.each([
		['w1', 'OK'],
		[' 4 ', 'OK'],
		// A name is no ID.
		['Bakery', 'Error'],
		['w9', 'Error'],
	])('a workspace that is entered as %j: %s', async (workspaceId, status) => {
		const data = [
			{ id: 'w1', name: 'Bakery' },
			{ id: 'w2', name: 'Twice' },
			{ id: 'w3', name: 'Twice' },
			{ id: 4 },
		];
		const verdict = await verdictOf(answer(200, { success: true, data }), { workspaceId });
		expect(verdict.status).toBe(status);
		if (status === 'Error')
			expect(verdict.message).toBe(
				`The key is valid, but it can't access the workspace '${workspaceId}'. The key can access: Bakery (w1), Twice (w2), Twice (w3), 4. Enter the ID of one of them in 'Workspace', or clear it to use the key's own workspace.`,
			);
	});

	test('of several workspaces, says that the service chooses one', async () => {
		const data = [{ id: 'w1', name: 'Bakery' }, { id: 'w2' }];
		expect((await verdictOf(answer(200, { success: true, data }))).message).toBe(
			"The key is valid. 'Workspace' is empty, so the service chooses one of these: Bakery (w1), w2. To be sure, enter an ID.",
		);
		const used = await verdictOf(answer(200, { success: true, data }), { workspaceId: 'w2' });
		expect(used.message).toBe('The key is valid. It uses the workspace w2.');
	});

	test('a list that is empty says nothing of a workspace', async () => {
		const { status } = await verdictOf(answer(200, { success: true, data: [] }), { workspaceId: 'w1' });
		expect(status).toBe('OK');
	});

	test('nothing that could be asked: the reason in one sentence, then what to do', async () => {
		for (const more of [{ baseUrl: '' }, { baseUrl: 'no address' }, { apiKey: '' }]) {
			const { status, message, asked } = await verdictOf(answer(200, {}), more);
			expect(status).toBe('Error');
			expect(message).toMatch(/[^.]\. [A-Z]/);
			expect(message).not.toContain('..');
			expect(asked.length).toBeLessThanOrEqual(1);
		}
	});
});
