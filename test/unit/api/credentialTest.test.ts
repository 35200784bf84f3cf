import { Socket } from 'node:net';
import type { ICredentialsDecrypted, IDataObject } from 'n8n-workflow';

import { testCredential } from '../../../nodes/api/credentialTest';

const key = 'sk_a_key_of_the_service';

/** What n8n's old request function answers with `resolveWithFullResponse`: Node's request among it, full of circles. */
const answer = (statusCode: number, body: unknown) => {
	const request: Record<string, unknown> = { socket: new Socket(), header: `Authorization: Bearer ${key}` };
	request.res = { req: request };
	return { statusCode, statusMessage: '', headers: { 'content-type': 'application/json' }, body, request };
};

async function verdictOf(response: unknown, more: IDataObject = {}) {
	const asked: IDataObject[] = [];
	const request = async (options: string | object) => {
		asked.push(options as IDataObject);
		if (response instanceof Error) throw response;
		return await Promise.resolve(typeof response === 'function' ? response(options) : response);
	};
	const data = { baseUrl: 'https://api.example.com', apiKey: key, ...more };
	const credential = { id: '1', name: 'one', type: 'socialPublishingApi', data } as ICredentialsDecrypted;
	const getSSHClient = async () => await Promise.reject(new Error('It needs no SSH'));
	const helpers = { request, getSSHClient, updateLastUsed: () => undefined };
	return { ...(await testCredential.call({ helpers, logger: console }, credential)), asked };
}

describe('the credential test', () => {
	test('leaves the request that n8n hands out with the answer as it is', async () => {
		const response = answer(200, { success: true, data: [] });
		expect((await verdictOf(response)).status).toBe('OK');
		expect(response.request.header).toContain(key);
	});

	test('says what is wrong with a key that the service refuses, and never shows it', async () => {
		const error = { code: 'NEW', message: `v1.2 has no such key: ${key}.` };
		const { status, message } = await verdictOf(answer(401, { success: false, error }));
		expect(status).toBe('Error');
		expect(message).toMatch(
			/^The service rejected the API key: v1\.2 has no such key: \[hidden\]\. Paste a valid API key/,
		);
		expect(message).not.toContain(key);
	});

	test('asks for the workspaces, once, of no workspace, with the key, and follows no redirect', async () => {
		const { asked } = await verdictOf(answer(200, { success: true, data: [] }), { workspaceId: 'w1' });
		expect(asked).toHaveLength(1);
		expect(asked[0]).toMatchObject({
			...{ uri: 'https://api.example.com/api/public/v1/workspaces', method: 'GET', json: true },
			...{ simple: false, resolveWithFullResponse: true, followRedirect: false },
			timeout: expect.any(Number),
		});
		expect(asked[0]!.headers).toMatchObject({ Authorization: `Bearer ${key}` });
		expect(Object.keys(asked[0]!.headers as object).join()).not.toMatch(/workspace/i);
	});

	test('a key with few scopes, which may not list workspaces, is valid; another refusal is not', async () => {
		const refused = (code: string) => answer(403, { success: false, error: { code, message: 'No.' } });
		expect(await verdictOf(refused('PUBLIC_API_SCOPE_FORBIDDEN'), { workspaceId: 'w1' })).toMatchObject({
			status: 'OK',
			message: "The key is valid. It may not list workspaces, so 'Workspace' wasn't checked.",
		});
		expect(await verdictOf(refused('PUBLIC_API_SCOPE_FORBIDDEN'))).toMatchObject({
			message: 'The key is valid. It may not list workspaces.',
		});
		expect(await verdictOf(refused('PUBLIC_API_WORKSPACE_FORBIDDEN'))).toMatchObject({ status: 'Error' });
	});

	const [bakery, nameless] = [{ id: 'w1', name: 'Bakery' }, { id: 4 }];
	const valid = 'The key is valid.';
	const both = `${valid} It can access: Bakery (w1), 4.`;
	const noAccess = (id: string) =>
		`The key is valid, but it can't access the workspace '${id}'. The key can access: Bakery (w1), 4. Enter the ID of one of them in 'Workspace', or clear it to use the key's own workspace.`;
	test.each<[string, object[], string]>([
		...['w1', ' 4 ', ''].map((id): [string, object[], string] => [id, [bakery, nameless], both]),
		// A name is no ID.
		['Bakery', [bakery, nameless], noAccess('Bakery')],
		['w9', [bakery, nameless], noAccess('w9')],
		// An empty list proves nothing about a workspace.
		['w1', [], valid],
		['', [{ id: null }, { id: '' }, {}], valid],
	])('a workspace that is entered as %j, of %j: %s', async (workspaceId, data, message) => {
		const verdict = await verdictOf(answer(200, { success: true, data }), { workspaceId });
		expect(verdict).toMatchObject({ status: message.startsWith(valid) ? 'OK' : 'Error', message });
	});

	test('a list in pages is read to its end; one that is not all refuses no workspace', async () => {
		const page = (id: string, pagination: object) =>
			answer(200, { success: true, data: { workspaces: [{ id }], pagination } });
		const pages = (last: object) => (asked: IDataObject) =>
			(asked.qs as IDataObject | undefined)?.page ? page('w2', last) : page('w1', { hasNext: true });
		expect(await verdictOf(pages({}), { workspaceId: 'w2' })).toMatchObject({ status: 'OK' });
		expect(await verdictOf(pages({}), { workspaceId: 'w3' })).toMatchObject({ status: 'Error' });
		const message = "The key is valid. It can access: w1, w2. There may be more: 'w3' isn't among these.";
		const more = pages({ next_cursor: 'c' });
		expect(await verdictOf(more, { workspaceId: 'w3' })).toMatchObject({ status: 'OK', message });
	});

	test('the list of many workspaces is cut', async () => {
		const data = Array.from({ length: 200 }, (_, n) => ({ id: `w${n}`, name: n === 0 ? 7 : 'One' }));
		const { message } = await verdictOf(answer(200, { success: true, data }), { workspaceId: 'other' });
		expect(message).toMatch(/: w0, One \(w1\), .{900,990}…\. Enter/);
	});

	const invalid = answer(401, { success: false, error: { code: 'PUBLIC_API_KEY_INVALID' } });
	const broken = Object.assign(new Error('a'), { code: 'ECONNREFUSED' });
	const again = /\. Test the credential again in a few minutes\.$/;
	const address = /\. Check 'Base URL' and 'API Path'/;
	const noScheme = /^'Base URL' in the credential is not the address of a service\. Enter .*https:/;
	// Of each way to what is said one; all failures: failureTexts.test.ts.
	test.each<[string, unknown, IDataObject, RegExp]>([
		['a rate limit', answer(429, { success: false }), {}, again],
		['trouble', answer(503, '<html></html>'), {}, again],
		['another endpoint', answer(404, {}), {}, address],
		['another API', answer(400, {}), {}, address],
		['a page', answer(200, '<html></html>'), {}, address],
		['no data', answer(204, undefined), {}, address],
		[
			'data that is no list',
			answer(200, { success: true, data: 'ok' }),
			{},
			/not a list of records\. Check 'Base/,
		],
		['a plan', answer(402, { success: false }), {}, /asks for a paid plan\. Check the plan in the service's/],
		['a key', invalid, {}, /replaced\. Paste a/],
		['a key with a space', undefined, { apiKey: 'a b' }, /contains .*paste it as 'API Key'\.$/],
		['no https://', undefined, { baseUrl: 'api.example.com' }, noScheme],
		['no connection', broken, {}, /com\. Check 'Base URL' in the credential\. Check the network/],
	])(
		'%s: what to do in the dialog, without a word of nodes and workflows',
		async (_name, response, more, text) => {
			const { status, message } = await verdictOf(response, more);
			expect({ status, message }).toEqual({ status: 'Error', message: expect.stringMatching(text) });
			expect(message).not.toMatch(/the node|run the workflow/i);
		},
	);
});
