import { derivedSecret } from '../../../nodes/shared/signature';
import { sleep } from 'n8n-workflow';

import {
	anewForEachTest,
	FakeN8n,
	faults,
	HOUR,
	MINUTE,
	n8n,
	newEvent,
	refused,
	service,
	through,
	works,
	type FaultName,
	type Hook,
} from './fakes';

/** What publishing and unpublishing leave at the service and in n8n. */

anewForEachTest();

const isRefusedWith = (message: string) => ({
	message: expect.stringContaining(message),
	node: { name: 'Trigger' },
});

describe('publishing', () => {
	it('subscribes with events, address, description and a secret made from key and address, and stores what it got', async () => {
		n8n.parameters = {
			events: ['post.failed', 'post.failed'],
			options: { additionalEvents: 'post.archived', description: 'Mine' },
		};
		expect(await n8n.publish()).toBe(0);
		const secret = derivedSecret(n8n.key, n8n.url);
		const events = ['post.failed', 'post.archived'];
		const { url } = n8n;
		expect(service.hooks).toEqual([
			{ id: 'wh_1', url, events, status: 'active', secret, description: 'Mine' },
		]);
		const mine = { webhookId: 'wh_1', secret, url, events };
		expect(n8n.staticData).toMatchObject({ mine, former: [], publishedAt: Date.now() });
	});

	it('anew leaves the time of the first publication: what happened since then is its business', async () => {
		await n8n.publish();
		const { publishedAt } = n8n.staticData;
		jest.setSystemTime(Date.now() + MINUTE);
		n8n.parameters.events = ['post.failed'];
		await n8n.goLive();
		expect(n8n.staticData).toMatchObject({ publishedAt, mine: { webhookId: 'wh_2' } });
	});

	it('with an incomplete record stored subscribes anew', async () => {
		await n8n.publish();
		n8n.forget();
		delete n8n.staticData.mine.secret;
		await n8n.goLive();
		await n8n.check(3_000);
		expect(service.ids).toEqual(['wh_2']);
	});

	it('with no events, or at an address that the service cannot reach, is refused before anything is sent', async () => {
		n8n.parameters = {};
		await expect(n8n.hook('create')).rejects.toMatchObject({
			message: "'Trigger On' is empty",
			description: expect.stringContaining('Choose at least one event'),
			context: { data: { code: 'NODE_NO_EVENTS' } },
		});
		n8n.parameters.events = ['post.failed'];
		n8n.url = 'http://localhost:5678/webhook/a/webhook';
		await expect(n8n.hook('create')).rejects.toThrow(/^The service delivers to https addresses only/);
		n8n.url = undefined as never;
		await expect(n8n.hook('create')).rejects.toThrow(/isn't a web address: $/);
		// n8n's `delete` after that has nothing to do, either.
		expect(await n8n.publish({ tries: 1 }).catch(({ stuck }) => stuck as number)).toBe(0);
		expect(service.sent).toEqual([]);
	});
});

describe('at an address that looks like one of a private network', () => {
	const warnings = () => n8n.warnings.filter((one) => one.includes('may not reach'));

	it.each(['n8n.acme.lan', 'n8n.corp', '10.0.0.5'])(
		'https://%s: publishes, and the log has a line',
		async (host) => {
			n8n.url = `https://${host}/webhook/a/webhook`;
			await n8n.publish();
			expect(service.hooks).toMatchObject([{ url: n8n.url, status: 'active' }]);
			expect(warnings()).toEqual([expect.stringContaining(`the service may not reach https://${host},`)]);
		},
	);

	it('and not a word of any other', async () => {
		await n8n.publish();
		expect(warnings()).toEqual([]);
	});
});

describe('unpublishing', () => {
	it('deletes the stored one and whatever else delivers here, and clears what is stored', async () => {
		await n8n.publish();
		service.hooks.push({ ...service.hooks[0]!, id: 'wh_stray' });
		await n8n.unpublish();
		expect([service.hooks, n8n.staticData]).toEqual([[], {}]);
		// Of what is gone already, it is content.
		expect(await n8n.hook('remove')).toBe(true);
	});

	it('that the service refuses fails, is told, and keeps what is stored for the next time', async () => {
		await n8n.publish();
		const stored = structuredClone(n8n.staticData);
		n8n.key = 'example-key-revoked';
		await expect(n8n.unpublish()).rejects.toMatchObject(isRefusedWith("doesn't recognize this API key"));
		expect(n8n.staticData).toEqual(stored);
		n8n.key = service.key;
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it('with nothing stored fails where the list can not be read: something may be there, so n8n tries again', async () => {
		await n8n.goLive();
		n8n.loseData();
		service.fail('a forbidden scope', 'GET');
		await n8n.restart();
		await expect(n8n.unpublish()).rejects.toThrow(/not allowed/);
		service.heal();
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it("of a copy that n8n 1.123 did not publish, since another workflow has its address: that one's subscription stays", async () => {
		const copy = new FakeN8n(service);
		const isRefused = async () => await copy.hook('remove', { activation: 'update' });
		await n8n.goLive();
		for (let i = 0; i < 2; i++) expect(await isRefused()).toBe(true);
		expect(service.ids).toEqual(['wh_1']);
		// Published there, or elsewhere, at another time.
		await n8n.unpublish();
		await copy.goLive();
		await copy.unpublish();
		await n8n.goLive();
		await isRefused();
		copy.url = 'https://n8n.example.com/webhook/b/webhook';
		service.fail('a forbidden scope', 'POST');
		await expect(copy.publish({ tries: 1 })).rejects.toThrow(/not allowed/);
		service.heal();
		copy.url = n8n.url;
		await isRefused();
		expect(service.ids).toEqual(['wh_3']);
		await works();
	});

	it.each([1, 5])('nor where its own publication had failed there before (%d tries)', async (tries) => {
		const copy = new FakeN8n(service);
		service.fail('a forbidden scope', 'POST');
		await expect(copy.publish({ tries })).rejects.toThrow(/not allowed/);
		service.heal();
		await n8n.goLive();
		for (let i = 0; i < 2; i++) await copy.hook('remove', { activation: 'update' });
		expect(service.ids).toEqual(['wh_1']);
		await works();
	});

	const staleId = async (id: string) => {
		await n8n.goLive();
		n8n.staticData.mine.webhookId = id;
		n8n.forget();
	};

	it.each(['wh_of_somebody', '..'])('of one whose ID is refused (%s): told, and done', async (id) => {
		await staleId(id);
		service.fail('a forbidden scope', 'DELETE', /wh_of_somebody/);
		await n8n.unpublish();
		expect([service.hooks, n8n.staticData]).toEqual([[], {}]);
		expect(n8n.warnings.at(-1)).toContain(`the key can't delete the subscription ${id}: if`);
	});

	it('refused, of one that the service lists here: fails, and keeps what is stored', async () => {
		await staleId('wh_of_somebody');
		service.fail('a forbidden scope', 'DELETE', /wh_1/);
		await expect(n8n.unpublish()).rejects.toThrow(/not allowed/);
		expect(n8n.staticData.mine.webhookId).toBe('wh_of_somebody');
	});

	it('with the recovery turned off, and for a test, nothing is read', async () => {
		await n8n.goLive();
		n8n.parameters.options = { catchUp: false };
		await n8n.unpublish();
		n8n.parameters.options = {};
		await n8n.hook('create', { test: true });
		await n8n.hook('remove', { test: true });
		expect(service.asked(/deliveries/)).toEqual([]);
	});

	it('reading what was not delivered takes three seconds at most; what could not be read is said', async () => {
		await n8n.goLive();
		service.before = async ({ path }) => (path.endsWith('deliveries') ? await sleep(HOUR) : undefined);
		const start = Date.now();
		await n8n.unpublish();
		expect(Date.now() - start).toBeLessThanOrEqual(3_100);
		expect(service.hooks).toEqual([]);
		expect(n8n.warnings).toEqual([
			'Trigger: could not read whether the service had something left to deliver; if so, it is lost',
		]);
	});
});

/** Another tool's subscriptions, so that ours is on the third page. */
const fillTwoPages = (): Hook[] => {
	const url = 'https://somebody.example.com';
	const somebodys = Array.from({ length: 60 }, (_, i) => ({ id: `wh_x${i}`, url }) as Hook);
	service.hooks.push(...somebodys);
	service.pageSize = 25;
	return somebodys;
};

it.each<FaultName>(['a 500 for good after acting', 'malformed JSON', 'an empty answer'])(
	"a page of the list can't be read (%s), and the ID was given again: unpublishing fails, and another tool's stays",
	async (name) => {
		const [{ url }] = fillTwoPages() as [Hook];
		await n8n.goLive();
		service.hooks[60] = { ...service.hooks[60]!, url };
		service.fault = ({ method, qs }) => (method === 'GET' && qs.page === 3 ? faults[name] : undefined);
		await expect(n8n.unpublish()).rejects.toThrow();
		expect(service.deleted).toEqual([]);
	},
);

it.each([true, false])(
	'secrets, stored or derived, are in no error, log line or failed execution where the service repeats them (%p)',
	async (takesSecret) => {
		service.takesSecret = takesSecret;
		await n8n.goLive();
		const { secret } = service.hooks[0]!;
		const says = `no webhook for ${secret} here`;
		service.fault = () => () => refused(403, 'X', { message: says, request_id: secret });
		await n8n.checks(4);
		const errors: unknown[] = [];
		for (const call of ['checkExists', 'create', 'remove', 'remove'] as const)
			await n8n.hook(call).catch((error: any) => {
				errors.push([error.message, error.description, error.context, error.messages, error.stack]);
			});
		n8n.parameters.includePost = true;
		const items = await through(n8n.execute([newEvent()]));
		service.heal();
		service.record('dead_letter', { event: newEvent(), last_error: says });
		await n8n.publish();
		await n8n.check();
		const told = JSON.stringify([n8n.logged, n8n.failedExecutions, errors, items, n8n.behind]);
		expect(n8n.failedExecutions).toHaveLength(1);
		expect(told).toContain('no webhook for');
		expect(told).not.toContain(secret);
	},
);

it('publishing at the rate limit advises nothing that the trigger does not have', async () => {
	service.fail('a rate limit');
	const error = await n8n.hook('create').catch((one) => one);
	expect(error.description).toBe('Wait a minute, then try again.');
});

it('"Execute step" has a subscription and data of its own, says so, and goes without touching the live one', async () => {
	await n8n.goLive();
	const [live] = service.hooks;
	const stored = structuredClone(n8n.staticData);
	expect(await n8n.hook('checkExists', { test: true })).toBe(false);
	await n8n.hook('create', { test: true });
	const test = service.hooks[1]!;
	const url = expect.stringContaining('/webhook-test/');
	expect(test).toMatchObject({ url, description: 'n8n: A workflow (test)' });
	expect(test.secret).not.toBe(live!.secret);
	expect(n8n.testData.mine).toMatchObject({ webhookId: test.id, secret: test.secret });
	// The monitor knows of the live one alone.
	await n8n.check();
	expect(service.hooks).toEqual([live, test]);
	await n8n.hook('remove', { test: true });
	await n8n.check();
	expect(service.hooks).toEqual([live]);
	expect(n8n.staticData).toEqual(stored);
	expect(n8n.warnings).toEqual([]);
	// The live one is checked as before, also after a test that could not subscribe.
	service.fail('a forbidden scope', 'POST');
	await expect(n8n.hook('create', { test: true })).rejects.toThrow('not allowed');
	expect(await n8n.hook('remove', { test: true })).toBe(true);
	service.heal();
	live!.status = 'disabled';
	await n8n.check();
	expect(service.hooks).toMatchObject([{ id: 'wh_3', url: n8n.url, status: 'active' }]);
	await works();
});

describe('a start of n8n', () => {
	it.each([
		['init', 'the service away', () => service.fail('a dropped connection')],
		['leadershipChange', 'a credential that cannot be read', () => (n8n.credentialFailure = new Error('x'))],
	])(
		'%s with %s keeps a stored subscription; the next check that can puts it right',
		async (by, _, fails) => {
			await n8n.publish();
			n8n.forget();
			fails();
			expect(await n8n.hook('checkExists', { activation: by })).toBe(true);
			await n8n.start();
			await n8n.check();
			expect(n8n.warnings[0]).toMatch('could not complete the check of the subscription');
			n8n.credentialFailure = undefined;
			service.heal();
			service.hooks = [];
			await n8n.check();
			await works();
		},
	);

	it('asks nothing: what is stored counts, unless the settings have changed', async () => {
		await n8n.publish();
		n8n.forget();
		const asked = service.asked().length;
		expect(await n8n.hook('checkExists', { activation: 'init' })).toBe(true);
		n8n.parameters.events = ['post.created'];
		expect(await n8n.hook('checkExists', { activation: 'init' })).toBe(false);
		expect(service.asked()).toHaveLength(asked);
	});

	it.each<[string, () => unknown]>([
		['the key was replaced', () => (n8n.key = service.key = 'example-key-1')],
		['it was deleted at the service', () => (service.hooks = [])],
	])(
		'that only gives the lead back to a process leaves the subscription that its check had made, since %s',
		async (_why, change) => {
			await n8n.goLive();
			change();
			await n8n.checks(2);
			expect(service.ids).toEqual(['wh_2']);
			const asked = service.asked(/^.webhooks$/).length;
			await n8n.publish({ activation: 'leadershipChange' });
			await n8n.start('leadershipChange');
			await n8n.checks(2);
			expect(service.ids).toEqual(['wh_2']);
			expect(service.asked(/^.webhooks$/).slice(asked)).not.toContain('POST /webhooks');
			await works();
		},
	);

	it.each<[string, () => void, FaultName, string]>([
		['with nothing stored', () => (n8n.staticData = {}), 'a forbidden scope', 'POST'],
		['with nothing stored and the service away', () => (n8n.staticData = {}), 'a dropped connection', ''],
		['with what was stored for another address', () => undefined, 'a forbidden scope', 'POST'],
	])(
		'that cannot subscribe %s does not fail: it says so, and a check subscribes',
		async (_, before, ...how) => {
			await n8n.publish();
			before();
			n8n.url = n8n.url.replace('/a/', '/b/');
			n8n.workflowName = undefined;
			service.fail(...how);
			n8n.forget();
			const activation = 'init';
			expect(await n8n.hook('checkExists', { activation })).toBe(false);
			expect(await n8n.hook('create', { activation })).toBe(false);
			expect(n8n.warnings).toEqual(['Trigger: could not subscribe at the start of n8n and will try again']);
			service.heal();
			await n8n.start();
			await n8n.check();
			const here = service.hooks.filter(({ url }) => url === n8n.url);
			expect(here).toMatchObject([{ description: 'n8n: workflow' }]);
			await works();
		},
	);
});

describe('a service that has trouble', () => {
	// n8n keeps the address where `delete` fails after a try, and then takes the workflow for published.
	it.each<[FaultName, string]>([
		['a dropped connection', ''],
		['a dropped connection after acting', 'POST'],
		['a 500 after acting', ''],
		['a forbidden scope', ''],
	])('for good (%s %s): told, and nothing keeps n8n from publishing again', async (name, method) => {
		service.fail(name, method);
		await expect(n8n.publish({ tries: 2 })).rejects.toMatchObject({ stuck: 0, node: { name: 'Trigger' } });
		expect(n8n.staticData).toEqual({});
		// The monitor leaves it alone then.
		await n8n.start('activate');
		service.heal();
		service.hooks = [];
		await n8n.check();
		expect(service.hooks).toEqual([]);
		expect(await n8n.publish()).toBe(0);
		expect(service.hooks).toHaveLength(1);
		await works();
	});

	it('where a change is published: it says what is wrong in ten seconds, and what is there is not given up', async () => {
		await n8n.publish();
		const before = [...service.hooks];
		service.fail('a 502 without an envelope');
		const start = Date.now();
		const failure = { stuck: 0, ...isRefusedWith('HTTP 5') };
		await expect(n8n.publish({ tries: 1 })).rejects.toMatchObject(failure);
		expect(Date.now() - start).toBeGreaterThan(3_000);
		expect(Date.now() - start).toBeLessThanOrEqual(10_000);
		service.heal();
		expect(await n8n.publish()).toBe(0);
		expect(service.hooks).toEqual(before);
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it("after an answer that was lost, n8n's `delete` takes back what was made, in three seconds", async () => {
		service.fail('a 500 for good after acting', 'POST', /./, 1);
		await expect(n8n.hook('create')).rejects.toThrow();
		expect(service.hooks).toHaveLength(1);
		expect(await n8n.hook('remove')).toBe(true);
		expect(service.hooks).toEqual([]);
		service.fail('a 500 for good after acting', 'POST');
		await expect(n8n.hook('create')).rejects.toThrow();
		service.fail('a dropped connection');
		const start = Date.now();
		expect(await n8n.hook('remove')).toBe(true);
		expect(Date.now() - start).toBeLessThanOrEqual(3_000);
		service.heal();
		await n8n.goLive();
		await n8n.checks(2);
		expect(service.ids).toHaveLength(1);
	});
});
