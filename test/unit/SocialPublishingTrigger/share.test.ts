import { many } from '../../support/property';
import { FakeN8n, FakeService, MINUTE, newEvent, NOON, through } from './fakes';

/** How the triggers of a key share its limit. */

describe('triggers with one key, in one process', () => {
	let triggers: FakeN8n[];
	let service: FakeService;
	beforeEach(() => {
		jest.useFakeTimers({ now: NOON });
		service = new FakeService();
	});
	afterEach(async () => {
		for (const one of triggers) await one.stop();
		jest.useRealTimers();
	});

	async function start(count: number): Promise<void> {
		triggers = Array.from({ length: count }, (_, i) =>
			Object.assign(new FakeN8n(service), { url: `https://n8n.example.com/webhook/${i}/webhook` }),
		);
		for (const one of triggers) await one.publish();
		for (const one of triggers) {
			one.forget();
			await one.hook('checkExists', { activation: 'init' });
			await one.start('init');
		}
		service.sent.length = 0;
	}

	/** When each read was made, in ms, while n8n's clock runs for all of them. */
	async function readsIn(minutes: number): Promise<number[]> {
		const times: number[] = [];
		service.before = ({ method }) => void (method === 'GET' && times.push(performance.now()));
		const clock = setInterval(() => triggers.forEach((one) => void one.cron!.tick()), 3_000);
		await jest.advanceTimersByTimeAsync(minutes * MINUTE);
		clearInterval(clock);
		await through(Promise.all(triggers.map(async (one) => await one.idle())));
		return times;
	}

	it('start their checks five seconds apart: at most 60 reads in any minute after a start, and each is checked', async () => {
		const count = many(100);
		await start(count);
		for (const { id } of service.hooks)
			service.deliveries.push({ webhook_id: id, status: 'dead_letter', event: newEvent() });
		for (const minutes of [15, 15]) {
			const times = await readsIn(minutes);
			const most = Math.max(
				...times.map((at) => times.filter((one) => one >= at && one < at + MINUTE).length),
			);
			if (process.env.READS)
				process.stdout.write(`${count}: ${times.length / minutes} a minute, ${most} at most\n`);
			expect(most).toBeLessThanOrEqual(60);
		}
		expect(triggers.flatMap(({ behind }) => behind)).toHaveLength(count);
		expect(triggers.flatMap(({ logged }) => logged)).toEqual([]);
	});

	it('read the list once a minute for all of them', async () => {
		await start(12);
		await readsIn(1);
		const lists = service.asked(/^.webhooks$/).length;
		expect(lists).toBeLessThanOrEqual(2);
	});
});
