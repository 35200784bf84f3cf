import { derivedSecret } from '../../../nodes/shared/signature';
import { connectTrigger, type Connection } from '../../../nodes/SocialPublishingTrigger/connection';
import { MAX_LISTING_AGE_MS } from '../../../nodes/SocialPublishingTrigger/readBudget';
import {
	createSubscription,
	deleteSubscription,
	listDeliveries,
	listSubscriptions,
	type Desired,
} from '../../../nodes/SocialPublishingTrigger/subscription';
import { anewForEachTest, n8n, ok, refused, service, through, type Reply, type Sent } from './fakes';

/** Answers that the spec leaves open, or that no service should give. */

let connection: Connection;
const desired: Desired = { events: ['a', 'b'], description: 'night shift' };

anewForEachTest(async () => {
	const setup = { url: n8n.url, workspaceId: 'ws_2', secrets: [], requestMs: 10_000, totalMs: 60_000 };
	connection = await connectTrigger(n8n.context('trigger'), setup);
});

const answers = (respond: (sent: Sent) => Reply | undefined) =>
	(service.fault = (sent) => (act) => respond(sent) ?? act());
const create = async () => await through(createSubscription(connection, desired));
const postsSent = () => service.sent.filter(({ method }) => method === 'POST');

it('a list is complete only where it says nothing of more and names all by an ID', async () => {
	await create();
	for (const [isComplete, list] of [
		[true, (webhooks) => ({ webhooks, has_more: false })],
		[false, (webhooks) => ({ webhooks: [...webhooks, { url: n8n.url }] })],
		[false, (webhooks) => ({ webhooks, has_more: true })],
	] as Array<[boolean, (all: unknown[]) => unknown]>) {
		Object.assign(service, { list });
		expect((await listSubscriptions(connection)).isComplete).toBe(isComplete);
	}
});

describe('creating', () => {
	it('asks for what is wanted, in the workspace', async () => {
		const { url, serviceUrl, workspaceId } = connection;
		const { events } = desired;
		const secret = derivedSecret(n8n.key, url);
		const made = { webhookId: 'wh_1', url, serviceUrl, workspaceId, events, secret, isDerived: true };
		expect(await create()).toEqual(made);
		expect(service.sent).toMatchObject([
			{ method: 'POST', body: { url, events, description: 'night shift', secret }, workspace: 'ws_2' },
		]);
		await listSubscriptions(connection);
		const keys = service.sent.map(({ idempotencyKey }) => idempotencyKey);
		expect(keys).toEqual([expect.stringMatching(/^n8n-[0-9a-f-]{36}$/), undefined]);
	});

	it.each<[string, object, object]>([
		['no secret: ours is in force', { webhook: { id: 'wh' } }, { webhookId: 'wh', isDerived: true }],
		['a masked one: as well', { webhook: { id: 'wh', secret: '********' } }, { isDerived: true }],
		['another secret', { webhook: { id: 'wh', secret: 's' } }, { secret: 's', isDerived: false }],
		['`data` itself, and a number as ID', { id: 7, secret: 's' }, { webhookId: '7', secret: 's' }],
		['the ID beside `webhook`', { id: 'wh', webhook: { id: null, secret: 's' } }, { webhookId: 'wh' }],
		['the secret beside it', { secret: 's', webhook: { id: 'wh' } }, { webhookId: 'wh', secret: 's' }],
		[
			'both: what is in it',
			{ id: 'x', secret: 'x', webhook: { id: 'wh', secret: 's' } },
			{ webhookId: 'wh', secret: 's' },
		],
	])('understands %s', async (_name, data, expected) => {
		answers(({ method }) => (method === 'POST' ? ok(data, 201) : undefined));
		expect(await create()).toMatchObject(expected);
		expect(service.sent).toHaveLength(1);
	});

	it.each([400, 422])('goes on without our secret where the service refuses it (%d)', async (status) => {
		answers(({ body }) => (body?.secret ? refused(status, 'X') : undefined));
		expect(await create()).toMatchObject({ secret: 'made by the service 1', isDerived: false });
		expect(new Set(postsSent().map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
	});

	it.each([401, 403, 404, 409])('is not tried again after %d', async (status) => {
		answers(() => refused(status, 'X'));
		await expect(create()).rejects.toMatchObject({ details: { status } });
		expect(postsSent()).toHaveLength(1);
	});

	it('takes back what it made where no secret is known', async () => {
		answers(({ method, body }) => {
			if (method !== 'POST') return undefined;
			return body.secret ? refused(400, 'X') : ok({ webhook: { id: 'wh 1' } }, 201);
		});
		await expect(create()).rejects.toMatchObject({
			message: 'The service subscribed this workflow, but its answer holds no secret',
			details: { code: 'NODE_NO_SECRET', hint: expect.stringMatching(/deleted again/), request_id: 'r' },
		});
		expect(service.asked().at(-1)).toBe('DELETE /webhooks/wh%201');
	});

	it.each([null, 7, {}, { webhook: null, id: '', secret: '' }])(
		'keeps what it made where the answer names nothing (%j): the secret that was offered is in force',
		async (data) => {
			service.created = () => data;
			expect(await create()).toMatchObject({ webhookId: '', secret: connection.ownSecret, isDerived: true });
			expect(service.asked()).toEqual(['POST /webhooks']);
		},
	);

	it('takes back what is new at this address where the answer has neither a secret nor an ID', async () => {
		const before = { ...(desired as any), secret: 's', url: connection.url, id: 'before' };
		service.hooks.push(before, { ...before, id: 'other', url: 'https://else.example.com' });
		Object.assign(service, { takesSecret: false, created: () => ({}) });
		await expect(n8n.hook('create')).rejects.toThrow(/holds no secret$/);
		expect(service.ids).toEqual(['before', 'other']);
	});
});

const deleteIn = async (workspaceId: string, webhookId: string): Promise<void> => {
	const { url, serviceUrl } = connection;
	await deleteSubscription(connection, { webhookId, workspaceId, url, serviceUrl });
};

it('what was listed before a change does not count after it', async () => {
	const list = async () => (await listSubscriptions(connection, { maxAgeMs: MAX_LISTING_AGE_MS })).length;
	expect(await list()).toBe(0);
	await create();
	expect(await list()).toBe(1);
	await deleteIn('ws_2', 'wh_1');
	expect(await list()).toBe(0);
});

it('deletes in the workspace where it was made; what is gone counts as done, but not what is refused or is no ID', async () => {
	await deleteIn('ws_1', 'gone/1');
	await deleteIn('', 'gone');
	expect(service.sent).toMatchObject([
		{ path: '/webhooks/gone%2F1', workspace: 'ws_1' },
		{ path: '/webhooks/gone', workspace: undefined },
	]);
	service.fail('a forbidden scope');
	await expect(deleteIn('ws_2', '1')).rejects.toMatchObject({ details: { status: 403 } });
	await expect(deleteIn('ws_2', '..')).rejects.toThrow(/'Webhook' is not an ID/);
	expect(service.sent).toHaveLength(3);
});

describe("an answer to DELETE with nothing in it, which may be a proxy's,", () => {
	const empty = (statusCode: number) => ({ statusCode, headers: {}, body: '' });
	const deletes = () => service.asked().filter((one) => one.startsWith('DELETE')).length;
	beforeEach(async () => await create());

	it.each([200, 202])('is proved by the next one (%d): the service no longer has it', async (status) => {
		service.fault = () => (act) => (act().statusCode === 204 ? empty(status) : act());
		await deleteIn('ws_2', 'wh_1');
		expect([service.hooks, deletes()]).toEqual([[], 2]);
	});

	it('proves nothing where the service has not acted: then it does', async () => {
		service.fail('an empty answer', 'DELETE', /./, 1);
		await deleteIn('ws_2', 'wh_1');
		expect([service.hooks, deletes()]).toEqual([[], 2]);
	});

	it('is no success where no other one follows; any other trouble is not asked about', async () => {
		service.fail('an empty answer');
		const code = 'NODE_UNEXPECTED_RESPONSE';
		await expect(deleteIn('ws_2', 'wh_1')).rejects.toMatchObject({ details: { code } });
		expect(deletes()).toBe(2);
		service.fail('a forbidden scope');
		await expect(deleteIn('ws_2', 'wh_1')).rejects.toMatchObject({ details: { status: 403 } });
		expect(deletes()).toBe(3);
	});
});

/** Of something in front of the service, such as an ingress whose backend is away. */
const pages = ['<html>404 Not Found</html>', 'default backend - 404'];

it.each([404, 410].flatMap((status) => pages.map((body): [number, string] => [status, body])))(
	"a proxy's page (%d, %j) doesn't say that a subscription or its deliveries are gone",
	async (statusCode, body) => {
		await create();
		answers(() => ({ statusCode, headers: {}, body }));
		await expect(deleteIn('ws_2', 'wh_1')).rejects.toMatchObject({ details: { status: statusCode } });
		const { url, serviceUrl } = connection;
		const ref = { webhookId: 'wh_1', workspaceId: 'ws_2', url, serviceUrl };
		await expect(listDeliveries(connection, ref, 'failed')).rejects.toMatchObject({
			details: { code: `HTTP_${statusCode}` },
		});
		answers(() => refused(statusCode, 'PUBLIC_API_WEBHOOK_NOT_FOUND'));
		await deleteIn('ws_2', 'wh_1');
		expect(await listDeliveries(connection, ref, 'failed')).toBeUndefined();
	},
);

it('a whole step has a minute', async () => {
	service.fail('a 502 without an envelope');
	jest.advanceTimersByTime(59_000);
	const start = Date.now();
	await expect(through(listSubscriptions(connection))).rejects.toThrow();
	expect(Date.now() - start).toBeLessThanOrEqual(1000);
});
