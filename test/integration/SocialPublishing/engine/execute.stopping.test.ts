import type { INode } from 'n8n-workflow';

import type { Fault } from '../../../service';
import { goOn, stopTime } from '../../../support/virtualTime';
import { asked, run, type Service, startService } from '../../../support/service';

/**
 * The button that stops an execution. From the moment it is pressed, the time of the node (its timers and clock) goes on
 * for one second and then stands still: a run that ends all the same has ended within that second, however slow the
 * machine is; any other never ends. Each kind of wait by itself: `client`, `pace` and `transfers` in test/unit/api.
 */
describe('stopping the execution ends within a second', () => {
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
	const refused = () => asked(service, 'GET').some(({ status }) => status >= 400);
	const met = () => service.requests.some(({ fault }) => fault === 'hang');

	interface Case {
		what: string;
		/** What the service does, again and again. */
		fault: Fault;
		/** Whether the node is where it is to be stopped. */
		there: () => boolean;
	}
	const cases: Case[] = [
		{
			what: 'a wait for the rate limit',
			fault: { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '50' },
			there: refused,
		},
		{ what: 'a request that runs', fault: { kind: 'hang' }, there: met },
	];

	/** Starts the node, lets it get where it is to be stopped, and wait there; the way to stop it. */
	async function started({ fault, there }: Case, node: Partial<INode> = {}) {
		service.faults.add({ ...fault, times: 0 });
		let press = (): void => undefined;
		const stopWhen = new Promise<void>((done) => (press = done));
		let over = false;
		const running = run(service, parameters, { node, stopWhen }).finally(() => (over = true));
		while (!there()) await goOn(100);
		for (let second = 0; second < 10; second++) await goOn(1000);
		// At the worst moment: the node has just looked whether it is to stop, and has begun its next sleep.
		await jest.advanceTimersToNextTimerAsync();
		expect(over).toBe(false);
		const sent = service.requests.length;
		const stop = async () => {
			press();
			await stopWhen;
		};
		const ended = async () => {
			const { status } = (await running).run;
			expect(status).toBe('canceled');
			expect(service.requests).toHaveLength(sent);
		};
		return { stop, ended, isOver: () => over };
	}

	test.each(cases)('$what', async (one) => {
		const { stop, ended } = await started(one);
		await stop();
		await goOn(1000);
		await ended();
	});

	test('with Retry On Fail: n8n tries again all the same, and nothing is sent', async () => {
		const node = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1000 };
		const { stop, ended, isOver } = await started(cases[0]!, node);
		await stop();
		while (!isOver()) await goOn(1000);
		await ended();
	});
});
