import { derivedSecret } from '../../../nodes/shared/signature';
import { MAX_LISTING_AGE_MS, ReadBudget } from '../../../nodes/SocialPublishingTrigger/readBudget';
import { many } from '../../support/property';
import { FakeN8n, FakeService, HOUR, MINUTE, newEvent, NOON, refused, through } from './fakes';

/** How the triggers of a key share its limit. */

beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

describe('a listing', () => {
	const list = { records: [{ id: '1' }], hasMore: false, isComplete: true };

	it('serves everybody of its workspace for five minutes, also while it is read; not after a change or a failure', async () => {
		const budget = new ReadBudget();
		const fails = async () => await Promise.reject(new Error('away'));
		await expect(budget.list('', MINUTE, fails)).rejects.toThrow('away');
		const read = jest.fn(async () => list);
		/** How often the service has been asked after so many ms more. */
		const readsAfter = async (ms: number, maxAgeMs = MAX_LISTING_AGE_MS, workspace = '') => {
			jest.advanceTimersByTime(ms);
			expect(await budget.list(workspace, maxAgeMs, read)).toBe(list);
			return read.mock.calls.length;
		};
		expect(await Promise.all([readsAfter(0), readsAfter(0)])).toEqual([1, 1]);
		expect(await readsAfter(5 * MINUTE - 1)).toBe(1);
		expect(await readsAfter(1)).toBe(2);
		expect(await readsAfter(MINUTE, MINUTE)).toBe(3);
		expect(await readsAfter(5 * MINUTE, HOUR)).toBe(4);
		expect(await readsAfter(0, MINUTE, 'ws_2')).toBe(5);
		budget.forgetListings();
		expect(await readsAfter(0)).toBe(6);
		expect(await readsAfter(0, 0)).toBe(7);
		jest.setSystemTime(0);
		expect(await readsAfter(0)).toBe(7);
	});
});

describe('a check', () => {
	const reads = (budget: ReadBudget, count: number) => async () => {
		for (let i = 0; i < count; i++) budget.countRead();
	};

	it('runs where four reads are left, or six after the first one; twelve more come each minute, eight at most', async () => {
		const budget = new ReadBudget();
		expect(await budget.runCheck(reads(budget, 5), true)).toBe(true);
		expect(await budget.runCheck(reads(budget, 1), true)).toBe(false);
		jest.advanceTimersByTime(5_000);
		expect(await budget.runCheck(reads(budget, 1), false)).toBe(false);
		expect(await budget.runCheck(reads(budget, 100), true)).toBe(true);
		// What had to be read delays the next one by no more than a minute.
		jest.advanceTimersByTime(79_999);
		expect(await budget.runCheck(reads(budget, 1), true)).toBe(false);
		jest.advanceTimersByTime(HOUR);
		expect(budget.left()).toBe(8);
	});

	it('runs alone, also after one that failed', async () => {
		const budget = new ReadBudget();
		let end!: (error: Error) => void;
		const first = budget.runCheck(async () => await new Promise((_, reject) => (end = reject)), true);
		expect(await budget.runCheck(reads(budget, 1), true)).toBe(false);
		end(new Error('away'));
		await expect(first).rejects.toThrow('away');
		expect(await budget.runCheck(reads(budget, 1), true)).toBe(true);
	});
});

describe('triggers of one key', () => {
	let service: FakeService;
	let triggers: FakeN8n[];
	beforeEach(() => void (service = new FakeService()));
	afterEach(async () => {
		for (const one of triggers) await one.stop();
	});

	async function publish(count: number, workspaces = 1, options = {}): Promise<void> {
		// Publishing takes less time where the list is short.
		const { list } = service;
		service.list = (hooks) => list(hooks.slice(-1));
		triggers = Array.from({ length: count }, () => new FakeN8n(service));
		for (const [i, one] of triggers.entries()) {
			one.url = `https://n8n.example.com/webhook/${i}/webhook`;
			one.workspaceId = `ws_${i % workspaces}`;
			await one.goLive(options);
		}
		service.list = list;
		service.sent.length = 0;
	}

	/** As one process starts with all of them published. */
	async function restart(): Promise<void> {
		for (const one of triggers) one.forget();
		for (const one of triggers) {
			expect(await one.hook('checkExists', { activation: 'init' })).toBe(true);
			await one.start('init');
		}
	}

	/** n8n's clock for all of them; what was asked for meanwhile. */
	async function run(minutes: number, eachTick = () => {}) {
		const clock = setInterval(() => {
			eachTick();
			for (const one of triggers) void one.cron!.tick();
		}, 3_000);
		await jest.advanceTimersByTimeAsync(minutes * MINUTE);
		clearInterval(clock);
		await through(Promise.all(triggers.map(async (one) => await one.idle())));
		return service.sent.splice(0);
	}

	const mostInAMinute = (times: number[]): number =>
		Math.max(...times.map((at) => times.filter((one) => one >= at && one < at + MINUTE).length));
	const checkedIn = (sent: Array<{ path: string }>) =>
		new Set(sent.map(({ path }) => path).filter((path) => path.endsWith('/deliveries'))).size;
	const logged = () => triggers.flatMap((one) => [...one.logged, ...one.failedExecutions]);

	it.each([
		[1, 1, 1],
		[10, 1, 1.5],
		[many(100), 1, 12],
		[many(100), 25, 12],
	])(
		'%d in %d workspaces: at most %d reads a minute, 20 in any, from a start of n8n on; each is checked',
		async (count, workspaces, average) => {
			await publish(count, workspaces);
			let times: number[] = [];
			service.before = ({ method }) => void (method === 'GET' && times.push(performance.now()));
			await restart();
			for (const minutes of [45, 30]) {
				times = [];
				expect(checkedIn(await run(minutes))).toBe(count);
				const reads = { average: times.length / minutes, most: mostInAMinute(times) };
				if (process.env.READS) process.stdout.write(`${count}/${workspaces}: ${JSON.stringify(reads)}\n`);
				expect(reads.average).toBeLessThanOrEqual(average + 8 / minutes);
				expect(reads.most).toBeLessThanOrEqual(20);
			}
			expect(logged()).toEqual([]);
		},
	);

	it.each<[string, () => unknown]>([
		[
			'the service was down for an hour',
			async () => {
				service.fail('a dropped connection');
				await run(60);
				service.heal();
			},
		],
		['all subscriptions were deleted', () => (service.hooks = [])],
		[
			'the key was replaced',
			() => {
				for (const one of [service, ...triggers]) one.key = 'example-key-1';
			},
		],
	])(
		'after trouble (%s): twelve reads a minute on average, repairs included, and 24 in any; each is repaired',
		async (_name, happens) => {
			const count = many(40);
			await publish(count);
			await restart();
			await run(45);
			await happens();
			const times: number[] = [];
			service.before = ({ method }) => void (method === 'GET' && times.push(performance.now()));
			await run(45);
			const reads = { average: times.length / 45, most: mostInAMinute(times) };
			if (process.env.READS) process.stdout.write(`${count}, ${_name}: ${JSON.stringify(reads)}\n`);
			expect(reads.average).toBeLessThanOrEqual(12 + 8 / 45);
			expect(reads.most).toBeLessThanOrEqual(24);
			const { key } = service;
			const secrets = triggers.map(({ url }) => derivedSecret(key, url));
			expect(service.hooks.map(({ secret }) => secret).sort()).toEqual(secrets.sort());
		},
	);

	it('are checked one after another, also those that the replaced key has checked last', async () => {
		await publish(2);
		const [first, second] = triggers as [FakeN8n, FakeN8n];
		for (const one of [service, ...triggers]) one.key = 'example-key-1';
		await first.check();
		await jest.advanceTimersByTimeAsync(16 * MINUTE);
		service.sent.length = 0;
		let answers!: () => void;
		service.before = async () => await new Promise<void>((resolve) => (answers = resolve));
		const check = first.cron!.tick();
		await jest.advanceTimersByTimeAsync(10);
		await second.cron!.tick();
		expect(service.sent).toHaveLength(1);
		service.before = () => undefined;
		answers();
		await through(check);
		await second.check();
		expect(service.hooks.map(({ url }) => url).sort()).toEqual([first.url, second.url].sort());
	});

	it('that start together at the lowest plan, sixty reads a minute, recover everything without a log line', async () => {
		await publish(many(40));
		for (const { id } of service.hooks)
			service.deliveries.push({ webhook_id: id, status: 'dead_letter', event: newEvent() });
		let [window, left] = [0, 60];
		service.fault = ({ method }) => {
			const minute = Math.floor(Date.now() / MINUTE);
			if (minute !== window) [window, left] = [minute, 60];
			if (method !== 'GET' || left-- > 0) return undefined;
			return () => refused(429, 'PUBLIC_API_RATE_LIMITED', { headers: { 'retry-after': '30' } });
		};
		await restart();
		expect(service.asked()).toEqual(['GET /webhooks']);
		await run(20);
		expect(triggers.flatMap(({ behind }) => behind)).toHaveLength(many(40));
		expect(logged()).toEqual([]);
	});

	it('are checked also while their events are read with their posts, more than twelve a minute', async () => {
		await publish(2);
		const [busy] = triggers as [FakeN8n];
		busy.parameters.includePost = true;
		const sent = await run(20, () => void busy.run([newEvent()]));
		expect(sent.filter(({ path }) => /posts/.test(path)).length).toBeGreaterThan(300);
		expect(checkedIn(sent)).toBe(2);
	});

	it('that all want to check each minute are all checked by and by, within the budget', async () => {
		await publish(many(20), 1, { checkEvery: 1 });
		await run(10);
		const sent = await run(40);
		expect(sent.length / 40).toBeLessThanOrEqual(12.2);
		expect(checkedIn(sent)).toBe(many(20));
	});
});
