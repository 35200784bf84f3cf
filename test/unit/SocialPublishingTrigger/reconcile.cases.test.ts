import type { IDataObject } from 'n8n-workflow';

import {
	FakeN8n,
	FakeService,
	faults,
	newEvent,
	through,
	type Hook,
	anewForEachTest,
	n8n,
	service,
} from './fakes';

/** Services, copies and credentials that once cost a subscription, or made one more with every check. */

anewForEachTest();

const publish = async (one = n8n) => {
	await one.publish();
	await one.start('activate');
};
const checks = async (times: number, one = n8n) => {
	for (let i = 0; i < times; i++) await one.check();
};
const ids = () => service.hooks.map(({ id }) => id);
const posts = () => service.asked(/^\/webhooks$/).filter((one) => one.startsWith('POST')).length;
const works = async (one = n8n, { secret } = service.hooks.find(({ url }) => url === one.url)!) => {
	const event = newEvent();
	expect(await one.deliver(event, { secret })).toMatchObject({ status: 200 });
	expect(one.behind).toContainEqual(event);
};

describe('another n8n', () => {
	it.each([false, true])(
		'that is a copy of this one at another address takes nothing from it, started or published (%p)',
		async (isPublished) => {
			await publish();
			const [production] = service.hooks;
			const copy = new FakeN8n(service);
			copy.staticData = structuredClone(n8n.staticData);
			copy.url = 'https://copy.example.com/webhook/a/webhook';
			if (isPublished) await publish(copy);
			else await copy.restart();
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
		},
	);
});

describe('the credential', () => {
	it('points to another service that uses the same IDs: nothing of anybody is deleted there', async () => {
		service.newId = String;
		await publish();
		const other = new FakeService();
		other.newId = (made) => String(made + 1);
		const somebodys: Hook = { ...service.hooks[0]!, id: '1', url: 'https://somebody.example.com' };
		other.hooks.push(somebodys);
		n8n.service = other;
		await checks(1);
		expect(other.hooks.map(({ id }) => id)).toEqual(['1', '2']);
		await publish();
		await n8n.unpublish();
		expect(other.hooks).toEqual([somebodys]);
		expect(service.hooks).toHaveLength(1);
	});

	it.each(['a check', 'publishing', 'a start'])(
		'names another workspace: %s moves the subscription, and nothing stays',
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
});

it('the key no longer reaches the former workspace: told once, and no trouble', async () => {
	n8n.workspaceId = 'ws_1';
	await publish();
	n8n.workspaceId = 'ws_2';
	service.fault = ({ workspace }) => (workspace === 'ws_1' ? faults['a forbidden scope'] : undefined);
	await checks(4);
	expect(service.hooks.map(({ workspace }) => workspace)).toEqual(['ws_1', 'ws_2']);
	expect(n8n.warnings).toEqual([
		expect.stringContaining('the workspace was changed'),
		expect.stringContaining("can't remove the earlier subscription wh_1 of the workspace ws_1"),
	]);
	expect(n8n.failedExecutions).toEqual([]);
});

describe('a list', () => {
	it.each<[string, (all: object[]) => unknown]>([
		['that is paged, oldest first', (all) => all.slice(0, 1)],
		['that is null', () => null],
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
		const told = n8n.warnings.filter((one) => /does not list the subscription wh_1/.test(one));
		// Once by each process.
		expect(told).toHaveLength(2);
		await n8n.unpublish();
		expect(service.hooks).toEqual([somebodys]);
	});

	it('that is empty for a moment: nothing happens', async () => {
		await publish();
		let left = 1;
		service.list = (webhooks) => ({ webhooks: left-- > 0 ? [] : webhooks });
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
		expect(ids()).toEqual(['wh_2']);
	});
});

it.each<[string, (hook: Hook) => Partial<Hook>]>([
	[
		'addresses in capitals, with the port',
		({ url }) => ({ url: url.replace('n8n.example.com', 'N8N.EXAMPLE.COM:443') }),
	],
	['umlauts', ({ url }) => ({ url: decodeURI(url) })],
	['addresses of its own', () => ({ url: 'https://relay.example.com/17' })],
	['one event more', ({ events }) => ({ events: [...events, 'ping'] })],
	['one event less', ({ events }) => ({ events: events.slice(1) })],
	['events in capitals', ({ events }) => ({ events: events.map((one) => one.toUpperCase()) })],
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
	expect(ids()).toEqual(['wh_2']);
	await n8n.unpublish();
	expect(service.hooks).toEqual([]);
});

describe('trouble with reading deliveries', () => {
	beforeEach(async () => {
		await publish();
		service.hooks[0]!.status = 'disabled';
		service.record('dead_letter', { event: newEvent() });
	});

	it('holds back no repair, only the deletion, which follows', async () => {
		service.fail('a forbidden scope', 'GET', /deliveries/);
		await checks(1);
		expect(service.hooks.map(({ status }) => status)).toEqual(['disabled', 'active']);
		await works(n8n, service.hooks[1]);
		await checks(1);
		expect(posts()).toBe(2);
		service.heal();
		await checks(1);
		expect(ids()).toEqual(['wh_2']);
		expect(n8n.emitted).toHaveLength(1);
	});

	it('for a day: by then there is nothing left to deliver', async () => {
		service.fail('a forbidden scope', 'GET', /deliveries/);
		await checks(1);
		await n8n.check(24 * 60 * 60_000);
		expect(ids()).toEqual(['wh_2']);
	});
});

describe('unpublishing', () => {
	it.each<[string, (options: IDataObject) => void]>([
		['the workspace', (options) => (options.workspaceId = 'ws_2')],
		['nothing', () => undefined],
	])('that failed, then %s was changed, then published: nothing stays', async (_name, change) => {
		n8n.parameters.options = { workspaceId: 'ws_1' };
		await publish();
		service.fail('a 502 without an envelope');
		await expect(n8n.unpublish()).rejects.toThrow();
		service.heal();
		change(n8n.parameters.options as IDataObject);
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
		expect(ids()).toEqual(['wh_1', 'wh_2']);
		n8n.url = url;
		await publish();
		expect(ids()).toEqual(['wh_2', 'wh_3']);
	});

	it('of one whose ID is refused: done where the service does not list it here, else not', async () => {
		await publish();
		n8n.staticData.current.webhookId = 'wh_of_somebody';
		n8n.forget();
		service.fail('a forbidden scope', 'DELETE', /wh_of_somebody/);
		await n8n.unpublish();
		expect([service.hooks, n8n.staticData]).toEqual([[], {}]);
		await publish();
		service.fail('a forbidden scope', 'DELETE');
		await expect(n8n.unpublish()).rejects.toThrow(/not allowed/);
		expect(n8n.staticData.current.webhookId).toBe('wh_2');
	});
});

describe('secrets', () => {
	it.each([true, false])(
		'stored or derived, are in no error, log line or failed execution where the service repeats them (%p)',
		async (takesSecret) => {
			service.takesSecret = takesSecret;
			await publish();
			const { secret } = service.hooks[0]!;
			const says = `no webhook for ${secret} here`;
			const repeat = () => ({
				statusCode: 403,
				headers: {},
				body: { success: false, error: { code: 'X', message: says }, request_id: secret },
			});
			service.fault = () => repeat;
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
});

it('a clock that is set back a day: the next check comes as soon', async () => {
	await publish();
	await checks(2);
	service.hooks = [];
	jest.setSystemTime(Date.now() - 24 * 60 * 60_000);
	await n8n.check(3_000);
	expect(ids()).toEqual(['wh_2']);
});

it('a refused request because of the rate limit is not told, and is tried again soon', async () => {
	await publish();
	service.hooks = [];
	service.fail('a rate limit');
	for (let i = 0; i < 6; i++) await n8n.check(3 * 60_000 * (i === 0 ? 6 : 1));
	expect([n8n.logged, n8n.failedExecutions]).toEqual([[], []]);
	service.heal();
	await n8n.check(3 * 60_000);
	expect(ids()).toEqual(['wh_2']);
});
