import {
	FakeN8n,
	FakeService,
	faults,
	newEvent,
	refused,
	through,
	type FaultName,
	type Hook,
	works,
	anewForEachTest,
	n8n,
	service,
} from './fakes';
import { stateIn } from '../../../nodes/SocialPublishingTrigger/state';

const HOUR = 60 * 60_000;

/** Services, copies and credentials that once cost a subscription, or made one more with every check. */

anewForEachTest();

const publish = async (one = n8n) => {
	await one.publish();
	await one.start('activate');
};
const checks = async (times: number, one = n8n) => {
	for (let i = 0; i < times; i++) await one.check();
};
const posts = () => service.asked(/^\/webhooks$/).filter((one) => one.startsWith('POST')).length;

it('a copy of this n8n at another address takes nothing from it', async () => {
	await publish();
	const [production] = service.hooks;
	const copy = new FakeN8n(service);
	copy.staticData = structuredClone(n8n.staticData);
	copy.url = 'https://copy.example.com/webhook/a/webhook';
	await copy.restart();
	await checks(3, copy);
	expect(service.hooks).toEqual([production, expect.objectContaining({ url: copy.url })]);
	expect(copy.warnings.join()).toContain(`the service also delivers to ${n8n.url} (subscription wh_1)`);
	await works();
	await works(copy);
	// What it missed is not the copy's business.
	service.deliveries.push({ webhook_id: 'wh_1', status: 'failed', event: newEvent() });
	await checks(1, copy);
	expect(copy.emitted).toEqual([]);
	await copy.unpublish();
	expect(service.hooks).toEqual([production]);
});

it.each(['a check', 'publishing', 'a start'])(
	'the credential names another workspace: %s moves the subscription, and nothing stays',
	async (by) => {
		n8n.workspaceId = 'ws_1';
		await publish();
		n8n.workspaceId = 'ws_2';
		if (by === 'publishing') await publish();
		if (by === 'a start') await n8n.restart();
		if (by !== 'publishing') await checks(1);
		expect(service.hooks).toMatchObject([{ id: 'wh_2', workspace: 'ws_2' }]);
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	},
);

it('the key no longer reaches the former workspace: told once, and no trouble', async () => {
	n8n.workspaceId = 'ws_1';
	await publish();
	n8n.workspaceId = 'ws_2';
	service.fault = ({ workspace }) => (workspace === 'ws_1' ? faults['a forbidden scope'] : undefined);
	await checks(4);
	expect(service.hooks.map(({ workspace }) => workspace)).toEqual(['ws_1', 'ws_2']);
	expect(n8n.warnings).toEqual([
		expect.stringContaining('the workspace was changed'),
		expect.stringContaining("can't delete the earlier subscription wh_1 of the workspace ws_1"),
	]);
	expect(n8n.failedExecutions).toEqual([]);
});

describe('a list', () => {
	it('that never has it, and deliveries that the key may not read: it is not made again and again', async () => {
		service.list = () => [];
		service.fail('a forbidden scope', 'GET', /deliveries/);
		await publish();
		await checks(5);
		expect(service.ids).toEqual(['wh_1']);
		expect(n8n.warnings).toContainEqual(expect.stringMatching(/could not check.*not allowed/));
	});

	it.each<[string, (all: object[]) => unknown]>([
		['that is paged, oldest first', (all) => all.slice(0, 1)],
		['that is empty', () => []],
		['that names IDs otherwise', (all) => all.map(({ id, ...rest }: any) => ({ webhook_id: id, ...rest }))],
		['that has other IDs', (all) => all.map((one: any) => ({ ...one, id: `internal ${one.id}` }))],
	])('%s: one subscription, told once, and none when it is unpublished', async (_name, list) => {
		const somebodys = { id: 'wh_0', url: 'https://somebody.example.com' } as Hook;
		service.hooks.push(somebodys);
		service.list = list;
		await publish();
		await checks(5);
		await n8n.restart();
		await checks(5);
		expect(posts()).toBe(1);
		await works();
		const told = n8n.warnings.filter((one) => /doesn't list the subscription wh_1,/.test(one));
		// Once by each process.
		expect(told).toHaveLength(2);
		await n8n.unpublish();
		expect(service.hooks).toEqual([somebodys]);
	});

	it.each<[string, (all: Array<{ id: string }>) => unknown]>([
		['is empty', () => []],
		['shows another one', (all) => [...all, { ...all[0], id: 'wh_gone' }]],
	])('that %s for a moment: nothing happens', async (_name, list) => {
		await publish();
		let left = 1;
		service.list = (all) => (left-- > 0 ? list(all) : all);
		await checks(3);
		expect(posts()).toBe(1);
		expect(n8n.logged).toEqual([]);
	});

	it('that shows what was made an hour later: what it shows then is the baseline', async () => {
		service.rewrite = ({ events }) => ({ url: 'https://n8n.example.com/', events: [...events, 'ping'] });
		service.list = () => [];
		await publish();
		await checks(2);
		service.list = (all) => all;
		await checks(5);
		expect(posts()).toBe(1);
		service.hooks[0]!.status = 'disabled';
		await checks(1);
		expect(service.ids).toEqual(['wh_2']);
	});
});

it.each(['https://n8n.example.com/n8n/webhook/a/webhook', 'https://n8n.example.com/hooks/a/webhook'])(
	'n8n moved to %s: what delivers to the former address is named and stays',
	async (url) => {
		await publish();
		const former = n8n.url;
		n8n.url = url;
		await n8n.restart();
		await checks(3);
		expect(n8n.warnings).toEqual([
			expect.stringContaining(`the service also delivers to ${former} (subscription wh_1)`),
		]);
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
	},
);

describe('a service that keeps what was deleted in its list', () => {
	const answersDeletes = () =>
		(service.fault = ({ method }) =>
			method === 'DELETE' ? () => ({ statusCode: 204, headers: {}, body: '' }) : undefined);

	it.each([
		{ status: 'deleted' },
		{ status: 'DELETED' },
		{ deleted: true },
		{ deleted_at: '2026-11-20T12:00:00Z' },
	])(
		'as %j: one that somebody deleted is made again, also where its deliveries are still there',
		async (shown) => {
			await publish();
			Object.assign(service.hooks[0]!, shown);
			await checks(3);
			expect([posts(), n8n.warnings]).toEqual([
				2,
				['Trigger: the subscription was created again: it was deleted at the service'],
			]);
			await works(
				n8n,
				service.hooks.find(({ id }) => id === 'wh_2'),
			);
		},
	);

	it('one at its address, or at another with the same path, is none: it is not deleted with every check', async () => {
		await publish();
		answersDeletes();
		const elsewhere = 'https://else.example.com/webhook/a/webhook';
		for (const url of [n8n.url, elsewhere])
			service.hooks.push({ ...service.hooks[0]!, id: 'wh_gone', status: 'deleted', url });
		await checks(3);
		expect(service.asked(/wh_gone/)).toEqual([]);
		expect(n8n.logged).toEqual([]);
		await n8n.unpublish();
		expect(service.asked().filter((one) => one.startsWith('DELETE'))).toEqual(['DELETE /webhooks/wh_1']);
	});
});

it.each<[string, (hook: Hook) => Partial<Hook>]>([
	['umlauts', ({ url }) => ({ url: decodeURI(url) })],
	['addresses of its own', () => ({ url: 'https://relay.example.com/17' })],
	['one event more', ({ events }) => ({ events: [...events, 'ping'] })],
])('a service that writes %s: one subscription, in every process', async (_name, rewrite) => {
	n8n.url = 'https://n8n.example.com/webhook/%C3%BC/webhook';
	service.rewrite = rewrite;
	await publish();
	await checks(5);
	await n8n.restart();
	await checks(5);
	await publish();
	expect(posts()).toBe(1);
	expect(n8n.logged).toEqual([]);
	// What changes after that is repaired.
	service.hooks[0]!.events = ['something.else'];
	await checks(1);
	expect(service.ids).toEqual(['wh_2']);
	await n8n.unpublish();
	expect(service.hooks).toEqual([]);
});

describe('trouble with reading deliveries', () => {
	const former = () => stateIn(n8n.context('trigger')).stored.former.map(({ webhookId }) => webhookId);

	beforeEach(async () => {
		await publish();
		service.hooks[0]!.status = 'disabled';
		service.record('dead_letter', { event: newEvent() });
	});

	it('of one holds back no repair and no other, only its own deletion, which follows', async () => {
		service.hooks.push({ ...service.hooks[0]!, id: 'wh_double' });
		service.fail('a forbidden scope', 'GET', /wh_1.deliveries/);
		await checks(1);
		expect([service.ids, former()]).toEqual([['wh_1', 'wh_2'], ['wh_1']]);
		await works(n8n, service.hooks[1]);
		await checks(1);
		expect([posts(), former()]).toEqual([2, ['wh_1']]);
		service.heal();
		// Once n8n has stored what was not delivered, the obsolete one goes.
		await checks(2);
		expect([service.ids, former()]).toEqual([['wh_2'], []]);
		expect(n8n.emitted).toHaveLength(1);
	});

	it('is remembered while the credential is for another service', async () => {
		service.fail('a forbidden scope', 'GET', /deliveries/);
		await checks(1);
		n8n.service = new FakeService();
		await checks(1);
		expect(former().sort()).toEqual(['wh_1', 'wh_2']);
	});

	it('for a day, since it was replaced: by then there is nothing left to deliver', async () => {
		service.hooks[0]!.status = 'active';
		service.fail('a forbidden scope', 'GET', /deliveries/);
		await checks(1);
		await n8n.check(24 * HOUR);
		service.hooks[0]!.status = 'disabled';
		await checks(1);
		await n8n.check(23 * HOUR);
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		await n8n.check(HOUR);
		expect(service.ids).toEqual(['wh_2']);
	});
});

describe('unpublishing', () => {
	it('deletes it also where the credential names a workspace by now that the key does not reach', async () => {
		n8n.workspaceId = 'ws_1';
		await publish();
		n8n.workspaceId = 'ws_2';
		service.fault = ({ workspace }) => (workspace === 'ws_2' ? faults['a forbidden scope'] : undefined);
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it('that failed, then the workspace was changed, then published: nothing stays', async () => {
		n8n.parameters.options = { workspaceId: 'ws_1' };
		await publish();
		service.fail('a 502 without an envelope');
		await expect(n8n.unpublish()).rejects.toThrow();
		service.heal();
		n8n.parameters.options = { workspaceId: 'ws_2' };
		await publish();
		expect(service.hooks).toHaveLength(1);
		await n8n.unpublish();
		expect(service.hooks).toEqual([]);
	});

	it('that failed, then n8n got another address: it is named, and goes when n8n is back', async () => {
		await publish();
		const { url } = n8n;
		service.fail('a 502 without an envelope');
		await expect(n8n.unpublish()).rejects.toThrow();
		service.heal();
		n8n.url = 'https://new.example.com/webhook/a/webhook';
		await publish();
		await checks(1);
		expect(n8n.warnings.join()).toContain(`the service also delivers to ${url} (subscription wh_1)`);
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		n8n.url = url;
		await publish();
		expect(service.ids).toEqual(['wh_2', 'wh_3']);
	});

	const staleId = async (id: string) => {
		await publish();
		n8n.staticData.current.webhookId = id;
		n8n.forget();
	};

	it.each(['wh_of_somebody', '..'])('of one whose ID is refused (%s): told, and done', async (id) => {
		await staleId(id);
		service.fail('a forbidden scope', 'DELETE', /wh_of_somebody/);
		await n8n.unpublish();
		expect([service.hooks, n8n.staticData]).toEqual([[], {}]);
		expect(n8n.warnings).toEqual([`Trigger: the service refuses to delete the subscription ${id}`]);
	});

	it.each<[string, FaultName, RegExp, RegExp]>([
		['that the service lists here, refused', 'a forbidden scope', /wh_1/, /not allowed/],
		[
			'that it may have, after an error',
			'a 500 for good after acting',
			/wh_of_somebody/,
			/answered with an error/,
		],
	])('of one %s: fails, and keeps what is stored', async (_name, fault, path, message) => {
		await staleId('wh_of_somebody');
		service.fail(fault, 'DELETE', path);
		await expect(n8n.unpublish()).rejects.toThrow(message);
		expect(n8n.staticData.current.webhookId).toBe('wh_of_somebody');
	});
});

it.each([true, false])(
	'secrets, stored or derived, are in no error, log line or failed execution where the service repeats them (%p)',
	async (takesSecret) => {
		service.takesSecret = takesSecret;
		await publish();
		const { secret } = service.hooks[0]!;
		const says = `no webhook for ${secret} here`;
		service.fault = () => () => refused(403, 'X', { message: says, request_id: secret });
		await checks(4);
		const errors = [
			await n8n.hook('checkExists').catch((error: unknown) => error),
			await n8n.hook('create').catch((error: unknown) => error),
			await n8n.hook('remove').catch((error: unknown) => error),
			await n8n.hook('remove').catch((error: unknown) => error),
		].map((error: any) => [error.message, error.description, error.context, error.messages, error.stack]);
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
	await publish();
	await checks(2);
	service.hooks = [];
	jest.setSystemTime(Date.now() + hours * HOUR);
	await n8n.check(60_000);
	expect(service.ids).toEqual([]);
	await n8n.check(15 * 60_000);
	expect(service.ids).toEqual(['wh_2']);
});

describe('a subscription that the list had late, or left out once, and that somebody deletes', () => {
	it.each<[string, () => void]>([
		['a second late', () => (service.lagMs = 1_000)],
		['never when it was made', () => (service.list = () => [])],
	])(
		'%s: while n8n is stopped, the start makes another one; while it runs, the next check does',
		async (_name, lists) => {
			const { list } = service;
			lists();
			await publish();
			[service.lagMs, service.list] = [0, list];
			await n8n.stop();
			service.hooks = [];
			await n8n.restart();
			expect(service.ids).toEqual(['wh_2']);
			await works();
			lists();
			service.hooks = [];
			await checks(1);
			[service.lagMs, service.list] = [0, list];
			expect(service.ids).toEqual(['wh_3']);
			service.hooks = [];
			await checks(1);
			expect(service.ids).toEqual(['wh_4']);
			await checks(3);
			expect(posts()).toBe(4);
		},
	);
});

describe('what an obsolete subscription still tries to deliver', () => {
	it('when a change is published is recovered by the check, which deletes it then', async () => {
		await publish();
		const event = newEvent();
		service.record('failed', { event });
		n8n.parameters.events = ['post.published'];
		await publish();
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		expect(n8n.staticData.former).toMatchObject([{ webhookId: 'wh_1' }]);
		await checks(1);
		expect([n8n.behind.map(({ id }) => id), service.ids]).toEqual([[event.id], ['wh_1', 'wh_2']]);
		await checks(1);
		expect([n8n.behind.length, service.ids]).toEqual([1, ['wh_2']]);
	});

	it('with nothing to deliver, or without recovery, goes as the change is published', async () => {
		await publish();
		n8n.parameters.events = ['post.published'];
		await publish();
		expect(service.ids).toEqual(['wh_2']);
		service.record('failed', { event: newEvent() });
		n8n.parameters = { events: ['post.failed'], options: { catchUp: false } };
		await publish();
		expect(service.ids).toEqual(['wh_3']);
	});

	it('is not lost where n8n is killed, or cannot store the execution, after a check has read it', async () => {
		await publish();
		const event = newEvent();
		service.record('failed', { event });
		service.hooks[0]!.status = 'disabled';
		n8n.executionFailure = new Error('killed');
		await checks(3);
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		n8n.executionFailure = undefined;
		await n8n.restart();
		await checks(2);
		expect(n8n.behind.map(({ id }) => id)).toEqual([event.id]);
		expect(service.ids).toHaveLength(1);
	});
});

it('a dead letter with the zero time of Go as its delivery is recovered', async () => {
	await publish();
	const event = newEvent();
	service.record('dead_letter', {
		event,
		delivered_at: '0001-01-01T00:00:00Z',
		updated_at: new Date().toISOString(),
	});
	await checks(1);
	expect(n8n.behind).toMatchObject([{ id: event.id, recovered: true }]);
});

describe('a service with a limit', () => {
	const limited = (status: number) =>
		(service.fault = ({ method }) =>
			method === 'POST' && service.hooks.some(({ url }) => url === n8n.url)
				? () => refused(status, 'LIMIT')
				: undefined);

	it.each([
		['one subscription an address', 409],
		['so many in all', 403],
	])(
		'of %s (%d): the left-over at our own address goes first, then publishing works',
		async (_name, status) => {
			await publish();
			n8n.forget();
			n8n.staticData = {};
			limited(status);
			await publish();
			expect(service.ids).toEqual(['wh_2']);
			// A check, too: the disabled one has nothing to deliver any more.
			service.hooks[0]!.status = 'disabled';
			await checks(1);
			expect(service.ids).toEqual(['wh_3']);
			await works();
		},
	);

	it('in a check recovers first what the obsolete one had not delivered', async () => {
		await publish();
		const event = newEvent();
		service.record('failed', { event });
		service.hooks[0]!.status = 'disabled';
		limited(409);
		await checks(1);
		expect([n8n.behind.map(({ id }) => id), service.ids]).toEqual([[event.id], ['wh_1']]);
		await checks(1);
		expect(service.ids).toEqual(['wh_2']);
	});

	it.each([401, 429])('without a limit (%d): nothing is deleted', async (status) => {
		await publish();
		n8n.forget();
		n8n.staticData = {};
		limited(status);
		await expect(n8n.publish({ tries: 1 })).rejects.toThrow();
		expect(service.deleted).toEqual([]);
	});
});

it('publishing at the rate limit advises nothing that the trigger does not have', async () => {
	service.fail('a rate limit');
	const error = await n8n.hook('create').catch((one) => one);
	expect(error.description).toBe('Wait a minute, then try again.');
});

it('what a check made in a workspace that was left while n8n was stopped is found there, and goes', async () => {
	n8n.workspaceId = 'ws_1';
	await publish();
	service.hooks = [];
	await checks(1);
	await n8n.stop();
	n8n.workspaceId = 'ws_2';
	await n8n.restart();
	await checks(2);
	expect(service.hooks).toMatchObject([{ workspace: 'ws_2' }]);
});
