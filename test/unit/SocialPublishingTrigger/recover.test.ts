import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { runs } from '../../support/property';
import {
	anewForEachTest,
	DAY,
	FakeN8n,
	FakeService,
	HOUR,
	MINUTE,
	n8n,
	newEvent,
	NOON,
	refused,
	service,
} from './fakes';

/** What the service could not deliver comes out behind the trigger: once, and nothing else. */

anewForEachTest(async () => await n8n.goLive());

const at = (ms: number) => new Date(ms).toISOString();
const idsBehind = () => n8n.behind.map(({ id }) => id);
/** The states of deliveries that were asked for since the last time. */
const statesAsked = () => {
	const asked = service.sent.filter(({ path }) => path.endsWith('/deliveries')).map(({ qs }) => qs.status);
	service.sent.length = 0;
	return asked;
};

/** An event that did not get through; the service's record of it. */
function lose(status = 'failed', more: IDataObject = {}, event = newEvent()): string {
	service.record(status, { event, ...more });
	return event.id;
}

const executionsFail = () => (n8n.executionFailure = new Error('the database is away'));
const heal = () => {
	n8n.executionFailure = undefined;
	service.heal();
};

it('recovers the deliveries of all pages', async () => {
	service.pageSize = 25;
	const lost = Array.from({ length: 60 }, () => lose());
	await n8n.check();
	expect(idsBehind().sort()).toEqual(lost.sort());
	expect(n8n.warnings).toEqual([]);
});

describe('a list of many pages', () => {
	const requests = (status: string) => service.sent.filter(({ qs }) => qs.status === status).length;
	beforeEach(() => {
		service.pageSize = 25;
		service.sent.length = 0;
	});

	it("is read to its end where it takes more reads than a minute's: it goes on in the next minute", async () => {
		service.limit(60);
		const lost = ['failed', 'dead_letter'].flatMap((status) =>
			Array.from({ length: 1_500 }, () => lose(status)),
		);
		const start = Date.now();
		await n8n.check();
		expect(idsBehind().sort()).toEqual(lost.sort());
		expect(n8n.warnings).toEqual([]);
		expect(Date.now() - start - 16 * MINUTE).toBeLessThanOrEqual(3 * MINUTE);
		expect([requests('failed'), requests('dead_letter'), requests('delivered')]).toEqual([61, 61, 1]);
	});

	it('is held up by no limit longer than a minute and a quarter', async () => {
		const limit = () => refused(429, 'PUBLIC_API_RATE_LIMITED', { headers: { 'retry-after': '20' } });
		service.fault = ({ path }) => (path.endsWith('/deliveries') ? limit : undefined);
		lose();
		const start = Date.now();
		await n8n.check();
		const seconds = (Date.now() - start) / 1000 - 16 * 60;
		expect(seconds).toBeGreaterThan(55);
		expect(seconds).toBeLessThanOrEqual(75);
		expect([n8n.behind, n8n.failedExecutions]).toEqual([[], []]);
	});

	it('is read no further once n8n has stopped the trigger', async () => {
		for (let i = 0; i < 250; i++) lose();
		service.before = async ({ qs }) => void (qs.page === 3 && (await n8n.stop()));
		await n8n.check();
		expect([requests('failed'), n8n.behind]).toEqual([3, []]);
	});

	it('of those that were delivered, the latest 2,000 are read', async () => {
		for (let ago = 0; ago < 2_100; ago++) lose('delivered', { updated_at: at(Date.now() - ago * 1000) });
		await n8n.check();
		expect([idsBehind().length, requests('delivered'), n8n.warnings]).toEqual([2_000, 80, []]);
	});
});

it('says in the log, once, that further deliveries could not be read', async () => {
	Object.assign(service, {
		pageSize: 25,
		more: () => ({ has_more: true, next: 'https://elsewhere.example' }),
	});
	Array.from({ length: 60 }, () => lose());
	await n8n.checks(2);
	expect(idsBehind()).toHaveLength(25);
	expect(n8n.warnings).toEqual([
		expect.stringMatching(/more deliveries in the state 'failed' than can be recovered/),
	]);
});

it('hands on failed and dead-lettered deliveries, marked, the oldest first, as one execution; later copies are duplicates', async () => {
	const events = ['11:02', '11:00', '11:01'].map((time) =>
		newEvent({ occurred_at: `2026-11-20T${time}:00Z` }),
	);
	const [c, a, b] = events.map(({ id }) => id);
	['failed', 'dead_letter', 'failed'].forEach((status, i) =>
		lose(status, { last_error: 'HTTP 500' }, events[i]!),
	);
	await n8n.check();
	expect(idsBehind()).toEqual([a, b, c]);
	expect(n8n.emitted).toHaveLength(1);
	expect(n8n.behind[0]).toEqual({
		...events[1],
		recovered: true,
		delivery: { status: 'dead_letter', attempts: 3, last_error: 'HTTP 500', webhook_id: 'wh_1' },
	});
	expect(await n8n.deliver(events[0])).toMatchObject({ status: 200, body: { status: 'duplicate' } });
});

it('reads all until it was handed on, also after an execution that failed; then dead letters every six hours, and no delivered ones', async () => {
	const dead = ['failed', 'dead_letter'];
	const all = [...dead, 'delivered'];
	const cannotRead = () => service.fail('a forbidden scope', 'GET', /deliveries/);
	await n8n.restart();
	for (const [status, after, trouble, states] of [
		['delivered', 3_000, executionsFail, all],
		['failed', 16 * MINUTE, cannotRead, ['failed']],
		['failed', 16 * MINUTE, heal, all],
		['failed', 16 * MINUTE, heal, ['failed']],
		['dead_letter', 6 * HOUR, executionsFail, dead],
		['failed', 16 * MINUTE, heal, all],
		['dead_letter', 6 * HOUR, cannotRead, ['failed']],
		['failed', 16 * MINUTE, heal, dead],
		['failed', 16 * MINUTE, executionsFail, ['failed']],
		['failed', 16 * MINUTE, heal, all],
	] as const) {
		lose(status);
		trouble();
		statesAsked();
		await n8n.check(after);
		expect(statesAsked()).toEqual(states);
	}
	expect(n8n.behind).toHaveLength(10);
	// The clock was set back.
	jest.setSystemTime(Date.now() - DAY);
	await n8n.check();
	expect(statesAsked()).toEqual(['failed']);
});

it('hands on events and brands that were asked for, unless it is turned off', async () => {
	const wanted = lose('failed', {}, newEvent({ brand_id: 'br_2' }));
	lose('failed', {}, newEvent({ type: 'post.created', brand_id: 'br_2' }));
	lose();
	await n8n.goLive({ catchUp: false });
	await n8n.check();
	expect(statesAsked()).not.toContain('failed');
	await n8n.goLive({ brandIds: 'br_2' });
	await n8n.check();
	expect(idsBehind()).toEqual([wanted]);
});

it.each([
	['failed', 7 * DAY],
	['dead_letter', 7 * DAY],
	['delivered', DAY],
])('hands on %s deliveries of the last %d ms, by whatever says when, or nothing', async (status, back) => {
	// When the check happens.
	const since = Date.now() + 16 * MINUTE - back;
	const [recent, old] = [at(since), at(since - 1)];
	const changed = 'updated_at';
	const wanted = [
		lose(status, { [changed]: recent, created_at: old }),
		lose(status, { created_at: recent }, newEvent({ occurred_at: old })),
		lose(status, {}, newEvent({ occurred_at: recent })),
		lose(status, {}, newEvent({ occurred_at: null })),
	];
	lose(status, { [changed]: old, created_at: recent });
	lose(status, { created_at: old });
	lose(status, {}, newEvent({ occurred_at: old }));
	await n8n.check();
	expect(idsBehind().sort()).toEqual(wanted.sort());
});

it('hands on all at once, in executions of at most 500 events', async () => {
	const ids = Array.from({ length: 1100 }, () => lose('dead_letter'));
	await n8n.checks(2);
	expect(idsBehind()).toEqual(ids);
	expect(n8n.emitted.map(({ items }) => items.length)).toEqual([500, 500, 100]);
});

it('reads in the workspace of the node; a subscription that has gone meanwhile (404 or 410) has no deliveries', async () => {
	await n8n.goLive({ workspaceId: 'ws_2' });
	await n8n.check();
	service.sent.length = n8n.logged.length = 0;
	service.before = ({ path }) => void (path.endsWith('/deliveries') && (service.hooks = []));
	await n8n.check();
	expect(service.sent.map(({ workspace }) => workspace)).toEqual(Array(2).fill('ws_2'));
	expect(n8n.logged).toEqual([]);
	service.before = () => undefined;
	service.fail(() => refused(410, 'PUBLIC_API_WEBHOOK_GONE'), '', /wh_2/);
	await n8n.checks(3);
	expect(service.ids).toEqual(['wh_3']);
	expect(n8n.warnings).toEqual([expect.stringMatching(/no longer lists it$/)]);
});

describe('what n8n can tell', () => {
	it("are the latest deliveries that n8n's list can hold, with room for new ones: a start runs none of them again", async () => {
		await n8n.goLive({ rememberEvents: 20 });
		for (let i = 0; i < 50; i++) {
			const event = newEvent({ occurred_at: at(Date.now()) });
			await n8n.deliver(event);
			service.record('delivered', { event, updated_at: at(Date.now()) });
			jest.setSystemTime(Date.now() + 1000);
		}
		const lost = lose('dead_letter', { updated_at: at(Date.now()) });
		for (let starts = 0; starts < 2; starts++) {
			await n8n.restart();
			await n8n.checks(2);
		}
		expect(n8n.behind).toHaveLength(51);
		expect(idsBehind().at(-1)).toBe(lost);
		expect(n8n.logged).toEqual([]);
	});

	it.each([10, 1])(
		'of each state are the latest %d: older ones are told, and not handed on with a later check',
		async (most) => {
			await n8n.goLive({ rememberEvents: most });
			for (const status of ['dead_letter', 'delivered']) lose(status, { created_at: at(Date.now() - HOUR) });
			// Without a time, it counts as recent.
			const ids = Array.from({ length: most }, () =>
				lose('dead_letter', {}, newEvent({ occurred_at: null })),
			);
			const arrived = Array.from({ length: most }, () =>
				lose('delivered', {}, newEvent({ occurred_at: null })),
			);
			await n8n.checks(3);
			await n8n.check(6 * HOUR);
			expect(idsBehind().sort()).toEqual([...ids, ...arrived].sort());
			const told = `Trigger: the service has more deliveries in the state 'dead_letter' than can be recovered`;
			expect(n8n.warnings).toEqual([expect.stringContaining(told)]);
		},
	);
});

describe('a delivery record that does not hold its event', () => {
	it('that failed waits: the service sends the whole event, which is no duplicate; one that was given up does not', async () => {
		const event = newEvent();
		service.record('failed', { event_id: event.id, event_type: event.type });
		service.record('dead_letter', { event_id: 'evt_a', event_type: 'post.failed' });
		await n8n.check();
		expect(n8n.behind).toMatchObject([{ id: 'evt_a', type: 'post.failed', recovered: true }]);
		expect(await n8n.deliver(event)).toMatchObject({ status: 200, body: undefined });
		expect(n8n.behind[1]).toEqual(event);
		expect(n8n.logged).toEqual([]);
	});

	it.each<[string, IDataObject]>([
		["a post's type in place of the name of an event", { payload: { id: 'p_1', type: 'post.image' } }],
		['no event', { note: 'x' }],
		['no type', { event_id: 'evt_a' }],
	])('and has %s is left out', async (_name, record) => {
		service.record('dead_letter', record);
		await n8n.check();
		expect([n8n.emitted, n8n.warnings]).toEqual([[], []]);
	});
});

describe('the execution', () => {
	it('has a key for its events and the minute: of processes that check at once, one starts it', async () => {
		// That execution may have died with its process: not for longer than a minute.
		for (const [time, events] of [
			['12:30:00', 'ba'],
			['12:30:59', 'ab'],
			['12:31:00', 'ab'],
			['12:31:01', 'cd'],
		] as const) {
			service.deliveries = [];
			for (const id of events) lose('failed', {}, newEvent({ id }));
			// Another process, which has not heard of what this one did.
			n8n.forget();
			n8n.processed = [];
			jest.setSystemTime(Date.parse(`2026-11-20T${time}Z`) - 16 * MINUTE);
			await n8n.goLive();
			await n8n.check();
		}
		const key = (minute: string) =>
			expect.stringMatching(`^social-publishing:${n8n.nodeId}:2026-11-20T${minute}:[0-9a-f]{32}$`);
		expect(n8n.emitted.map(({ items, key }) => [items.map(({ id }) => id).join(''), key])).toEqual([
			['ba', key('12:30')],
			['ab', key('12:31')],
			['cd', key('12:31')],
		]);
	});

	it('of a copy of the workflow, made with the same IDs of nodes, has a key of its own: n8n starts both', async () => {
		const copy = new FakeN8n(service);
		copy.forget();
		Object.assign(copy, { nodeId: n8n.nodeId, url: n8n.url.replace('/a/', '/b/') });
		await copy.goLive();
		const event = newEvent();
		for (const { id } of service.hooks) service.deliveries.push({ webhook_id: id, status: 'failed', event });
		await n8n.check();
		await copy.check(0);
		const [[own], [other]] = [n8n.emitted, copy.emitted];
		expect([own!.items[0]!.id, other!.items[0]!.id]).toEqual([event.id, event.id]);
		expect(other!.key.slice(0, -32)).toBe(own!.key.slice(0, -32));
		expect(other!.key).not.toBe(own!.key);
	});

	it('that another process has started may have died: its events are looked for again', async () => {
		const id = lose('delivered');
		executionsFail();
		await n8n.check();
		heal();
		await n8n.restart();
		await n8n.check(3_000);
		expect([n8n.emitted.length, n8n.behind]).toEqual([1, []]);
		await n8n.check();
		expect(idsBehind()).toEqual([id]);
	});

	it.each<[string, () => unknown]>([
		['n8n 1 starts', executionsFail],
		['Engine 2.0 starts', () => undefined],
		['a worker runs', () => jest.spyOn(n8n, 'execute').mockResolvedValue([])],
	])('that %s is not followed: its events count as taken', async (name, prepare) => {
		n8n.isOld = name === 'n8n 1 starts';
		n8n.isEngine2 = name === 'Engine 2.0 starts';
		await n8n.start('activate');
		lose();
		prepare();
		await n8n.checks(2);
		expect(n8n.emitted).toHaveLength(1);
	});
});

describe('from posts, where deliveries do not name their event', () => {
	const post = (id: string, more: IDataObject = {}) =>
		service.posts.push({ id, status: 'completed', brand_id: 'br_1', updated_at: at(Date.now()), ...more });
	const postsAsked = () => service.asked(/^\/posts/).length;
	const postsBehind = () => n8n.behind.map(({ data }) => (data as IDataObject).post_id);

	beforeEach(async () => await n8n.goLive({ catchUpFromPosts: true }));

	it('hands on the end of a post, once, also when the service then delivers it, and after a restart', async () => {
		post('p_lost');
		post('p_failed', { status: 'failed' });
		post('p_canceled', { status: 'canceled' });
		post('p_other', { brand_id: 'br_2' });
		service.record('failed', {});
		await n8n.goLive({ brandIds: 'br_1' });
		await n8n.check();
		// Off by default.
		expect(postsAsked()).toBe(0);
		await n8n.goLive({ catchUpFromPosts: true, brandIds: 'br_1' });
		await n8n.check();
		expect(postsBehind().sort()).toEqual(['p_failed', 'p_lost']);
		expect(n8n.behind.find(({ type }) => type === 'post.published')).toMatchObject({
			id: 'post.published:p_lost',
			recovered: true,
			recovered_from: 'post',
		});
		await n8n.deliver(newEvent({ data: { post_id: 'p_lost' } }));
		await n8n.restart();
		await n8n.check();
		expect(postsBehind()).toHaveLength(2);
	});

	it('not what came through the webhook, nor what a delivery names', async () => {
		const event = newEvent({ data: { post_id: 'p_came' } });
		await n8n.deliver(event);
		post('p_came');
		post('p_named');
		const named = lose('failed', {}, newEvent({ data: { post_id: 'p_named' } }));
		service.record('failed', {});
		await n8n.check();
		expect(idsBehind()).toEqual([event.id, named]);
		expect(n8n.emitted).toMatchObject([{ items: [{ id: named }] }]);
	});

	it('reads posts only where a delivery is unnamed, or after a time without a subscription, until that has worked', async () => {
		const cannotRead = () => service.fail('a 500', 'GET', /^\/posts/);
		const isGone = (id: string) => {
			service.hooks = [];
			post(id);
		};
		const steps: Array<[() => unknown, boolean, string[]]> = [
			[() => lose(), false, []],
			[() => service.record('failed', {}), true, []],
			[() => (service.deliveries = []), false, []],
			[() => isGone('p_lost'), true, ['p_lost']],
			[() => undefined, false, []],
			// A start of n8n that subscribes anew.
			[async () => (isGone('p_later'), await n8n.restart()), true, ['p_later']],
			[() => undefined, false, []],
			[() => (cannotRead(), isGone('p_unread')), true, []],
			[heal, true, ['p_unread']],
			[() => (executionsFail(), isGone('p_failed')), true, []],
			[heal, true, ['p_failed']],
			[() => undefined, false, []],
		];
		const behind = [];
		for (const [i, [happens, isRead, posts]] of steps.entries()) {
			await happens();
			const before = postsAsked();
			await n8n.check();
			expect([i, postsAsked() > before]).toEqual([i, isRead]);
			behind.push(...posts);
			expect([i, postsBehind().slice(1)]).toEqual([i, behind]);
		}
		expect(n8n.warnings.filter((one) => /could not read the posts: \w/.test(one))).toHaveLength(1);
	});

	it.each<[string, () => unknown]>([
		['failed deliveries', () => service.record('failed', {})],
		['a time without a subscription', () => (service.hooks = [])],
		['another service', () => (n8n.service = Object.assign(new FakeService(), { posts: service.posts }))],
	])('goes back to when the workflow was published; for %s at most a week', async (_name, happens) => {
		const back = 7 * DAY;
		n8n.staticData.publishedAt = NOON - 30 * DAY;
		n8n.forget();
		await n8n.goLive();
		const now = Date.now() + 16 * MINUTE;
		post('p_old', { updated_at: at(now - back - 2000) });
		post('p_recent', { updated_at: at(now - back + 2000) });
		happens();
		await n8n.check();
		expect(postsBehind()).toEqual(['p_recent']);
	});

	it('leaves out what ended before the workflow was published', async () => {
		post('p_before', { updated_at: at(NOON - 1) });
		post('p_then', { updated_at: at(NOON) });
		service.record('failed', {});
		await n8n.check();
		expect(postsBehind()).toEqual(['p_then']);
	});

	it.each([() => (service.hooks = []), () => (service.hooks[0]!.status = 'disabled')])(
		'also where a change is published after a time without a subscription (%#)',
		async (happens) => {
			happens();
			post('p_lost');
			await n8n.goLive();
			await n8n.checks(2);
			expect(postsBehind()).toEqual(['p_lost']);
			expect(service.ids).toEqual(['wh_2']);
		},
	);
});

/** What may become of an event, as the service then lists its delivery. */
const becomes = {
	arrives: 'delivered',
	fails: 'failed',
	'is given up': 'dead_letter',
	'is swallowed': 'delivered',
	'is cut': 'failed',
	// n8n dies with its execution, before the trigger.
	crashes: 'delivered',
} as const;
/** … and what may happen in between. */
const steps = ['retry', 'check', 'restart', 'retry execution', 'executions fail', 'executions work'] as const;

it('every event comes out exactly once, whatever becomes of its deliveries, of executions and of n8n', async () => {
	const anything = fc.constantFrom(...(Object.keys(becomes) as Array<keyof typeof becomes>), ...steps);
	await fc.assert(
		fc.asyncProperty(fc.array(anything, { maxLength: 14 }), async (life) => {
			jest.clearAllTimers();
			jest.setSystemTime(NOON);
			const service = new FakeService();
			const n8n = new FakeN8n(service);
			await n8n.goLive();
			const events: string[] = [];
			const crashed: IDataObject[] = [];
			for (const step of life)
				if (step === 'check') await n8n.check();
				else if (step === 'restart') await n8n.restart();
				else if (step === 'retry execution') {
					// A person does where its event has not come out yet.
					const missing = crashed.find(({ id }) => !n8n.behind.some((one) => one.id === id));
					if (missing) await n8n.execute([missing], { mode: 'retry' });
				} else if (step === 'executions fail') n8n.executionFailure = new Error('killed');
				else if (step === 'executions work') n8n.executionFailure = undefined;
				else if (step === 'retry') {
					const delivery = service.deliveries.find(({ status }) => status === 'failed');
					if (delivery && (await n8n.deliver(delivery.event)).status === 200) delivery.status = 'delivered';
				} else {
					const event = newEvent({ occurred_at: at(Date.now()) });
					events.push(event.id);
					n8n.answerWith = () => (step === 'is cut' ? undefined : 200);
					if (step === 'arrives' || step === 'is cut') await n8n.deliver(event);
					n8n.answerWith = () => 200;
					service.record(becomes[step], { event });
					if (step === 'crashes') {
						crashed.push(event);
						await n8n.restart();
					}
				}
			n8n.executionFailure = undefined;
			await n8n.restart();
			await n8n.checks(2);
			expect(n8n.behind.map(({ id }) => id).sort()).toEqual(events.sort());
		}),
		runs(60),
	);
});
