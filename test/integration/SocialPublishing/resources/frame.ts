import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { ERROR_STATUS, type ErrorCode } from '../../../service/errors';
import { type RecordedRequest, type Service, startService } from '../../../service';
import { insertPost } from '../../../service/seed';
import type { Platform, PostStatus } from '../../../service/types';
import { runNode, type RunOptions, type RunResult } from '../../../support/engine';
import { errors } from '../../../support/specification';

/**
 * What is shown of every operation: the request as the service recorded it, the answer, an empty answer, the error codes
 * that the spec lists for the endpoint alone (those of every request are in `test/integration/api/errors.test.ts`), that
 * fields nobody knows pass, and that a preview sends nothing. test/repository/collected.test.ts: every operation has a
 * call of `describeOperation` in a test file of this folder.
 */
export interface OperationTest {
	/** As in the spec's lists: `GET /posts/{id}`. */
	endpoint: string;
	/** Makes at the service what the operation needs; the parameters. */
	parameters: (service: Service) => IDataObject | Promise<IDataObject>;
	/** The input item; empty unless given. */
	item?: () => INodeExecutionData;
	/** The query and body that have to arrive, exactly. */
	sent: { query?: IDataObject; body?: unknown };
	/** Looks at what came out. */
	answer: (result: RunResult, service: Service) => void;
	/** Empties the service, and what comes out then; parameters in place of the usual ones. */
	empty?: {
		prepare: (service: Service) => IDataObject | void;
		check: (result: RunResult, service: Service) => void;
	};
	/** Only where it differs from all others: no workspace in the header. */
	withoutWorkspace?: true;
	/** The answer is 204: nothing in it to pass on. */
	noContent?: true;
}

const NOW = () => Date.now();
export const DAY = 86_400_000;

/** A post of ws_main that is simply there. */
export function addPost(
	service: Service,
	more: { id?: string; text?: string; status?: PostStatus; at?: number; platforms?: Platform[] } = {},
): string {
	const { id = 'post_1', text = 'Hello', status = 'scheduled', platforms = ['linkedin'] } = more;
	const at = more.at ?? NOW() + (status === 'scheduled' ? DAY : -DAY);
	insertPost(service, { id, text, status, at, platforms });
	return id;
}

export function addWebhook(service: Service, id = 'wh_1', description = 'Newsroom', workspaceId = 'ws_main') {
	service.store.webhooks.set(id, {
		id,
		workspaceId,
		url: 'https://example.com/events',
		events: ['post.published'],
		description,
		status: 'active',
		secret: 'example-secret-of-a-webhook',
		createdAt: service.clock.iso(),
	});
	return id;
}

export const credentialOf = (service: Service, more: IDataObject = {}): IDataObject => ({
	baseUrl: service.url,
	apiKey: service.keys.full,
	workspaceId: 'ws_main',
	apiPath: '/api/public/v1',
	postFormat: 'integrationGuide',
	...more,
});

export const runOperation = async (
	service: Service,
	name: string,
	parameters: IDataObject,
	more: Partial<RunOptions> = {},
): Promise<RunResult> => {
	const [resource, operation] = name.split('.');
	return await runNode({
		credential: credentialOf(service),
		parameters: { resource, operation, ...parameters },
		...more,
	});
};

/** The codes that the spec lists for an endpoint alone; those of every request are in `test/integration/api/errors.test.ts`. */
export const codesOf = (endpoint: string): ErrorCode[] =>
	Object.keys((errors.endpoint as Record<string, object>)[endpoint] ?? {}) as ErrorCode[];

const escape = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');

/** `/posts/{id}` as a regular expression on the path after the API's prefix. */
const patternOf = (path: string) => `^${escape(path).replace(/\{\w+\}/g, '[^/]+')}$`;

export function describeOperation(name: string, operation: OperationTest): void {
	const [method = '', path = ''] = operation.endpoint.split(' ');
	const { withoutWorkspace = false } = operation;
	const isWrite = method !== 'GET';

	describe(name, () => {
		let service: Service;
		beforeAll(async () => {
			service = await startService({ inlineDelaysMs: [0] });
		});
		beforeEach(() => service.reset());
		afterAll(async () => await service.close());

		const items = (count = 1) => Array.from({ length: count }, () => operation.item?.() ?? { json: {} });
		const run = async (parameters: IDataObject, more: Partial<RunOptions> = {}) =>
			await runOperation(service, name, parameters, { items: items(), ...more });
		const isOurs = ({ path: asked, method: used }: RecordedRequest) =>
			used === method && new RegExp(patternOf(path)).test(asked.replace(/^(\/api\/public)?\/v1/, ''));
		const asked = () => service.requests.filter(isOurs);

		test('the request as sent, and what is made of the answer', async () => {
			const result = await run(await operation.parameters(service));
			expect(result.error).toBeUndefined();
			const [request] = asked();
			expect(request).toBeDefined();
			const { query, body, headers } = request!;
			expect(query).toEqual(operation.sent.query ?? {});
			expect(body).toEqual(operation.sent.body);
			expect(request!.path.startsWith('/api/public/v1/')).toBe(true);
			expect(headers.authorization).toBe(`Bearer ${service.keys.full}`);
			expect(headers['x-service-workspace-id']).toBe(withoutWorkspace ? undefined : 'ws_main');
			if (isWrite) expect(headers['idempotency-key']).toMatch(/^[\x21-\x7e]{1,255}$/);
			else expect(headers['idempotency-key']).toBeUndefined();
			if (isWrite && operation.sent.body) expect(headers['content-type']).toMatch(/^application\/json/);
			expect(result.items.length).toBeGreaterThan(0);
			for (const { pairedItem } of result.items) expect(pairedItem).toEqual({ item: 0 });
			if (isWrite)
				for (const { idempotency_key } of result.json) expect(idempotency_key).toEqual(expect.any(String));
			operation.answer(result, service);
		});

		if (isWrite)
			test('a preview sends nothing', async () => {
				const parameters = await operation.parameters(service);
				const { json, error } = await run({ ...parameters, options: { previewOnly: true } });
				expect(error).toBeUndefined();
				expect(json).toEqual([
					expect.objectContaining({
						preview: true,
						request: expect.objectContaining({ method }),
						warnings: expect.any(Array),
					}),
				]);
				expect(service.requests.filter((one) => one.method !== 'GET')).toEqual([]);
			});

		test("the node's workspace goes before the credential's", async () => {
			const parameters = await operation.parameters(service);
			const workspaceId = { mode: 'id', value: 'ws_second' };
			await run({
				...parameters,
				options: { ...(parameters.options as object), workspaceId, maxRetryWait: 0 },
			});
			const [request] = asked();
			const expected = withoutWorkspace ? undefined : 'ws_second';
			expect(request!.headers['x-service-workspace-id']).toBe(expected);
		});

		test('several items: each with the item it comes from, and the order of the input', async () => {
			const parameters = await operation.parameters(service);
			const { error, items: found } = await run(parameters, {
				items: items(3),
				node: { onError: 'continueRegularOutput' },
			});
			expect(error).toBeUndefined();
			const from = found.map(({ pairedItem }) => (pairedItem as { item: number }).item);
			expect(new Set(from)).toEqual(new Set([0, 1, 2]));
			expect(from).toEqual([...from].sort());
		});

		if (operation.empty) {
			const { prepare, check } = operation.empty;
			test('an empty answer', async () => {
				const parameters = prepare(service) ?? (await operation.parameters(service));
				const result = await run(parameters);
				expect(result.error).toBeUndefined();
				check(result, service);
			});
		}

		test('fields and values that nobody knows pass', async () => {
			const parameters = await operation.parameters(service);
			service.faults.add({ kind: 'unknownFields', times: 0 });
			const result = await run(parameters);
			expect(result.error).toBeUndefined();
			expect(result.items.length).toBeGreaterThan(0);
			if (!operation.noContent) expect(JSON.stringify(result.json)).toContain('x_new_field');
		});

		const codes = codesOf(operation.endpoint);
		if (codes.length > 0)
			test.each(codes)('%s', async (code) => {
				const status = ERROR_STATUS[code as keyof typeof ERROR_STATUS];
				const parameters = await operation.parameters(service);
				const message = 'Said by the service.';
				service.faults.add({ kind: 'error', method, path: patternOf(path), code, message, times: 0 });
				const options = { ...(parameters.options as object), maxRetryWait: 0 };
				const { error } = await run({ ...parameters, options });
				expect(error).toMatchObject({ name: 'NodeApiError', httpCode: String(status) });
				const { data } = error.context;
				expect(data).toMatchObject({ code, status, retryable: status >= 500, hint: expect.any(String) });
				expect([data.message, data.service_message].join('\n')).toContain(message);
				if (isWrite) expect(data.idempotency_key).toEqual(expect.any(String));
			});
	});
}
