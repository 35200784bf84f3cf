import { setTimeout as sleep } from 'node:timers/promises';
import { Clock } from '../../service/clock';

describe('the embedded service’s clock', () => {
	let clock: Clock;
	beforeEach(() => {
		clock = new Clock(0);
	});
	afterEach(() => clock.stop());

	test('stands still at speed 0, and advance moves it', async () => {
		const before = clock.now();
		await sleep(5);
		expect(clock.now()).toBe(before);
		await clock.advance(3_600_000);
		expect(clock.now()).toBe(before + 3_600_000);
	});

	test('runs what falls due in order, each at its own time, and waits for it', async () => {
		const start = clock.now();
		const ran: string[] = [];
		const note = (name: string) => async () => {
			await sleep(2);
			ran.push(`${name} at ${clock.now() - start}`);
		};
		clock.setTimeout(note('third'), 300);
		clock.setTimeout(note('first'), 100);
		clock.setTimeout(note('second'), 100);
		clock.setTimeout(note('too late'), 1001);
		await clock.advance(1000);
		expect(ran).toEqual(['first at 100', 'second at 100', 'third at 300']);
		expect(clock.now()).toBe(start + 1000);
	});

	test('runs timers that are set on the way', async () => {
		const at: number[] = [];
		const start = clock.now();
		const again = (): void => {
			at.push(clock.now() - start);
			clock.setTimeout(again, 250);
		};
		clock.setTimeout(again, 250);
		await clock.advance(1000);
		expect(at).toEqual([250, 500, 750, 1000]);
	});

	test('does not run what was cleared', async () => {
		const run = jest.fn();
		clock.clear(clock.setTimeout(run, 10));
		await clock.advance(100);
		expect(run).not.toHaveBeenCalled();
	});

	test('runs faster than real time', async () => {
		clock.speed = 1000;
		const before = clock.now();
		await new Promise<void>((resolve) => clock.setTimeout(resolve, 20_000));
		expect(clock.now() - before).toBeGreaterThanOrEqual(20_000);
		expect(clock.now() - before).toBeLessThan(200_000);
	});

	test('two advances run one after the other', async () => {
		const start = clock.now();
		await Promise.all([clock.advance(1000), clock.advance(500)]);
		expect(clock.now()).toBe(start + 1500);
	});

	test('a failing timer fails the advance, and the next one works', async () => {
		clock.setTimeout(() => Promise.reject(new Error('broken')), 10);
		await expect(clock.advance(100)).rejects.toThrow('broken');
		const run = jest.fn();
		clock.setTimeout(run, 10);
		await clock.advance(100);
		expect(run).toHaveBeenCalledTimes(1);
	});
});
