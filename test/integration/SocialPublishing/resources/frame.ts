import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { ERROR_STATUS, type ErrorCode } from '../../../service/errors';
import { type RecordedRequest, type Service, startService } from '../../../service';
import { insertPost } from '../../../service/seed';
import type { Platform, PostStatus } from '../../../service/types';
import { runNode, type RunOptions, type RunResult } from '../../../support/engine';
import { errors } from '../../../support/specification';

/**
 * What is shown of every operation: the request as the service recorded it, the answer, an empty answer, every error
 * code that the spec lists for the endpoint, and that fields nobody knows pass. test/repository/collected.test.ts: every
 * operation has a call of `describeOperation` in a test file of this folder.
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
	/** Run by hand: what such a run shows is not taken away from later ones. */
	mode?: 'manual';
	/** What is tried again goes on until a time of its own. */
	patient?: true;
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

const codesIn = (table: object = {}) => Object.keys(table) as ErrorCode[];

const ofWrites = /IDEMPOTENCY|BODY/;

/** Every code that the spec lists for an endpoint: its own, those of every request, those of a read or a write. */
export function codesOf(endpoint: string): ErrorCode[] {
	const isRead = endpoint.startsWith('GET ');
	const common = codesIn(errors.request).filter((code) =>
		code === 'PUBLIC_API_RATE_LIMITED' ? true : ofWrites.test(code) !== isRead,
	);
	const own = (errors.endpoint as Record<string, object>)[endpoint];
	return [...codesIn(errors.auth), ...common, ...codesIn(own)];
}

const escape = (text: string) => text.replace(/[.*+?^$()|[\]\\]/g, '\\$&');

/** `/posts/{id}` as a regular expression on the path after the API's prefix. */
const patternOf = (path: string) => `^${escape(path).replace(/\{\w+\}/g, '[^/]+')}$`;

/** Spec, "Errors": which may be tried again. */
const mayBeRetried = (status: number) => status === 429 || status >= 500;

/** All words of an error: ours, and the service's where ours would say the same. */
const wordsIn = ({ message, service_message }: IDataObject) => [message, service_message].join('\n');

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
			await runOperation(service, name, parameters, { items: items(), mode: operation.mode, ...more });
		const isOurs = ({ path: asked, method: used }: RecordedRequest) =>
			used === method && new RegExp(patternOf(path)).test(asked.replace(/^(\/api\/public)?\/v1/, ''));
		const asked = () => service.requests.filter(isOurs);

		test('the request as sent', async () => {
			const { error } = await run(await operation.parameters(service));
			expect(error).toBeUndefined();
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
		});

		test('the answer', async () => {
			const result = await run(await operation.parameters(service));
			expect(result.error).toBeUndefined();
			expect(result.items.length).toBeGreaterThan(0);
			for (const { pairedItem } of result.items) expect(pairedItem).toEqual({ item: 0 });
			if (isWrite)
				for (const { idempotency_key } of result.json) expect(idempotency_key).toEqual(expect.any(String));
			operation.answer(result, service);
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

		test.each(codesOf(operation.endpoint))('%s', async (code) => {
			const parameters = await operation.parameters(service);
			const status = ERROR_STATUS[code as keyof typeof ERROR_STATUS];
			service.faults.add({
				kind: 'error',
				method,
				path: patternOf(path),
				code,
				message: 'Said by the service.',
				times: 0,
				...(status === 429 ? { retryAfter: '7' } : {}),
			});
			const options = { ...(parameters.options as object), maxRetryWait: 0 };
			const stopping = await run({ ...parameters, options });
			expect(stopping.error).toMatchObject({ name: 'NodeApiError', httpCode: String(status) });
			const { data } = stopping.error.context;
			expect(stopping.error.message).toBe(data.message);
			expect(wordsIn(data)).toContain('Said by the service.');
			expect(stopping.error.description).toContain(code);

			const sent = asked().length;
			const going = await run({ ...parameters, options }, { node: { onError: 'continueRegularOutput' } });
			expect(going.error).toBeUndefined();
			expect(going.items.length).toBeGreaterThan(0);
			for (const { json, pairedItem } of going.items) {
				expect(pairedItem).toEqual({ item: 0 });
				expect(Object.keys(json)).toEqual(['error']);
				const { error } = json as { error: IDataObject };
				expect(error).toMatchObject({ code, status, retryable: mayBeRetried(status) });
				expect(wordsIn(error)).toContain('Said by the service.');
				expect(error.hint).toEqual(expect.any(String));
				expect(error.request_id).toMatch(/^req_/);
				if (isWrite) expect(error.idempotency_key).toEqual(expect.any(String));
				if (status === 429) expect(error.retry_after_seconds).toBe(7);
			}
			expect(JSON.stringify(going.json)).not.toContain(service.keys.full);
			if (!operation.patient) expect(asked().length - sent).toBe(going.items.length);
		});
	});
}
