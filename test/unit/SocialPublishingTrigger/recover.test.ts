import fc from 'fast-check';
import omit from 'lodash/omit';
import type { IDataObject } from 'n8n-workflow';

import { runs } from '../../support/property';
import { FakeN8n, FakeService, newEvent, anewForEachTest, n8n, refused, service, NOON } from './fakes';

/** What the service could not deliver comes out behind the trigger: once, and nothing else. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const start = async (one: FakeN8n) => {
	await one.publish();
	await one.start('activate');
};
anewForEachTest(async () => await start(n8n));

/** Published with these options. */
const choose = async (options: IDataObject) => {
	n8n.parameters.options = options;
	await n8n.start('activate');
};

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

describe('what is handed on', () => {
	it('failed and dead-lettered deliveries, marked, the oldest first, as one execution; later copies are duplicates', async () => {
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
		await n8n.check();
		await n8n.restart();
		await n8n.check();
		expect(idsBehind()).toEqual([a, b, c]);
	});

	it('what n8n answered by itself while it was starting: looked at until it was handed on, then no more', async () => {
		await n8n.restart();
		const id = lose('delivered');
		n8n.executionFailure = new Error('the database is away');
		await n8n.check(3_000);
		expect(statesAsked()).toEqual(['dead_letter', 'failed', 'delivered']);
		n8n.executionFailure = undefined;
		await n8n.check();
		expect(statesAsked()).toContain('delivered');
		expect(idsBehind()).toEqual([id]);
		await n8n.check();
		expect(statesAsked()).toEqual(['failed']);
		// A dead letter has been a failed delivery for 22 hours.
		lose('dead_letter');
		n8n.executionFailure = new Error('the database is away');
		await n8n.check(6 * HOUR);
		expect(statesAsked()).toEqual(['dead_letter', 'failed']);
		n8n.executionFailure = undefined;
		await n8n.check();
		expect(statesAsked()).toEqual(['dead_letter', 'failed']);
		// The clock was set back.
		jest.setSystemTime(Date.now() - DAY);
		await n8n.check();
		expect(statesAsked()).toEqual(['failed']);
		// A failure of something else is none of its business.
		lose();
		n8n.executionFailure = new Error('the database is away');
		await n8n.check();
		await n8n.check();
		expect(statesAsked()).not.toContain('delivered');
	});

	it('nothing that came through the webhook, nor what is just being accepted', async () => {
		const event = newEvent();
		await n8n.deliver(event);
		lose('delivered', {}, event);
		lose('failed', {}, event);
		await n8n.check();
		expect(n8n.emitted).toEqual([]);
		await n8n.restart();
		await n8n.check();
		expect(n8n.emitted).toHaveLength(1);
		expect(n8n.behind).toEqual([event]);
	});

	it('events and brands that were asked for, unless it is turned off', async () => {
		const wanted = lose('failed', {}, newEvent({ brand_id: 'br_2' }));
		lose('failed', {}, newEvent({ type: 'post.created', brand_id: 'br_2' }));
		lose();
		await choose({ catchUp: false });
		await n8n.check();
		expect(statesAsked()).toEqual([]);
		await choose({ brandIds: 'br_2' });
		await n8n.check();
		expect(idsBehind()).toEqual([wanted]);
		expect(n8n.logged).toEqual([]);
	});

	it.each([
		['failed', 7 * DAY],
		['dead_letter', 7 * DAY],
		['delivered', DAY],
	])(
		'%s deliveries of the last %d ms, by whatever says when; without a time they count as recent',
		async (status, back) => {
			// When the check happens.
			const since = Date.now() + 16 * 60_000 - back;
			const [recent, old] = [at(since), at(since - 1)];
			const changed = status === 'delivered' ? 'delivered_at' : 'updated_at';
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
		},
	);

	it.each([{}, { catchUpFromPosts: true }])(
		'no event that is nested so deeply that n8n cannot store it: it holds nothing else up (%j)',
		async (options) => {
			await choose(options);
			let data: IDataObject = {};
			for (let levels = 0; levels < 5000; levels++) data = { data };
			const event = newEvent({ data });
			service.record('dead_letter', { event });
			service.record('dead_letter', {
				payload: `{"id":"evt","type":"post.failed","data":${'['.repeat(5000)}${']'.repeat(5000)}}`,
			});
			service.record('dead_letter', { event, event_id: event.id, event_type: event.type });
			const other = lose();
			await n8n.check();
			expect(n8n.behind).toMatchObject([{ id: event.id, type: event.type, recovered: true }, { id: other }]);
			expect(n8n.behind[0]).not.toHaveProperty('data');
			expect(n8n.warnings.filter((one) => !/no event ID/.test(one))).toEqual([]);
		},
	);

	it('no event without a brand where brands were chosen: that is no trouble with the record', async () => {
		service.record('delivered', { event: omit(newEvent(), 'brand_id') });
		await choose({ brandIds: 'br_1' });
		await n8n.check();
		expect([n8n.emitted, n8n.logged]).toEqual([[], []]);
	});

	it('all of them at once, in executions of at most 500 events', async () => {
		const ids = Array.from({ length: 1100 }, () => lose('dead_letter'));
		for (let checks = 0; checks < 2; checks++) await n8n.check();
		expect(idsBehind()).toEqual(ids);
		expect(n8n.emitted.map(({ items }) => items.length)).toEqual([500, 500, 100]);
	});

	it('of a subscription that is replaced, before it goes: by a start of n8n, or by a check', async () => {
		const first = lose();
		service.hooks[0]!.status = 'disabled';
		await n8n.restart();
		await n8n.check();
		const second = lose('dead_letter');
		service.hooks[0]!.status = 'disabled';
		await n8n.check();
		expect(idsBehind()).toEqual([first, second]);
		// It goes once n8n has stored what it had not delivered.
		expect(service.ids).toEqual(['wh_2', 'wh_3']);
		await n8n.check();
		expect(service.ids).toEqual(['wh_3']);
	});

	it('of a subscription whose deliveries are answered with 410 has gone: that is no trouble', async () => {
		service.hooks = [];
		service.fault = ({ path }) =>
			path.includes('wh_1') ? () => refused(410, 'PUBLIC_API_WEBHOOK_GONE') : undefined;
		for (let checks = 0; checks < 3; checks++) await n8n.check();
		expect(service.ids).toEqual(['wh_2']);
		expect(n8n.warnings).toEqual([expect.stringMatching(/no longer lists it$/)]);
	});

	it('is read in the workspace of the node; a subscription that has gone meanwhile has no deliveries', async () => {
		await choose({ workspaceId: 'ws_2' });
		await n8n.publish();
		await n8n.start('activate');
		service.sent.length = 0;
		service.before = ({ path }) => void (path.endsWith('/deliveries') && (service.hooks = []));
		await n8n.check();
		expect(service.sent.map(({ workspace }) => workspace)).toEqual(Array(2).fill('ws_2'));
		expect(n8n.logged).toEqual([]);
	});
});

it('what could not be read is read with the next check', async () => {
	for (const [after, states] of [
		[0, ['dead_letter', 'failed', 'delivered']],
		[6 * HOUR, ['dead_letter', 'failed']],
	] as const) {
		const id = lose();
		service.fail('a forbidden scope', 'GET', /deliveries/);
		await n8n.check(16 * MINUTE + after);
		expect(idsBehind()).not.toContain(id);
		service.heal();
		statesAsked();
		await n8n.check();
		expect(statesAsked()).toEqual(states);
		expect(idsBehind()).toContain(id);
	}
});

describe('what n8n can tell', () => {
	it("the latest deliveries that n8n's list can hold, with room for new ones: a start runs none of them again", async () => {
		await choose({ rememberEvents: 20 });
		for (let i = 0; i < 50; i++) {
			const event = newEvent({ occurred_at: at(Date.now()) });
			await n8n.deliver(event);
			service.record('delivered', { event, delivered_at: at(Date.now()) });
			jest.setSystemTime(Date.now() + 1000);
		}
		const lost = lose('dead_letter', { updated_at: at(Date.now()) });
		expect(n8n.behind).toHaveLength(50);
		for (let starts = 0; starts < 2; starts++) {
			await n8n.restart();
			for (let checks = 0; checks < 2; checks++) await n8n.check();
		}
		expect(n8n.behind).toHaveLength(51);
		expect(idsBehind().at(-1)).toBe(lost);
		expect(n8n.logged).toEqual([]);
	});

	it.each([
		[10, 9],
		[1, 1],
	])(
		'of %d: what was missed before the last %d is told, and not handed on with a later check',
		async (rememberEvents, most) => {
			await choose({ rememberEvents });
			const old = at(Date.now() - DAY);
			lose('dead_letter', { created_at: old });
			lose('failed', { created_at: old });
			const ids = Array.from({ length: most }, () => lose('dead_letter', { created_at: at(Date.now()) }));
			for (let checks = 0; checks < 3; checks++) await n8n.check();
			await n8n.check(6 * HOUR);
			expect(idsBehind().sort()).toEqual(ids.sort());
			expect(n8n.warnings[0]).toMatch(
				`Trigger: 2 undelivered events are older than the last ${most}, so n8n can't recognize`,
			);
		},
	);

	it('of deliveries without a time, as many', async () => {
		await choose({ rememberEvents: 10 });
		for (let i = 0; i < 15; i++) lose('delivered');
		for (let checks = 0; checks < 2; checks++) await n8n.check();
		expect(n8n.behind).toHaveLength(9);
	});
});

describe('a delivery record that does not hold its event', () => {
	it('that failed waits: the service sends the whole event, which is no duplicate; one that was given up does not', async () => {
		const event = newEvent();
		service.record('failed', { event_id: event.id, event_type: event.type });
		service.record('dead_letter', { event_id: 'evt_a', type: 'post.failed' });
		await n8n.check();
		expect(n8n.behind).toMatchObject([{ id: 'evt_a', type: 'post.failed', recovered: true }]);
		expect(await n8n.deliver(event)).toMatchObject({ status: 200, body: undefined });
		expect(n8n.behind[1]).toEqual(event);
		expect(n8n.logged).toEqual([]);
	});

	it.each<[string, IDataObject, IDataObject, RegExp]>([
		['its event', { note: 'x' }, {}, /have no event ID.*Recover From Posts/],
		['its type', { event_id: 'evt_a' }, { catchUpFromPosts: true }, /have no type/],
		[
			'its brand, where brands were chosen',
			{ event_id: 'evt_a', type: 'post.failed' },
			{ brandIds: 'br_1' },
			/have no brand/,
		],
	])('and does not name %s is told once', async (_name, record, options, message) => {
		await choose(options);
		service.record('dead_letter', record);
		service.record('dead_letter', { ...record, more: 1 });
		for (let checks = 0; checks < 3; checks++) await n8n.check(7 * HOUR);
		expect(n8n.emitted).toEqual([]);
		expect(n8n.warnings).toEqual([expect.stringMatching(message)]);
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
			jest.setSystemTime(Date.parse(`2026-11-20T${time}Z`) - 16 * 60_000);
			await n8n.hook('checkExists');
			await n8n.start('activate');
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

	it('that another process has started may have died: its events are looked for again', async () => {
		const id = lose('delivered');
		n8n.executionFailure = new Error('killed');
		await n8n.check();
		n8n.executionFailure = undefined;
		n8n.forget();
		await n8n.restart();
		await n8n.check(3_000);
		expect([n8n.emitted.length, n8n.behind]).toEqual([1, []]);
		await n8n.check();
		expect(idsBehind()).toEqual([id]);
	});

	it.each<[string, () => unknown]>([
		['n8n 1 starts', () => (n8n.executionFailure = new Error('the database is away'))],
		['a worker runs', () => jest.spyOn(n8n, 'execute').mockResolvedValue([])],
	])('that %s is not followed: its events count as taken', async (name, prepare) => {
		n8n.isOld = name === 'n8n 1 starts';
		await n8n.start('activate');
		lose();
		prepare();
		for (let checks = 0; checks < 2; checks++) await n8n.check();
		expect(n8n.emitted).toHaveLength(1);
	});

	it('that failed is made up for, while its events were in progress for copies', async () => {
		const event = newEvent();
		lose('failed', {}, event);
		n8n.executionFailure = new Error('the database is away');
		await n8n.check();
		expect(await n8n.deliver(event)).toMatchObject({ status: 200, body: undefined });
		expect(n8n.behind).toEqual([event]);
	});
});

describe('from posts, where deliveries do not name their event', () => {
	const post = (id: string, more: IDataObject = {}) =>
		service.posts.push({ id, status: 'completed', brand_id: 'br_1', updated_at: at(Date.now()), ...more });
	const postsAsked = () => service.asked(/^\/posts/).length;
	const postsBehind = () => n8n.behind.map(({ data }) => (data as IDataObject).post_id);

	beforeEach(async () => await choose({ catchUpFromPosts: true }));

	it('hands on the end of a post, once, also when the service then delivers it, and after a restart', async () => {
		post('p_lost');
		post('p_failed', { status: 'failed' });
		post('p_canceled', { status: 'canceled' });
		post('p_other', { brand_id: 'br_2' });
		await choose({ catchUpFromPosts: true, brandIds: 'br_1' });
		service.record('failed', {});
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

	it('reads posts only where there is news: other unnamed deliveries, or a time without a subscription', async () => {
		const isGone = (id: string) => {
			service.hooks = [];
			post(id);
		};
		const news: Array<[() => unknown, boolean]> = [
			[() => lose(), false],
			[() => service.record('failed', {}), true],
			[() => undefined, false],
			[() => (service.deliveries = []), false],
			[() => service.record('failed', { id: 'another' }), true],
			[() => isGone('p_lost'), true],
			[() => undefined, false],
			// A start of n8n that subscribes anew.
			[async () => (isGone('p_later'), await n8n.restart()), true],
			[() => undefined, false],
		];
		for (const [i, [happens, isNews]] of news.entries()) {
			await happens();
			const before = postsAsked();
			await n8n.check();
			expect([i, postsAsked() > before]).toEqual([i, isNews]);
		}
		expect(postsBehind().slice(1)).toEqual(['p_lost', 'p_later']);
	});

	it.each<[string, number, () => unknown]>([
		['failed deliveries', 7, () => ['delivered', 'failed'].map((one) => service.record(one, {}))],
		['deliveries that were made', 1, () => service.record('delivered', {})],
		['a time without a subscription', 7, () => (service.hooks = [])],
		['another service', 7, () => (n8n.service = Object.assign(new FakeService(), { posts: service.posts }))],
	])('goes back to when the workflow was published; for %s at most %d days', async (_name, days, happens) => {
		const back = days * DAY;
		n8n.staticData.publishedAt = NOON - 30 * DAY;
		n8n.forget();
		await n8n.hook('checkExists');
		await n8n.start('activate');
		const now = Date.now() + 16 * 60_000;
		post('p_old', { updated_at: at(now - back - 2000) });
		post('p_recent', { updated_at: at(now - back + 2000) });
		happens();
		await n8n.check();
		expect(postsBehind()).toEqual(['p_recent']);
	});

	it('leaves out what ended before the workflow was published; where n8n has lost when that was, reads nothing', async () => {
		post('p_before', { updated_at: at(NOON - 1) });
		post('p_then', { updated_at: at(NOON) });
		service.record('failed', {});
		await n8n.check();
		expect(postsBehind()).toEqual(['p_then']);
		delete n8n.staticData.publishedAt;
		n8n.forget();
		await n8n.hook('checkExists');
		await n8n.start('activate');
		const before = postsAsked();
		await n8n.check();
		expect(postsAsked()).toBe(before);
		expect(n8n.logged).toEqual([]);
	});

	it.each([() => (service.hooks = []), () => (service.hooks[0]!.status = 'disabled')])(
		'also where a change is published after a time without a subscription (%#)',
		async (happens) => {
			happens();
			post('p_lost');
			await start(n8n);
			await n8n.check();
			expect(postsBehind()).toEqual(['p_lost']);
			await n8n.check();
			expect(service.ids).toEqual(['wh_2']);
		},
	);

	it('is off by default', async () => {
		await choose({});
		post('p_lost');
		service.record('failed', {});
		await n8n.check();
		expect(postsAsked()).toBe(0);
		expect(n8n.emitted).toEqual([]);
	});

	it('posts that cannot be read keep nothing else from being done, and are read with the next check', async () => {
		const named = lose();
		service.record('failed', {});
		post('p_lost');
		service.fail('a forbidden scope', 'GET', /^\/posts/);
		service.hooks.push({ ...service.hooks[0]!, id: 'wh_double' });
		await n8n.check();
		expect(n8n.warnings[0]).toMatch(/^Trigger: could not read the posts: \w/);
		expect(service.hooks).toHaveLength(1);
		expect(idsBehind()).toEqual([named]);
		service.heal();
		await n8n.check();
		expect(postsBehind()).toContain('p_lost');
	});

	it.each<[string, () => unknown, () => unknown]>([
		['cannot be read', () => service.fail('a 500', 'GET', /^\/posts/), () => service.heal()],
		[
			'are in an execution that failed',
			() => (n8n.executionFailure = new Error('the database is away')),
			() => (n8n.executionFailure = undefined),
		],
	])(
		'posts of a time without a subscription that %s are read with the next check',
		async (_what, breaks, heals) => {
			await n8n.check();
			service.hooks = [];
			post('p_lost');
			breaks();
			await n8n.check();
			expect(n8n.behind).toEqual([]);
			heals();
			await n8n.check();
			expect(postsBehind()).toEqual(['p_lost']);
			const before = postsAsked();
			await n8n.check();
			expect(postsAsked()).toBe(before);
		},
	);

	it('also where n8n has lost its data and started while the service was away', async () => {
		n8n.staticData = {};
		n8n.forget();
		service.fail('a 500');
		await n8n.publish({ activation: 'init' });
		await n8n.start();
		service.heal();
		await n8n.check();
		service.hooks = [];
		post('p_before', { updated_at: at(NOON - 1) });
		post('p_lost');
		await n8n.check();
		expect(postsBehind()).toEqual(['p_lost']);
	});

	it('where IDs are numbers, too: an event that came is none that was missed', async () => {
		const event = newEvent({ data: { post_id: 7 } });
		await n8n.deliver(event);
		service.posts.push({ id: 7, status: 'completed', updated_at: at(Date.now()) });
		service.record('failed', {});
		await n8n.check();
		expect(n8n.behind).toEqual([event]);
	});
});

/** What may become of an event, and what may happen in between. */
const steps = [
	'arrives',
	'fails',
	'is given up',
	'is swallowed',
	'is cut',
	'retry',
	'check',
	'restart',
	'executions fail',
	'executions work',
] as const;

it('every event comes out exactly once, whatever becomes of its deliveries, of executions and of n8n', async () => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.constantFrom(...steps), { maxLength: 14 }), async (life) => {
			jest.clearAllTimers();
			jest.setSystemTime(NOON);
			const service = new FakeService();
			const n8n = new FakeN8n(service);
			await start(n8n);
			const events: string[] = [];
			for (const step of life) {
				const event = newEvent({ occurred_at: at(Date.now()) });
				if (step === 'check') await n8n.check();
				else if (step === 'restart') await n8n.restart();
				else if (step.startsWith('executions'))
					n8n.executionFailure = step === 'executions fail' ? new Error('killed') : undefined;
				else if (step === 'retry') {
					const delivery = service.deliveries.find(({ status }) => status === 'failed');
					if (!delivery) continue;
					const { status } = await n8n.deliver(delivery.event);
					if (status === 200) delivery.status = 'delivered';
				} else {
					events.push(event.id);
					n8n.answerWith = () => (step === 'is cut' ? undefined : 200);
					if (step === 'arrives' || step === 'is cut') await n8n.deliver(event);
					n8n.answerWith = () => 200;
					const state = { arrives: 'delivered', 'is swallowed': 'delivered', 'is given up': 'dead_letter' };
					service.record(state[step as keyof typeof state] ?? 'failed', { event });
				}
			}
			n8n.executionFailure = undefined;
			await n8n.restart();
			await n8n.check();
			await n8n.check();
			expect(n8n.behind.map(({ id }) => id).sort()).toEqual(events.sort());
		}),
		runs(60),
	);
});
