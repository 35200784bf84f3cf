import { derivedSecret } from '../../../nodes/shared/signature';
import { connectTrigger, type Connection } from '../../../nodes/SocialPublishingTrigger/connection';
import { MAX_LISTING_AGE_MS } from '../../../nodes/SocialPublishingTrigger/readBudget';
import {
	createSubscription,
	deleteSubscription,
	isKnown,
	listSubscriptions,
	type Desired,
	type RemoteSubscription,
} from '../../../nodes/SocialPublishingTrigger/subscription';
import { ok, refused, through, type Reply, type Sent, NOON, anewForEachTest, n8n, service } from './fakes';

/** Answers that the spec leaves open, or that no service should give. */

let connection: Connection;
let desired: Desired;

anewForEachTest(async () => {
	const { url } = n8n;
	const workspaceId = 'ws_2';
	const setup = { url, workspaceId, secrets: [], requestMs: 10_000, totalMs: 60_000 };
	connection = await connectTrigger(n8n.context('trigger'), setup);
	desired = {
		events: ['a', 'b'],
		description: 'night shift',
		secret: derivedSecret(n8n.key, url)!,
	};
});

const answers = (respond: (sent: Sent) => Reply | undefined) =>
	(service.fault = (sent) => (act) => respond(sent) ?? act());
/** POST is answered with this. */
const made = (data: unknown) => answers(({ method }) => (method === 'POST' ? ok(data, 201) : undefined));
const create = async (before: RemoteSubscription[] = []) =>
	await through(createSubscription(connection, desired, ({ id }) => !before.some((one) => one.id === id)));

describe('creating', () => {
	it('asks for what is wanted, in the workspace', async () => {
		const { url, serviceUrl, workspaceId } = connection;
		const { events, secret } = desired;
		expect(await create()).toEqual({
			webhookId: 'wh_1',
			url,
			serviceUrl,
			workspaceId,
			events,
			secret,
			isDerived: true,
		});
		expect(service.sent).toMatchObject([
			{ method: 'POST', body: { url, events, description: 'night shift', secret }, workspace: 'ws_2' },
		]);
	});

	it.each<[string, unknown, object]>([
		['no secret: ours is in force', { webhook: { id: 'wh' } }, { webhookId: 'wh', isDerived: true }],
		['another secret', { webhook: { id: 'wh', secret: 's' } }, { secret: 's', isDerived: false }],
		['`data` itself, and a number as ID', { id: 7, secret: 's' }, { webhookId: '7', secret: 's' }],
		['the ID beside `webhook`', { id: 'wh', webhook: { secret: 's' } }, { webhookId: 'wh', secret: 's' }],
		['… which names none', { id: 'wh', webhook: { id: null, secret: 's' } }, { webhookId: 'wh' }],
		['the secret beside it', { secret: 's', webhook: { id: 'wh' } }, { webhookId: 'wh', secret: 's' }],
		[
			'both: what is in it',
			{ id: 'x', secret: 'x', webhook: { id: 'wh', secret: 's' } },
			{ webhookId: 'wh', secret: 's' },
		],
	])('understands %s', async (_name, data, expected) => {
		made(data);
		expect(await create()).toMatchObject(expected);
	});

	it('asks for nothing more where the secret is masked: it is ours', async () => {
		made({ webhook: { id: 'wh', secret: '********' } });
		expect(await create()).toMatchObject({ secret: desired.secret, isDerived: true });
	});

	it.each([400, 422])(
		'subscribes without our secret where the service refuses it (%d), with another key',
		async (status) => {
			answers(({ body }) => (body?.secret ? refused(status, 'X') : undefined));
			expect(await create()).toMatchObject({ secret: 'made by the service 1', isDerived: false });
			const posts = service.sent.filter(({ method }) => method === 'POST');
			expect(new Set(posts.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(2);
		},
	);

	it.each([401, 403, 404, 409])('is not tried again after %d', async (status) => {
		answers(() => refused(status, 'X'));
		await expect(create()).rejects.toMatchObject({ details: { status } });
		expect(service.asked().filter((one) => one.startsWith('POST'))).toHaveLength(1);
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

	it.each([null, 'text', 7, {}, { webhook: null, id: '', secret: '' }])(
		'an answer that names nothing (%j): what is new at this address is taken back',
		async (data) => {
			const before = { ...(desired as any), url: connection.url, id: 'before', workspace: 'ws_2' };
			service.hooks.push(before, { ...before, id: 'other', url: 'https://else.example.com' });
			service.fault =
				({ method }) =>
				(act) =>
					method === 'POST' ? (act(), ok(data, 201)) : act();
			await expect(create([{ id: 'before', isDisabled: false, workspaceId: 'ws_2' }])).rejects.toThrow(
				/holds no ID$/,
			);
			expect(service.ids).toEqual(['before', 'other']);
		},
	);
});

it.each([
	[200, false, true],
	[404, false, false],
	[403, false, true],
	[403, true, false],
])(
	'a subscription that is not listed is known where its deliveries are answered with %d, and it was listed (%p): %p',
	async (status, wasListed, known) => {
		answers(() => (status === 200 ? ok({ deliveries: [] }) : refused(status, 'X')));
		const listedAs = wasListed ? { url: n8n.url, events: [] } : undefined;
		const ref = { webhookId: 'wh_1', url: n8n.url, serviceUrl: '', workspaceId: 'ws_1', listedAs };
		expect(await isKnown(connection, ref)).toBe(known);
		expect(service.sent).toMatchObject([{ path: '/webhooks/wh_1/deliveries', workspace: 'ws_1' }]);
	},
);

it('what was listed before a change does not count after it', async () => {
	const list = async () => (await listSubscriptions(connection, { maxAgeMs: MAX_LISTING_AGE_MS })).length;
	expect(await list()).toBe(0);
	await create();
	expect(await list()).toBe(1);
	await deleteSubscription(connection, { webhookId: 'wh_1', workspaceId: 'ws_2' });
	expect(await list()).toBe(0);
});

describe('deleting', () => {
	it('is done in the workspace where it was made; what is gone counts as done', async () => {
		await deleteSubscription(connection, { webhookId: 'gone/1', workspaceId: 'ws_1' });
		await deleteSubscription(connection, { webhookId: 'gone', workspaceId: '' });
		expect(service.sent).toMatchObject([
			{ path: '/webhooks/gone%2F1', workspace: 'ws_1' },
			{ path: '/webhooks/gone', workspace: undefined },
		]);
	});

	it('fails where the service does not do it, and for an ID that leads elsewhere', async () => {
		service.fail('a forbidden scope');
		const ref = { webhookId: '1', workspaceId: 'ws_2' };
		await expect(deleteSubscription(connection, ref)).rejects.toMatchObject({ details: { status: 403 } });
		const before = service.sent.length;
		await expect(deleteSubscription(connection, { ...ref, webhookId: '..' })).rejects.toThrow(
			/'Webhook' is not an ID/,
		);
		expect(service.sent).toHaveLength(before);
	});
});

it('a service that has trouble is asked again for ten seconds; a whole step has a minute', async () => {
	const secondsUntilFailed = async () => {
		const start = Date.now();
		await through(listSubscriptions(connection).catch(() => undefined));
		return (Date.now() - start) / 1000;
	};
	service.fail('a 502 without an envelope');
	const seconds = await secondsUntilFailed();
	expect(seconds).toBeGreaterThan(1);
	expect(seconds).toBeLessThanOrEqual(10);
	jest.advanceTimersByTime(59_000 - (Date.now() - NOON));
	expect(await secondsUntilFailed()).toBeLessThanOrEqual(1);
});
