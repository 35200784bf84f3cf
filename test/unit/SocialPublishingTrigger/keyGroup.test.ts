import { KeyGroup, keyGroupOf, LISTING_MS } from '../../../nodes/SocialPublishingTrigger/keyGroup';
import { FakeN8n, FakeService, newEvent, through } from './fakes';

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
		expect(await Promise.all([group.list(read, LISTING_MS), group.list(read, LISTING_MS)])).toEqual([
			list,
			list,
		]);
		jest.setSystemTime(NOW + 5 * MINUTE - 1);
		await group.list(read, LISTING_MS);
		expect(read).toHaveBeenCalledTimes(1);
		jest.setSystemTime(NOW + 5 * MINUTE);
		await group.list(read, LISTING_MS);
		expect(read).toHaveBeenCalledTimes(2);
		await group.list(read, MINUTE);
		expect(read).toHaveBeenCalledTimes(2);
		jest.setSystemTime(NOW + 6 * MINUTE);
		await group.list(read, MINUTE);
		expect(read).toHaveBeenCalledTimes(3);
		group.forgetListing();
		await group.list(read, LISTING_MS);
		await group.list(read, 0);
		expect(read).toHaveBeenCalledTimes(5);
		jest.setSystemTime(NOW - 60 * MINUTE);
		await group.list(read, LISTING_MS);
		expect(read).toHaveBeenCalledTimes(6);
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
		// The clock was set back.
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
			let now = NOW;
			for (const [reads, turns] of [
				[0, 1],
				[1, 1],
				[3, 3],
				[9, 4],
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
	for (let second = 0; second < minutes * 60; second += 6.5) {
		await jest.advanceTimersByTimeAsync(6_500);
		for (const one of triggers) void one.cron!.tick();
		await jest.advanceTimersByTimeAsync(0);
	}
	await through(Promise.all(triggers.map(async (one) => await one.idle())));
}

describe('many triggers of one key', () => {
	const published = async (count: number, service = new FakeService()) => {
		const triggers = Array.from({ length: count }, (_, i) => {
			const one = new FakeN8n(service);
			one.url = `https://n8n.example.com/webhook/${i}/webhook`;
			return one;
		});
		for (const one of triggers) {
			await one.publish();
			await one.start('activate');
		}
		return { service, triggers };
	};

	it.each([
		[1, 0.3],
		[10, 1],
		[100, 6],
	])(
		'%d triggers: fewer than %d reads a minute, and each is checked',
		async (count, most) => {
			const { service, triggers } = await published(count);
			// The first checks of a process read more.
			await run(triggers, 40);
			service.sent.length = 0;
			const minutes = 60;
			await run(triggers, minutes);
			const reads = service.sent.filter(({ method }) => method === 'GET');
			expect(reads.length / minutes).toBeLessThan(most);
			if (process.env.KEY_GROUP_READS)
				process.stdout.write(`${count}: ${reads.length / minutes} reads a minute\n`);
			const checked = new Set(reads.map(({ path }) => path).filter((path) => path.endsWith('/deliveries')));
			expect(checked.size).toBe(count);
			expect(triggers.flatMap(({ logged }) => logged)).toEqual([]);
		},
		60_000,
	);

	it('start together at the lowest plan, sixty reads a minute: everything is recovered, and nothing is told', async () => {
		const { service, triggers } = await published(60);
		for (const { id } of service.hooks)
			service.deliveries.push({ webhook_id: id, status: 'dead_letter', event: newEvent() });
		let [window, left] = [0, 60];
		service.fault = ({ method }) => {
			const minute = Math.floor(Date.now() / MINUTE);
			if (minute !== window) [window, left] = [minute, 60];
			if (method !== 'GET' || left-- > 0) return undefined;
			return () => ({
				statusCode: 429,
				headers: { 'retry-after': '30' },
				body: { success: false, error: { code: 'PUBLIC_API_RATE_LIMITED', message: 'no' } },
			});
		};
		for (const one of triggers) one.forget();
		for (const one of triggers) {
			expect(await one.hook('checkExists', { activation: 'init' })).toBe(true);
			await one.start('init');
		}
		await run(triggers, 20);
		expect(triggers.flatMap(({ behind }) => behind)).toHaveLength(60);
		expect(triggers.flatMap(({ logged, failedExecutions }) => [...logged, ...failedExecutions])).toEqual([]);
	}, 60_000);
});
