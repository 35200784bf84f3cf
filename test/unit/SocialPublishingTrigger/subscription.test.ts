import type { IDataObject, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { Client } from '../../../nodes/api/client';
import { derivedSecret } from '../../../nodes/shared/signature';
import { storedIn, Subscription } from '../../../nodes/SocialPublishingTrigger/subscription';

/** Answers that the spec leaves open, or that no service should give. */

type Responder = (request: IHttpRequestOptions) => Partial<IN8nHttpFullResponse> & { data?: unknown };

const url = 'https://n8n.example.com/webhook/1/webhook';
const own = derivedSecret('example-key', url);

function subscription(respond: Responder) {
	const sent: Array<{ method: string; path: string; body: IDataObject }> = [];
	const transport = async (request: IHttpRequestOptions): Promise<IN8nHttpFullResponse> => {
		sent.push({
			method: request.method!,
			path: request.url.slice('https://api.example.com'.length),
			body: request.body as IDataObject,
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
	const step = new Subscription(client, { url, events: ['post.failed'], description: '', workspaceId: '' });
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
		await expect(step.create(own)).rejects.toMatchObject({ details: { code: 'NODE_NO_SECRET' } });
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
		await expect(step.create(own)).rejects.toMatchObject({ details: { code: 'NODE_NO_SECRET' } });
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

describe('what is stored', () => {
	it('counts only when it is complete', () => {
		expect(storedIn({ ...stored })).toEqual(stored);
		for (const name of ['webhookId', 'secret', 'url', 'events'])
			expect(storedIn({ ...stored, [name]: undefined })).toBeUndefined();
		expect(storedIn({})).toBeUndefined();
		expect(storedIn({ ...stored, derived: undefined })).toEqual({ ...stored, derived: false });
		expect(storedIn({ ...stored, secret: '' })).toBeUndefined();
	});

	it('the derived secret depends on key and address', () => {
		expect(derivedSecret('example-key', url)).toBe(own);
		expect(derivedSecret('another-example-key', url)).not.toBe(own);
		expect(derivedSecret('example-key', `${url}2`)).not.toBe(own);
		expect(own).toMatch(/^[0-9a-f]{64}$/);
	});
});
