import type { IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { Client, type ApiRequest, type Transport } from '../../../nodes/api/client';
import type { Failure } from '../../../nodes/api/errors';
import { RateLimiter } from '../../../nodes/api/rateLimiter';

const ok = (data: unknown = {}, headers = {}) => ({
	statusCode: 200,
	body: { success: true, data },
	headers,
});
const forbidden = {
	statusCode: 403,
	body: { success: false, error: { code: 'PUBLIC_API_WORKSPACE_FORBIDDEN', message: 'no' } },
	headers: {},
};

/** A client in this workspace, and what it sent; `answer` may say what comes back. */
function clientIn(workspaceId = '', answer: (request: IHttpRequestOptions) => unknown = () => ok()) {
	const sent: IHttpRequestOptions[] = [];
	const transport: Transport = async (request) => {
		sent.push(request);
		return (await answer(request)) as never;
	};
	const apiUrl = 'https://api.example.com/v1';
	const client = new Client(
		transport,
		{ apiUrl, workspaceId, postFormat: 'integrationGuide' },
		new RateLimiter(),
	);
	const send = async (more: Partial<ApiRequest> = {}) =>
		await client.send({ method: 'POST', path: '/posts', ...more }, 0).catch((error: Failure) => error);
	/** Path and workspace of each request. */
	const asked = () => sent.map(({ url, headers }) => [url.slice(26), headers!['x-service-workspace-id']]);
	return { client, send, sent, asked };
}

describe('a request as it is sent', () => {
	test('with nothing but what is given', async () => {
		const { send, sent } = clientIn();
		await send({ method: 'GET', path: '/usage' });
		expect(sent).toEqual([
			{
				method: 'GET',
				url: 'https://api.example.com/v1/usage',
				headers: { Accept: 'application/json' },
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
				timeout: 30_000,
				abortSignal: expect.anything(),
			},
		]);
	});

	test('with query, body, workspace and key', async () => {
		const { send, sent } = clientIn('ws_1');
		await send({ qs: { a: 1 }, body: { text: 'Hi' }, idempotencyKey: 'k' });
		expect(sent[0]).toMatchObject({
			qs: { a: 1 },
			body: { text: 'Hi' },
			headers: {
				Accept: 'application/json',
				'Content-Type': 'application/json',
				'x-service-workspace-id': 'ws_1',
				'idempotency-key': 'k',
			},
		});
		await send({ body: new FormData() as never });
		expect(sent[1]!.headers).not.toHaveProperty('Content-Type');
	});

	test('an answer, a failure with the key, and what the service announces', async () => {
		const announced = clientIn('', () => ok({ id: 'p' }, { deprecation: 'true' }));
		expect(await announced.send()).toMatchObject({ status: 200, data: { id: 'p' } });
		await announced.send();
		expect(announced.client.warnings.size).toBe(1);
		const failing = clientIn('', () => ({ statusCode: 400, body: 'no', headers: {} }));
		const { details, certain } = (await failing.send({ idempotencyKey: 'k' })) as Failure;
		expect([details.idempotency_key, certain]).toEqual(['k', true]);
		expect(((await failing.send()) as Failure).details).not.toHaveProperty('idempotency_key');
	});

	test('a secret of the request is taken out of what comes back', async () => {
		const said = { code: 'PUBLIC_API_BODY_INVALID', message: 'not whsec_1234567' };
		const { send } = clientIn('', () => ({
			statusCode: 400,
			body: { success: false, error: said },
			headers: {},
		}));
		const message = async (body: IDataObject) => ((await send({ body })) as Failure).message;
		expect(await message({ secret: 'whsec_1234567' })).not.toContain('1234567');
		expect(await message({ secret: 7 })).toContain('1234567');
	});
});

describe('the workspace of a request', () => {
	const list = {
		workspaces: [
			{ id: 'ws_9', name: 'Bakery' },
			{ id: 'ws_8', name: 'Plum Jam' },
		],
	};
	/** Knows `ws_9` and `ws_8`. */
	const service = ({ url, headers }: IHttpRequestOptions) => {
		if (url.endsWith('/workspaces')) return ok(list);
		return ['ws_9', 'ws_8', undefined].includes(headers!['x-service-workspace-id'] as string)
			? ok()
			: forbidden;
	};

	test('the one that is asked for, none for null, else the one of the credential', async () => {
		const { send, asked } = clientIn('ws_9', service);
		await send({ workspaceId: 'ws_8' });
		await send({ workspaceId: null });
		await send({ workspaceId: '' });
		await send();
		expect(asked()).toEqual([
			['/posts', 'ws_8'],
			['/posts', undefined],
			['/posts', undefined],
			['/posts', 'ws_9'],
		]);
	});

	test('one that is asked for and is not known is never another one', async () => {
		const { send, asked } = clientIn('ws_9', service);
		expect(((await send({ workspaceId: 'Bakery' })) as Failure).details.status).toBe(403);
		expect(asked()).toEqual([['/posts', 'Bakery']]);
	});

	test('a name of one word in the credential is looked up once it is not known', async () => {
		const { send, asked } = clientIn('Bakery', service);
		await send();
		await send();
		expect(asked()).toEqual([
			['/posts', 'Bakery'],
			['/workspaces', undefined],
			['/posts', 'ws_9'],
			['/posts', 'ws_9'],
		]);
	});

	test('a name of several words is looked up at once; that fails, it is looked up anew', async () => {
		let away = true;
		const { send, asked } = clientIn('Plum Jam', (request) =>
			away ? { statusCode: 401, body: 'no', headers: {} } : service(request),
		);
		expect(((await send()) as Failure).details.status).toBe(401);
		away = false;
		await send();
		expect(asked()).toEqual([
			['/workspaces', undefined],
			['/workspaces', undefined],
			['/posts', 'ws_8'],
		]);
	});

	test.each(['ws_7', 'Unknown'])('%s, which nobody has, stays the failure that it is', async (name) => {
		const { send, asked } = clientIn(name, service);
		expect(((await send()) as Failure).details.code).toBe('PUBLIC_API_WORKSPACE_FORBIDDEN');
		expect(asked()).toEqual([
			['/posts', name],
			['/workspaces', undefined],
		]);
	});

	test('an ID that is listed and forbidden is asked once', async () => {
		const { send, asked } = clientIn('ws_9', ({ url }) =>
			url.endsWith('/workspaces') ? ok(list) : forbidden,
		);
		await send();
		expect(asked()).toEqual([
			['/posts', 'ws_9'],
			['/workspaces', undefined],
		]);
	});

	test('another failure is no reason to look up', async () => {
		const { send, asked } = clientIn('Bakery', () => ({ statusCode: 401, body: 'no', headers: {} }));
		await send();
		expect(asked()).toEqual([['/posts', 'Bakery']]);
	});
});
