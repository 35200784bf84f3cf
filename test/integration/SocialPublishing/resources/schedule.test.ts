import { contextOf, createPost, item, posts, run, type Service, startService } from '../../../support/writes';

describe('when posts go out', () => {
	let service: Service;
	beforeEach(async () => {
		service = await startService({ speed: 0 });
	});
	afterEach(async () => await service.close());

	const after = (unit: string, amount: number) => ({ time: { unit, amount } });
	const minute = 60_000;

	test('the time is in the output, in UTC and in the workflow’s zone', async () => {
		const { json } = await run(service, createPost({ scheduledAt: '2126-07-01T10:00' }));
		expect(json[0]).toMatchObject({
			scheduled_at: '2126-07-01T08:00:00Z',
			scheduled_at_local: '2126-07-01T10:00:00+02:00',
		});
		expect(posts(service)[0].scheduledAt).toBe('2126-07-01T08:00:00Z');
		const [at_once] = (await run(service, createPost(), { executionId: '2' })).json;
		expect(at_once).not.toHaveProperty('scheduled_at_local', expect.stringContaining('2126'));
	});

	test('Delay and Spacing: each item so much later than the one before', async () => {
		const delay = { when: 'delay', delayAmount: 2, delayUnit: 'hours' };
		const options = { spacing: after('minutes', 30) };
		const before = Date.now();
		const { json } = await run(service, createPost({ ...delay, text: '={{ "Text " + $json.n }}', options }), {
			items: [0, 1, 2].map((n) => item({ n })),
		});
		const at = json.map(({ scheduled_at }) => Date.parse(String(scheduled_at)));
		expect(at[0]! - before).toBeGreaterThanOrEqual(120 * minute);
		expect(at[0]! - Date.now()).toBeLessThanOrEqual(120 * minute);
		expect([at[1]! - at[0]!, at[2]! - at[1]!]).toEqual([30 * minute, 30 * minute]);
	});

	test('a retry keeps the time of the first try', async () => {
		service.faults.add({ kind: 'dropAfter', method: 'POST' });
		const parameters = createPost({
			when: 'delay',
			delayAmount: 1,
			delayUnit: 'days',
			options: { maxRetryWait: 0 },
		});
		const first = await run(service, parameters);
		expect(first.error).toBeDefined();
		const kept = posts(service)[0].scheduledAt;
		const retry = await run(service, parameters, { contextData: contextOf(first) });
		expect(retry.json[0]!.scheduled_at).toBe(kept);
		expect(posts(service)).toHaveLength(1);
	});
});
