import { setTimeout as sleep } from 'node:timers/promises';

import { Clock } from '../../service/clock';

let clock: Clock;
let start: number;
beforeEach(() => {
	clock = new Clock(0);
	start = clock.now();
});
afterEach(() => clock.stop());

test('at speed 0 only advance moves it: what falls due runs in order, each at its own time', async () => {
	const ran: string[] = [];
	const note = (name: string) => async () => {
		await sleep(2);
		ran.push(`${name} at ${clock.now() - start}`);
	};
	clock.setTimeout(note('third'), 300);
	clock.setTimeout(note('first'), 100);
	clock.setTimeout(note('second'), 100);
	clock.clear(clock.setTimeout(note('cleared'), 200));
	clock.setTimeout(note('too late'), 1001);
	clock.setTimeout(() => void clock.setTimeout(note('set on the way'), 500), 500);
	await Promise.all([clock.advance(400), clock.advance(600)]);
	expect(ran).toEqual(['first at 100', 'second at 100', 'third at 300', 'set on the way at 1000']);
	expect(clock.now()).toBe(start + 1000);
});

test('runs faster than real time', async () => {
	clock.speed = 1000;
	await new Promise<void>((resolve) => clock.setTimeout(resolve, 20_000));
	expect(clock.now() - start).toBeGreaterThanOrEqual(20_000);
});
