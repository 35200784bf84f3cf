import { type Service, startService } from '../../../../service';
import { insertPost, type PastPost } from '../../../../service/seed';
import { runTool } from '../../../../support/engine';
import { addWebhook, credentialOf, DAY, runOperation } from '../frame';

/** Check Health in n8n's engine, over real HTTP, in each of the states that it is for. All texts: `test/unit/…/health.test.ts`. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let service: Service;
beforeAll(async () => {
	// Nothing is published: a post whose time passes stays scheduled.
	service = await startService({ inlineDelaysMs: [0], speed: 0 });
});
beforeEach(() => {
	service.reset();
	service.store.postsLimit = null;
});
afterAll(async () => await service.close());

let made = 0;
function post(more: Partial<PastPost>, accountId?: string) {
	const id = `post_${made++}`;
	const given: PastPost = {
		id,
		text: `Text of ${id}`,
		platforms: ['x'],
		status: 'scheduled',
		at: Date.now() + HOUR,
		...more,
	};
	return Object.assign(insertPost(service, given), accountId ? { accountId } : {});
}

async function deadLetter() {
	addWebhook(service);
	service.store.webhooks.get('wh_1')!.url = 'http://127.0.0.1:9/events';
	const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'brand_main', data: {} };
	service.deliveries.emit({ ...event, resource: 'post_1' });
	await service.deliveries.idle();
	// Disabled while retries are pending: the delivery is given up (spec, "Webhook delivery status").
	service.deliveries.webhookRemoved('wh_1');
}

async function health(more: { apiKey?: string; days?: number } = {}) {
	const { apiKey = service.keys.full, days = 7 } = more;
	const { json, error } = await runOperation(
		service,
		'workspace.checkHealth',
		{ days },
		{ credential: credentialOf(service, { apiKey }) },
	);
	const wrong = json.filter(({ status }) => status !== 'ok');
	return { json, error, wrong: wrong.map(({ check, status, message }) => `${check} ${status}: ${message}`) };
}

/** What brings about each state, and what is said of it. */
const states: Record<string, [make: () => unknown, said: string]> = {
	'an account that is disconnected': [
		() => {
			service.store.accounts.get('acc_main_x')!.status = 'disconnected';
			post({ at: Date.now() + 2 * DAY });
			post({ at: Date.now() + 3 * DAY }, 'acc_main_x');
			post({ at: Date.now() + 8 * DAY });
		},
		'accounts problem: 1 account is disconnected. 2 posts are due there within 7 days.',
	],
	'a post that is overdue': [
		() => [post({ at: Date.now() - 20 * MINUTE }), post({ at: Date.now() - 40 * DAY })],
		'overdue_posts problem: 2 posts are overdue.',
	],
	'posts that failed': [
		() => [
			post({ status: 'failed', at: Date.now() - DAY }),
			post({ status: 'failed', at: Date.now() - 9 * DAY }),
		],
		'failed_posts problem: 1 post failed in the last 7 days: The picture has the wrong proportions (1).',
	],
	'posts at the same time': [
		() => [0, 3].map((minutes) => post({ platforms: ['linkedin'], at: Date.now() + DAY + minutes * MINUTE })),
		'close_posts warning: 1 post is due within five minutes of another post for the same account.',
	],
	'a text twice': [
		() => [1, 2].map((days) => post({ text: 'Twice', platforms: ['facebook'], at: Date.now() + days * DAY })),
		'repeated_texts warning: 1 post has the same text as an earlier post for the same account.',
	],
	'an approval that waits': [
		() => post({ status: 'pending_approval', platforms: ['bluesky'], at: Date.now() + 5 * HOUR }),
		'approvals warning: 1 post due within a day waits for approval.',
	],
	'a delivery that was given up': [
		deadLetter,
		'webhooks warning: 1 delivery was given up in the last 7 days.',
	],
	'a plan that is nearly used up': [
		() => {
			for (let n = 0; n < 9; n++) post({ status: 'completed', at: Date.now() - 30 * DAY - n * HOUR });
			const posts = service.store.feed('ws_main');
			for (const one of posts) one.createdAt = service.clock.iso();
			service.store.postsLimit = posts.length + 1;
		},
		'usage warning: Nearly used up: posts (',
	],
};

test.each(Object.entries(states))('%s', async (_name, [make, said]) => {
	await make();
	const { error, wrong, json } = await health();
	expect(error).toBeUndefined();
	expect(json).toHaveLength(9);
	expect(wrong).toEqual([expect.stringContaining(said)]);
});

test('a connection that ends soon', async () => {
	service.store.accounts.get('acc_main_x')!.expiresAt = service.clock.iso(Date.now() + 2 * DAY);
	expect((await health()).wrong).toEqual(['accounts warning: 1 account loses its connection within 7 days.']);
	expect((await health({ days: 1 })).wrong).toEqual([]);
});

test('a webhook that is disabled', async () => {
	service.store.webhooks.get(addWebhook(service))!.status = 'disabled';
	expect((await health()).wrong).toEqual(['webhooks problem: 1 webhook is disabled.']);
});

test('a limit that others have used', async () => {
	for (let n = 0; n < 47; n++)
		await fetch(`${service.apiUrl}/usage`, { headers: { authorization: `Bearer ${service.keys.lowest}` } });
	const { wrong } = await health({ apiKey: service.keys.lowest });
	expect(wrong).toEqual(['rate_limit warning: 6 of 60 read requests are left this minute.']);
});

test('everything at once: all of it, the worst first', async () => {
	for (const [make] of Object.values(states)) await make();
	const { json, wrong } = await health();
	expect(json.map(({ check }) => check)).toEqual([
		...['accounts', 'overdue_posts', 'failed_posts'],
		...['close_posts', 'repeated_texts', 'approvals', 'webhooks', 'usage'],
		'rate_limit',
	]);
	for (const [, said] of Object.values(states))
		expect(wrong).toContainEqual(expect.stringContaining(said.split(':')[0]!));
	expect(JSON.stringify(json)).not.toContain('example-secret-of-a-webhook');
});

test('1,000 posts in two months: everything that is wrong, in ten requests, without a write', async () => {
	addWebhook(service);
	for (let n = 0; n < 1000; n++) {
		const at = Date.now() + Math.round(((n - 500) * 60 * DAY) / 1000);
		post({ at, status: at > Date.now() ? 'scheduled' : n % 50 === 0 ? 'failed' : 'completed' });
	}
	post({ at: Date.now() + 6 * DAY, text: 'Twice' });
	post({ at: Date.now() + 7 * DAY - MINUTE, text: 'Twice' });
	service.requests.length = 0;
	const { wrong, json } = await health();
	expect(wrong).toEqual([
		'failed_posts problem: 3 posts failed in the last 7 days: The picture has the wrong proportions (3).',
		'close_posts warning: 1 post is due within five minutes of another post for the same account.',
		'repeated_texts warning: 1 post has the same text as an earlier post for the same account.',
	]);
	const named = json.flatMap(({ facts }) => (facts as any).not_checked ?? []);
	for (const one of named) expect(one).toMatch(/^(Posts due before|How much of the plan)/);
	expect(service.requests.length).toBeLessThanOrEqual(10);
	expect(new Set(service.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
});

test('1,000 posts in the next week: ten requests all the same, the soonest posts, and what is left out is named', async () => {
	addWebhook(service);
	for (let n = 0; n < 1000; n++) post({ at: Date.now() + 2 * MINUTE + Math.round((n * 7 * DAY) / 1001) });
	post({ at: Date.now() + 3 * MINUTE });
	service.requests.length = 0;
	const { wrong, json } = await health();
	expect(service.requests.length).toBeLessThanOrEqual(10);
	expect(wrong).toEqual([expect.stringMatching(/^close_posts warning: 1 post is due/)]);
	expect((json[0]!.facts as any).not_checked).toContainEqual(expect.stringMatching(/^Posts due after /));
});

test('a key that may not read all: what it may not is a warning; a wrong key fails the node', async () => {
	const apiKey = service.addKey({ scopes: ['accounts:read', 'posts:read'] });
	const { wrong } = await health({ apiKey });
	expect(wrong.map((one) => one.split(':')[0])).toEqual([
		'approvals warning',
		'webhooks warning',
		'usage warning',
	]);
	expect(wrong[0]).toMatch(/^approvals warning: Approvals could not be read: .*scope/);
	const { error } = await health({ apiKey: service.keys.revoked });
	expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '401' });
	expect((await health({ apiKey: service.addKey({ scopes: [] }) })).error).toMatchObject({ httpCode: '403' });
});

test('as a tool of a model: the same, for any number of calls', async () => {
	service.store.accounts.get('acc_main_x')!.status = 'disconnected';
	const parameters = { resource: 'workspace', operation: 'checkHealth', days: '7' };
	const [first, second] = await runTool({
		credential: credentialOf(service),
		calls: [0, 1].map((runIndex) => ({ parameters, runIndex })),
	});
	for (const items of [first, second]) {
		expect(items).toHaveLength(9);
		expect(items[0]).toMatchObject({ check: 'accounts', status: 'warning' });
	}
});
