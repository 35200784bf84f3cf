import type { INode } from 'n8n-workflow';

import type { Fault } from '../../../service';
import { goOn, stopTime } from '../../../support/virtualTime';
import { run, type Service, startService } from '../../../support/service';

/**
 * The button that stops an execution. From the moment it is pressed, the time of the node (its timers and clock) goes on
 * for one second and then stands still: a run that ends all the same has ended within that second, however slow the
 * machine is; any other never ends. Each kind of wait by itself: `client`, `pace` and `transfers` in test/unit/api.
 */
let service: Service;

beforeEach(async () => {
	// The service's clock stands still: nothing is published.
	service = await startService({ speed: 0 });
	stopTime();
});
afterEach(async () => {
	jest.useRealTimers();
	await service.close();
});

const parameters = {
	...{ resource: 'workspace', operation: 'getAll', returnAll: true },
	options: { maxRetryWait: 60 },
};
const rateLimit: Fault = { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '50', times: 0 };

/** Starts the node, lets it meet the fault, and wait there; stops it. The end of the run, in which nothing more is sent. */
async function stopped(fault: Fault, node: Partial<INode> = {}) {
	service.faults.add(fault);
	let press = (): void => undefined;
	const stopWhen = new Promise<void>((done) => (press = done));
	let over = false;
	const running = run(service, parameters, { node, stopWhen }).finally(() => (over = true));
	while (!service.requests.some((one) => one.fault === fault.kind)) await goOn(100);
	for (let second = 0; second < 10; second++) await goOn(1000);
	// At the worst moment: the node has just looked whether it is to stop, and has begun its next sleep.
	await jest.advanceTimersToNextTimerAsync();
	expect(over).toBe(false);
	const sent = service.requests.length;
	press();
	await stopWhen;
	const ended = async () => {
		expect((await running).run.status).toBe('canceled');
		expect(service.requests).toHaveLength(sent);
	};
	return { ended, isOver: () => over };
}

test.each<[string, Fault]>([
	['a wait for the rate limit', rateLimit],
	['a request that runs', { kind: 'hang', times: 0 }],
])('stopping the execution in %s ends it within a second', async (_what, fault) => {
	const { ended } = await stopped(fault);
	await goOn(1000);
	await ended();
});

test('with Retry On Fail n8n tries again all the same, and nothing is sent', async () => {
	const node = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1000 };
	const { ended, isOver } = await stopped(rateLimit, node);
	while (!isOver()) await goOn(1000);
	await ended();
});
