import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { Client } from '../../../nodes/api/client';
import { derivedSecret } from '../../../nodes/shared/signature';
import { storedIn, Subscription, type Wanted } from '../../../nodes/SocialPublishingTrigger/subscription';

/** Answers that the spec leaves open, or that no service should give. */

type Responder = (request: IHttpRequestOptions) => Partial<IN8nHttpFullResponse> & { data?: unknown };

const url = 'https://n8n.example.com/webhook/1/webhook';
const own = derivedSecret('example-key', url);

function subscription(respond: Responder, more: Partial<Wanted> = {}) {
	const sent: Array<{ method: string; path: string; body: IDataObject; workspace?: unknown }> = [];
	const transport = async (request: IHttpRequestOptions): Promise<IN8nHttpFullResponse> => {
		sent.push({
			method: request.method!,
			path: request.url.slice('https://api.example.com'.length),
			body: request.body as IDataObject,
			workspace: request.headers!['x-service-workspace-id'],
		});
		const { data, ...rest } = respond(request);
		return {
			statusCode: 200,
			headers: {},
			body: { success: true, data, request_id: 'r' },
			...rest,
		} as IN8nHttpFullResponse;
	};
	const client = new Client(transport, {
		apiUrl: 'https://api.example.com',
		workspaceId: '',
		postFormat: 'integrationGuide',
	});
	const wanted = { url, events: ['post.failed'], description: '', workspaceId: '', ...more };
	const step = new Subscription(client, wanted);
	return { step, sent };
}

const listing =
	(webhooks: unknown): Responder =>
	({ method }) =>
		method === 'GET' ? { data: webhooks } : { statusCode: 204, body: '' };
const stored = {
	webhookId: 'wh',
	secret: own,
	url,
	events: ['post.failed'],
	workspaceId: '',
	derived: true,
};

describe('creating', () => {
	it('takes the secret that the answer holds, also where ours was offered', async () => {
		const { step } = subscription(() => ({ data: { webhook: { id: 'wh', secret: 'whsec_other' } } }));
		expect(await step.create(own)).toMatchObject({
			webhookId: 'wh',
			secret: 'whsec_other',
			derived: false,
		});
	});

	it('takes ours where the answer holds none', async () => {
		const { step, sent } = subscription(() => ({ data: { webhook: { id: 'wh' } } }));
		expect(await step.create(own)).toMatchObject({ webhookId: 'wh', secret: own, derived: true });
		expect(sent[0]!.body).toMatchObject({ secret: own });
	});

	it('understands a webhook that is `data` itself, and a number as id', async () => {
		const { step } = subscription(() => ({ data: { id: 7, secret: 's' } }));
		expect(await step.create(own)).toMatchObject({ webhookId: '7', secret: 's' });
	});

	it.each([
		['the ID beside `webhook`', { id: 'wh', webhook: { secret: 's', url } }],
		['… which names none', { id: 'wh', webhook: { id: null, secret: 's' } }],
		['the secret beside `webhook`', { secret: 's', webhook: { id: 'wh' } }],
		[
			'both in `webhook` and beside it: what is in it',
			{ id: 'x', secret: 'x', webhook: { id: 'wh', secret: 's' } },
		],
	])('understands %s', async (_name, data) => {
		const { step, sent } = subscription(() => ({ data }));
		expect(await step.create(own)).toMatchObject({ webhookId: 'wh', secret: 's' });
		expect(sent).toHaveLength(1);
	});

	it('tells the service what is wanted, and where; an answer that is no object holds nothing', async () => {
		const more = { events: ['a', 'b'], description: 'night shift', workspaceId: 'ws_2' };
		const { step, sent } = subscription(() => ({ data: { webhook: { id: 'wh' } } }), more);
		expect(await step.create(own)).toEqual({
			webhookId: 'wh',
			secret: own,
			url,
			events: ['a', 'b'],
			workspaceId: 'ws_2',
			derived: true,
		});
		expect(sent).toEqual([
			{
				method: 'POST',
				path: '/webhooks',
				body: { url, events: ['a', 'b'], description: 'night shift', secret: own },
				workspace: 'ws_2',
			},
		]);
		for (const data of [null, 'text', 7, { webhook: null, id: '', secret: '' }, { webhook: 'x' }]) {
			const odd = subscription(({ method }) => ({ data: method === 'GET' ? [] : data }));
			await expect(odd.step.create(own)).rejects.toMatchObject({ details: { code: 'NODE_NO_SECRET' } });
		}
	});

	it.each([400, 422])(
		'subscribes without ours where the service refuses it (%d), with another key',
		async (statusCode) => {
			const keys = new Set<unknown>();
			const { step, sent } = subscription(({ body, headers }) => {
				keys.add(headers!['idempotency-key']);
				return (body as IDataObject).secret
					? { statusCode, body: { success: false, error: { code: 'PUBLIC_API_BODY_INVALID' } } }
					: { data: { webhook: { id: 'wh', secret: 's' } } };
			});
			expect(await step.create(own)).toMatchObject({ secret: 's' });
			expect(sent.map(({ body }) => 'secret' in body)).toEqual([true, false]);
			expect(keys.size).toBe(2);
		},
	);

	it.each([401, 403, 404, 409])('is not tried again after %d', async (statusCode) => {
		const { step, sent } = subscription(() => ({ statusCode, body: {} }));
		await expect(step.create(own)).rejects.toMatchObject({ details: { status: statusCode } });
		expect(sent).toHaveLength(1);
	});

	it('takes back what it made where no secret is known', async () => {
		const { step, sent } = subscription(({ method, body }) => {
			if (method !== 'POST') return { statusCode: 204, body: '' };
			return (body as IDataObject).secret
				? { statusCode: 400, body: {} }
				: { data: { webhook: { id: 'wh 1' } } };
		});
		await expect(step.create(own)).rejects.toMatchObject({
			message: 'The service subscribed this workflow, but its answer holds no secret',
			details: {
				code: 'NODE_NO_SECRET',
				hint: expect.stringMatching(/^Without it no delivery.*taken back/),
				request_id: 'r',
			},
		});
		expect(sent.at(-1)).toMatchObject({ method: 'DELETE', path: '/webhooks/wh%201' });
	});

	it('takes back by address where the answer does not even name it', async () => {
		const { step, sent } = subscription(({ method }) => {
			if (method === 'GET')
				return {
					data: [
						{ id: 'wh', url },
						{ id: 'other', url: 'https://else.example.com' },
					],
				};
			return method === 'DELETE' ? { statusCode: 204, body: '' } : { data: {} };
		});
		await expect(step.create(own)).rejects.toMatchObject({
			message: expect.stringMatching(/holds no ID$/),
			details: { code: 'NODE_NO_SECRET' },
		});
		expect(sent.filter(({ method }) => method === 'DELETE').map(({ path }) => path)).toEqual([
			'/webhooks/wh',
		]);
	});
});

describe('looking', () => {
	it.each([
		['a bare array', [{ id: 'wh', url, events: ['post.failed'] }]],
		['an object with an array', { webhooks: [{ id: 'wh', url, events: ['post.failed'] }] }],
		['no fields but the id', [{ id: 'wh' }]],
		['unknown fields', [{ id: 'wh', url, status: 'superb', x: { y: 1 } }]],
		[
			'other words for active',
			[{ id: 'wh', url, status: 'active', active: true, enabled: true, disabled: false }],
		],
		['events that are no list', [{ id: 'wh', url, events: 'post.failed' }]],
		['an id that is a number beside it', [{ id: 7, url }, { id: 'wh' }]],
	])('finds it in %s', async (_name, webhooks) => {
		expect(await subscription(listing(webhooks)).step.exists(stored, own)).toBe(true);
	});

	it.each([
		['gone', []],
		['another id', [{ id: 'other', url, events: ['post.failed'] }]],
		['another address', [{ id: 'wh', url: `${url}2` }]],
		['other events', [{ id: 'wh', url, events: ['post.failed', 'post.created'] }]],
		['disabled', [{ id: 'wh', url, status: 'disabled' }]],
		['not active', [{ id: 'wh', url, active: false }]],
		['not enabled', [{ id: 'wh', url, enabled: false }]],
		['inactive', [{ id: 'wh', url, status: 'inactive' }]],
		['disabled by a flag', [{ id: 'wh', url, disabled: true }]],
		['for fewer events', [{ id: 'wh', url, events: [] }]],
	])('does not count one that is %s', async (_name, webhooks) => {
		expect(await subscription(listing(webhooks)).step.exists(stored, own)).toBe(false);
	});

	it('does not count one whose secret was made from a key that has been replaced since', async () => {
		const { step, sent } = subscription(listing([{ id: 'wh', url, events: ['post.failed'] }]));
		const now = derivedSecret('another-example-key', url);
		expect(await step.exists(stored, now)).toBe(false);
		expect(sent).toEqual([]);
		// One that the service made has nothing to do with the key.
		expect(await step.exists({ ...stored, secret: 'whsec_of_the_service', derived: false }, now)).toBe(true);
	});

	it.each([
		['another address', { url: `${url}2` }],
		['another workspace', { workspaceId: 'ws_2' }],
		['other events', { events: ['post.failed', 'post.created'] }],
	])('does not even ask where what is stored is for %s', async (_name, more) => {
		const { step, sent } = subscription(listing([{ id: 'wh' }]), more);
		expect(await step.exists(stored, own)).toBe(false);
		expect(sent).toEqual([]);
	});

	it('does not mind the order of events', async () => {
		const [events, others] = [
			['b', 'a'],
			['a', 'b'],
		];
		const { step } = subscription(listing([{ id: 7, url, events: others }]), { events });
		expect(await step.exists({ ...stored, webhookId: '7', events: others }, own)).toBe(true);
		expect(events).toEqual(['b', 'a']);
	});

	it('lists what delivers to this address, and what is known by its ID', async () => {
		const webhooks = [
			{ id: 'a', url, events: ['post.failed'] },
			{ id: 'b', url, status: 'disabled' },
			{ id: 'c', url, events: ['post.created'] },
			{ id: 4, url: 'https://else.example.com' },
			{ id: 'e', url: 'https://else.example.com' },
		];
		const { step, sent } = subscription(listing(webhooks), { workspaceId: 'ws_2' });
		const found = await step.listed(['4']);
		expect(found.map(({ id, isAsWanted }) => [id, isAsWanted])).toEqual([
			['a', true],
			['b', false],
			['c', false],
			['4', false],
		]);
		expect(found[0]!.record).toEqual(webhooks[0]);
		expect(sent).toMatchObject([{ method: 'GET', path: '/webhooks', workspace: 'ws_2' }]);
	});

	it('does not ask where nothing is stored', async () => {
		const { step, sent } = subscription(listing([]));
		expect(await step.exists(undefined, own)).toBe(false);
		expect(sent).toEqual([]);
	});
});

describe('deleting', () => {
	it('goes by id, then by address; what is gone counts as done', async () => {
		const { step, sent } = subscription(({ method }) =>
			method === 'GET' ? { data: [{ id: 'stray', url }] } : { statusCode: 404, body: {} },
		);
		await step.delete(stored);
		expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'DELETE /webhooks/wh',
			'GET /webhooks',
			'DELETE /webhooks/stray',
		]);
	});

	it('is done in the workspace in which it was made; leftovers at the address go, but for one', async () => {
		const { step, sent } = subscription(
			listing([
				{ id: 'new', url },
				{ id: 'old', url },
			]),
			{ workspaceId: 'ws_2' },
		);
		await step.delete({ ...stored, workspaceId: 'ws_1' });
		await step.deleteLeftovers('new');
		expect(sent.map(({ method, path, workspace }) => [method, path, workspace])).toEqual([
			['DELETE', '/webhooks/wh', 'ws_1'],
			['GET', '/webhooks', 'ws_2'],
			['DELETE', '/webhooks/new', 'ws_2'],
			['DELETE', '/webhooks/old', 'ws_2'],
			['GET', '/webhooks', 'ws_2'],
			['DELETE', '/webhooks/old', 'ws_2'],
		]);
	});

	it('fails where the service does not do it: n8n has to try again', async () => {
		const { step } = subscription(() => ({ statusCode: 403, body: {} }));
		await expect(step.delete(stored)).rejects.toMatchObject({ details: { status: 403 } });
	});

	it('goes by address alone where nothing is stored', async () => {
		const { step, sent } = subscription(
			listing([
				{ id: 'stray', url },
				{ id: 'other', url: 'https://else.example.com' },
			]),
		);
		await step.delete(undefined);
		expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
			'GET /webhooks',
			'DELETE /webhooks/stray',
		]);
	});
});

describe('a service that has trouble', () => {
	beforeEach(() => void jest.useFakeTimers({ now: Date.parse('2026-11-20T12:00:00Z') }));
	afterEach(() => void jest.useRealTimers());

	/** How long it took to fail, in s. */
	async function untilFailed(work: Promise<unknown>): Promise<number> {
		const start = Date.now();
		let end = 0;
		work.catch(() => (end = Date.now()));
		while (!end) await jest.advanceTimersByTimeAsync(100);
		return (end - start) / 1000;
	}

	const trouble = { statusCode: 503, body: {} };

	it('is asked again for ten seconds, and no longer', async () => {
		const { step, sent } = subscription(() => trouble);
		const seconds = await untilFailed(step.exists(stored, own));
		expect(seconds).toBeGreaterThan(1);
		expect(seconds).toBeLessThanOrEqual(10);
		expect(sent.length).toBeGreaterThan(1);
	});

	it('has a minute for a whole step: after that nothing is asked a second time', async () => {
		const { step, sent } = subscription(() => trouble);
		await jest.advanceTimersByTimeAsync(59_000);
		expect(await untilFailed(step.exists(stored, own))).toBeLessThanOrEqual(1);
		await jest.advanceTimersByTimeAsync(2_000);
		const before = sent.length;
		expect(await untilFailed(step.exists(stored, own))).toBeLessThanOrEqual(1);
		expect(sent.length - before).toBeLessThanOrEqual(1);
	});
});

describe('what is stored', () => {
	it('counts only when it is complete', () => {
		expect(storedIn({ ...stored })).toEqual(stored);
		for (const name of ['webhookId', 'secret', 'url', 'events'])
			expect(storedIn({ ...stored, [name]: undefined })).toBeUndefined();
		expect(storedIn({})).toBeUndefined();
		expect(storedIn({ ...stored, derived: undefined })).toEqual({ ...stored, derived: false });
		expect(storedIn({ ...stored, secret: '' })).toBeUndefined();
		expect(storedIn({ ...stored, webhookId: 7 })).toBeUndefined();
		expect(storedIn({ ...stored, events: 'post.failed' })).toBeUndefined();
		expect(storedIn({ ...stored, workspaceId: undefined, derived: 'yes' })).toEqual({
			...stored,
			workspaceId: '',
			derived: false,
		});
	});
});
