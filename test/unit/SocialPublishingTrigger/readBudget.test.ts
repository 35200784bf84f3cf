import { KeyGroup, keyGroupOf, LISTING_MS } from '../../../nodes/SocialPublishingTrigger/keyGroup';
import { FakeN8n, FakeService, newEvent, refused, through } from './fakes';

/** How the triggers of a key share its limit. */

const MINUTE = 60_000;
const NOW = Date.parse('2026-11-20T12:00:00Z');
beforeEach(() => void jest.useFakeTimers({ now: NOW }));
afterEach(() => void jest.useRealTimers());

const list = [{ id: '1', isDisabled: false }];

describe('a listing', () => {
	it('serves everybody for five minutes, also while it is read; not after a change', async () => {
		const group = new KeyGroup();
		const read = jest.fn(async () => list);
		/** How often the service has been asked by then. */
		const readsAt = async (ms: number, maxAgeMs = LISTING_MS) => {
			jest.setSystemTime(NOW + ms);
			expect(await group.list(read, maxAgeMs)).toBe(list);
			return read.mock.calls.length;
		};
		expect(await Promise.all([readsAt(0), readsAt(0)])).toEqual([1, 1]);
		expect(await readsAt(5 * MINUTE - 1)).toBe(1);
		expect(await readsAt(5 * MINUTE)).toBe(2);
		expect(await readsAt(5 * MINUTE, MINUTE)).toBe(2);
		expect(await readsAt(6 * MINUTE, MINUTE)).toBe(3);
		expect(await readsAt(11 * MINUTE, 60 * MINUTE)).toBe(4);
		group.forgetListing();
		expect(await readsAt(11 * MINUTE)).toBe(5);
		expect(await readsAt(11 * MINUTE, 0)).toBe(6);
		expect(await readsAt(-60 * MINUTE)).toBe(7);
	});

	it('that failed is read again', async () => {
		const group = new KeyGroup();
		await expect(group.list(async () => await Promise.reject(new Error('away')), LISTING_MS)).rejects.toThrow(
			'away',
		);
		expect(await group.list(async () => list, LISTING_MS)).toBe(list);
	});

	it('belongs to one key', () => {
		const one = keyGroupOf('a');
		expect(keyGroupOf('a')).toBe(one);
		expect(keyGroupOf('b')).not.toBe(one);
		for (let i = 0; i < 198; i++) keyGroupOf(`${i}`);
		expect(keyGroupOf('a')).toBe(one);
		keyGroupOf('one more');
		expect(keyGroupOf('a')).toBe(one);
		for (let i = 0; i < 200; i++) keyGroupOf(`other ${i}`);
		expect(keyGroupOf('a')).not.toBe(one);
	});
});

describe('turns', () => {
	it('are 13 seconds apart; the one that is due longest comes first; who no longer asks is not waited for', () => {
		const group = new KeyGroup();
		const [late, later] = [{ nextAt: NOW - 2 }, { nextAt: NOW - 1 }];
		expect(group.takesTurn(late, NOW)).toBe(true);
		expect(group.takesTurn(later, NOW + 12_999)).toBe(false);
		expect(group.takesTurn(late, NOW + 12_999)).toBe(false);
		expect(group.takesTurn(later, NOW + 13_000)).toBe(false);
		expect(group.takesTurn(late, NOW + 13_000)).toBe(true);
		expect(group.takesTurn(later, NOW + 26_000)).toBe(true);
		// The clock was set back, while another one waited that is due longer.
		expect(group.takesTurn({ nextAt: NOW - 3 }, NOW + 26_001)).toBe(false);
		expect(group.takesTurn(late, NOW - 24 * 60 * MINUTE)).toBe(true);
		// `later` has been stopped while it waited.
		expect(group.takesTurn(later, NOW + 40_000)).toBe(true);
		expect(group.takesTurn({ nextAt: NOW - 3 }, NOW + 41_000)).toBe(false);
		expect(group.takesTurn(late, NOW + 60_000)).toBe(true);
	});

	it.each([
		[false, 13_000],
		[true, 3_000],
	])(
		'are the further apart the more is read, by workflows too, four reads at most (start: %p)',
		(isStart, each) => {
			const group = new KeyGroup();
			const one = { nextAt: NOW };
			let now = NOW + each;
			// Who has had a turn doesn't keep the next one from it.
			expect(group.takesTurn({ nextAt: NOW - 1 }, NOW, isStart)).toBe(true);
			for (const [reads, turns] of [
				[0, 1],
				[1, 1],
				[3, 3],
				[9, 4],
				[0, 1],
			] as const) {
				expect(group.takesTurn(one, now, isStart)).toBe(true);
				for (let i = 0; i < reads; i++) group.countRead();
				now += turns * each;
				jest.setSystemTime(now - 1);
				expect(group.takesTurn(one, now - 1, isStart)).toBe(false);
				if (reads > turns) group.countRead();
			}
		},
	);
});

/** n8n's clock for many triggers. */
async function run(triggers: FakeN8n[], minutes: number): Promise<void> {
	const clock = setInterval(() => triggers.forEach((one) => void one.cron!.tick()), 6_500);
	await jest.advanceTimersByTimeAsync(minutes * MINUTE);
	clearInterval(clock);
	await through(Promise.all(triggers.map(async (one) => await one.idle())));
}

describe('many triggers of one key', () => {
	const published = async (count: number, service = new FakeService()) => {
		const triggers = Array.from({ length: count }, (_, i) => {
			const one = new FakeN8n(service);
			one.url = `https://n8n.example.com/webhook/${i}/webhook`;
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
	};

	it.each([
		[1, 0.3],
		[10, 1],
		[100, 6],
	])('%d triggers: fewer than %d reads a minute, and each is checked', async (count, most) => {
		const { service, triggers } = await published(count);
		// The first checks of a process read more.
		await run(triggers, 40);
		service.sent.length = 0;
		await run(triggers, 60);
		const reads = service.sent.filter(({ method }) => method === 'GET');
		expect(reads.length / 60).toBeLessThan(most);
		const checked = new Set(reads.map(({ path }) => path).filter((path) => path.endsWith('/deliveries')));
		expect(checked.size).toBe(count);
		expect(triggers.flatMap(({ logged }) => logged)).toEqual([]);
	});

	it('start together at the lowest plan, sixty reads a minute: everything is recovered, nothing is told, and soon they read less', async () => {
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
		for (const one of triggers) one.forget();
		for (const one of triggers) {
			expect(await one.hook('checkExists', { activation: 'init' })).toBe(true);
			await one.start('init');
		}
		expect(service.asked()).toEqual(['GET /webhooks']);
		await run(triggers, 10);
		expect(triggers.flatMap(({ behind }) => behind)).toHaveLength(40);
		for (const { parameters } of triggers) parameters.options = { checkEvery: 1 };
		await run(triggers, 3);
		service.sent.length = 0;
		await run(triggers, 6);
		expect(service.sent.length / 6).toBeLessThan(6);
		expect(triggers.flatMap(({ logged, failedExecutions }) => [...logged, ...failedExecutions])).toEqual([]);
	});
});
