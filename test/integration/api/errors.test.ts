import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';

import type { INode } from 'n8n-workflow';

import { Failure, toNodeError } from '../../../nodes/api/errors';
import { ERROR_STATUS } from '../../service/errors';
import { inMemory, itemWith } from '../../support/binaries';
import { table } from '../../support/engine';
import { stopTime, throughTime } from '../../support/virtualTime';
import { asked, credentialOf, run, type Service, startService } from '../../support/writes';

/** Parameters with which each operation sends its first request. */
const operations: Record<string, object> = {
	'account:getAll': { returnAll: true },
	'analytics:getOverview': { query: '{}' },
	'analytics:getSummary': { timeframe: 'last_30_days', output: 'summary' },
	'analytics:getUnified': { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z', output: 'raw' },
	'analytics:getInsights': { returnAll: false, limit: 5 },
	'approval:getAll': { returnAll: true },
	'inbox:getAll': { returnAll: true, query: '{}' },
	'inbox:reply': { inboxItemId: 'inb_seed_1', text: 'Thanks' },
	'media:createUploadUrl': { fileName: 'a.png', contentType: 'image/png', size: 10 },
	'media:upload': { mediaFrom: 'binary', binaryFields: 'data' },
	'media:uploadDirect': { binaryFields: 'data' },
	'post:create': { postTo: 'platforms', platforms: ['x'], text: 'Hello', when: 'now', mediaFrom: 'none' },
	'post:get': { postId: 'post_1' },
	'post:getAll': { returnAll: false, limit: 10 },
	'post:update': { postId: 'post_1', updateFields: { text: 'New' } },
	'post:delete': { postId: 'post_1' },
	'post:cancel': { postId: 'post_1' },
	'post:getAnalytics': { postId: 'post_1', granularity: 'totals', output: 'post' },
	'post:waitForStatus': { postId: 'post_1', waitFor: 'completed', waitTimeout: 0 },
	'socialConnection:getAll': { returnAll: true },
	'usage:get': {},
	'webhook:create': { url: 'https://example.com/hook', events: ['post.published'] },
	'webhook:getAll': { returnAll: true },
	'webhook:delete': { webhookId: 'wh_1' },
	'webhook:getDeliveries': { webhookId: 'wh_1', returnAll: true },
	'webhook:check': { webhookId: '', address: 'http://127.0.0.1:9/hook' },
	'webhook:getMissed': { returnAll: true, includeFailed: false },
	'workspace:getAll': { returnAll: true },
};
/** What every operation is given: an item with a file, for those that send one. */
const items = [itemWith({ data: inMemory('a.png', 'image/png', Buffer.from('0123456789')) })];

const codes = Object.entries(ERROR_STATUS) as Array<[keyof typeof ERROR_STATUS, number]>;
/** The spec's rule: 429, and 5xx codes ending in _FAILED, CONTEXT_ERROR and AUTH_ERROR. */
const mayRetry = (code: string, status: number): boolean =>
	status === 429 || (status >= 500 && /(_FAILED|CONTEXT_ERROR|AUTH_ERROR)$/.test(code));

describe('every error code of the spec in every operation', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService();
	});
	beforeEach(() => {
		service.faults.clear();
		service.requests.length = 0;
	});
	afterAll(async () => await service.close());

	test('the table of this test has every operation of the node', async () => {
		const all = (await table()).flatMap(({ value, operations: list }: any) =>
			list.map((one: any) => `${value}:${one.value}`),
		);
		expect(Object.keys(operations).sort()).toEqual(all.sort());
		expect(codes).toHaveLength(29);
	});

	let execution = 0;
	const call = async (name: string, options: object, node: object = {}, more: object = {}) => {
		const [resource, operation] = name.split(':');
		return await run(
			service,
			{ resource, operation, ...operations[name], ...more, options } as any,
			{ node, items, executionId: `errors-${execution++}` } as any,
		);
	};

	/** Not of the look at the accounts, which comes before a post. */
	const failing = (name: string) => (name === 'post:create' ? { method: 'POST' } : {});

	/** All codes with one operation, all operations with one code. */
	const cases = [
		...codes.map(([code]) => ['post:create', code] as const),
		...Object.keys(operations).map((name) => [name, 'PUBLIC_API_RATE_LIMITED'] as const),
	];
	test.each(cases)('%s: %s', async (name, code) => {
		const status = ERROR_STATUS[code];
		service.faults.add({ kind: 'error', code, retryAfter: '5', times: 0, ...failing(name) });
		const { json } = await call(name, { maxRetryWait: 0 }, { onError: 'continueRegularOutput' });
		expect(json).toHaveLength(1);
		expect(Object.keys(json[0]!)).toEqual(['error']);
		const error = json[0]!.error as any;
		expect(error).toMatchObject({ code, status, retryable: mayRetry(code, status) });
		expect(error.message.length).toBeGreaterThan(10);
		expect(error.hint.length).toBeGreaterThan(20);
		expect(error.request_id).toEqual(expect.any(String));
		const write =
			asked(service, 'POST').length + asked(service, 'PATCH').length + asked(service, 'DELETE').length;
		if (write > 0) expect(error.idempotency_key).toEqual(expect.any(String));
		expect(error.file).toBe(/^media:upload/.test(name) ? 'data' : undefined);
		if (status === 429) expect(error.retry_after_seconds).toBe(5);
		// With no time to wait, nothing is tried again.
		const [first, ...others] = service.requests.filter(({ fault }) => fault) as any[];
		expect(others.filter(({ method, path }) => method === first.method && path === first.path)).toEqual([]);
	});

	/** One of each kind: 5xx of the spec, 429, and one that is not to be sent again. */
	const kinds = ['PUBLIC_API_CONTEXT_ERROR', 'PUBLIC_API_RATE_LIMITED', 'PUBLIC_API_BODY_INVALID'] as const;
	test.each(Object.keys(operations))('%s is sent again where it may be, with the same key', async (name) => {
		for (const code of kinds) {
			service.requests.length = 0;
			service.faults.add({ kind: 'error', code, retryAfter: '5', ...failing(name) });
			stopTime();
			const { error } = await throughTime(call(name, { maxRetryWait: 60 }, {}, { waitTimeout: 30 })).finally(
				() => jest.useRealTimers(),
			);
			const met = service.requests.find(({ fault }) => fault === 'error') as any;
			const same = (service.requests as any[]).filter(
				({ method, path }) => method === met.method && path === met.path,
			);
			const again = mayRetry(code, ERROR_STATUS[code]);
			if (again) expect(same.length).toBeGreaterThan(1);
			else expect(same).toHaveLength(1);
			if (met.method !== 'GET')
				expect(new Set(same.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
			expect(error?.context.data.code === code).toBe(!again);
		}
	});

	test.each(codes)('%s is retried exactly where the spec allows it', async (code, status) => {
		service.faults.add({ kind: 'error', code, retryAfter: '1' });
		const { error } = await call('workspace:getAll', {});
		expect(service.requests.length).toBe(mayRetry(code, status) ? 2 : 1);
		expect(error === undefined).toBe(mayRetry(code, status));
	});

	test('as n8n’s own error: message, description with the facts, HTTP code, n8n’s word for the cause', async () => {
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_KEY_EXPIRED', method: 'POST' });
		const { error } = await call('post:create', {});
		expect(error.name).toBe('NodeApiError');
		expect(error.message).toMatch(/^The API key has expired/);
		expect(error.httpCode).toBe('401');
		expect(error.description).toMatch(
			/Code: PUBLIC_API_KEY_EXPIRED · Request ID: req_\w+ · Idempotency key: n8n-/,
		);
		expect(error.failure).toMatchObject({ cause: 'credential-invalid' });
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '30' });
		const limited = (await call('workspace:getAll', { maxRetryWait: 0 })).error;
		expect(limited.failure).toMatchObject({ cause: 'rate-limited', retryAfterMs: 30_000 });
		expect(limited.description).toMatch(/Retry after: 30 s/);
		const facts = { code: 'PUBLIC_API_RATE_LIMITED', status: 429, message: 'Full', hint: 'Wait.' };
		const numbers = new Failure({ ...facts, rate_limit: { limit: 60, remaining: 0, reset: 1 } });
		expect(toNodeError({ name: 'Node' } as INode, numbers).description).toMatch(/Limit: 60 a minute, 0 left/);
	});

	test('the service’s own words come behind ours, or beside them where they would say the same again', async () => {
		const fail = (code: keyof typeof ERROR_STATUS, message: string) =>
			service.faults.add({ kind: 'error', code, message, method: 'POST' });
		fail('PUBLIC_API_BODY_INVALID', 'platform: is missing');
		const refused = (await call('post:create', {})).error;
		expect(refused.message).toBe('The service refuses the content of this request: platform: is missing');
		fail('PUBLIC_API_KEY_INVALID', 'Unknown key.');
		const unknown = (await call('post:create', {})).error;
		expect(unknown.message).toBe('The service does not know this API key');
		expect(unknown.context.data.service_message).toBe('Unknown key.');
	});

	test('in the panel, which takes HTML, what is known is a paragraph of its own; elsewhere there is no HTML', () => {
		const node = { name: 'Node' } as INode;
		const failure = new Failure({ code: 'HTTP_500', status: 500, message: 'Trouble', hint: 'Wait.' });
		expect(toNodeError(node, failure, 0).description).toBe('Wait.<br/><br/>Code: HTTP_500');
		expect(toNodeError(node, failure).description).toBe('Wait.\n\nCode: HTTP_500');
	});

	test.each<[string, (key: string) => object]>([
		["n8n's words for an expression", (key) => ({ text: `={{ "a".hash("${key}") }}` })],
		['our own for a parameter', (key) => ({ when: 'at', scheduledAt: key })],
	])('a failure that is not of the service never shows the API key: %s', async (_what, parameters) => {
		const { full: key } = service.keys;
		const { error } = await call('post:create', {}, {}, parameters(key));
		const { json } = await call(
			'post:create',
			{},
			{ onError: 'continueRegularOutput' },
			{ options: {}, ...parameters(key) },
		);
		for (const one of [error.context.data, json[0]!.error]) expect(JSON.stringify(one)).toContain('[hidden]');
		expect(
			inspect([error.message, error.description, error.context.data, json], { depth: 20 }),
		).not.toContain(key);
		expect(service.requests).toHaveLength(0);
	});

	test('a code added later falls back to its status and stays readable', async () => {
		service.faults.add({ kind: 'error', code: 'PUBLIC_API_SOMETHING_NEW', message: 'Brand new trouble' });
		const { error } = await call('workspace:getAll', { maxRetryWait: 0 });
		expect(error.context.data).toMatchObject({
			code: 'PUBLIC_API_SOMETHING_NEW',
			status: 500,
			retryable: false,
		});
		expect(error.message).toMatch(/has trouble: Brand new trouble/);
	});
});

describe('no answer of the service at all: each told apart, none shows the API key', () => {
	const servers: Array<{ close: () => unknown }> = [];
	afterAll(() => servers.forEach((server) => server.close()));

	const listen = async (server: Server): Promise<number> => {
		servers.push(server);
		await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
		return (server.address() as AddressInfo).port;
	};
	const answering = async (status: number, body: string, headers = {}) =>
		`http://127.0.0.1:${await listen(
			createServer((_request, response) => response.writeHead(status, headers).end(body)),
		)}`;
	const page = '<!DOCTYPE html><html><body>Welcome</body></html>';
	const html = { 'content-type': 'text/html' };

	async function errorAt(baseUrl: string): Promise<any> {
		const key = 'sk_test_never_shown';
		const service = { url: baseUrl, keys: { full: key } } as unknown as Service;
		const { error } = await run(
			service,
			{ resource: 'workspace', operation: 'getAll', returnAll: true, options: { maxRetryWait: 0 } },
			{ credential: credentialOf(service) },
		);
		expect(error).toBeDefined();
		// All that n8n stores and shows of it.
		expect(inspect([error, JSON.stringify(error)], { depth: 20 })).not.toContain(key);
		return { ...error.context.data, description: error.description };
	}

	test('nothing listens there', async () => {
		const port = await listen(createServer());
		servers.pop()!.close();
		const error = await errorAt(`http://127.0.0.1:${port}`);
		expect(error).toMatchObject({ code: 'NODE_UNREACHABLE', status: 0, retryable: true });
		expect(error.message).toContain(`127.0.0.1:${port}`);
		expect(error.hint).toMatch(/Base URL/);
	});
	test('a host that does not exist', async () => {
		const error = await errorAt('http://no-such-host.invalid');
		expect(error.code).toBe('NODE_HOST_NOT_FOUND');
		expect(error.message).toContain('no-such-host.invalid');
	});
	test('a certificate that is not trusted', async () => {
		const folder = mkdtempSync(join(tmpdir(), 'tls-'));
		const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string];
		execFileSync(
			'openssl',
			[
				...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1'],
				...['-keyout', key, '-out', cert],
			],
			{ stdio: 'ignore' },
		);
		const port = await listen(
			createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) =>
				response.end('{}'),
			),
		);
		const error = await errorAt(`https://127.0.0.1:${port}`);
		expect(error).toMatchObject({ code: 'NODE_CERTIFICATE', retryable: false });
		expect(error.hint).toMatch(/certificate/);
	});
	test('https where http is spoken', async () => {
		const error = await errorAt((await answering(200, '{}')).replace('http:', 'https:'));
		expect(error.code).toBe('NODE_SECURE_CONNECTION');
		expect(error.hint).toMatch(/https/);
	});
	test('a website instead of the service: an HTML 200', async () => {
		const error = await errorAt(await answering(200, page, html));
		expect(error).toMatchObject({ code: 'NODE_HTML_ANSWER', status: 200 });
		expect(error.hint).toMatch(/Base URL.*API Path/s);
	});
	test('a website that does not know the address: an HTML 404', async () => {
		const error = await errorAt(await answering(404, page, html));
		expect(error).toMatchObject({ status: 404, retryable: false });
		expect(error.message).toMatch(/web page/);
		expect(error.hint).toMatch(/Base URL/);
	});
	test('a proxy with trouble: an HTML 502', async () => {
		const error = await errorAt(await answering(502, page, html));
		expect(error).toMatchObject({ code: 'HTTP_502', status: 502, retryable: true });
		expect(error.message).toMatch(/in front of it, has trouble/);
	});
	test('a login wall: an HTML 403', async () => {
		const error = await errorAt(await answering(403, page, html));
		expect(error.hint).toMatch(/proxy|firewall|login/);
	});
	test('an empty body', async () => {
		expect((await errorAt(await answering(200, ''))).code).toBe('NODE_EMPTY_ANSWER');
	});
	test('JSON of somebody else', async () => {
		expect(
			(await errorAt(await answering(200, '{"hello":1}', { 'content-type': 'application/json' }))).code,
		).toBe('NODE_STRANGE_ANSWER');
	});
	test('half of an answer', async () => {
		const error = await errorAt(
			await answering(200, '{"success":true,"data":[', { 'content-type': 'application/json' }),
		);
		expect(error.code).toBe('NODE_STRANGE_ANSWER');
	});
	test('a redirect is not followed: the key stays here', async () => {
		const error = await errorAt(await answering(302, '', { location: 'https://example.com/' }));
		expect(error).toMatchObject({ status: 302 });
		expect(error.hint).toMatch(/Base URL/);
	});
	test('the connection is cut', async () => {
		const port = await listen(createServer((request) => request.socket.destroy()));
		const error = await errorAt(`http://127.0.0.1:${port}`);
		expect(error).toMatchObject({ code: 'NODE_CONNECTION', retryable: true });
	});
	test('no address at all', async () => {
		expect((await errorAt('example')).code).toBe('NODE_BASE_URL');
	});
});
