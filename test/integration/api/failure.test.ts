import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';

import type { IDataObject, INode } from 'n8n-workflow';

import { isWrite, items, operations } from '../../support/operations';
import { stopTime, throughTime } from '../../support/virtualTime';
import { runOperation, type Service, useService } from '../../support/service';

describe('a failure of the service', () => {
	const service = useService();

	let execution = 0;
	const call = async (name: string, more: IDataObject, node: Partial<INode> = {}) =>
		await runOperation(
			service(),
			name,
			{ ...operations[name], ...more },
			{ node, items, executionId: `errors-${execution++}` },
		);

	const asItem = { onError: 'continueRegularOutput' } as const;

	// A check of health that fails is an item, and the others go on: `test/unit/…/workspace.test.ts`.
	test.each(Object.keys(operations).filter((name) => name !== 'workspace:checkHealth'))(
		'%s: sent again after 500 and 429, never after 400, with one key; then an item says why',
		async (name) => {
			const method = isWrite(name) ? 'POST|PATCH|DELETE' : 'GET';
			for (const code of ['CONTEXT_ERROR', 'RATE_LIMITED', 'BODY_INVALID'])
				service().faults.add({ kind: 'error', code: `PUBLIC_API_${code}`, retryAfter: '5', method });
			stopTime();
			const more = { waitTimeout: 30, options: { maxRetryWait: 60 } };
			const result = await throughTime(call(name, more, asItem)).finally(() => jest.useRealTimers());
			const error = {
				...{ code: 'PUBLIC_API_BODY_INVALID', status: 400, retryable: false, hint: expect.any(String) },
				request_id: expect.stringMatching(/^req_/),
			};
			const ofWrite = {
				idempotency_key: expect.any(String),
				...(/^media:upload/.test(name) ? { file: 'data' } : {}),
			};
			const failures = isWrite(name) ? { failures: [expect.objectContaining(ofWrite)] } : {};
			expect(result.items).toMatchObject([
				{ json: { error: expect.objectContaining({ ...error, ...failures }) }, pairedItem: { item: 0 } },
			]);
			const met = service().requests.filter(({ fault }) => fault === 'error');
			expect(met.map(({ status }) => status)).toEqual([500, 429, 400]);
			expect(new Set(met.map((one) => `${one.method} ${one.path}`)).size).toBe(1);
			const keys = new Set(met.map(({ headers }) => headers['idempotency-key']));
			expect([keys.size, keys.has(undefined)]).toEqual([1, !isWrite(name)]);
		},
	);

	test("a post that n8n's SSRF protection holds back was not sent, is not tried again, and the error says who can allow it", async () => {
		const config = Container.get(SsrfProtectionConfig);
		config.enabled = true;
		const { error } = await call('post:create', {}).finally(() => (config.enabled = false));
		expect(error.context.data).toMatchObject({ code: 'NODE_BLOCKED', retryable: false });
		expect(error.message).toMatch(/^n8n's SSRF protection blocks requests to [\d.:]+\. Nothing was sent/);
		expect(error.description).toContain('N8N_SSRF_ALLOWED_HOSTNAMES');
	});

	test.each([
		['PUBLIC_API_RATE_LIMITED', 429],
		['PUBLIC_API_CONTEXT_ERROR', 500],
		['PUBLIC_API_PUBLISH_FAILED', 422],
	])("%s (%d): as an item, and as n8n's own error", async (code, status) => {
		const retryAfter = status === 429 ? '7' : '';
		service().faults.add({ kind: 'error', code, message: 'Said so.', retryAfter, method: 'POST', times: 0 });
		const none = { options: { maxRetryWait: 0 } };
		const { json } = await call('post:create', none, asItem);
		const data = json[0]!.error as any;
		expect(data).toMatchObject({ code, status, retryable: status !== 422 });
		expect(data.retry_after_seconds).toBe(status === 429 ? 7 : undefined);
		expect(data.message).toContain('Said so');
		const { error } = await call('post:create', none);
		const message = data.message.replace('This row was not sent', 'Nothing was sent');
		expect(error).toMatchObject({ name: 'NodeApiError', message, httpCode: String(status) });
		// What isn't confirmed goes on in another way where n8n retries no execution.
		const isUnconfirmed = status === 500;
		expect(data.hint.startsWith('To send this item again')).toBe(isUnconfirmed);
		if (isUnconfirmed) expect(error.description).toMatch(/^Retry this execution/);
		else expect(error.description).toBe(data.hint);
		expect(service().requests.filter(({ fault }) => fault)).toHaveLength(2);
	});

	test.each<[string, (key: string) => IDataObject]>([
		["n8n's words for an expression", (key) => ({ text: `={{ "a".hash("${key}") }}` })],
		['our own for a parameter', (key) => ({ when: 'at', scheduledAt: key })],
	])('a failure that is not of the service never shows the API key: %s', async (_what, parameters) => {
		const { full: key } = service().keys;
		const { error } = await call('post:create', parameters(key));
		const { json } = await call('post:create', parameters(key), asItem);
		for (const one of [error.context.data, json[0]!.error]) expect(JSON.stringify(one)).toContain('[hidden]');
		expect(
			inspect([error.message, error.description, error.context.data, json], { depth: 20 }),
		).not.toContain(key);
		expect(service().requests.filter(({ method }) => method !== 'GET')).toEqual([]);
	});
});

describe('no answer of the service at all: each told apart, none shows the API key', () => {
	const servers: Server[] = [];
	afterAll(() => servers.forEach((server) => server.close()));

	const serving = async (answer: RequestListener) => {
		const server = createServer(answer);
		servers.push(server);
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	};
	const answering = async (status: number, body: string) => {
		const headers = { 'content-type': 'application/json', location: 'https://example.com/' };
		return await serving((_request, response) => response.writeHead(status, headers).end(body));
	};
	const closed = async () => {
		const address = await serving(() => undefined);
		servers.at(-1)!.close();
		return address;
	};
	test.each<[string, () => string | Promise<string>, string]>([
		['nothing listens there', closed, 'NODE_UNREACHABLE'],
		['no such host', () => 'http://no-such-host.invalid', 'NODE_HOST_NOT_FOUND'],
		[
			'https where http is spoken',
			async () => (await answering(200, '{}')).replace('http:', 'https:'),
			'NODE_CONNECTION',
		],
		['the connection is cut', async () => await serving(({ socket }) => socket.destroy()), 'NODE_CONNECTION'],
		['half of an answer', async () => await answering(200, '{"success":'), 'NODE_UNEXPECTED_RESPONSE'],
		['a redirect, which is not followed', async () => await answering(302, ''), 'HTTP_302'],
	])('%s', async (_what, address, code) => {
		const key = 'sk_test_never_shown';
		const service = { url: await address(), keys: { full: key } } as unknown as Service;
		const parameters = { returnAll: true, options: { maxRetryWait: 0 } };
		const { error } = await runOperation(service, 'workspace:getAll', parameters);
		expect(error.context.data.code).toBe(code);
		// All that n8n stores and shows of it.
		expect(inspect([error, JSON.stringify(error)], { depth: 20 })).not.toContain(key);
	});
});
