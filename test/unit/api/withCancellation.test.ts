import { refusal } from '../../../nodes/api/errors';
import { withCancellation } from '../../../nodes/api/withCancellation';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const stopped = refusal('STOPPED', 'stopped', 'again');

test.each([
	['a value', async () => 7, { status: 'fulfilled', value: 7 }],
	['undefined', async () => undefined, { status: 'fulfilled', value: undefined }],
	[
		'a failure',
		async () => await Promise.reject(new Error('no')),
		{ status: 'rejected', reason: new Error('no') },
	],
])(
	'gives what the work gives: %s, without a look at the reasons to end it',
	async (_what, work, expected) => {
		const end = jest.fn();
		expect(await Promise.allSettled([withCancellation<unknown>(work, end)])).toEqual([expected]);
		expect(end).not.toHaveBeenCalled();
	},
);

test('looks every 200 ms for a reason to end it, then aborts the work and leaves it behind', async () => {
	const start = Date.now();
	const looks: number[] = [];
	let signal!: AbortSignal;
	const running = withCancellation(
		async (given) => {
			signal = given;
			return await new Promise<never>(() => undefined);
		},
		() => {
			looks.push(Date.now() - start);
			return looks.length === 3 ? stopped : undefined;
		},
	).catch((error: unknown) => error);
	await jest.advanceTimersByTimeAsync(599);
	expect(signal.aborted).toBe(false);
	await jest.advanceTimersByTimeAsync(1);
	expect([await running, signal.aborted, looks]).toEqual([stopped, true, [200, 400, 600]]);
});

test('work that ends in the end has been looked at as often as it took', async () => {
	const end = jest.fn();
	const running = withCancellation(
		async () => await new Promise((done) => setTimeout(() => done('done'), 250)),
		end,
		100,
	);
	await jest.advanceTimersByTimeAsync(250);
	expect([await running, end.mock.calls.length]).toEqual(['done', 2]);
});
