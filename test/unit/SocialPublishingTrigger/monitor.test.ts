import { sleep } from 'n8n-workflow';

import { derivedSecret } from '../../../nodes/shared/signature';
import { anewForEachTest, FakeN8n, HOUR, MINUTE, n8n, newEvent, service, through, works } from './fakes';

/** What the monitor does when n8n starts and every so often: what the service has then, and what people are told. */

anewForEachTest(async () => {
	await n8n.goLive();
	service.sent.length = 0;
});
afterEach(async () => await n8n.stop());

/** Whether the monitor checks now, asked by n8n's clock. */
const checksAfter = async (minutes: number, ms = 0) => {
	const before = service.sent.length;
	await n8n.check(minutes * MINUTE + ms);
	return service.sent.length > before;
};
/** The next check comes after so many minutes. */
const nextAfter = async (minutes: number) => {
	expect(await checksAfter(minutes, -1)).toBe(false);
	expect(await checksAfter(0, 1)).toBe(true);
};
const optionsThrow = (message: string) => ({
	get options(): never {
		throw new Error(message);
	},
});

describe('the times of checks', () => {
	it.each(['init', 'leadershipChange', 'activate', 'update'])(
		'n8n asks every three seconds: the first check comes then (%s), the next in a quarter of an hour',
		async (activation) => {
			await n8n.start(activation);
			expect(n8n.cron!.expression).toBe('*/3 * * * * *');
			expect(await checksAfter(0, 2_999)).toBe(false);
			expect(await checksAfter(0, 1)).toBe(true);
			await nextAfter(15);
		},
	);

	it.each([4, 60])('or every %d minutes, as the user says, each with its own listing', async (checkEvery) => {
		await n8n.goLive({ checkEvery });
		await n8n.check(checkEvery * MINUTE);
		await nextAfter(checkEvery);
		for (let i = 0; i < 6; i++) await n8n.check(checkEvery * MINUTE);
		const checks = service.sent.filter(({ qs }) => qs.status === 'failed').length;
		expect(checks).toBeGreaterThan(2);
		expect(service.asked(/webhooks$/)).toHaveLength(checks + 1);
	});

	it('soon after a publication that leaves an earlier subscription, also where n8n calls the trigger first (2.41)', async () => {
		service.fail('a dropped connection', 'DELETE');
		await n8n.hook('remove').catch(() => undefined);
		service.heal();
		n8n.forget();
		n8n.parameters.events = ['post.failed'];
		await n8n.start('update');
		await n8n.hook('create');
		expect(service.ids).toEqual(['wh_1', 'wh_2']);
		// The budget of reads has room within half a minute.
		for (const ms of [3_000, 30_000]) await n8n.check(ms);
		expect(service.ids).toEqual(['wh_2']);
		expect(await checksAfter(14)).toBe(false);
	});

	it('two minutes after the limit was reached, however often: told once an hour, and no failed execution', async () => {
		service.fail('a rate limit');
		await n8n.check();
		for (let i = 0; i < 5; i++) await nextAfter(2);
		expect([n8n.warnings.length, n8n.failedExecutions]).toEqual([1, []]);
		await n8n.check(HOUR);
		expect(n8n.warnings).toHaveLength(2);
		expect(n8n.warnings[1]).toContain('Too many requests');
	});

	it('sooner after a failure, and later with each that follows, but never later than after a success', async () => {
		service.fail('a forbidden scope');
		await n8n.check();
		for (const minutes of [2, 4, 8]) await nextAfter(minutes);
		expect(await checksAfter(15)).toBe(true);
		service.heal();
		await n8n.check();
		expect(await checksAfter(14)).toBe(false);
	});

	it('none while another one is under way, after it was closed, of a test, and where nothing is published', async () => {
		let answers!: () => void;
		service.before = async () => await new Promise<void>((resolve) => (answers = resolve));
		await jest.advanceTimersByTimeAsync(16 * MINUTE);
		const first = n8n.cron!.tick();
		await jest.advanceTimersByTimeAsync(10);
		await n8n.cron!.tick();
		expect(service.sent).toHaveLength(1);
		service.before = () => undefined;
		answers();
		await through(first);
		await n8n.stop();
		expect(await checksAfter(16)).toBe(false);

		n8n.cron = undefined;
		expect(await n8n.start('manual', 'manual')).toEqual({});
		expect(n8n.cron).toBeUndefined();

		await n8n.start('activate');
		await n8n.unpublish();
		expect(await checksAfter(16)).toBe(false);
		const unpublished = new FakeN8n(service);
		await unpublished.start('init');
		await jest.advanceTimersByTimeAsync(5_000);
		await unpublished.hook('checkExists');
		await unpublished.check();
		expect(service.hooks).toEqual([]);
		expect(unpublished.logged).toEqual([]);
	});
});

describe('what a check repairs', () => {
	it.each<[string, () => unknown]>([
		['the service no longer lists it', () => (service.hooks = [])],
		['the API key was replaced', () => (service.key = n8n.key = 'example-key-1')],
	])('where %s', async (reason, happens) => {
		happens();
		await n8n.check();
		expect(service.hooks).toMatchObject([{ id: 'wh_2', secret: derivedSecret(n8n.key, n8n.url) }]);
		// No gap between them.
		const writes = service.sent.map(({ method }) => method).filter((method) => method !== 'GET');
		expect(writes[0]).toBe('POST');
		const message = `Trigger: the subscription was created again: ${reason}`;
		expect(n8n.logged).toMatchObject([{ message, meta: { webhook_id: 'wh_2' } }]);
		await works();
		await n8n.check();
		expect(service.ids).toEqual(['wh_2']);
	});
});

describe('calls of n8n while a check waits for an answer', () => {
	const calls = {
		unpublish: async () => await n8n.hook('remove', { activation: 'update' }),
		publish: async () => await n8n.hook('create'),
		'unpublish and publish': async () => {
			await n8n.hook('remove', { activation: 'update' });
			await n8n.hook('create');
		},
	};
	/** A check with something to create and something to delete, one request of which takes eight seconds. */
	const duringCheck = async (method: string, call: () => Promise<unknown>) => {
		service.hooks[0]!.status = 'disabled';
		service.hooks.push({ ...service.hooks[0]!, id: 'wh_double' });
		service.record('failed', { event: newEvent() });
		let begins!: () => void;
		const isUnderWay = new Promise<void>((resolve) => (begins = resolve));
		service.before = async (sent) => {
			if (sent.method !== method) return;
			service.before = () => undefined;
			begins();
			await sleep(8_000);
		};
		await jest.advanceTimersByTimeAsync(16 * MINUTE);
		const check = n8n.cron!.tick();
		await through(isUnderWay);
		const start = Date.now();
		await through(call());
		const seconds = (Date.now() - start) / 1000;
		await through(check);
		return seconds;
	};

	describe.each(['GET', 'POST', 'DELETE'])('%s', (method) => {
		it.each(Object.keys(calls) as Array<keyof typeof calls>)(
			'%s waits for that request at most; in the end there is what n8n wants',
			async (name) => {
				const seconds = await duringCheck(method, calls[name]);
				// A request of a check has five seconds and what it takes to give up; one that subscribes, half a minute.
				expect(seconds).toBeLessThanOrEqual(method === 'POST' ? 9 : 6);
				if (name !== 'unpublish') await n8n.start('activate');
				await n8n.checks(2);
				const published = name === 'unpublish' ? [] : [{ url: n8n.url, status: 'active' }];
				expect(service.hooks).toMatchObject(published);
				if (name !== 'unpublish') await works();
			},
		);
	});

	it('the end of its process: it makes nothing more', async () => {
		await duringCheck('GET', async () => await n8n.stop());
		expect(service.asked()).not.toContain('POST /webhooks');
	});

	it('unpublishing while it reads what was not delivered: it starts nothing', async () => {
		service.record('failed', { event: newEvent() });
		service.before = async ({ qs }) => {
			if (qs?.status !== 'delivered') return;
			service.before = () => undefined;
			await calls.unpublish();
		};
		await n8n.check();
		expect([service.hooks, n8n.emitted]).toEqual([[], []]);
	});
});

describe('a check that fails', () => {
	it('is logged each time, and told to people once, without the key or a secret; then all is repaired', async () => {
		const { secret } = service.hooks[0]!;
		service.hooks = [];
		n8n.key = 'example-key-revoked';
		const message = expect.stringMatching(/doesn't recognize this API key/);
		for (let checks = 1; checks <= 5; checks++) {
			await n8n.check();
			expect(n8n.logged.at(-1)).toMatchObject({ message, meta: { checks } });
			expect(n8n.failedExecutions).toHaveLength(checks < 3 ? 0 : 1);
		}
		expect(n8n.failedExecutions[0]).toMatchObject({ message, node: { name: 'Trigger' } });
		const told = JSON.stringify([n8n.logged, n8n.failedExecutions]);
		expect(told).not.toContain(n8n.key);
		expect(told).not.toContain(secret);
		n8n.key = service.key;
		await n8n.check();
		await works();
		// What went well begins the count anew.
		n8n.key = 'example-key-revoked';
		await n8n.check();
		expect(n8n.logged.at(-1)!.meta).toMatchObject({ checks: 1 });
	});

	it('is only logged in n8n 1, also where n8n cannot read the credential', async () => {
		n8n.isOld = true;
		await n8n.start('activate');
		n8n.credentialFailure = new Error('the encryption key is another one');
		await n8n.checks(4);
		expect(n8n.warnings).toEqual(
			Array(4).fill(
				'Trigger: could not complete the check of the subscription: the encryption key is another one',
			),
		);
	});

	it('none where an option has an expression that n8n cannot evaluate: that is said', async () => {
		n8n.cron = undefined;
		n8n.parameters = optionsThrow('access to env vars denied');
		await n8n.start('activate');
		const message = "Trigger: the subscription isn't checked until the workflow is published again";
		expect(n8n.logged).toMatchObject([{ message, meta: { reason: 'access to env vars denied' } }]);
		expect(n8n.cron).toBeUndefined();
	});

	it('is none where n8n can evaluate expressions only as it calls the trigger, as 2.41: the options are those of then', async () => {
		await n8n.start('init');
		n8n.parameters = optionsThrow('No bridge acquired for this context');
		service.hooks = [];
		await n8n.check();
		expect(service.hooks).toMatchObject([{ events: ['post.published', 'post.failed'] }]);
		expect(n8n.warnings).toEqual([expect.stringContaining('was created again')]);
	});

	it('tries a request for five seconds', async () => {
		service.fail('a rate limit');
		const start = Date.now();
		await n8n.check();
		const seconds = (Date.now() - start - 16 * MINUTE) / 1000;
		expect(seconds).toBeGreaterThan(2);
		expect(seconds).toBeLessThanOrEqual(6);
	});
});
