import { MAX_LISTING_AGE_MS, ReadBudget } from '../../../nodes/SocialPublishingTrigger/readBudget';
import { FakeN8n, FakeService, newEvent, NOON, refused, through } from './fakes';

/** How the triggers of a key share its limit. */

const MINUTE = 60_000;
beforeEach(() => void jest.useFakeTimers({ now: NOON }));
afterEach(() => void jest.useRealTimers());

describe('a listing', () => {
	const list = [{ id: '1', isDisabled: false }];

	it('serves everybody of its workspace for five minutes, also while it is read; not after a change', async () => {
		const budget = new ReadBudget();
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
		expect(await readsAfter(5 * MINUTE, 60 * MINUTE)).toBe(4);
		expect(await readsAfter(0, MINUTE, 'ws_2')).toBe(5);
		budget.forgetListings();
		expect(await readsAfter(0)).toBe(6);
		expect(await readsAfter(0, 0)).toBe(7);
		jest.setSystemTime(0);
		expect(await readsAfter(0)).toBe(7);
	});

	it('that failed is read again', async () => {
		const budget = new ReadBudget();
		const fails = async () => await Promise.reject(new Error('away'));
		await expect(budget.list('', MINUTE, fails)).rejects.toThrow('away');
		expect(await budget.list('', MINUTE, async () => list)).toBe(list);
	});
});

describe('a check', () => {
	const reads = (budget: ReadBudget, count: number) => async () => {
		for (let i = 0; i < count; i++) budget.countRead();
	};

	it('runs where four reads are left, or six after the first one; twelve more come each minute, eight at most', async () => {
		const budget = new ReadBudget();
		expect(await budget.check(reads(budget, 5), true)).toBe(true);
		expect(await budget.check(reads(budget, 1), true)).toBe(false);
		jest.advanceTimersByTime(5_000);
		expect(await budget.check(reads(budget, 1), false)).toBe(false);
		expect(await budget.check(reads(budget, 100), true)).toBe(true);
		// What had to be read delays the next one by no more than a minute.
		jest.advanceTimersByTime(79_999);
		expect(await budget.check(reads(budget, 1), true)).toBe(false);
		jest.advanceTimersByTime(60 * MINUTE);
		expect(budget.left()).toBe(8);
	});

	it('runs alone, also after one that failed', async () => {
		const budget = new ReadBudget();
		let end!: (error: Error) => void;
		const first = budget.check(async () => await new Promise((_, reject) => (end = reject)), true);
		expect(await budget.check(reads(budget, 1), true)).toBe(false);
		end(new Error('away'));
		await expect(first).rejects.toThrow('away');
		expect(await budget.check(reads(budget, 1), true)).toBe(true);
	});
});

/** n8n's clock for many triggers. */
async function run(triggers: FakeN8n[], minutes: number): Promise<void> {
	const clock = setInterval(() => triggers.forEach((one) => void one.cron!.tick()), 3_000);
	await jest.advanceTimersByTimeAsync(minutes * MINUTE);
	clearInterval(clock);
	await through(Promise.all(triggers.map(async (one) => await one.idle())));
}

async function published(count: number, workspaces = 1, service = new FakeService()) {
	const triggers = Array.from({ length: count }, (_, i) => {
		const one = new FakeN8n(service);
		one.url = `https://n8n.example.com/webhook/${i}/webhook`;
		one.workspaceId = `ws_${i % workspaces}`;
		return one;
	});
	// Publishing takes less time where the list is short.
	const { list } = service;
	service.list = (hooks) => list(hooks.slice(-1));
	for (const one of triggers) {
		await one.publish();
		await one.start('activate');
	}
	service.list = list;
	return { service, triggers };
}

/** As one process starts with all of them published. */
async function restart(triggers: FakeN8n[]): Promise<void> {
	for (const one of triggers) one.forget();
	for (const one of triggers) {
		expect(await one.hook('checkExists', { activation: 'init' })).toBe(true);
		await one.start('init');
	}
}

/** Reads a minute on average, and the most in any minute. */
function readsIn(times: number[], minutes: number): { average: number; most: number } {
	const most = Math.max(...times.map((at) => times.filter((one) => one >= at && one < at + MINUTE).length));
	return { average: times.length / minutes, most };
}

describe('triggers of one key', () => {
	it.each([
		[1, 1, 0.3],
		[10, 1, 1.5],
		[100, 1, 12],
		[100, 25, 12],
	])(
		'%d in %d workspaces: at most %d reads a minute, 20 in any, from a start of n8n on; each is checked',
		async (count, workspaces, most) => {
			const { service, triggers } = await published(count, workspaces);
			const times: number[] = [];
			service.before = ({ method }) => void (method === 'GET' && times.push(performance.now()));
			await restart(triggers);
			await run(triggers, 45);
			const checked = () =>
				new Set(service.sent.filter(({ path }) => path.endsWith('/deliveries')).map(({ path }) => path)).size;
			expect(checked()).toBe(count);
			const atStart = readsIn(times.splice(0), 45);
			service.sent.length = 0;
			await run(triggers, 60);
			expect(checked()).toBe(count);
			const later = readsIn(times, 60);
			if (process.env.READS)
				process.stdout.write(`${count}/${workspaces}: ${JSON.stringify({ atStart, later })}\n`);
			expect(Math.max(atStart.average - 8 / 45, later.average - 8 / 60)).toBeLessThanOrEqual(
				Math.max(most, 1),
			);
			expect(later.average).toBeLessThanOrEqual(most + 8 / 60);
			expect(Math.max(atStart.most, later.most)).toBeLessThanOrEqual(20);
			expect(triggers.flatMap(({ logged }) => logged)).toEqual([]);
			for (const one of triggers) await one.stop();
		},
	);

	it('that start together at the lowest plan, sixty reads a minute, recover everything without a log line', async () => {
		const { service, triggers } = await published(40);
		for (const { id } of service.hooks)
			service.deliveries.push({ webhook_id: id, status: 'dead_letter', event: newEvent() });
		let [window, left] = [0, 60];
		service.fault = ({ method }) => {
			const minute = Math.floor(Date.now() / MINUTE);
			if (minute !== window) [window, left] = [minute, 60];
			if (method !== 'GET' || left-- > 0) return undefined;
			return () => refused(429, 'PUBLIC_API_RATE_LIMITED', { headers: { 'retry-after': '30' } });
		};
		service.sent.length = 0;
		await restart(triggers);
		expect(service.asked()).toEqual(['GET /webhooks']);
		await run(triggers, 20);
		expect(triggers.flatMap(({ behind }) => behind)).toHaveLength(40);
		expect(triggers.flatMap(({ logged, failedExecutions }) => [...logged, ...failedExecutions])).toEqual([]);
		for (const one of triggers) await one.stop();
	});

	it('are checked also while their events are read with their posts, more than twelve a minute', async () => {
		const { service, triggers } = await published(2);
		const [busy, quiet] = triggers as [FakeN8n, FakeN8n];
		busy.parameters.includePost = true;
		const clock = setInterval(() => void busy.run([newEvent()]), 3_000);
		await run(triggers, 20);
		clearInterval(clock);
		expect(service.asked(/posts/).length).toBeGreaterThan(300);
		for (const { url } of [busy, quiet]) {
			const { id } = service.hooks.find((one) => one.url === url)!;
			expect(service.asked(new RegExp(`${id}/deliveries`))).not.toEqual([]);
		}
		for (const one of triggers) await one.stop();
	});

	it('that all want to check each minute are all checked by and by, within the budget', async () => {
		const { service, triggers } = await published(40);
		for (const { parameters } of triggers) parameters.options = { checkEvery: 1 };
		await run(triggers, 20);
		service.sent.length = 0;
		await run(triggers, 90);
		expect(service.sent.length / 90).toBeLessThanOrEqual(12.2);
		const checked = service.sent.filter(({ qs }) => qs.status === 'failed').map(({ path }) => path);
		expect(new Set(checked).size).toBe(40);
	});
});
