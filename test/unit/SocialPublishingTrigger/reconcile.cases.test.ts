import { omit } from 'lodash';
import { sleep } from 'n8n-workflow';

import {
	anewForEachTest,
	FakeN8n,
	FakeService,
	faults,
	HOUR,
	MINUTE,
	n8n,
	newEvent,
	ok,
	refused,
	service,
	through,
	works,
	type FaultName,
	type Hook,
	type Reply,
} from './fakes';

/** Services, copies and credentials that once cost a subscription, or made one more with every check. */

anewForEachTest();

const posts = () => service.asked(/^\/webhooks$/).filter((one) => one.startsWith('POST')).length;
const trouble = () => refused(500, 'TROUBLE');
const idsBehind = () => n8n.behind.map(({ id }) => id);
const forbid = (there?: string) =>
	(service.fault = ({ workspace }) => (workspace === there ? faults['a forbidden scope'] : undefined));

it('other events are chosen, and the request to subscribe is lost: the one in force is known and stays', async () => {
	await n8n.goLive();
	n8n.parameters.events = ['post.published'];
	await n8n.start('activate');
	service.fail('a dropped connection', 'POST');
	await n8n.check();
	expect(service.ids).toEqual(['wh_1']);
	expect(await n8n.deliver(newEvent())).toMatchObject({ status: 200 });
});

it('n8n moved: what delivers to the former address is named and stays', async () => {
	await n8n.goLive();
	const former = n8n.url;
	n8n.url = 'https://n8n.example.com/hooks/a/webhook';
	await n8n.restart();
	await n8n.checks(3);
	const message = `the service also delivers to ${former}. Unless another n8n uses that address, delete the subscription with Webhook: Delete (ID wh_1)`;
	expect(n8n.warnings).toEqual([expect.stringContaining(message)]);
	expect(service.ids).toEqual(['wh_1', 'wh_2']);
});

describe.each(['ws_1', ''])("the workspace was changed from '%s'", (former) => {
	beforeEach(async () => {
		n8n.workspaceId = former;
		await n8n.goLive();
	});

	it.each<[string, () => Promise<unknown>]>([
		['a check', async () => await n8n.check()],
		['publishing', async () => (await n8n.goLive(), await n8n.check())],
		['a start', async () => (await n8n.restart(), await n8n.check())],
	])('%s moves the subscription, and nothing stays', async (_name, moves) => {
		n8n.workspaceId = 'ws_2';
		await moves();
		expect(service.hooks).toMatchObject([{ workspace: 'ws_2' }]);
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it('and the key no longer reaches the former one: told once, and no trouble', async () => {
		n8n.workspaceId = 'ws_2';
		forbid(former || undefined);
		await n8n.checks(4);
		expect(service.hooks.map(({ workspace = '' }) => workspace)).toEqual([former, 'ws_2']);
		expect(n8n.warnings).toEqual([
			expect.stringContaining('the workspace was changed'),
			expect.stringContaining(
				`the key can't delete the subscription wh_1${former && ` of the workspace ${former}`}: if`,
			),
		]);
		expect(n8n.failedExecutions).toEqual([]);
	});

	it('to one that the key does not reach: unpublishing deletes it', async () => {
		n8n.workspaceId = 'ws_2';
		forbid('ws_2');
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});
});

describe.each([
	['', 'ws_1', 'is entered'],
	['ws_1', '', 'is cleared'],
])("the key's own workspace (from '%s' to '%s') %s", (before, after) => {
	it('while the former one can not be deleted: the new subscription is never deleted, and nothing stays', async () => {
		service.ownWorkspace = 'ws_1';
		n8n.workspaceId = before;
		await n8n.goLive();
		service.fail(trouble, 'DELETE');
		n8n.workspaceId = after;
		await n8n.check();
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		service.heal();
		await n8n.checks(3);
		expect(service.ids).toEqual(['wh_2']);
		expect(posts()).toBe(2);
		await works();
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it('at a service that updates in place what it has at an address: the only subscription is never deleted, also if a change is published then', async () => {
		Object.assign(service, { ownWorkspace: 'ws_1', updates: 'repeats' });
		n8n.workspaceId = before;
		await n8n.goLive();
		const [only] = service.hooks;
		n8n.workspaceId = after;
		await n8n.checks(2);
		await n8n.publish();
		await n8n.checks(2);
		expect(service.hooks).toEqual([only]);
		expect([service.deleted, posts()]).toEqual([[], 2]);
		await works();
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});
});

it('a service lists its subscriptions in every workspace, and one of the former workspace has to stay: the new one does, too', async () => {
	const answer = service.answer.bind(service);
	service.answer = async ({ headers, ...request }, ...by) =>
		await answer({ ...request, headers: omit(headers, 'x-service-workspace-id') }, ...by);
	n8n.workspaceId = 'ws_1';
	await n8n.goLive();
	service.record('pending', { event: newEvent() });
	n8n.workspaceId = 'ws_2';
	await n8n.check();
	expect(service.ids).toEqual(['wh_1', 'wh_2']);
	await n8n.checks(3);
	expect(service.ids).toEqual(['wh_2']);
	await works();
});

it("the key's own workspace is entered after somebody deleted the subscription, and its ID is given again: it stays", async () => {
	service.ownWorkspace = 'ws_1';
	service.newId = () => 'wh_1';
	await n8n.goLive();
	service.hooks = [];
	n8n.workspaceId = 'ws_1';
	await n8n.checks(3);
	expect([service.ids, posts()]).toEqual([['wh_1'], 2]);
	await works();
});

it("the key's own workspace is entered, one subscription an address, and the answer does not name the one in its place, which has the same ID: it stays", async () => {
	service.ownWorkspace = 'ws_1';
	service.newId = () => 'wh_1';
	service.created = ({ secret }) => ({ webhook: { secret } });
	service.fault = ({ method }) =>
		method === 'POST' && service.hooks.length > 0 ? () => refused(409, 'FULL') : undefined;
	await n8n.goLive();
	n8n.workspaceId = 'ws_1';
	await n8n.check();
	expect([service.ids, posts()]).toEqual([['wh_1'], 3]);
	await works();
});

it('IDs are counted by workspace: the subscription of the former workspace is deleted, though its ID is the same', async () => {
	service.newId = () => 'wh_1';
	await n8n.goLive();
	service.fail(trouble, 'DELETE', /./, 1);
	n8n.workspaceId = 'ws_2';
	await n8n.checks(3);
	expect(service.hooks).toMatchObject([{ workspace: 'ws_2' }]);
});

it('the workspace was changed after somebody deleted the subscription there, and its ID is given to another tool: that stays', async () => {
	const somebodys = { id: 'wh_1', url: 'https://somebody.example.com' } as Hook;
	await n8n.goLive();
	service.hooks = [somebodys];
	n8n.workspaceId = 'ws_2';
	await n8n.checks(2);
	await n8n.unpublish();
	expect(service.hooks).toEqual([somebodys]);
});

it.each([403, 404])(
	"a proxy's page (%d) in place of the answer to a deletion: the subscription isn't forgotten, the next check deletes it",
	async (statusCode) => {
		await n8n.goLive();
		n8n.key = service.key = 'example-key-of-another-account';
		service.list = (all) => all.filter(({ id }) => id !== 'wh_1');
		service.fail(() => ({ statusCode, headers: {}, body: '<html>Not here</html>' }), 'DELETE');
		await n8n.check();
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		service.heal();
		await n8n.checks(2);
		expect(service.ids).toEqual(['wh_2']);
	},
);

it("a proxy's page in place of the deliveries of an obsolete subscription: it stays until they are recovered", async () => {
	await n8n.goLive();
	await n8n.check();
	const event = newEvent();
	service.record('failed', { event });
	n8n.key = service.key = 'example-key-1';
	const page: Reply = { statusCode: 404, headers: {}, body: '<html>404 Not Found</html>' };
	service.fail(() => page, 'GET', /wh_1.deliveries/);
	await n8n.check();
	service.heal();
	await n8n.checks(3);
	expect(service.ids).toEqual(['wh_2']);
	expect(idsBehind()).toEqual([event.id]);
});

describe.each([null, {}, 'x', { webhooks: null }, { webhooks: {} }, { webhooks: ['wh_1', { id: 'wh_9' }] }])(
	'a list that can not be read: %j',
	(shown) => {
		beforeEach(async () => {
			await n8n.goLive();
			service.list = () => shown;
		});

		it('the live subscription is neither replaced nor deleted', async () => {
			const [live] = service.hooks;
			await n8n.checks(3);
			expect([posts(), service.hooks, service.deleted]).toEqual([1, [live], []]);
			await works();
		});

		it('one that is gone is made again: the service does not know its deliveries', async () => {
			service.hooks = [];
			await n8n.check();
			expect([posts(), service.ids]).toEqual([2, ['wh_2']]);
			await works();
		});
	},
);

describe('a list', () => {
	const unlisted =
		"Trigger: the service doesn't list the subscription wh_1, so it can't be checked further; it is deleted when the workflow is unpublished";
	const inactive =
		'Trigger: the service has listed the subscription wh_1 as not active ever since it was created. If no events arrive, activate it in the service, or unpublish the workflow and publish it again.';
	it.each<[string, string, (all: object[]) => unknown]>([
		['that is paged, oldest first', unlisted, (all) => all.slice(0, 1)],
		['that has other IDs', unlisted, (all) => all.map((one: any) => ({ ...one, id: `internal ${one.id}` }))],
		['that has all as not active', inactive, (all) => all.map((one) => ({ ...one, status: 'inactive' }))],
	])(
		'%s: one subscription, told once by each process, and none when it is unpublished',
		async (_, told, list) => {
			const somebodys = { id: 'wh_0', url: 'https://somebody.example.com' } as Hook;
			service.hooks.push(somebodys);
			service.list = list;
			await n8n.goLive();
			await n8n.checks(5);
			await n8n.restart();
			await n8n.checks(5);
			expect(posts()).toBe(1);
			await works();
			expect(n8n.warnings.filter((one) => one === told)).toHaveLength(2);
			await n8n.unpublish();
			expect(service.hooks).toEqual([somebodys]);
		},
	);

	it.each<[string, number, Reply]>([
		['a list of them', 1, ok({ deliveries: [] })],
		['another form', 1, ok('none')],
		['a forbidden scope', 1, refused(403, 'PUBLIC_API_SCOPE_FORBIDDEN')],
		['404', 2, refused(404, 'PUBLIC_API_WEBHOOK_NOT_FOUND')],
	])(
		'that never had it, and its deliveries are answered with %s: %d was made',
		async (_name, made, reply) => {
			service.list = () => [];
			await n8n.goLive();
			service.fail(() => reply, '', /wh_1.deliveries/);
			await n8n.check();
			expect(posts()).toBe(made);
		},
	);

	it('that shows an address of its own from the start, and later nothing but its ID: nothing happens', async () => {
		const url = 'https://else.example.com/webhook/a/webhook';
		service.list = (all) => all.map((one) => ({ ...one, url }));
		await n8n.goLive();
		await n8n.checks(2);
		service.list = (all) => all.map(({ id }) => ({ id }));
		await n8n.checks(2);
		expect([posts(), n8n.logged]).toEqual([1, []]);
	});

	it.each<[string, (all: Array<{ id: string }>) => unknown]>([
		['is empty', () => []],
		['shows another one', (all) => [...all, { ...all[0], id: 'wh_gone' }]],
	])('that %s for a moment: nothing happens', async (_name, list) => {
		await n8n.goLive();
		let left = 1;
		service.list = (all) => (left-- > 0 ? list(all) : all);
		await n8n.checks(3);
		expect(posts()).toBe(1);
		expect(n8n.logged).toEqual([]);
	});

	it.each<[string, () => void]>([
		['had it a second late', () => (service.lagMs = 1_000)],
		['left it out when it was made', () => (service.list = () => [])],
	])('that %s: one that somebody deletes is made again by the next check', async (_name, lists) => {
		const { list } = service;
		lists();
		await n8n.goLive();
		[service.lagMs, service.list] = [0, list];
		await n8n.stop();
		service.hooks = [];
		await n8n.restart();
		await n8n.check();
		expect(service.ids).toEqual(['wh_2']);
		lists();
		service.hooks = [];
		await n8n.check();
		[service.lagMs, service.list] = [0, list];
		expect(service.ids).toEqual(['wh_3']);
		service.hooks = [];
		await n8n.checks(4);
		expect(service.ids).toEqual(['wh_4']);
	});

	it('that keeps what was deleted: one that somebody deleted is made again, and nothing is deleted twice', async () => {
		await n8n.goLive();
		service.hooks[0]!.status = 'deleted';
		const elsewhere = 'https://else.example.com/webhook/a/webhook';
		for (const url of [n8n.url, elsewhere])
			service.hooks.push({ ...service.hooks[0]!, id: 'wh_gone', status: 'deleted', url });
		await n8n.checks(3);
		expect([posts(), n8n.warnings]).toEqual([
			2,
			['Trigger: the subscription was created again: it was deleted at the service'],
		]);
		expect(service.asked(/wh_gone/)).toEqual([]);
		await works(n8n, service.hooks.at(-1));
	});
});

describe('an answer that holds the secret alone, as the specification shows it', () => {
	beforeEach(() => {
		service.created = ({ secret }) => ({ webhook: { secret } });
	});

	it.each<[string, (all: object[]) => unknown, lagMs: number]>([
		['at once', (all) => all, 0],
		['later', (all) => all, 2 * MINUTE],
		['among others', (all) => [{ id: 'wh_x', url: 'https://somebody.example.com' }, ...all], 0],
	])('the list has the ID (%s): it is published, repaired and unpublished', async (_when, list, lagMs) => {
		Object.assign(service, { list, lagMs });
		await n8n.goLive();
		await works();
		await n8n.restart();
		await n8n.checks(3);
		expect(posts()).toBe(1);
		service.hooks[0]!.status = 'disabled';
		await n8n.checks(2);
		expect([posts(), service.hooks.map(({ status }) => status)]).toEqual([2, ['active']]);
		await works();
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it('and a double turns up in the former workspace while the list is late: it is not taken for the new one', async () => {
		n8n.workspaceId = 'ws_1';
		await n8n.goLive();
		n8n.workspaceId = 'ws_2';
		service.lagMs = HOUR;
		service.fail(trouble, 'DELETE');
		await n8n.check();
		service.hooks.push({ ...service.hooks[0]!, id: 'wh_double' });
		await n8n.check();
		expect(n8n.warnings.at(-1)).toContain('could not complete the check');
		service.heal();
		service.lagMs = 0;
		await n8n.checks(3);
		expect([service.hooks, posts()]).toMatchObject([[{ id: 'wh_2', workspace: 'ws_2' }], 2]);
	});

	it('and several are new at the address since answers were lost: one is made that is known, and the others go', async () => {
		service.takesSecret = false;
		service.lagMs = 5 * MINUTE;
		await n8n.goLive();
		service.hooks.push({ ...service.hooks[0]!, id: 'wh_lost' });
		await n8n.checks(2);
		expect(service.ids).toEqual(['wh_2']);
		await works();
	});

	it('beside an obsolete one at the same address, the new one is the one that stays', async () => {
		await n8n.goLive();
		await n8n.checks(2);
		service.lagMs = 2 * MINUTE;
		service.key = n8n.key = 'example-key-1';
		await n8n.checks(4);
		expect([service.ids, posts()]).toEqual([['wh_2'], 2]);
		await works();
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it.each<[string, (all: object[]) => unknown]>([
		['IDs', (all) => all.map((one) => ({ ...one, id: undefined }))],
		['addresses', (all) => all.map((one) => ({ ...one, url: undefined }))],
		['anything', () => []],
	])('and a list without %s: never made again, and named when it can not be deleted', async (what, list) => {
		service.list = list;
		await n8n.goLive();
		await works();
		await n8n.restart();
		await n8n.checks(5);
		expect(posts()).toBe(1);
		await works();
		const untold =
			"Trigger: the service doesn't list the subscription of this workflow, so it can't be checked further; it is deleted when the workflow is unpublished, if the service lists its address by then";
		expect(n8n.warnings.includes(untold)).toBe(what !== 'IDs');
		await n8n.unpublish();
		expect(n8n.warnings.at(-1)).toMatch(
			/^.*the service lists no subscription of https:.*: if there is one, delete it there$/,
		);
	});
});

describe('trouble with reading deliveries', () => {
	beforeEach(async () => {
		await n8n.goLive();
		service.hooks[0]!.status = 'disabled';
		service.record('dead_letter', { event: newEvent() });
	});

	it('of one holds back no repair and no other, only its own deletion, which follows', async () => {
		service.hooks.push({ ...service.hooks[0]!, id: 'wh_double' });
		service.fail('a forbidden scope', 'GET', /wh_1.deliveries/);
		await n8n.checks(2);
		expect([service.ids, posts()]).toEqual([['wh_1', 'wh_2'], 2]);
		await works(n8n, service.hooks[1]);
		service.heal();
		// Once n8n has stored what was not delivered, the obsolete one goes.
		await n8n.checks(2);
		expect(service.ids).toEqual(['wh_2']);
		expect(n8n.emitted).toHaveLength(1);
	});

	it('is remembered while the credential is for another service', async () => {
		service.fail('a forbidden scope', 'GET', /deliveries/);
		await n8n.check();
		n8n.service = new FakeService();
		await n8n.check();
		n8n.service = service;
		service.heal();
		await n8n.checks(3);
		expect(service.ids).toEqual(['wh_3']);
	});

	it('for a day, since it was replaced: by then there is nothing left to deliver', async () => {
		service.hooks[0]!.status = 'active';
		service.fail('a forbidden scope', 'GET', /deliveries/);
		await n8n.check();
		await n8n.check(24 * HOUR);
		service.hooks[0]!.status = 'disabled';
		await n8n.check();
		await n8n.check(23 * HOUR);
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		await n8n.check(HOUR);
		expect(service.ids).toEqual(['wh_2']);
	});
});

it('the new workspace has trouble: nothing is subscribed there without knowing what it has', async () => {
	n8n.workspaceId = 'ws_1';
	await n8n.goLive();
	n8n.workspaceId = 'ws_2';
	service.fault = ({ method, workspace }) =>
		method === 'GET' && workspace === 'ws_2' ? () => refused(403, 'X') : undefined;
	await n8n.check();
	expect(posts()).toBe(1);
});

describe('unpublishing', () => {
	const withoutIds = (all: object[]) => all.map((one) => ({ ...one, id: undefined }));

	it('where the list never had IDs: the one of the answer is deleted', async () => {
		service.list = withoutIds;
		await n8n.goLive();
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it('where the list of the new workspace has no IDs, and that of the former one can not be read: the one in the former workspace is deleted, too', async () => {
		n8n.workspaceId = 'ws_1';
		await n8n.goLive();
		service.list = (all) => (all[0]?.workspace === 'ws_2' ? withoutIds(all) : all);
		n8n.workspaceId = 'ws_2';
		await n8n.goLive();
		service.fault = ({ method, path, workspace }) =>
			`${method} ${path} ${workspace}` === 'GET /webhooks ws_1' ? () => refused(403, 'X') : undefined;
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
		n8n.staticData.current.webhookId = id;
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
		expect(n8n.staticData.current.webhookId).toBe('wh_of_somebody');
	});
});

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

it.each([-24, -0.3, 24])('a clock that jumps by %d hours: the next check comes as soon', async (hours) => {
	await n8n.goLive();
	await n8n.checks(2);
	service.hooks = [];
	jest.setSystemTime(Date.now() + hours * HOUR);
	await n8n.check(MINUTE);
	expect(service.ids).toEqual([]);
	await n8n.check(15 * MINUTE);
	expect(service.ids).toEqual(['wh_2']);
});

describe('what an obsolete subscription still tries to deliver', () => {
	const event = newEvent();
	beforeEach(async () => {
		await n8n.goLive();
		service.record('failed', { event });
	});

	it('when a change is published is recovered by the check, which deletes it then', async () => {
		n8n.parameters.events = ['post.published'];
		await n8n.goLive();
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		expect(n8n.staticData.former).toMatchObject([{ webhookId: 'wh_1' }]);
		await n8n.check();
		expect([idsBehind(), service.ids]).toEqual([[event.id], ['wh_1', 'wh_2']]);
		await n8n.check();
		expect([idsBehind(), service.ids]).toEqual([[event.id], ['wh_2']]);
		// With nothing to deliver, or without recovery, it goes at once.
		n8n.parameters.events = ['post.failed'];
		await n8n.goLive();
		await n8n.check();
		expect(service.ids).toEqual(['wh_3']);
		service.record('failed', { event: newEvent() });
		n8n.parameters.events = ['post.published'];
		await n8n.goLive({ catchUp: false });
		await n8n.check();
		expect(service.ids).toEqual(['wh_4']);
	});

	it('is not lost where n8n is killed, or cannot store the execution, after a check has read it', async () => {
		service.hooks[0]!.status = 'disabled';
		n8n.executionFailure = new Error('killed');
		await n8n.checks(3);
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		n8n.executionFailure = undefined;
		await n8n.restart();
		await n8n.checks(2);
		expect(idsBehind()).toEqual([event.id]);
		expect(service.ids).toHaveLength(1);
	});
});

describe('n8n calls `delete` before it publishes a change', () => {
	const events = [newEvent(), newEvent(), newEvent()];
	const change = async (after = 0) => {
		await n8n.unpublish();
		await jest.advanceTimersByTimeAsync(after);
		await n8n.goLive();
		await n8n.check(MINUTE);
	};
	beforeEach(async () => {
		await n8n.goLive();
		['pending', 'failed', 'dead_letter'].forEach((status, i) => service.record(status, { event: events[i] }));
	});

	it('what was not delivered is passed on by the next check, which comes soon, and once', async () => {
		await change();
		expect(service.ids).toEqual(['wh_2']);
		expect(idsBehind().sort()).toEqual(events.map(({ id }) => id).sort());
		expect(n8n.behind[0]).toMatchObject({ recovered: true, delivery: { status: expect.any(String) } });
		await n8n.checks(2);
		expect(n8n.emitted).toHaveLength(1);
		expect(await n8n.deliver(events[0], service.hooks[0])).toMatchObject({ body: { status: 'duplicate' } });
	});

	it('also where the execution fails at first, or n8n calls `delete` twice', async () => {
		n8n.executionFailure = new Error('no room');
		service.fail(trouble, 'DELETE', /./, 1);
		await change();
		expect(idsBehind()).toEqual([]);
		n8n.executionFailure = undefined;
		await n8n.checks(2);
		expect(idsBehind().sort()).toEqual(events.map(({ id }) => id).sort());
	});

	it.each<[string, () => Promise<unknown>]>([
		['published again after more than five minutes', async () => await change(5 * MINUTE + 1)],
		[
			'restarted in between',
			async () => {
				await n8n.unpublish();
				n8n.forget();
				await n8n.goLive();
				await n8n.check(3_000);
			},
		],
		[
			'with the recovery turned off',
			async () => ((n8n.parameters.options = { catchUp: false }), await change()),
		],
	])('%s: it is not passed on', async (_name, happens) => {
		await happens();
		await n8n.checks(2);
		expect([idsBehind(), service.ids]).toEqual([[], ['wh_2']]);
	});

	it('with the recovery turned off, and for a test, nothing is read', async () => {
		n8n.parameters.options = { catchUp: false };
		await n8n.unpublish();
		n8n.parameters.options = {};
		await n8n.hook('create', { test: true });
		await n8n.hook('remove', { test: true });
		expect(service.asked(/deliveries/)).toEqual([]);
	});

	it('of several that could not be read the log has one line', async () => {
		service.hooks.push({ ...service.hooks[0]!, id: 'wh_double' });
		service.fail('a forbidden scope', 'GET', /deliveries/);
		await n8n.unpublish();
		expect(n8n.warnings).toEqual([
			'Trigger: could not read whether the service had something left to deliver; if so, it is lost',
		]);
	});

	it('reading takes three seconds at most; what could not be read is said', async () => {
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

it('a list in pages is read to its end: ours on the third page is checked, repaired and deleted', async () => {
	const somebodys = fillTwoPages();
	await n8n.goLive();
	await n8n.checks(2);
	service.hooks.at(-1)!.status = 'disabled';
	await n8n.check();
	expect(service.ids.slice(60)).toEqual(['wh_2']);
	n8n.loseData();
	await n8n.restart();
	expect(service.ids.slice(60)).toEqual(['wh_2', 'wh_3']);
	await n8n.unpublish();
	expect(service.hooks).toEqual(somebodys);
	expect(n8n.warnings).toHaveLength(1);
});

it.each<FaultName>(['a 500 for good after acting', 'malformed JSON', 'an empty answer'])(
	"a page of the list can't be read (%s), and the ID was given again: unpublishing fails, and another tool's stays",
	async (name) => {
		const [{ url }] = fillTwoPages() as [Hook];
		await n8n.goLive();
		service.hooks[60] = { ...service.hooks[60]!, url };
		service.fault = ({ method, qs }) => (method === 'GET' && qs.cursor === '50' ? faults[name] : undefined);
		await expect(n8n.unpublish()).rejects.toThrow();
		expect(service.deleted).toEqual([]);
	},
);

it.each<[string, () => void]>([
	['answers for the deliveries of what was deleted', () => (service.keepsHistory = true)],
	['is in trouble there', () => service.fail('a 500', 'GET', /deliveries/)],
])('a service that %s: one that was listed and no longer is, is made again', async (_name, keeps) => {
	service.takesSecret = false;
	await n8n.goLive();
	await n8n.check();
	keeps();
	service.hooks = [];
	await n8n.check();
	expect(service.ids).toEqual(['wh_2']);
	await works();
});

it.each([
	['arrives in the end', true],
	['is still on its way after five minutes', false],
])(
	'an obsolete subscription stays for what it is delivering: what %s is not lost',
	async (_name, arrives) => {
		await n8n.goLive();
		const event = newEvent();
		const delivery = service.record('pending', { event });
		n8n.parameters.events = ['post.published'];
		await n8n.goLive();
		await n8n.check();
		expect([idsBehind(), service.ids]).toEqual([[], ['wh_1', 'wh_2']]);
		if (arrives) {
			await n8n.deliver(event, service.hooks[0]);
			delivery.status = 'delivered';
		}
		await n8n.check(MINUTE);
		expect(service.ids).toEqual(arrives ? ['wh_2'] : ['wh_1', 'wh_2']);
		for (let i = 0; i < 6; i++) await n8n.check(MINUTE);
		expect([idsBehind(), service.ids]).toEqual([[event.id], ['wh_2']]);
	},
);

it('the answer to the next subscription is lost, with its secret, and the service gives its ID again: another one is made', async () => {
	Object.assign(service, { takesSecret: false, newId: () => 'wh_1' });
	await n8n.goLive();
	service.hooks = [];
	service.fault = ({ method, body }) => {
		if (method === 'POST' && !body.secret) return faults['a 500 for good after acting'];
		return service.hooks.length > 0 ? faults['a dropped connection'] : undefined;
	};
	await n8n.check();
	expect(service.ids).toEqual(['wh_1']);
	service.newId = (made) => `wh_${made}`;
	service.heal();
	await n8n.checks(2);
	expect(service.ids).toEqual(['wh_3']);
	await works();
});

it('an extra subscription gets the ID of one that was deleted, and answers name no ID: it is deleted, and one stays', async () => {
	const created = ({ secret }: Hook) => ({ webhook: { secret } });
	Object.assign(service, { takesSecret: false, ignoresSecret: true, created });
	service.newId = () => ['1', '2', '3'].find((id) => !service.ids.includes(id))!;
	await n8n.goLive();
	await n8n.unpublish();
	service.fail('a 500 after acting', 'POST', /./, 1);
	await n8n.goLive();
	expect(service.ids).toEqual(['1', '2']);
	service.fault = ({ method, path }) => {
		const isListedAfterwards = path === '/webhooks' && method === 'GET' && service.ids.includes('3');
		return isListedAfterwards || path === '/webhooks/1/deliveries' ? faults['an empty answer'] : undefined;
	};
	await n8n.check();
	expect(service.ids).toEqual(['1', '3']);
	service.heal();
	await n8n.checks(2);
	expect(service.ids).toEqual(['3']);
	await works();
});

describe('a service that subscribes slowly', () => {
	const takes = (seconds: number) =>
		(service.before = async ({ method }) => (method === 'POST' ? await sleep(seconds * 1000) : undefined));

	it.each(['a check', 'publishing'])('in 25 s: %s waits for it', async (who) => {
		if (who === 'a check') {
			await n8n.goLive();
			service.hooks = [];
		}
		takes(25);
		await (who === 'a check' ? n8n.check() : n8n.publish());
		expect(posts()).toBe(who === 'a check' ? 2 : 1);
		expect(service.hooks).toHaveLength(1);
	});

	it('in more than a check waits: never more than one extra, and one once it is faster', async () => {
		await n8n.goLive();
		service.hooks[0]!.status = 'disabled';
		takes(40);
		for (let i = 0; i < 6; i++) {
			await n8n.check();
			await jest.advanceTimersByTimeAsync(MINUTE);
			expect(service.hooks.length).toBeLessThanOrEqual(2);
		}
		expect(service.ids[0]).toBe('wh_1');
		takes(0);
		await n8n.checks(2);
		expect(service.hooks).toMatchObject([{ status: 'active' }]);
		await works();
	});
});

it("the list is late when it is made, and the service gives its ID again: what is another tool's is neither adopted nor deleted", async () => {
	service.lagMs = MINUTE;
	await n8n.goLive();
	const somebodys = { ...service.hooks[0]!, url: 'https://somebody.example.com' };
	service.hooks = [somebodys];
	await n8n.checks(2);
	await n8n.unpublish();
	expect(service.hooks).toEqual([somebodys]);
	expect(n8n.warnings.at(-1)).toContain('the service lists no subscription of');
});

it("it was deleted, the service gives its ID again, and its list has no IDs any more: what is another tool's stays", async () => {
	await n8n.goLive();
	const somebodys = { ...service.hooks[0]!, url: 'https://somebody.example.com' };
	service.hooks = [somebodys];
	service.list = (all) => all.map((one) => ({ ...one, id: undefined }));
	await n8n.goLive();
	await n8n.unpublish();
	expect(service.hooks).toContain(somebodys);
});

it('another n8n with the same key at the same address: they take turns once, then one stops and says so', async () => {
	const other = new FakeN8n(service);
	await n8n.goLive();
	await other.goLive();
	for (let i = 0; i < 8; i++) {
		await n8n.check();
		await through(other.cron!.tick());
	}
	expect(posts()).toBeLessThanOrEqual(5);
	expect(service.hooks).toHaveLength(1);
	// Of one n8n, or of two.
	const told = [n8n, other].flatMap(({ warnings }) =>
		warnings.filter((one) => /another n8n, or a copy of this node,.*WEBHOOK_URL.*copied node/.test(one)),
	);
	expect(told).toHaveLength(1);
	// Where the other one has gone, it goes on.
	await other.unpublish();
	await n8n.checks(2);
	expect(service.hooks).toHaveLength(1);
	await works();
});

describe('deleted by hand at each check within an hour', () => {
	const deletedAgain = async (more: (i: number) => Hook[] = () => []) => {
		service.fail(trouble, 'DELETE');
		for (let i = 0; i < 3; i++) {
			service.hooks = service.hooks.filter(({ id }) => id !== n8n.lastAnswered);
			service.hooks.push(...more(i));
			await n8n.check();
		}
		expect(n8n.warnings.join()).not.toContain('another n8n');
	};
	beforeEach(async () => await n8n.goLive());

	it('while there is a disabled one at the address: it is made again each time', async () => {
		const hook = service.hooks[0]!;
		await deletedAgain((i) => [{ ...hook, id: `wh_disabled_${i}`, status: 'disabled' }]);
		expect(posts()).toBe(4);
	});

	it('while an earlier one of ours can not be deleted: it is made again each time', async () => {
		n8n.parameters.events = ['post.published'];
		await n8n.goLive();
		await deletedAgain();
		expect(posts()).toBe(5);
	});
});

it('a service that answers with the subscription that is at the address already, under a new secret: it stays', async () => {
	await n8n.goLive();
	const [hook] = service.hooks as [Hook];
	service.key = n8n.key = 'example-key-1';
	service.fault = ({ method, body }) =>
		method === 'POST' ? () => ok({ webhook: Object.assign(hook, { secret: body.secret }) }, 201) : undefined;
	await n8n.checks(2);
	expect(service.deleted).toEqual([]);
	await works();
});

it.each([
	['ignores a secret that is offered', true],
	['refuses a secret that is offered', false],
])(
	'a service that %s, updates in place and tells a secret only once: the known one stays in force',
	async (_name, ignoresSecret) => {
		Object.assign(service, { takesSecret: false, ignoresSecret, updates: 'keeps' });
		await n8n.goLive();
		const [only] = service.hooks as [Hook];
		const { secret } = only;
		only.status = 'disabled';
		await n8n.checks(2);
		expect([service.hooks, only.status, service.deleted]).toEqual([[only], 'active', []]);
		await n8n.check(2 * HOUR);
		await works();
		expect(service.hooks).toMatchObject([{ secret }]);
		// n8n then keeps it, too.
		await n8n.restart();
		await works();
	},
);

it('a service that took our secret once and takes none when it updates in place: that one stays in force', async () => {
	service.updates = 'keeps';
	await n8n.goLive();
	const [only] = service.hooks as [Hook];
	service.takesSecret = false;
	for (const change of [() => (only.status = 'disabled'), () => (service.key = n8n.key = 'example-key-1')]) {
		change();
		await n8n.checks(2);
		expect([service.hooks, service.deleted]).toEqual([[only], []]);
		await n8n.check(2 * HOUR);
		await works();
	}
	expect(posts()).toBe(5);
});

it('a double is deleted while the trigger subscribes, and its ID is given to another tool at once: that stays', async () => {
	await n8n.goLive();
	const double = { ...service.hooks[0]!, id: 'wh_double' };
	const somebodys = { ...double, url: 'https://somebody.example.com' };
	service.hooks = [double];
	service.before = ({ method }) => void (method === 'POST' && (service.hooks = [somebodys]));
	await n8n.checks(2);
	expect(service.hooks).toMatchObject([somebodys, { id: 'wh_2' }]);
});

it('the list can not be read right after the trigger has subscribed: published, and nothing is made again', async () => {
	service.fault = ({ method }) =>
		method === 'GET' && posts() > 0 ? () => refused(403, 'PUBLIC_API_SCOPE_FORBIDDEN') : undefined;
	expect(await n8n.publish()).toBe(0);
	await n8n.start('activate');
	service.heal();
	await n8n.checks(2);
	expect([service.ids, n8n.warnings]).toEqual([['wh_1'], []]);
});

it.each([400, 410, 422, 500])('the former workspace answers %d: a change is published', async (status) => {
	n8n.workspaceId = 'ws_1';
	await n8n.goLive();
	n8n.workspaceId = 'ws_2';
	service.fault = ({ workspace }) => (workspace === 'ws_1' ? () => refused(status, 'GONE') : undefined);
	await n8n.goLive();
	expect(service.hooks.at(-1)).toMatchObject({ workspace: 'ws_2' });
	await works(n8n, service.hooks.at(-1));
	await n8n.checks(3);
	const named = n8n.warnings.filter((one) => /subscription wh_1/.test(one));
	// Trouble may be over soon.
	expect(named).toHaveLength(status === 400 || status === 422 ? 1 : 0);
	expect(posts()).toBe(2);
});

it('a list that is late and writes events in its own way: one subscription', async () => {
	service.lagMs = 5_000;
	service.rewrite = ({ events }) => ({ events: events.map((one) => one.toUpperCase().replace('.', '_')) });
	await n8n.goLive();
	await n8n.checks(4);
	expect([posts(), n8n.warnings]).toEqual([1, []]);
	service.hooks[0]!.events = ['POST_CREATED'];
	await n8n.checks(2);
	expect(posts()).toBe(2);
});

it('a key of another account: the subscription that it does not know is named, once', async () => {
	await n8n.goLive();
	const [former] = service.hooks;
	service.key = n8n.key = 'example-key-1';
	// Another account has other subscriptions.
	service.hooks = [];
	await n8n.checks(3);
	expect(service.hooks).toMatchObject([{ id: 'wh_2' }]);
	expect(n8n.warnings.filter((one) => one.includes(former!.id))).toEqual([
		"Trigger: the key can't delete the subscription wh_1: if it is still there, delete it at the service",
	]);
});

describe('a service with a limit', () => {
	const limited = (status: number) =>
		(service.fault = ({ method }) =>
			method === 'POST' && service.hooks.some(({ url }) => url === n8n.url)
				? () => refused(status, 'LIMIT')
				: undefined);
	beforeEach(async () => await n8n.goLive());

	it.each([
		['one subscription an address', 409],
		['so many in all', 403],
		['a plan that is used up', 402],
	])('of %s (%d): the left-over at our address goes first, once it is recovered', async (_name, status) => {
		n8n.loseData();
		limited(status);
		await n8n.goLive();
		expect(service.ids).toEqual(['wh_2']);
		const event = newEvent();
		service.record('failed', { event });
		service.hooks[0]!.status = 'disabled';
		await n8n.check();
		expect([idsBehind(), service.ids]).toEqual([[event.id], ['wh_2']]);
		await n8n.check();
		expect(service.ids).toEqual(['wh_3']);
		await works();
	});

	it('an obsolete one was deleted in vain, and its ID is given to another tool, which the list does not show: that stays', async () => {
		const somebodys = { ...service.hooks[0]!, url: 'https://somebody.example.com' };
		n8n.parameters.events = ['post.published'];
		await n8n.start('activate');
		service.fail('a 500', 'DELETE');
		await n8n.check();
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		service.hooks[1]!.status = 'disabled';
		service.fail(() => refused(409, 'LIMIT'), 'POST');
		await n8n.check();
		expect(service.ids).toEqual([]);
		service.hooks = [somebodys];
		service.list = () => ({ webhooks: [] });
		service.heal();
		await n8n.checks(2);
		expect(service.hooks).toContain(somebodys);
	});

	it('refuses what goes in its place: the former one is subscribed again, and each check tries anew', async () => {
		n8n.parameters.events = ['post.published'];
		service.fault = ({ method, body }) => {
			if (method !== 'POST') return undefined;
			if (service.hooks.length > 0) return () => refused(409, 'LIMIT');
			return (body.events as string[]).length === 1 ? () => refused(404, 'NO_SUCH_EVENT') : undefined;
		};
		await n8n.start('activate');
		for (const id of ['wh_2', 'wh_3']) {
			await n8n.check();
			expect(service.hooks).toMatchObject([{ id, events: ['post.published', 'post.failed'] }]);
			expect(await n8n.deliver(newEvent())).toMatchObject({ status: 200 });
		}
		expect(n8n.behind).toHaveLength(2);
		service.heal();
		await n8n.checks(2);
		expect(service.hooks).toMatchObject([{ events: ['post.published'] }]);
	});

	it.each<[string, () => Promise<unknown>]>([
		['the next check', async () => await n8n.check()],
		['publishing', async () => (await n8n.goLive(), await n8n.check())],
		['unpublishing', async () => await n8n.unpublish()],
	])(
		"refuses all, and another tool is given the ID of what was deleted, which the list doesn't show: %s leaves that alone",
		async (_name, happens) => {
			const [first] = service.hooks as [Hook];
			n8n.parameters.events = ['post.published'];
			await n8n.start('activate');
			service.fail(() => refused(409, 'LIMIT'), 'POST');
			await n8n.check();
			expect(service.ids).toEqual([]);
			const somebodys = { ...first, url: 'https://somebody.example.com' };
			service.hooks = [somebodys];
			service.list = () => [];
			service.heal();
			await happens();
			expect(service.hooks).toContain(somebodys);
		},
	);

	it('and the one at our address can not be deleted: nothing is subscribed in its place, and the limit is named', async () => {
		n8n.loseData();
		service.fault = ({ method }) => {
			if (method === 'POST') return () => refused(409, 'LIMIT', { message: 'One an address' });
			return method === 'DELETE' ? () => refused(500, 'TROUBLE') : undefined;
		};
		const before = posts();
		await expect(n8n.publish({ tries: 1 })).rejects.toThrow(/One an address/);
		expect([posts() - before, service.ids]).toEqual([1, ['wh_1']]);
	});

	it('refuses both, while the one in force has to stay: its secret, which the service made, still counts', async () => {
		service.takesSecret = false;
		service.hooks = [];
		await n8n.check();
		const hook = service.hooks[0]!;
		service.record('pending', { event: newEvent() });
		service.hooks.push({ ...hook, id: 'wh_double' });
		n8n.parameters.events = ['post.published'];
		await n8n.start('activate');
		service.fail(() => refused(409, 'LIMIT'), 'POST');
		await n8n.check();
		expect(service.ids).toEqual([hook.id]);
		expect((await n8n.deliver(newEvent(), hook)).status).toBe(200);
	});

	it('and what takes its place is refused for another reason: that is named, a second one stays, and the first has its events again', async () => {
		service.hooks[0]!.events = ['post.created'];
		service.hooks.push({ ...service.hooks[0]!, id: 'wh_double' });
		n8n.loseData();
		let refusals = 0;
		service.fault = ({ method, body }) => {
			if (method !== 'POST' || (body.events as string[])[0] === 'post.created') return undefined;
			return () =>
				refusals++ === 0 ? refused(409, 'LIMIT') : refused(404, 'X', { message: 'No such event' });
		};
		await expect(n8n.publish({ tries: 1 })).rejects.toThrow(/No such event/);
		expect(service.hooks).toMatchObject([{ id: 'wh_double' }, { id: 'wh_2', events: ['post.created'] }]);
	});

	it('and a list that is late, after n8n has lost its data: what is there is recovered before it goes', async () => {
		const { list } = service;
		n8n.loseData();
		limited(409);
		service.list = () => [];
		const event = newEvent();
		service.record('failed', { event });
		await n8n.publish({ activation: 'init' });
		await n8n.start('activate');
		let left = 1;
		service.list = (all) => (left-- > 0 ? [] : list(all));
		await n8n.checks(3);
		expect([idsBehind(), service.ids]).toEqual([[event.id], ['wh_2']]);
		await works();
	});

	it.each([402, 409])(
		'refuses both (%d): where it keeps the deliveries of what was deleted, too, the next check subscribes',
		async (status) => {
			const { list } = service;
			Object.assign(service, { keepsHistory: true, hooks: [], list: () => [] });
			n8n.loseData();
			await n8n.goLive();
			service.list = list;
			service.hooks[0]!.events = ['post.created'];
			service.fail(() => refused(status, 'LIMIT'), 'POST');
			await n8n.check();
			expect(service.hooks).toEqual([]);
			service.heal();
			await n8n.check();
			await works();
		},
	);

	it.each([
		['a page of a firewall', { statusCode: 403, headers: {}, body: '<html>Forbidden</html>' }],
		["the key's scope", refused(403, 'PUBLIC_API_SCOPE_FORBIDDEN')],
	])('refused for %s: nothing is deleted', async (_name, reply) => {
		n8n.loseData();
		service.fail(() => reply, 'POST');
		await expect(n8n.publish({ tries: 1 })).rejects.toThrow();
		expect(service.deleted).toEqual([]);
	});

	it.each([400, 401, 404, 405, 408, 422, 429, 500])(
		'without a limit (%d): nothing is deleted',
		async (status) => {
			n8n.loseData();
			limited(status);
			await expect(n8n.publish({ tries: 1 })).rejects.toThrow();
			expect(service.deleted).toEqual([]);
		},
	);
});

it('publishing at the rate limit advises nothing that the trigger does not have', async () => {
	service.fail('a rate limit');
	const error = await n8n.hook('create').catch((one) => one);
	expect(error.description).toBe('Wait a minute, then try again.');
});
